package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
)

// TestFarValues: one wild record decides no range and no resolution, and a code far from all else is an exact value, of numbers, dates
// and times; what is not far stays in the range.
func TestFarValues(t *testing.T) {
	age := func(i int) string { return fmt.Sprint(18 + i*7%73) }
	cents := func(i int) string { return fmt.Sprintf("%d.%02d", 20+i*7%60, i*31%100) }
	day := func(i int) string { return fmt.Sprintf("20%02d-%02d-%02d", 20+i%4, 1+i%12, 1+i%28) }
	every := func(n int, code string, rest func(int) string) func(int) string {
		return func(i int) string {
			if i%n == n-1 {
				return code
			}
			return rest(i)
		}
	}
	for name, c := range map[string]struct {
		cell func(int) string
		want string
	}{
		"wild":     {every(100_000, "123456789", cents), "type: NUMERIC, min: 20, max: 80, resolution: 0.01, fallback"},
		"code":     {every(20, "9999999", age), "type: INT64, min: 18, max: 90, exact: [9999999], fallback"},
		"below":    {every(5, "-999999", age), "type: INT64, min: 18, max: 90, exact: [-999999], fallback"},
		"least":    {every(5, "-9223372036854775808", age), "type: INT64, min: 18, max: 90, exact: [-9223372036854775808], fallback"},
		"two":      {every(7, "-999999", every(11, "99999999", age)), "exact: [-999999, 99999999]"},
		"cents":    {every(10, "99999.99", cents), "resolution: 0.01, exact: [99999.99]"},
		"few":      {every(10, "9999", func(i int) string { return fmt.Sprint(i / 7 % 50) }), "min: 0, max: 49, exact: [9999]"},
		"open":     {every(3, "9999-12-31", day), "exact: [9999-12-31], fallback: 2020-01-01"},
		"stamp":    {every(3, "9999-12-31 00:00:00", func(i int) string { return day(i) + " 10:30:00" }), "exact: [\"9999-12-31T00:00:00\"]"},
		"old":      {every(20_000, "0001-01-01", day), "type: DATE, min: 2020-01-01, max: 2023-12-31, fallback"},
		"both":     {func(i int) string { return fmt.Sprint((i%2*2 - 1) * (500 + i%100)) }, "min: -600, max: 600"},
		"zero":     {every(2, "0", func(i int) string { return fmt.Sprint(50_000 + i%40_000) }), "min: 0, max: "},
		"skew":     {func(i int) string { return fmt.Sprint(1 << (i % 20)) }, "values: [1, 2, 4, "},
		"no dates": {every(9, "0000-00-00", day), "type: DATE, min: 2020-01-01, max: 2023-12-31, null: true"},
		"clock":    {func(i int) string { return fmt.Sprintf("%02d:59:59.%d99", i%24, i%10) }, `max: "23:59:59.999999"`},
	} {
		got := inLine(proposed(t, "x;other", 20_000, func(i int) string { return c.cell(i) + ";a" }))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: no %s in\n%s", name, c.want, got)
		}
		if _, err := schema.Parse("x", []byte(got)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLongTables: a table whose column of numbers holds several quantities, by the word beside it, is told to be pivoted.
func TestLongTables(t *testing.T) {
	table := "id,days,test,value\n"
	for i := range 2000 {
		table += fmt.Sprintf("%d,%d,%s,%d\n", i/4, i, []string{"smoke", "fib4"}[i%2], i%2*30+i%3)
	}
	p := Params{Input: put(t, "long.csv", table), FromData: true, PrivacyID: "id"}
	if got := propose(t, p); !strings.Contains(got, "pivot first") || !strings.Contains(got, "PIVOT 'TABLE' ON test USING first(value) GROUP BY id") {
		t.Error(got)
	}
	p.Input = put(t, "wide.csv", strings.Replace(table, "test,value", "city,value", 1))
	if got := propose(t, p); strings.Contains(got, "pivot") {
		t.Error(got)
	}
}
