package discover

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestMixedPoints: a column of 1,5 and 2.5 is one of numbers: what its form does not read is read as usual. Each cell is the number
// that it says.
func TestMixedPoints(t *testing.T) {
	for name, c := range map[string]struct {
		cells []string
		want  cellkind.Written
	}{
		"mixed": {[]string{"1,5", "2.5", "3,25", "4"}, cellkind.CommaNumbers}, "comma": {[]string{"1.234,5", "2,5", "1.234", "4"}, cellkind.CommaNumbers},
		"point": {[]string{"1,234.5", "2.5", "1,234", "4"}, cellkind.PointNumbers}, "money": {[]string{"$1.50", "$2.75", "1.125", "3.5"}, cellkind.PointNumbers},
		"euro": {[]string{"1,50 €", "2,75 €", "1.234,00 €"}, cellkind.CommaNumbers},
	} {
		f := found(t, 12_000, map[string]func(int) string{name: func(i int) string { return c.cells[i%len(c.cells)] }})[name]
		must.Hold(t, f.Written == c.want && f.Type == domain.Numeric, "%s: %+v, want the form %q", name, f, c.want)
		for _, cell := range c.cells {
			text, ok := c.want.Canonical(nil, []byte(cell), cellkind.LatestShort)
			if !ok {
				text = []byte(cell)
			}
			kind, _ := cellkind.Classify(text)
			must.Hold(t, kind == cellkind.Integer || kind == cellkind.Decimal, "%s: %s is no number", name, cell)
		}
	}
}

// TestEveryCodeOfDates: each day that stands for none is a value of its own beside dates of today, in each type that has it.
func TestEveryCodeOfDates(t *testing.T) {
	for i, code := range codes {
		if !code.date || code.last || code.day.Year() > 1900 && code.day.Year() < 2100 || testing.Short() && i%5 > 0 && code.day.Year() > 1 {
			continue
		}
		for _, clock := range []string{"", " 00:00:00"} {
			f := found(t, 9000, map[string]func(int) string{"x": func(i int) string {
				if i%5 == 0 {
					return code.text + clock
				}
				if clock == "" {
					return fmt.Sprintf("2022-%02d-%02d", 1+i%12, 1+i%28)
				}
				return fmt.Sprintf("2022-%02d-%02d 10:30:00", 1+i%12, 1+i%28)
			}})["x"]
			want := strings.Replace(code.text+clock, " ", "T", 1)
			must.Hold(t, slices.Equal(f.Exact, []string{want}) && f.Min >= "2021", "%+v, want %s by itself", f, want)
		}
	}
}

// TestLeastCodes: whole numbers above 0 and a code below it have a range that begins at the code, and no value in its place that
// nobody has.
func TestLeastCodes(t *testing.T) {
	for _, code := range []int{-1, -2, -9} {
		f := found(t, 12_000, map[string]func(int) string{"x": func(i int) string {
			if i%4 == 0 {
				return fmt.Sprint(code)
			}
			return fmt.Sprint(1 + i*7919%90)
		}})["x"]
		must.Hold(t, f.Min == fmt.Sprint(code) && f.Common == f.Min, "%d: %+v", code, f)
	}
}

// TestNotesNameTheType: a note has the type that the column gets, and a column of tiny numbers says that they are rounded.
func TestNotesNameTheType(t *testing.T) {
	f := found(t, 9000, map[string]func(int) string{
		"inf":  func(i int) string { return []string{"inf", "1.5", "2.5"}[i%3] },
		"tiny": func(i int) string { return fmt.Sprintf("%d.5e-12", 1+i%90) },
	})
	x := f["inf"]
	must.Hold(t, x.Type == domain.Numeric && strings.Contains(x.Note, "no NUMERIC"), "%+v", x)
	x = f["tiny"]
	must.Hold(t, strings.Contains(x.Note, "rounded"), "%+v", x)
}

// TestNothingButMarks: a column that says nothing but that there is no value is left out, with the reason; beside values such texts may
// be values.
func TestNothingButMarks(t *testing.T) {
	for _, words := range [][]string{{"-"}, {"n/a"}, {"?", "-"}, {"0000-00-00"}, {"None", ""}} {
		f := found(t, 9000, map[string]func(int) string{
			"nothing": func(i int) string { return words[i%len(words)] },
			"kind":    func(i int) string { return []string{"a", words[0]}[i%2] },
		})
		x := f["nothing"]
		must.Hold(t, x.Left == unsaid, "%q: %+v", words, x)
		x = f["kind"]
		must.Hold(t, x.Left == "" && slices.Contains(x.Values, words[0]), "%q: %+v", words, x)
	}
}

// TestDatesOfDigits: numbers of eight digits that are all dates are dates, as they are where a domain is inferred; others are numbers.
func TestDatesOfDigits(t *testing.T) {
	day := func(i int) string { return fmt.Sprintf("20%02d%02d%02d", 10+i%14, 1+i%12, 1+i%28) }
	f := found(t, 12_000, map[string]func(int) string{
		"days": day, "codes": func(i int) string { return []string{day(i), "99991231", day(i + 1), day(i + 2)}[i%4] },
		"ids": func(i int) string { return fmt.Sprint(10_000_000 + i*7919%80_000_000) }, "half": func(i int) string { return []string{day(i), fmt.Sprint(i)}[i%2] },
		"zone": func(i int) string { return fmt.Sprintf("%02d:%02d:10+02:00", i%24, i%60) },
	})
	for name, want := range map[string]string{"days": "DATE 20241231 2010-01-01 2023-12-31 []", "codes": "DATE 20241231 2010-01-01 2023-12-31 [9999-12-31]"} {
		x := f[name]
		must.Equal(t, fmt.Sprintf("%v %s %s %s %v", x.Type, x.Written, x.Min, x.Max, x.Exact), want, "%s", name)
	}
	must.Hold(t, f["ids"].Type != domain.Date && f["half"].Type != domain.Date, "%+v", f)
	must.Hold(t, f["zone"].Type == domain.String && f["zone"].Left != unsaid, "%+v", f["zone"])
}

// TestLettersAmongNumbers: T stands for a trace among numbers, as in tables of the weather, and says that there is no number. A column of
// truth values stays one whichever way it is written, and so does one of words.
func TestLettersAmongNumbers(t *testing.T) {
	for _, every := range []int{6, 12, 30} {
		letter := func(i int, other string) string {
			if i%every == 0 {
				return "T"
			}
			return other
		}
		f := found(t, 20_000, map[string]func(int) string{
			"rain":  func(i int) string { return letter(i, fmt.Sprintf("%.2f", float64(i*i%97)/50)) },
			"snow":  func(i int) string { return letter(i, fmt.Sprint(i*i%23)) },
			"truth": func(i int) string { return letter(i, "F") },
			"words": func(i int) string { return letter(i, []string{"a", "b"}[i%2]) },
		})
		rain, snow := f["rain"], f["snow"]
		must.Hold(t, rain.Type == domain.Numeric && snow.Type != domain.String && rain.Null && snow.Null && rain.Max != "" && snow.Max != "", "1 in %d is T: %+v, %+v", every, rain, snow)
		must.Hold(t, every > 12 || strings.Contains(rain.Note, "such as ?, T or"), "1 in %d is T, and nothing says what became of it: %q", every, rain.Note)
		must.Hold(t, f["truth"].Type == domain.Bool && f["words"].Type == domain.String, "1 in %d is T: %+v, %+v", every, f["truth"], f["words"])
	}
}
