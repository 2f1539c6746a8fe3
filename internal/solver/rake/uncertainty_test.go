package rake

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestCoverage: of made-up data in 8 columns, ± 1.96 standard errors hold at least 93 % of the cells of every
// width and source, marginals that nobody looked at included, and nearly none lies beyond 5. Of triples that were measured
// they hold 99 % at most. Two noise levels, fixed seeds.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for six runs; make integration runs it")
	}
	p := sampled(problem([]int{2, 3, 1, 12, 5, 30, 2, 4}, 3, dp.AddRemove))
	data := table(20_000, p.Workload.Sizes)
	cliques := append(p.Workload.Cliques(), domain.Clique{0, 1, 3, 4}, domain.Clique{0, 4, 6, 7}, domain.Clique{1, 4, 5, 6, 7})
	inside, far, cells := map[string]float64{}, 0.0, map[string]float64{}
	for seed := range uint64(6) {
		r := must.Value(Solve(p, newCurator(t, data, p, []float64{.1, .0003}[seed%2], seed)))(t)
		r.Uncertainty.Tables = slices.DeleteFunc(r.Uncertainty.Tables, func(k solver.TableUncertainty) bool {
			return k.Clique.Equal(domain.Clique{0, 4, 6}) || k.Clique.Equal(domain.Clique{1, 3, 5}) // as if there were too many
		})
		v := interval.New(r)
		for _, c := range cliques {
			h := data.marginal(c)
			fitted := r.Model.Marginal(c, nil)
			from := v.Sources(c, make([]interval.Source, len(h)))
			for i, se := range v.StandardErrors(c, fitted, nil) {
				kind := fmt.Sprintf("%d-way, %v", len(c), from[i])
				cells[kind]++
				if math.Abs(h[i]-fitted[i]) <= 1.96*se {
					inside[kind]++
				}
				if !(math.Abs(h[i]-fitted[i]) <= 5*se) {
					far++
				}
			}
		}
	}
	sum := 0.0
	for _, kind := range slices.Sorted(maps.Keys(cells)) {
		share := inside[kind] / cells[kind]
		sum += cells[kind]
		t.Logf("%s: %.1f %% of %.0f cells within 1.96 standard errors", kind, 100*share, cells[kind])
		must.Hold(t, kind != "3-way, measured" || share <= .99, "%s: %.1f %% of cells within 1.96 standard errors, want no more than 99 %%", kind, 100*share)
		must.Hold(t, share >= .93 || cells[kind] < 500, "%s: %.1f %% of cells within 1.96 standard errors, want 93 %%", kind, 100*share)
	}
	for _, kind := range []string{"2-way, measured", "3-way, extrapolated", "5-way, extrapolated", "2-way, pooled"} {
		must.Hold(t, cells[kind] != 0, "no cell is of the kind %q", kind)
	}
	must.Hold(t, far <= .003*sum, "%.0f of %.0f cells beyond 5 standard errors", far, sum)
}

// TestPooledAreTold: exactly the values that share a code are marked, and their counts are as sure as the
// one-way release.
func TestPooledAreTold(t *testing.T) {
	p := sampled(problem([]int{2, 3, 40, 5}, 2, dp.AddRemove))
	r := must.Value(Solve(p, newCurator(t, table(500, p.Workload.Sizes), p, .01, 3)))(t)
	pooled := 0
	for a, list := range r.Uncertainty.Pooled {
		c := domain.Clique{a}
		v := interval.New(r)
		from := v.Sources(c, make([]interval.Source, len(list)))
		se := v.StandardErrors(c, marginalOf(r.Model, a), nil)
		for code, hidden := range list {
			least := r.Uncertainty.OneWay[a] * (1 - 1/float64(len(list))) // the noise without the noise of the sum
			if hidden {
				pooled, least = pooled+1, r.Uncertainty.OneWay[a]
			}
			must.Hold(t, hidden == (from[code] == interval.Pooled) && se[code]*se[code] >= least,
				"attribute %d, value %d: pooled %t, source %v, standard error %g", a, code, hidden, from[code], se[code])
		}
	}
	must.Hold(t, pooled >= 10, "%d pooled values, want many", pooled)
}

// marginalOf returns a one-way table.
func marginalOf(m *population.Model, a int) []float64 { return m.Marginal([]int{a}, nil) }
