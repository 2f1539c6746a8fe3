package discover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Months, quarters and weeks are found by their form, also where no single one has people enough, with NULLs, odd texts and a wild
// year beside them: the values are all texts of the form in the years that are seen. What has too many other texts, or no form, is
// found as texts are. Tables and noise are fixed.
func TestPeriodsAreFound(t *testing.T) {
	for _, people := range []int{1500, 20_000} {
		columns, want := map[string]func(int) string{}, map[string][]string{}
		for name, p := range map[string]cellkind.Period{"month": cellkind.Months, "quarter": cellkind.Quarters, "plain": cellkind.PlainQuarters, "week": cellkind.Weeks} {
			rng := rand.New(rand.NewPCG(1, uint64(p)))
			list := p.Texts(2021, 2024)
			want[name] = list
			columns[name] = func(i int) string {
				switch {
				case i%10 == 0:
					return ""
				case i%33 == 1:
					return "unknown"
				case i == 2:
					return p.Texts(1950, 1950)[0]
				}
				return list[rng.IntN(len(list))]
			}
		}
		columns["half"] = func(i int) string {
			return []string{"2024-03", "summer", "2024-04", "winter"}[i%4]
		}
		columns["group"] = func(i int) string { return fmt.Sprintf("G%d", i%3) }
		f := found(t, people, columns)
		for name, list := range want {
			if c := f[name]; c.Left != "" || people > 10_000 && !c.Null || !slices.Equal(c.Values, list) {
				t.Errorf("%d people: %s: %d values, want %d: %.9q; left out for %q", people, name, len(c.Values), len(list), c.Values, c.Left)
			}
		}
		got := slices.Sorted(slices.Values(f["half"].Values))
		must.Hold(t, fmt.Sprint(got) == "[2024-03 2024-04 summer winter]", "%d people: half: %v", people, f["half"])
		must.Hold(t, fmt.Sprint(slices.Sorted(slices.Values(f["group"].Values))) == "[G0 G1 G2]", "%d people: group: %v", people, f["group"])
		c := f["month"]
		must.Hold(t, people <= 10_000 || c.Part >= .02 && c.Part <= .05, "%.3f of the months are noted as other, want .034: %s", c.Part, c.Note)
	}
}

// A column that is declared as texts has its months found as well; one with values: find has the values that people share.
func TestDeclaredPeriods(t *testing.T) {
	list := cellkind.Months.Texts(2015, 2024)
	table := rowsOf(4000, func(i int) []string { return []string{list[i*7%len(list)], list[[]int{3, 5, i % len(list)}[i%3]]} })
	p := params("", "month", "asked")
	p.Columns[0] = Column{Name: "month", Type: domain.String}
	p.Columns[1] = Column{Name: "asked", Type: domain.String, Values: true}
	p.Epsilon, p.Delta, p.Share = 2, 1e-8, dp.ShareOf(1, 2)
	f := foundIn(t, p, counted(t, p, table))
	c := f.Columns[0]
	must.Hold(t, slices.Equal(c.Values, list), "%d values, want %d; left out for %q", len(c.Values), len(list), c.Left)
	got := f.Columns[1].Values
	must.Hold(t, len(got) != len(list) && slices.Contains(got, list[3]) && slices.Contains(got, list[5]), "asked: %v", got)
}
