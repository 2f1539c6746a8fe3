package solver

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestPublic(t *testing.T) {
	sizes := []int{3, 2}
	b := NewPublicBuilder(sizes)
	b.Add([]domain.Code{2, 1, 0, 0, 2, 1})
	b.Add([]domain.Code{1, 0})
	p, err := b.Table()
	must.Need(t, err == nil && p.Rows == 4, "%+v, %v", p, err)
	if h, err := p.Histogram(sizes); err != nil || !slices.Equal(h, []float64{1, 0, 1, 0, 0, 2}) {
		t.Errorf("%v, %v", h, err)
	}
	for name, bad := range map[string]*Public{
		"another universe": {p.Rows, append(slices.Clone(p.Records), 1, 1)},
		"cut":              {p.Rows, p.Records[:3]},
		"missing rows":     {p.Rows, p.Records[:2]},
		"empty":            {},
	} {
		must.Fails(bad.Histogram(sizes))(t, "", "%s: no error", name)
	}
	must.Fails(NewPublicBuilder(sizes).Table())(t, "", "a table without rows is taken")
}
