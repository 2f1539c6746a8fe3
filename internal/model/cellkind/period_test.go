package cellkind

import (
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Each text of a form is read as that form, in order of time, and no other text is.
func TestPeriods(t *testing.T) {
	for p, n := range map[Period]int{Months: 24, Quarters: 8, PlainQuarters: 8, Weeks: 105} { // 2020 has 53 weeks
		list := p.Texts(2020, 2021)
		must.Hold(t, len(list) == n && slices.IsSorted(list), "form %d: %d texts, want %d in order: %v", p, len(list), n, list)
		for i, text := range list {
			got, year := PeriodOf([]byte(text))
			must.Hold(t, got == p && (year == 2020 || i >= n/2) && (year == 2021 || i <= n/2), "%s is of form %d and year %d, want %d", text, got, year, p)
		}
	}
	for _, text := range []string{"", "2024", "2024-0", "2024-00", "2024-13", "2024-1", "2024-Q0", "2024-Q5", "2024-Q03", "2024Q", "2024-W00", "2024-W53", "2024-W7", "2024-W+7", "202-012", "2024/03", "24-03", "2024-03-01", "x2024-03"} {
		p, _ := PeriodOf([]byte(text))
		must.Hold(t, p == NoPeriod, "%q is of form %d", text, p)
	}
}
