package dense

import (
	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// smallInner is the row length below which a loop over rows costs more than one over cells.
const smallInner = 6

// sumAxis writes dst[o][q] = Σ_j src[o][j][q] with src of shape [outer][axis][inner].
func sumAxis(dst, src []float64, outer, axis, inner int) {
	switch {
	case inner == 1:
		for o := range dst[:outer] {
			dst[o] = summation.Long(src[o*axis : (o+1)*axis])
		}
	case inner < smallInner || axis > maxRun:
		for o := range outer {
			s := src[o*axis*inner : (o+1)*axis*inner]
			for q := range inner {
				dst[o*inner+q] = strided(s, q, inner, axis)
			}
		}
	default:
		for o := range outer {
			sumRows(dst[o*inner:(o+1)*inner], src[o*axis*inner:(o+1)*axis*inner])
		}
	}
}

// sumRows writes the sum of the rows of src, each as long as dst. Four rows at a time save loads and
// stores of dst.
func sumRows(dst, src []float64) {
	n := len(dst)
	copy(dst, src[:n])
	src = src[n:]
	for ; len(src) >= 4*n; src = src[4*n:] {
		r0, r1, r2, r3 := src[:n], src[n:2*n], src[2*n:3*n], src[3*n:4*n]
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		d := dst[:len(r0)]
		for q, x := range r0 {
			d[q] += (x + r1[q]) + (r2[q] + r3[q])
		}
	}
	for ; len(src) > 0; src = src[n:] {
		floats.Add(dst, src[:n])
	}
}

// strided returns Σ_j s[q+j·step], 0 ≤ j < n, pairwise beyond maxRun terms.
func strided(s []float64, q, step, n int) float64 {
	if n > maxRun {
		h := n / 2
		return strided(s, q, step, h) + strided(s, q+h*step, step, n-h)
	}
	a, b := 0.0, 0.0
	end := q + n*step
	for ; q+step < end; q += 2 * step {
		a += s[q]
		b += s[q+step]
	}
	if q < end {
		a += s[q]
	}
	return a + b
}

// spreadAxis adds src[o][q] to dst[o][j][q] for every j, dst of shape [outer][axis][inner].
func spreadAxis(dst, src []float64, outer, axis, inner int) {
	for o := range outer {
		d, s := dst[o*axis*inner:(o+1)*axis*inner], src[o*inner:(o+1)*inner]
		switch {
		case inner == 1:
			floats.AddConst(s[0], d)
		case inner < smallInner:
			for q, x := range s {
				for i := q; i < len(d); i += inner {
					d[i] += x
				}
			}
		default:
			for ; len(d) > 0; d = d[inner:] {
				floats.Add(d[:inner], s)
			}
		}
	}
}
