package infer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestOddCells: one record decides no type and no form, wherever it stands: what a hundredth of the cells may be at most does not
// fit, becomes NULL, and is said. More of them are categories, and so are values that all are frequent.
func TestOddCells(t *testing.T) {
	const rows = 1200
	columns := map[string]func(i int) string{
		"INT64": func(i int) string { return fmt.Sprint(i * 7919 % 9000) }, "NUMERIC": func(i int) string { return fmt.Sprintf("%d.%02d", i%700, i%100) },
		"FLOAT64": func(i int) string { return fmt.Sprintf("%d.5e-3", i%700) }, "BOOL": func(i int) string { return []string{"true", "false"}[i%2] },
		"DATE": func(i int) string { return fmt.Sprintf("20%02d-%02d-%02d", i%20, 1+i%12, 1+i%28) }, "TIME": func(i int) string { return fmt.Sprintf("%02d:%02d", i%24, i%60) },
		"DATETIME":     func(i int) string { return fmt.Sprintf("2024-%02d-%02d 10:%02d:00", 1+i%12, 1+i%28, i%60) },
		`"12/31/2024"`: func(i int) string { return fmt.Sprintf("%d/%d/20%02d", 1+i%12, 1+i%28, i%20) }, "31.12.2024": func(i int) string { return fmt.Sprintf("%d/%d/20%02d", 1+i%28, 1+i%12, i%20) },
		`"1,234.5"`: func(i int) string { return fmt.Sprintf("$%d,%03d.50", 1+i%9, i%1000) }, `"1.234,5"`: func(i int) string { return fmt.Sprintf("%d.%03d,5", 1+i%9, i%1000) },
		"31 Dec 2024": func(i int) string { return fmt.Sprintf("%d Mar 20%02d", 1+i%28, i%20) },
	}
	for name, cell := range columns {
		plain := inLine(proposed(t, "x;other", rows, func(i int) string { return cell(i) + ";a" }))
		of := func(text string) string { // the column and its form
			line, _, _ := strings.Cut(textAfter(text, "- {name: x, "), ", fallback")
			return strings.TrimSuffix(line, ", null: true") + " " + textAfter(text, "written: {x: ")
		}
		must.Hold(t, strings.Contains(of(plain), name), "%s: %s", name, plain)
		for _, odd := range []string{"Total", "31/12/2023x", "12345678901234567890123", "see note", "1-2-3"} {
			for _, at := range []int{0, rows / 2, rows - 1} {
				got := inLine(proposed(t, "x;other", rows+1, func(i int) string {
					if i == at {
						return odd + ";a"
					} else if i > at {
						i--
					}
					return cell(i) + ";a"
				}))
				said := strings.Contains(got, "some of its values are no ") && strings.Contains(got, "null: true") || name == "FLOAT64" && odd[0] == '1' // which holds it
				must.Hold(t, of(got) == of(plain) && said, "%s: with %s in row %d %s, without it %s; said %v", name, odd, at, of(got), of(plain), said)
			}
		}
		for share, text := range map[int]string{20: "no %v, %d", 75: "not known"} { // many, and a frequent one
			got := inLine(proposed(t, "x;other", rows, func(i int) string {
				if i%share == 0 {
					return strings.Replace(strings.Replace(text, "%d", fmt.Sprint(i), 1), "%v", name, 1) + ";a"
				}
				return cell(i) + ";a"
			}))
			must.Hold(t, strings.Contains(got, "{name: x, type: STRING"), "%s: a part in %d: %s", name, share, got)
		}
	}
}

func textAfter(text, mark string) string {
	_, after, _ := strings.Cut(text, mark)
	after, _, _ = strings.Cut(after, "}")
	return after
}

// TestDatesSayWhichIsFirst: the day is not first where a number above 12 stands second, be it seldom, and one record leaves the
// question open.
func TestDatesSayWhichIsFirst(t *testing.T) {
	for _, c := range []struct {
		months int // records whose day, the second number, is above 12
		want   string
		asked  bool
	}{{0, "31.12.2024", true}, {1, `"12/31/2024"`, true}, {10, `"12/31/2024"`, true}, {30, `"12/31/2024"`, false}, {2000, `"12/31/2024"`, false}} {
		got := inLine(proposed(t, "x;other", 4000, func(i int) string {
			if i < c.months {
				return fmt.Sprintf("%02d/%02d/2024;a", 1+i%12, 13+i%15)
			}
			return fmt.Sprintf("%02d/%02d/2024;a", 1+i%12, 1+i%11)
		}))
		form := textAfter(got, "written: {x: ")
		must.Hold(t, form == c.want && strings.Contains(got, "in March, or in April") == c.asked, "%d records: %s, asked %v:\n%s", c.months, form, !c.asked, got)
	}
}

// TestManyFrequentValues: a column of many frequent values is left out for that, and not for rare ones.
func TestManyFrequentValues(t *testing.T) {
	got := proposed(t, "x;other", 9000, func(i int) string { return fmt.Sprintf("v%d;a", i%300) })
	hasLines(t, got, "left out: the 100 most frequent values are less than half of it")
}
