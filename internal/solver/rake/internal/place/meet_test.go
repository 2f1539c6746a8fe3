package place

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A model has the estimated numbers of rows exactly, as cells of a universe and as a sample.
func TestModelMeetsRowCounts(t *testing.T) {
	d := &domain.Domain{PrivacyID: "who", Attributes: []domain.Attribute{{Name: "kind", Type: domain.String, Values: []string{"a", "b"}, HasFallback: true}}}
	d = must.Value(d.WithEvents(nil, []string{"kind"}, []int64{1, 2, 5}, 9))(t)
	f := &Filler{domain: d, Candidates: &choose.Candidates{Targets: choose.Targets{Covered: []bool{true, true, true}}, Units: 100,
		Ones: &oneway.Tables{List: []oneway.Table{1: {Counts: []float64{50, 30, 20}}}}}}
	universe := &population.Model{Sizes: d.Sizes(), Weights: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}
	sample := &population.Model{Sizes: d.Sizes(), Columns: [][]domain.Code{{0, 1, 1, 0}, {0, 0, 1, 2}, {1, 1, 0, 0}}, Weights: []float64{3, 1, 1, 1}}
	for _, m := range []*population.Model{universe, sample} {
		f.MeetRowCounts(m)
		for b, n := range m.Marginal(domain.Clique{1}, nil) {
			must.Hold(t, math.Abs(n-f.Ones.List[1].Counts[b]) <= 1e-9, "%g people in bin %d, want %g", n, b, f.Ones.List[1].Counts[b])
		}
	}
	w := sample.Weights
	must.Hold(t, math.Abs(w[0]-3*w[1]) <= 1e-9, "weights %v: people with one number of rows keep their ratio", w)
}
