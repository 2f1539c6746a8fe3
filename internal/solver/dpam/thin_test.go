package dpam

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// thinKinds draw the codes of two columns of so many values, most pairs of which nobody has, or all.
var thinKinds = []struct {
	name string
	thin bool
	draw func(r *rand.Rand, k int, names []int) (x, y int)
}{
	{"diagonal", true, func(r *rand.Rand, k int, _ []int) (x, y int) { x = r.IntN(k - 4); return x, x + r.IntN(5) }},
	{"names", true, func(r *rand.Rand, k int, names []int) (x, y int) { x = r.IntN(k); return x, names[(x+r.IntN(3))%k] }},
	{"steps", true, func(r *rand.Rand, k int, _ []int) (x, y int) {
		x = int(float64(k) * r.Float64() * r.Float64())
		return x, x / 5 * 5
	}},
	{"apart", false, func(r *rand.Rand, k int, _ []int) (x, y int) {
		return r.IntN(k), int(float64(k) * r.Float64() * r.Float64())
	}},
	{"correlated", false, func(r *rand.Rand, k int, _ []int) (x, y int) { x = r.IntN(k); return x, (x + r.IntN(k)) / 2 }},
}

// TestThin: where most cells are empty most fits start from likely counts, and their squared errors are at most .85 of those of fits from
// independent columns; elsewhere most do not, and errors stay. Squared errors are foretold to 30 % in the mean. Fixed seed.
func TestThin(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 4))
	for _, kind := range thinKinds {
		thin, foretold, errors, plain, n := 0, 0.0, 0.0, 0.0, 0
		for range 30 {
			k, sigma := 20+rng.IntN(20), 2*math.Exp(rng.Float64())
			table, names := solvertest.NewTable(k, k), rng.Perm(k)
			for range 8000 {
				x, y := kind.draw(rng, k, names)
				table.Counts[x*k+y]++
			}
			m := query.Measurement{Clique: domain.Clique{0, 1}, Variance: sigma * sigma}
			for _, x := range table.Counts {
				m.Values = append(m.Values, math.Round(x+sigma*rng.NormFloat64()))
			}
			ms, o := []query.Measurement{m}, dense.NewOracle(dense.NewPlan(table.Sizes, []domain.Clique{m.Clique}))
			s := FitSettings{Seed: rng.Uint64(), Prior: Independent(table.Sizes, ms, nil)}
			fit := must.Value(Fit(o, ms, 8000, s))(t)
			if s.Project = func(query.Answers) {}; fit.Thin {
				thin++
			}
			square := func(f *Fitted) (sum float64) {
				for z, x := range f.Weights {
					sum += (8000*x - table.Counts[z]) * (8000*x - table.Counts[z])
				}
				return sum
			}
			foretold, errors, plain = foretold+fit.RMSE*fit.RMSE*float64(k*k), errors+square(fit), plain+square(must.Value(Fit(o, ms, 8000, s))(t))
			n++
		}
		must.Hold(t, (!kind.thin || 3*thin >= 2*n && errors <= .85*plain) && (kind.thin || 3*thin <= n && errors <= 1.02*plain) && math.Abs(errors/foretold-1) <= .3,
			"%s: %d of %d fits start from likely counts; their squared errors are %.2f of those of others, and %.2f of what is foretold", kind.name, thin, n, errors/plain, errors/foretold)
	}
}
