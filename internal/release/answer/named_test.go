package answer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
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
		kinds := map[string]*holding{}
		get := func(kind string) *holding {
			if kinds[kind] == nil {
				kinds[kind] = &holding{}
			}
			return kinds[kind]
		}
		for i, c := range couples {
			for k, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
				for seed := range seeds {
					r := rand.New(rand.NewPCG(uint64(100*i+k), uint64(seed)))
					top := 8 + r.IntN(40)
					d := numbers(r, 4000, top, c.draw)
					release := d.release(t, method, epsilon, []dp.Delta{1e-9, 0}[(i+k+seed)%3/2], uint64(seed))
					for _, q := range d.questions(r, false) {
						list, err := release.Answer(must.Value(answer.Parse(q.sql))(t), answer.Options{})
						if err == nil && list[0].Hidden == 0 { // else noise hides it
							get(q.kind).add(list[0], q.truth)
							get(c.name).add(list[0], q.truth)
						}
					}
					for a := range d.table.Sizes {
						for j, n := range d.Marginal(domain.Clique{a}) {
							get("columns").add(published(release, domain.Clique{a}, j), float64(n))
							get(c.name+": columns").add(published(release, domain.Clique{a}, j), float64(n))
						}
					}
					for kind, x := range d.cells(t, release) {
						y := get(kind)
						y.held, y.all, y.off = y.held+x.held, y.all+x.all, y.off+x.off
						y = get(c.name + ": " + kind)
						y.held, y.all, y.off = y.held+x.held, y.all+x.all, y.off+x.off
					}
				}
			}
		}
		for kind, x := range kinds {
			t.Logf("%s, %s: %d of %d intervals hold, answers are %.2f standard errors off", method, kind, x.held, x.all, x.off/float64(x.all))
			if x.held < x.all && (distuv.Binomial{N: float64(x.all), P: .94}).CDF(float64(x.held)) < 1e-5 {
				t.Errorf("%s, %s: %d of %d intervals hold", method, kind, x.held, x.all)
			}
		}
	}
}

// numbers draws people with two numbers.
func numbers(r *rand.Rand, people, top int, draw func(r *rand.Rand, top int) (x, y int)) *diagonal {
	d := newDiagonal(r, 0, "even", "numbers")
	d.table.Sizes = []int{top, top}
	d.table.Counts = make([]float64, top*top)
	for a := range d.domain.Attributes {
		d.domain.Attributes[a].Cuts = nil
		for v := range top + 1 {
			d.domain.Attributes[a].Cuts = append(d.domain.Attributes[a].Cuts, int64(v))
		}
	}
	for range people {
		x, y := draw(r, top-1) // the last cell has two numbers
		d.table.Counts[min(max(x, 0), top-2)*top+min(max(y, 0), top-2)]++
	}
	return d
}

// published returns the interval of a cell as a release publishes it.
func published(r *answer.Release, c domain.Clique, cell int) answer.Answer {
	fitted := r.Model.Marginal(c, nil)
	for i := range fitted {
		fitted[i] *= r.Units / r.Model.Total()
	}
	errors := r.Errors.StandardErrors(c, fitted, nil)
	highs := r.Errors.Highs(c, fitted, errors, nil)
	return answer.Answer{Value: fitted[cell], StandardError: errors[cell], Low: fitted[cell] - 1.96*errors[cell], High: highs[cell]}
}
