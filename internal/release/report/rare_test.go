package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRareValues: columns whose released variance comes from a few records are named, with as many records as noise hides.
func TestRareValues(t *testing.T) {
	column := func(name string, a domain.Attribute) domain.Attribute {
		a.Name, a.Type, a.Cuts, a.Resolution = name, domain.Int64, []int64{0, 99}, 1
		return a
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		column("even", domain.Attribute{Runs: []domain.Run{{From: 0, Share: 1}}}),
		column("tail", domain.Attribute{Runs: []domain.Run{{From: 0, Share: .97}, {From: 1, Share: .03}}}),
		column("declared", domain.Attribute{}),
	}}
	p := Page{Domain: d, Privacy: Privacy{Statement: accountant.Statement{Ledger: []accountant.Line{{Stage: "trees", Scale: "sigma2=400/1"}}}}}
	p.Privacy.Units.Count = 2000
	names, records := p.unsure()
	if fmt.Sprint(names) != "[tail]" || records != 60 || math.Abs(p.Privacy.treeNoise()-20) > 1e-12 {
		t.Errorf("%v, %v records, noise %v", names, records, p.Privacy.treeNoise())
	}
	card := strings.Join(p.card(known{}).Not, "\n")
	for _, want := range []string{"largest values of tail: their 60 farthest", "fewer than about 60 rows"} {
		must.Hold(t, strings.Contains(card, want), "no %q in %s", want, card)
	}
	p.Privacy.Ledger = nil
	card = strings.Join(p.card(known{}).Not, "\n")
	must.Hold(t, !strings.Contains(card, "farthest") && !strings.Contains(card, "far from all"), "without trees: %s", card)
}
