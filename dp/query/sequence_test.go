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
	for _, want := range []domain.Clique{{0, 2}, {4}, {0, 5}, {4, 5}, {1, 4}, {1, 2}, {1, 3}, {2, 6}, {3, 7}, {1, 6}, {1, 7}} {
		must.Hold(t, slices.ContainsFunc(w.Marginals, func(m Marginal) bool { return m.Clique.Equal(want) }), "no marginal %v", want)
	}
}

// All marginals of histories have weights, and none is of what is never drawn: rows are drawn from records of such a person with such
// a row before. Whatever the width, what follows weighs as much more than a pair of what is written as follows says.
func TestWithOrder(t *testing.T) {
	d := histories(t)
	for width := 2; width <= 4; width++ {
		w, inside := WithOrder(d, AllMarginals(d.Sizes(), width, DefaultCells)), 0.
		weights := map[string]float64{}
		for _, m := range w.Marginals {
			weights[m.Clique.Key()] = m.Weight
			if last := len(m.Clique) - 1; last > 0 && m.Clique[last] >= 6 {
				must.Hold(t, last == 1 && m.Clique[0] > 0 && m.Clique[0] < 4, "width %d: marginal %v is of what is never drawn", width, m.Clique)
			}
			if len(m.Clique) == width && m.Clique.Contains(domain.Clique{2, 3}) {
				inside += float64(width - 2) // triples of the table that hold the pair
			}
		}
		of := func(a ...int) float64 { return weights[domain.Clique(a).Key()] }
		must.Equal(t, of(2, 6), 2.8*max(1, inside)*of(2, 3), width)
		if !(of(2, 6) > of(2, 4) && of(2, 4) > of(0, 2) && of(2, 6) > of(1, 6) && of(1, 6) > of(3, 6) && of(3, 6) > 0) {
			t.Errorf("width %d: weights %v, %v, %v, %v, %v do not fall", width, of(2, 6), of(2, 4), of(0, 2), of(1, 6), of(3, 6))
		}
		for a := range d.Len() {
			must.Hold(t, of(a) == 1, "width %d: column %d has weight %v", width, a, of(a))
		}
	}
}
