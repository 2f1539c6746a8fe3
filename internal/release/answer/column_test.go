package answer

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestOrderIsAskedByItsParts: the column that orders rows is made of others, which a question names in its place.
func TestOrderIsAskedByItsParts(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "day", Type: domain.Int64, Cuts: domain.EqualCuts(0, 9, 10), Resolution: 1, HasFallback: true},
		{Name: "kind", Type: domain.String, Values: []string{"k", "l"}, HasFallback: true},
	}}
	d, err := d.WithEvents(nil, nil, domain.EqualRatioCuts(3), 3)
	if err == nil {
		d, err = d.WithSequence(domain.Sequence{Column: "day"})
	}
	must.Do(t, err)
	r := &Release{Domain: d}
	if _, err := (&view{r: r, d: r.Domain}).column("day"); err == nil || !strings.Contains(err.Error(), "is computed in order, row after row; ask for first_day, its value in the first row of a person, or gap_day, the gap to the row before") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"first_day", "gap_day", "kind"} {
		must.Passes((&view{r: r, d: r.Domain}).column(name))(t)
	}
}
