package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Of a column of months, quarters or weeks all texts of the form are proposed, of the years that it has, as they are found privately:
// also with few records each, NULLs, marks of NULL, odd texts and a wild year. Columns with too many other texts stay as they are.
func TestPeriods(t *testing.T) {
	for name, p := range map[string]cellkind.Period{"month": cellkind.Months, "quarter": cellkind.Quarters, "plain": cellkind.PlainQuarters, "week": cellkind.Weeks} {
		list := p.Texts(2021, 2024)
		for _, c := range []struct {
			what  string
			rows  int
			cell  func(i int) string
			end   string
			found bool
		}{
			{"alone", 2 * len(list), func(i int) string { return list[i%len(list)] }, fmt.Sprintf("%s], fallback: %s}", list[len(list)-1], list[0]), true},
			{"with NULL", 900, func(i int) string { return []string{"", list[i*7%len(list)]}[min(i%5, 1)] }, list[len(list)-1] + "], null: true}", true},
			{"odd ones", 1000, func(i int) string {
				return []string{"unknown", "NA", "NA", p.Texts(1950, 1950)[0], list[i*7%len(list)]}[min(i%100, 4)]
			}, list[len(list)-1] + "], other: true}", true},
			{"half", 8000, func(i int) string { return []string{"summer", "winter", list[0], list[1]}[i%4] }, list[1] + ", summer, winter], fallback: " + list[0] + "}", false},
		} {
			text := proposed(t, "at;n", c.rows, func(i int) string { return fmt.Sprintf("%s;%d", c.cell(i), i%5) })
			f, err := schema.Parse("t.yaml", []byte(text))
			must.Need(t, err == nil, "%s %s: %v\n%s", name, c.what, err, text)
			if !strings.Contains(inLine(text), c.end) || (len(f.Domain.Attributes[0].Values) == len(list)) != c.found {
				t.Errorf("%s %s: no %q with %d values in\n%s", name, c.what, c.end, len(list), text)
			}
		}
	}
}
