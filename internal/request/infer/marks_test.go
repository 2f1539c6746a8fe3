package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// proposed returns what is proposed for a CSV file, after a reader of domain files has accepted it.
func proposed(t *testing.T, header string, rows int, row func(i int) string) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range rows {
		b.WriteString(row(i) + "\n")
	}
	text := propose(t, Params{Input: put(t, "t.csv", b.String()), FromData: true})
	_, err := schema.Parse("proposed", []byte(text))
	must.Need(t, err == nil, "%v in\n%s", err, text)
	return text
}

func hasLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		must.Hold(t, strings.Contains(inLine(text), line) || strings.Contains(text, line), "no %q in\n%s", line, text)
	}
}

// Spellings of NULL in columns of numbers and dates are declared, and then are NULL in columns of text too.
func TestNullMarksAreProposed(t *testing.T) {
	got := proposed(t, "mass,born,kind,code", 200, func(i int) string {
		if i%10 == 0 {
			return "NA,-,NA,none"
		}
		return fmt.Sprintf("%d.5,2024-01-%02d 00:00:00,k%d,c%d", 3000+i, i%28+1, i%2, i%3)
	})
	hasLines(t, got,
		"{name: mass, type: NUMERIC, min: 3001, max: 3200, resolution: 0.5, null: true}",
		"{name: born, type: DATE, min: 2024-01-01, max: 2024-01-28, null: true}",
		"{name: kind, type: STRING, values: [k0, k1], null: true}",
		"{name: code, type: STRING, values: [c0, c1, c2, none], fallback: c",
		`csv: {null: ["-", "NA"]}  # review: taken for NULL in mass, born; are they values in other columns?`)
	usual := proposed(t, "a,b", 100, func(i int) string { return fmt.Sprintf("%d,x%d", i%7, i%2) })
	must.Hold(t, !strings.Contains(usual, "csv:"), "a usual file has a csv key:\n%s", usual)
}

// No whole number is proposed that is not between the least and the largest one, if there are few.
func TestShortRangesAreNotRounded(t *testing.T) {
	got := proposed(t, "day,minute,percent,year", 300, func(i int) string {
		return fmt.Sprintf("%d,%d,%d,%d", i%31+1, i%60, i%101, 1950+i%75)
	})
	hasLines(t, got, "{name: day, type: INT64, min: 1, max: 31,", "{name: minute, type: INT64, min: 0, max: 59,",
		"{name: percent, type: INT64, min: 0, max: 100,", "{name: year, type: INT64, min: 1950, max: 2024,")
}

// A list that lacks rare values has the cell other, which is not written back as one of them.
func TestOtherIsNoValueOfTheList(t *testing.T) {
	got := proposed(t, "kind", 101, func(i int) string {
		return []string{"other", "other value", "x", "rare"}[i%3+i/100*(3-i%3)]
	})
	hasLines(t, got, "{name: kind, type: STRING, values: [other, other value, x], other: true, other_value: other value_}")
}

func TestPersonsAreAskedFor(t *testing.T) {
	got := proposed(t, "zper,tail,customer_id,visit,measure,dup", 3000, func(i int) string {
		return fmt.Sprintf("%d,N%dAA,%d,%d,%d,%d", 100000+i/3, i%700, i*7919%400, i, i*7919%1000*13, i%50)
	})
	hasLines(t, got, "# review: zper: 1,000 values, 3.0 rows each: is it a person? Then infer again with --privacy_id=zper",
		"# review: tail: 700 values, 4.3 rows each: is it a person?", "# review: customer_id: 400 values, 7.5 rows each: is it a person?")
	for _, name := range []string{"visit", "measure", "dup"} {
		must.Hold(t, !strings.Contains(got, name+": 3,000 values") && !strings.Contains(got, "review: "+name+":"), "%s is taken for a person:\n%s", name, got)
	}
}

// A column that says nothing but that there is no value has none, in whatever words; beside values they may be values.
func TestNothingButMarks(t *testing.T) {
	for _, words := range [][]string{{"NULL"}, {"NA"}, {"-"}, {"n/a"}, {"?", "-"}, {"NULL", ""}, {"0000-00-00"}, {"."}, {"nan", "NaN"}} {
		got := proposed(t, "nothing,kind", 200, func(i int) string { return words[i%len(words)] + "," + []string{"a", "NULL"}[i%2] })
		hasLines(t, got, "# - {name: nothing, type: STRING}  # review: left out: it has no values", `{name: kind, type: STRING, values: ["NULL", a],`)
	}
}

// Durations name no people, however they are written, though they make no categories. Texts of the same length do.
func TestDurationsAreNoPersons(t *testing.T) {
	for name, write := range map[string]func(i int) string{
		"hours": func(i int) string { return fmt.Sprintf("%d:%02d:%02d", 20+i/60, i%60, i*7%60) }, "minutes": func(i int) string { return fmt.Sprintf("%d:%02d.%d", 61+i%90, i%60, i%10) },
		"pandas": func(i int) string { return fmt.Sprintf("%d days %02d:%02d:01", i%9, i%24, i%60) }, "iso": func(i int) string { return fmt.Sprintf("PT%dH%dM", i%40, i%60) },
		"negative": func(i int) string { return fmt.Sprintf("-1 days +%02d:%02d:01", i%24, i%60) }, "plate": func(i int) string { return fmt.Sprintf("%d-%02d-%02d-X", 20+i/60, i%60, i*7%60) },
	} {
		got := proposed(t, "took,kind", 3000, func(i int) string { return fmt.Sprintf("%s,%d", write(i%700), i%3) })
		must.Equal(t, strings.Contains(got, "is it a person?"), (name == "plate"), "%s: asked", name)
	}
}
