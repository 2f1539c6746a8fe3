package query

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// records lists all records of the given sizes.
func records(sizes []int) [][]int {
	out := [][]int{{}}
	for _, k := range sizes {
		var next [][]int
		for _, r := range out {
			for v := range k {
				next = append(next, append(slices.Clone(r), v))
			}
		}
		out = next
	}
	return out
}

// centred returns the cell z of a centred table that holds the record x alone.
func centred(sizes, x, z []int) float64 {
	p := 1.0
	for i, k := range sizes {
		if x[i] == z[i] {
			p *= 1 - 1/float64(k)
		} else {
			p *= -1 / float64(k)
		}
	}
	return p
}

func TestResidualL2SquaredByEnumeration(t *testing.T) {
	for _, sizes := range [][]int{{}, {1}, {2}, {5}, {2, 2}, {2, 3}, {3, 4}, {1, 3}, {2, 2, 2}, {2, 2, 3}, {3, 2, 4}, {3, 3, 3}, {2, 2, 2, 3}} {
		all := records(sizes)
		one, two := 0.0, 0.0
		for _, x := range all {
			for _, y := range all {
				d, s := 0.0, 0.0
				for _, z := range all {
					px, py := centred(sizes, x, z), centred(sizes, y, z)
					d += (px - py) * (px - py)
					s += px * px
				}
				one, two = max(one, s), max(two, d)
			}
		}
		for n, want := range map[dp.Neighbouring]float64{dp.AddRemove: one, dp.Replace: two} {
			got, _ := ResidualL2Squared(n, sizes).Float64()
			must.Hold(t, math.Abs(got-want) <= 1e-12, "%v sizes %v: got %g, want %g", n, sizes, got, want)
		}
	}
}

func TestResidualShareIsTheRemainingVariance(t *testing.T) {
	for _, sizes := range [][]int{{2}, {3, 2}, {4, 2, 3}} {
		all := records(sizes)
		sum := 0.0 // variance of cell 0 of centred unit noise: Σ_z P(0, z)²
		for _, z := range all {
			p := centred(sizes, all[0], z)
			sum += p * p
		}
		got, _ := ResidualShare(sizes).Float64()
		must.Hold(t, math.Abs(got-sum) <= 1e-12, "sizes %v: got %g, want %g", sizes, got, sum)
	}
	got := ResidualShare([]int{16, 15})
	must.Hold(t, got.Cmp(big.NewRat(15*14, 16*15)) == 0, "got %v", got)
}

// TestDistanceL2SquaredByEnumeration moves one record in small random tables against random bases.
func TestDistanceL2SquaredByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n, bound := range map[dp.Neighbouring]float64{dp.AddRemove: 1, dp.Replace: 2} {
		largest := 0.0
		for range 2000 {
			h, base := make([]float64, 4), make([]float64, 4)
			for c := range h {
				h[c], base[c] = float64(rng.IntN(4)), 3*rng.Float64()
			}
			h[0]++
			before := distance(h, base)
			h[0]--
			if n == dp.Replace {
				h[1+rng.IntN(3)]++
			}
			largest = max(largest, math.Abs(distance(h, base)-before))
		}
		must.Hold(t, largest <= bound+1e-12 && largest >= .9*bound, "%v: largest change %g, bound %g", n, largest, bound)
		must.Equal(t, float64(DistanceL2Squared(n, 7)), 7*bound*bound, "%v: Δ² of 7 distances", n)
	}
}

func distance(h, base []float64) float64 {
	d := 0.0
	for c := range h {
		d += math.Abs(h[c] - base[c])
	}
	return d
}

func TestRecodingMerges(t *testing.T) {
	sizes := []int{3, 2, 4}
	r := Recoding{{1, 0, 1}, nil, {0, 1, 1, 1}}
	got := r.Sizes(sizes)
	must.Need(t, slices.Equal(got, []int{2, 2, 2}), "sizes %v", got)
	for _, c := range []domain.Clique{{}, {0}, {1, 2}, {0, 2}, {0, 1, 2}} {
		n, _ := c.Cells(sizes)
		table := make([]int64, n)
		merged := r.Sizes(sizes)
		m, _ := c.Cells(merged)
		want := make([]int64, m)
		for i, rec := range records(sizes) {
			codes, small := make([]domain.Code, 3), make([]domain.Code, 3)
			for a, v := range rec {
				codes[a], small[a] = domain.Code(v), domain.Code(v)
				if r[a] != nil {
					small[a] = r[a][v]
				}
			}
			table[c.Cell(sizes, codes)] += int64(i)
			want[c.Cell(merged, small)] += int64(i)
		}
		must.List(t, r.Merge(c, sizes, table), want, "clique %v", c)
	}
}
