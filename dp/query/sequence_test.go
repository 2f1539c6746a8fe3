package query

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func histories(t *testing.T) *domain.Domain {
	t.Helper()
	column := func(name string, n int) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.Int64, Cuts: domain.EqualCuts(0, int64(n-1), n), Resolution: 1, HasFallback: true}
	}
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{column("sex", 2), column("day", 5), column("kind", 3), column("cost", 4)}}
	d, err := d.WithEvents([]string{"sex"}, nil, domain.EqualRatioCuts(9), 9)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	return d
}

// A list of the columns of a table gets what histories need besides: sex 0, gap 1, kind 2, cost 3, rows 4, first 5, before 6 and 7.
func TestListedWorkloadOfHistories(t *testing.T) {
	d := histories(t)
	w := WithRows(d, Workload{Sizes: d.Sizes(), Marginals: []Marginal{{Clique: domain.Clique{0, 2}, Weight: 1}}}, DefaultCells)
	for _, want := range []domain.Clique{{0, 2}, {4}, {0, 5}, {4, 5}, {1, 4}, {1, 2}, {1, 3}, {2, 6}, {3, 7}, {1, 6}, {1, 7}, {2, 4, 6}} {
		must.Hold(t, slices.ContainsFunc(w.Marginals, func(m Marginal) bool { return m.Clique.Equal(want) }), "no marginal %v", want)
	}
}

// All marginals of histories have weights: a column and what it was before more than two columns that were before.
func TestWithOrder(t *testing.T) {
	d := histories(t)
	w := WithOrder(d, Default(d.Sizes()))
	weights := map[string]float64{}
	for _, m := range w.Marginals {
		weights[m.Clique.Key()] = m.Weight
	}
	of := func(a ...int) float64 { return weights[domain.Clique(a).Key()] }
	if !(of(2, 6) > of(2, 4) && of(2, 4) > of(0, 2) && of(0, 2) > of(1, 6) && of(1, 6) > of(3, 6) && of(3, 6) > of(6, 7) && of(6, 7) > 0) {
		t.Errorf("weights %v, %v, %v, %v, %v, %v do not fall", of(2, 6), of(2, 4), of(0, 2), of(1, 6), of(3, 6), of(6, 7))
	}
	must.Hold(t, of(2, 6, 7) == 0 && of(3, 5, 6) == 0 && of(2, 3, 6) != 0, "other triples are wanted")
	for a := range d.Len() {
		must.Hold(t, of(a) == 1, "column %d has weight %v", a, of(a))
	}
}
