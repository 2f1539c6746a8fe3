package interval

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

const (
	// trends is by how much larger the deviations of a draw are than if cells erred each on its own, as for sums of numbers: a fit
	// draws dependences towards none, and dependences of ordered columns run in one direction.
	trends = 1.2
	// leastFactor is the least part of its weight that a record keeps before pairs are fitted.
	leastFactor = .01
	// rounds of fitting pairs; three and eight gave the same regressions.
	pairRounds = 3
	// mostLooks bounds records times tables of a draw, some seconds of work. Beyond it tables of three columns have no deviation.
	mostLooks = 1 << 30
	// mostRaked is the most cells of a pair whose sums are put back.
	mostRaked = 1 << 22
	// mostHeld bounds the weights of draws that are made together.
	mostHeld = 1 << 25
)

// Known reports whether anything was released of the model's errors.
func (v *Intervals) Known() bool {
	return v.uncertainty != nil || v.scale >= 0 || v.maxError != nil
}

// Draws returns n models drawn from an approximate posterior of the table, given what was released: m with other weights. Draw k
// depends on the seed and k alone.
//
// A draw has a deviation for each interaction of up to three columns, normal with the variances that Linear computes with. The
// weight of a record is multiplied by 1 + Σ deviation/count over the cells that it is in, and at least by leastFactor. Where that
// cuts off negative weights, the sums of pairs of columns move; raking to the sums before puts them back.
func (v *Intervals) Draws(m *population.Model, seed uint64, n int) iter.Seq[*population.Model] {
	return func(yield func(*population.Model) bool) {
		t, at := v.records(m)
		together := max(1, mostHeld/len(m.Weights))
		for from := 0; from < n; from += together {
			for _, w := range v.drawn(t, seed, from, min(from+together, n)) {
				d := *m
				d.Weights = make([]float64, len(m.Weights))
				for i, x := range w {
					d.Weights[at[i]] = x
				}
				if !yield(&d) {
					return
				}
			}
		}
	}
}

// records returns all records of a model with weight as a table, and where they are in the model.
func (v *Intervals) records(m *population.Model) (t *Table, at []int) {
	t = &Table{Codes: make([][]domain.Code, len(m.Sizes))}
	code := make([]domain.Code, len(m.Sizes))
	for a := range m.Sizes {
		t.Clique = append(t.Clique, a)
	}
	scale := v.units / m.Total()
	for i, w := range m.Weights {
		if w > 0 {
			m.Record(i, code)
			t.add(code, w*scale)
			at = append(at, i)
		}
	}
	return t, at
}

// drawn returns the weights of the draws from … to−1.
func (v *Intervals) drawn(t *Table, seed uint64, from, to int) [][]float64 {
	factors, rngs := make([][]float64, to-from), make([]*rand.Rand, to-from)
	for k := range factors {
		factors[k], rngs[k] = slices.Repeat([]float64{1}, len(t.Fitted)), rand.New(rand.NewPCG(seed, uint64(from+k)))
	}
	var plain domain.Clique
	for a, k := range v.sizes {
		if k > 1 {
			plain = append(plain, a)
		}
	}
	width, c := measuredWidth, len(plain)
	if triples := c * (c - 1) * (c - 2) / 6; triples > mostLooks/len(t.Fitted) {
		width = 2
	}
	g := newGrouper(v.sizes, t, width-1)
	eachSubset(plain, width, func(sub domain.Clique) {
		p, _ := v.part(g, sub, sub)
		for k, f := range factors {
			d := p.draw(rngs[k])
			for j, b := range p.base {
				d[j] *= trends / b
			}
			for i, j := range p.of {
				f[i] += d[j]
			}
		}
	})
	for _, f := range factors {
		rakePairs(t, v.sizes, plain, f)
	}
	return factors
}

// draw returns deviations of the cells that have the variances of p and, nearly, no sums along its faces.
func (p *part) draw(rng *rand.Rand) []float64 {
	d := make([]float64, len(p.base))
	for j, x := range p.variance {
		d[j] = math.Sqrt(x) * rng.NormFloat64()
	}
	turns := sweeps
	if len(p.faces) == 1 {
		turns = 1
	}
	for range turns {
		for _, f := range p.faces {
			sum, weight := make([]float64, f.sum), make([]float64, f.sum)
			for j, x := range d {
				sum[f.of[j]] += x
				weight[f.of[j]] += p.variance[j]
			}
			for k, w := range weight {
				if w > 0 {
					sum[k] /= w
				}
			}
			for j := range d {
				d[j] -= p.variance[j] * sum[f.of[j]]
			}
		}
	}
	return d
}

// rakePairs replaces the factors of records, which may be negative, by weights that are not, and have nearly the sums of all
// pairs of columns that the records have with those factors.
func rakePairs(t *Table, sizes []int, columns domain.Clique, factors []float64) {
	signed := make([]float64, len(factors))
	for i, f := range factors {
		signed[i] = t.Fitted[i] * f
		factors[i] = t.Fitted[i] * max(leastFactor, f)
	}
	for range pairRounds {
		eachSubset(columns, 2, func(sub domain.Clique) {
			if len(sub) < 2 && len(columns) > 1 {
				return
			}
			first, last := t.Codes[sub[0]], t.Codes[sub[len(sub)-1]]
			k := sizes[sub[len(sub)-1]]
			if sizes[sub[0]]*k > mostRaked {
				return
			}
			want, have := make([]float64, sizes[sub[0]]*k), make([]float64, sizes[sub[0]]*k)
			for i, x := range signed {
				cell := int(first[i])*k + int(last[i])
				want[cell] += x
				have[cell] += factors[i]
			}
			all, kept := 0.0, 0.0
			for c, x := range want {
				all, kept = all+x, kept+max(x, 0)
				want[c] = max(x, 0)
			}
			for c, x := range have {
				if x > 0 {
					have[c] = want[c] * all / (kept * x)
				}
			}
			for i := range factors {
				factors[i] *= have[int(first[i])*k+int(last[i])]
			}
		})
	}
}
