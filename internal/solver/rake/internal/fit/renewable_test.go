package fit

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// TestRecordsThatCanBeRenewed: a sample has no more records than can be renewed 32 times: 2e11/(32·1770·20) if all
// pairs of 60 columns of 8 values are measured; all that a million units call for with 14 columns; and 30,000 at least.
func TestRecordsThatCanBeRenewed(t *testing.T) {
	for _, x := range []struct{ columns, values, want int }{{14, 8, 1_000_000}, {60, 8, 176_553}, {60, 40, 42_036}, {60, 80, 30_000}} {
		sizes := slices.Repeat([]int{x.values}, x.columns)
		field := &population.Field{}
		cells := make([]float64, x.values*x.values)
		for a := range sizes {
			for b := range a {
				field.Tables = append(field.Tables, population.NewTable(sizes, domain.Clique{b, a}, cells, cells))
			}
		}
		if got := Renewable(Records(1_000_000, x.columns), field.RenewalCost()); got != x.want {
			t.Errorf("%d columns of %d values: %d records, want %d", x.columns, x.values, got, x.want)
		}
	}
}

// TestSelfTest: a fit is said to miss its answers if it is further from a measured pair, or from a column, than noise explains.
func TestSelfTest(t *testing.T) {
	const units = 1000
	for name, x := range map[string]struct {
		weights, residual []float64
		off               []domain.Clique
	}{
		"met":          {[]float64{400, 100, 100, 400}, []float64{150, -150, -150, 150}, nil},
		"noise":        {[]float64{400, 100, 100, 400}, []float64{155, -155, -155, 155}, nil},
		"a pair off":   {[]float64{400, 100, 100, 400}, []float64{200, -200, -200, 200}, []domain.Clique{{0, 1}}},
		"a column off": {[]float64{460, 160, 40, 340}, []float64{150, -150, -150, 150}, []domain.Clique{{0}}},
	} {
		sizes, clique := []int{2, 2}, domain.Clique{0, 1}
		c := &choose.Candidates{Units: units, Ones: &oneway.Tables{List: make([]oneway.Table, 2)}, Targets: choose.Targets{Sizes: sizes, Covered: []bool{true, true}},
			Merged: &oneway.Merged{Sizes: sizes, Codes: query.Recoding{{0, 1}, {0, 1}}}, Pairs: []*choose.Candidate{{Clique: clique}}}
		g := &Fit{Candidates: c, measured: map[string]*measurement{clique.Key(): {values: x.residual, precision: .04, shape: sizes}}}
		for a := range sizes {
			g.Ones.List[a].Counts, g.Ones.List[a].Sigma, g.Ones.List[a].Spread = []float64{500, 500}, 10, 100
		}
		f := g.test(&population.Model{Sizes: sizes, Weights: x.weights})
		var off []domain.Clique
		for _, table := range f.Off {
			off = append(off, table.Clique)
		}
		if f.Tables != 3 || f.Freedom != 3 || f.Holds() != (x.off == nil) || !slices.EqualFunc(off, x.off, domain.Clique.Equal) {
			t.Errorf("%s: %+v, want %v", name, f, x.off)
		}
	}
}
