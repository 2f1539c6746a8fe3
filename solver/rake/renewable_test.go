package rake

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// TestRecordsThatCanBeRenewed: a sample has no more records than can be renewed 32 times: 2e11/(32·1770·20) if all
// pairs of 60 columns of 8 values are measured; all that a million units call for with 14 columns; and 30,000 at least.
func TestRecordsThatCanBeRenewed(t *testing.T) {
	for _, x := range []struct{ columns, values, want int }{{14, 8, 1_000_000}, {60, 8, 176_553}, {60, 40, 42_036}, {60, 80, 30_000}} {
		sizes := slices.Repeat([]int{x.values}, x.columns)
		r := &run{targets: targets{sizes: sizes}, total: query.Total{Units: 1_000_000}, field: &population.Field{}}
		cells := make([]float64, x.values*x.values)
		for a := range sizes {
			for b := range a {
				r.field.Tables = append(r.field.Tables, population.NewTable(sizes, domain.Clique{b, a}, cells, cells))
			}
		}
		if got := r.renewable(r.field.RenewalCost()); got != x.want {
			t.Errorf("%d columns of %d values: %d records, want %d", x.columns, x.values, got, x.want)
		}
	}
}

// TestOneWaysEndMet: however far a fit ends from the one-ways, its model meets them.
func TestOneWaysEndMet(t *testing.T) {
	r := &run{total: query.Total{Units: 1000}, rng: rand.New(rand.NewPCG(1, 1)), oneWays: make([]oneWay, 2), field: &population.Field{
		Model: &population.Model{Sizes: []int{2, 2}, Columns: [][]domain.Code{{0, 0, 1, 1}, {0, 1, 0, 1}}, Weights: []float64{470, 20, 10, 500}},
	}}
	for a, target := range [][]float64{{600, 400}, {580, 420}} {
		r.oneWays[a].counts, r.oneWays[a].sigma = target, 1
		r.oneways = append(r.oneways, population.NewTable([]int{2, 2}, domain.Clique{a}, target, []float64{oneWayRidge, oneWayRidge}))
	}
	met := func() bool {
		off, noise := r.onesOff(r.field.Model, 0)
		return off <= onesPart*noise
	}
	if met() {
		t.Fatal("the one-ways are met before")
	}
	r.meetOneWays(r.field.Model)
	if !met() {
		t.Errorf("one-ways of the model: %.1f and %.1f", r.field.Model.Marginal(domain.Clique{0}, nil), r.field.Model.Marginal(domain.Clique{1}, nil))
	}
}

// TestJudge: a fit is said to have stopped early if it is further from measured pairs, or from one-ways, than noise
// explains, and not because of cells that shrinkage leaves empty.
func TestJudge(t *testing.T) {
	const units = 1000
	for name, x := range map[string]struct {
		weights, residual []float64
		want              solver.Status
	}{
		"met":          {[]float64{400, 100, 100, 400}, []float64{150, -150, -150, 150}, solver.Converged},
		"noise":        {[]float64{400, 100, 100, 400}, []float64{155, -155, -155, 155}, solver.Converged},
		"a pair off":   {[]float64{400, 100, 100, 400}, []float64{200, -200, -200, 200}, solver.IterationLimit},
		"a column off": {[]float64{430, 130, 70, 370}, []float64{150, -150, -150, 150}, solver.IterationLimit},
	} {
		sizes, clique := []int{2, 2}, domain.Clique{0, 1}
		r := &run{total: query.Total{Units: units}, status: solver.Converged, oneWays: make([]oneWay, 2),
			pairs: []*candidate{{clique: clique}}, tables: map[string]*measurement{clique.Key(): {values: x.residual, precision: .04, shape: sizes}}}
		for a := range sizes {
			r.oneWays[a].counts, r.oneWays[a].sigma = []float64{500, 500}, 5
			r.oneways = append(r.oneways, population.NewTable(sizes, domain.Clique{a}, []float64{500, 500}, []float64{1, 1}))
		}
		if r.judge(&population.Model{Sizes: sizes, Weights: x.weights}); r.status != x.want {
			t.Errorf("%s: %v, want %v", name, r.status, x.want)
		}
	}
}
