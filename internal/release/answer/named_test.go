package answer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// couples draw a pair of numbers from 0 to top-1.
var couples = []struct {
	name string
	draw func(r *rand.Rand, top int) (x, y int)
}{
	{"beside a diagonal", func(r *rand.Rand, top int) (x, y int) {
		x = int(float64(top-6) * math.Pow(r.Float64(), 1.5))
		return x, x + r.IntN(6)
	}},
	{"correlated", func(r *rand.Rand, top int) (x, y int) {
		middle, sd := float64(top)/2, float64(top)/6
		z := r.NormFloat64()
		return int(middle + sd*z), int(middle + sd*(.8*z+.6*r.NormFloat64()))
	}},
	{"nearly constant", func(r *rand.Rand, top int) (x, y int) {
		if r.IntN(200) == 0 {
			x = r.IntN(top)
		}
		return x, int(float64(top) * math.Pow(r.Float64(), 3))
	}},
	{"a function", func(r *rand.Rand, top int) (x, y int) {
		x = r.IntN(top)
		return x, x * 7 % top
	}},
	{"apart", func(r *rand.Rand, top int) (x, y int) {
		return r.IntN(top), int(float64(top) * math.Pow(r.Float64(), 2))
	}},
}

// TestNamedMethods: of dpam and dpfw, which are used only where somebody names them, 95 % intervals of counts of columns, of pairs with
// people, of means and of corners hold the truth, over kinds of pairs and sizes, from ε = .3 to 10, with δ and without. A kind fails if
// its coverage is below 94 %, with a false-alarm rate below 1 in 100,000 if intervals erred apart. The noise is fixed, so that a failure is
// never chance.
func TestNamedMethods(t *testing.T) {
	seeds := 3
	switch {
	case dptest.Nightly():
		seeds = 16
	case testing.Short():
		seeds = 1
	}
	for _, method := range []string{"dpam", "dpfw"} {
		kinds := holdings{}
		for i, c := range couples {
			for k, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
				for seed := range seeds {
					r := rand.New(rand.NewPCG(uint64(100*i+k), uint64(seed)))
					top := 8 + r.IntN(40)
					d := numbers(r, 4000, top, c.draw)
					release := d.release(t, method, epsilon, []dp.Delta{1e-9, 0}[(i+k+seed)%3/2], uint64(seed))
					for _, q := range d.questions(r, false) {
						if a, ok := seen(t, release, q.sql); ok {
							kinds.of(q.kind).add(a, q.truth)
							kinds.of(c.name).add(a, q.truth)
						}
					}
					cells := d.cells(t, release)
					for a := range d.Sizes {
						counts := published(release, domain.Clique{a})
						for j, n := range d.Marginal(domain.Clique{a}) {
							cells.of("columns").add(counts[j], float64(n))
						}
					}
					kinds.addAll(cells, "")
					kinds.addAll(cells, c.name+": ")
				}
			}
		}
		kinds.check(t, method, func(string) float64 { return .94 })
	}
}

// numbers draws people with two numbers.
func numbers(r *rand.Rand, people, top int, draw func(r *rand.Rand, top int) (x, y int)) *diagonal {
	d := newDiagonal(r, 0, "even", "numbers")
	d.Table = solvertest.NewTable(top, top)
	for a := range d.domain.Attributes {
		d.domain.Attributes[a].Cuts = nil
		for v := range top + 1 {
			d.domain.Attributes[a].Cuts = append(d.domain.Attributes[a].Cuts, int64(v))
		}
	}
	for range people {
		x, y := draw(r, top-1) // the last cell has two numbers
		d.Counts[min(max(x, 0), top-2)*top+min(max(y, 0), top-2)]++
	}
	return d
}
