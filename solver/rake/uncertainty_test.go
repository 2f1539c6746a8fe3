package rake

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/solver/interval"
	"github.com/dapple-dp/dapple/solver/population"
)

// TestCoverage: of made-up data in 8 columns, ± 2 standard errors hold about 95 % of the cells that have an
// interval, of every width, and nearly no cell lies beyond 5. Fixed seeds.
func TestCoverage(t *testing.T) {
	p := sampled(problem([]int{2, 3, 1, 12, 5, 30, 2, 4}, 3, dp.AddRemove))
	data := table(20_000, p.Workload.Sizes)
	inside, far, cells := map[int]float64{}, 0.0, map[int]float64{}
	for seed := range uint64(3) {
		r, err := Solve(p, newCurator(t, data, p, .1, seed))
		if err != nil {
			t.Fatal(err)
		}
		v := interval.New(r)
		for _, m := range p.Workload.Marginals {
			h := data.marginal(m.Clique)
			fitted := r.Model.Marginal(m.Clique, nil)
			for i, se := range v.StandardErrors(m.Clique, fitted, nil) {
				if math.IsNaN(se) {
					continue
				}
				cells[len(m.Clique)]++
				if math.Abs(h[i]-fitted[i]) <= 2*se {
					inside[len(m.Clique)]++
				}
				if math.Abs(h[i]-fitted[i]) > 5*se {
					far++
				}
			}
		}
	}
	for k := 1; k <= 3; k++ {
		share := inside[k] / cells[k]
		t.Logf("%d-way: %.1f %% of %.0f cells within 2 standard errors", k, 100*share, cells[k])
		if share < .9 {
			t.Errorf("%d-way: %.1f %% of cells within 2 standard errors, want 90 %%", k, 100*share)
		}
	}
	if far > .005*(cells[1]+cells[2]+cells[3]) {
		t.Errorf("%.0f cells beyond 5 standard errors", far)
	}
}

// TestPooledHaveNoInterval: exactly the values that share a code are marked.
func TestPooledHaveNoInterval(t *testing.T) {
	p := sampled(problem([]int{2, 3, 40, 5}, 2, dp.AddRemove))
	r, err := Solve(p, newCurator(t, table(500, p.Workload.Sizes), p, .01, 3))
	if err != nil {
		t.Fatal(err)
	}
	pooled := 0
	for a, list := range r.Uncertainty.Pooled {
		se := interval.New(r).StandardErrors([]int{a}, marginalOf(r.Model, a), nil)
		for v, hidden := range list {
			if hidden {
				pooled++
			}
			if hidden != math.IsNaN(se[v]) {
				t.Errorf("attribute %d, value %d: pooled %t, standard error %g", a, v, hidden, se[v])
			}
		}
	}
	if pooled < 10 {
		t.Errorf("%d pooled values, want many", pooled)
	}
}

// marginalOf returns a one-way table.
func marginalOf(m *population.Model, a int) []float64 { return m.Marginal([]int{a}, nil) }
