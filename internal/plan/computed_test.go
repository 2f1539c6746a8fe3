package plan

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

func TestDomainNamesWhatIsNotModelled(t *testing.T) {
	d := &domain.Domain{
		Attributes: []domain.Attribute{{Name: "time", Type: domain.Int64, Values: []string{"1", "2"}, Null: true}},
		Derived:    []domain.Derived{{Column: domain.Attribute{Name: "hour", Type: domain.Int64}, From: "time / 100"}},
		Generated:  []domain.Generated{{Column: "id", As: "uuid"}, {Column: "no", As: "serial"}},
	}
	var b strings.Builder
	writeDomain(&b, &Plan{Domain: d})
	for _, want := range []string{"domain    1 columns", "computed in every row: hour; not modelled", "made up for every row: id, no; never"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
