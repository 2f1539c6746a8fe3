package discover

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// found finds columns of a made-up table with a generous budget, and checks that the file can be read.
func found(t *testing.T, n int, columns map[string]func(i int) string) map[string]FoundColumn {
	t.Helper()
	names, data := tableOf(n, columns)
	p := params("", names...)
	p.Epsilon, p.Delta, p.Share = 2, 1e-8, dp.ShareOf(1, 2)
	f := foundIn(t, p, counted(t, p, data))
	_, err := schema.Parse("found", f.File(""))
	must.Need(t, err == nil, "%v\n%s", err, f.File(""))
	out := map[string]FoundColumn{}
	for _, c := range f.Columns {
		out[c.Name] = c
	}
	return out
}

// TestCodesStandApart: codes and wild values far from the others, of each type and on each side, do not widen the range, and are
// exact values: well-known ones as they are, others near what they are. One wild record decides nothing. Noise moves an end in one
// run of some hundreds: each table and its noise are fixed.
func TestCodesStandApart(t *testing.T) {
	var rng *rand.Rand // of each table anew
	number := func() string { return fmt.Sprint(18 + rng.IntN(72)) }
	cents := func() string { return fmt.Sprintf("%.2f", 20+60*rng.Float64()) }
	day := func() string { return fmt.Sprintf("20%02d-%02d-%02d", 20+rng.IntN(4), 1+rng.IntN(12), 1+rng.IntN(28)) }
	with := func(code string, one int, rest func() string) func(int) string {
		return func(i int) string {
			if i%one == 0 {
				return code
			}
			return rest()
		}
	}
	for name, c := range map[string]struct {
		cell  func(int) string
		exact string
	}{
		"minus":    {with("-999999", 5, number), "[-999999]"},
		"nines":    {with("9999999", 20, number), "[9999999]"},
		"cents":    {with("99999.99", 10, cents), "[99999.99]"},
		"unsigned": {with("4294967295", 10, number), "[4294967295]"},
		"least":    {with("-9223372036854775808", 10, number), "[-9223372036854775808]"},
		"largest":  {with("9223372036854775807", 10, number), "[9223372036854775807]"},
		"own":      {with("7340000", 10, number), "near 7340000"},
		"sides":    {with("-999999", 7, func() string { return with("999999", 6, number)(rng.IntN(6)) }), "[-999999 999999]"},
		"ends":     {with("-9223372036854775808", 3, func() string { return with("9223372036854775807", 4, number)(rng.IntN(4)) }), "[-9223372036854775808 9223372036854775807]"},
		"mostly": {func(i int) string {
			if i%5 == 0 {
				return number()
			}
			return "9999999999"
		}, "[9999999999]"},
		"mostday": {func(i int) string {
			if i%5 == 0 {
				return day()
			}
			return "9999-12-31"
		}, "[9999-12-31]"},
		"wild":    {with("123456789", 30_000, number), "[]"},
		"open":    {with("9999-12-31", 3, day), "[9999-12-31]"},
		"nullday": {with("1900-01-01", 10, day), "[1900-01-01]"},
		"stamp":   {with("9999-12-31 00:00:00", 3, func() string { return day() + " 10:30:00" }), "[9999-12-31T00:00:00]"},
	} {
		rng = rand.New(rand.NewPCG(3, 3))
		f := found(t, 20_000, map[string]func(int) string{name: c.cell})[name]
		got := fmt.Sprint(f.Exact)
		if near, ok := strings.CutPrefix(c.exact, "near "); ok && len(f.Exact) == 1 {
			if x := parsed(f.Exact[0]) / parsed(near); x > .9 && x < 1.1 {
				got = c.exact
			}
		}
		calendar := f.Type.Facts().Calendar
		narrow := calendar && f.Min >= "2019" && f.Max < "2025" || !calendar && parsed(f.Min) >= 0 && parsed(f.Max) <= 127
		must.Hold(t, got == c.exact && narrow && f.Left == "", "%s: %+v, want the exact values %s", name, f, c.exact)
	}
}

// TestEndsOfRanges: ends lie within an eighth of their magnitude, or at what the name of the column says.
func TestEndsOfRanges(t *testing.T) {
	f := found(t, 30_000, map[string]func(i int) string{
		"percent": func(i int) string { return fmt.Sprint(i % 101) }, "zip_code": func(i int) string { return fmt.Sprint(98101 + i%90) },
		"amount": func(i int) string { return fmt.Sprint(i % 9000) }, "year": func(i int) string { return fmt.Sprint(1950 + i%70) },
		"below": func(i int) string { return fmt.Sprint(-(i % 70)) },
	})
	for name, want := range map[string]string{"percent": "0 100", "zip_code": "98304 99999", "amount": "0 9215", "year": "1900 2047", "below": "-71 0"} {
		if name == "zip_code" {
			want = f[name].Min + " 99999"
		}
		must.Equal(t, f[name].Min+" "+f[name].Max, want, "%s: from", name)
	}
	lo := parsed(f["zip_code"].Min)
	must.Hold(t, lo >= 90_000 && lo <= 98_101 && parsed(f["zip_code"].Common) >= 90_000, "%+v", f["zip_code"])
}

// TestLimitsOfNames: what the name of a column says is a hint: where values pass it, the range has them, on both sides and for each
// word; a few do not.
func TestLimitsOfNames(t *testing.T) {
	for name, c := range map[string][3]int{
		"year": {1850, 2019, 0}, "birth_yr": {1700, 1950, 0}, "percent": {0, 127, 0}, "pct_change": {-127, 60, 0}, "age": {0, 127, 0}, "day": {4, 107, 0},
		"month": {1, 15, 0}, "lat": {-120, 120, 0}, "hour": {0, 30, 0}, "year_few": {1950, 2019, 300}, "percent_few": {0, 100, 300},
	} {
		f := found(t, 30_000, map[string]func(int) string{name: func(i int) string {
			if c[2] > 0 && i%c[2] == 0 { // a wild one now and then
				return fmt.Sprint(c[0] - 40 + 150*(i%2))
			}
			return fmt.Sprint(c[0] + i*7919%(c[1]-c[0]+1))
		}})[name]
		if span := parsed(f.Max) - parsed(f.Min); c[2] == 0 && (parsed(f.Min) > float64(c[0]+2) || parsed(f.Max) < float64(c[1]-2)) || f.Left != "" {
			t.Errorf("%+v, want at least %d to %d", f, c[0], c[1])
		} else if c[2] > 0 && span > 200 {
			t.Errorf("%+v for few values beyond %d to %d", f, c[0], c[1])
		}
	}
}

// TestNumericInDoubt: decimals that the noise may hide are rounded, and not lost; a name that says whole numbers is believed, and so
// is a table of many people.
func TestNumericInDoubt(t *testing.T) {
	whole := func(i int) string { return fmt.Sprint(i % 45) }
	some := func(i int) string {
		if i%18 == 0 {
			return fmt.Sprint(20+i%20, ".7")
		}
		return "45"
	}
	columns := map[string]func(int) string{"ct_result": some, "visits_count": whole}
	for i := range 16 {
		columns[fmt.Sprint("other", i)] = whole
	}
	names, data := tableOf(12_344, columns)
	p := params("", names...)
	f := foundIn(t, p, counted(t, p, data))
	for _, c := range f.Columns {
		want := map[string]domain.Type{"ct_result": domain.Numeric, "visits_count": domain.Int64}[c.Name]
		must.Hold(t, want == 0 || c.Type == want, "%+v, want %v", c, want)
	}
	c := found(t, 40_000, map[string]func(int) string{"x": whole})["x"]
	must.Hold(t, c.Type == domain.Int64, "of many people: %+v", c)
}

// TestTextsAreValues: any text that people share is a value, whatever signs it has, and a date or time among words too.
func TestTextsAreValues(t *testing.T) {
	for _, s := range []string{"2020-01-01", "2020/01/01", "09:30", "23:59:59", "12", "true", "14.5"} {
		f := found(t, 4000, map[string]func(int) string{"x": func(i int) string { return []string{s, "plain", "word"}[i%3] }})["x"]
		must.Hold(t, slices.Contains(f.Values, s) && f.Left == "", "%q: %+v", s, f)
	}
	for _, s := range []string{"Seine\u00a0Saint", "soft\u00adhyphen", "a\u200db", "\u200fright", "\ufeffmark", "line\nbreak", "line\r\nbreak", "a\x00b", "tab\t", "\U000e0001"} {
		f := found(t, 4000, map[string]func(int) string{"x": func(i int) string { return []string{s, "plain"}[i%2] }})["x"]
		must.Hold(t, slices.Contains(f.Values, s) && f.Left == "", "%q: %+v", s, f)
	}
	p := params("", "x")
	p.Columns[0].Untyped, p.Columns[0].Type = false, domain.String // of Parquet, where the empty text is one
	data := rowsOf(4000, func(i int) []string { return []string{[]string{"", "plain"}[i%2]} })
	f := foundIn(t, p, counted(t, p, data))
	must.Hold(t, slices.Contains(f.Columns[0].Values, ""), "the empty text: %+v", f.Columns[0])
}

// TestImpossibleDates: some cells that are no dates leave a column of dates one, become NULL, and are said.
func TestImpossibleDates(t *testing.T) {
	f := found(t, 10_000, map[string]func(i int) string{
		"zero":  func(i int) string { return []string{"0000-00-00", "2023-05-07", "2024-06-08"}[i%3] },
		"never": func(i int) string { return []string{"2023-02-30 10:00:00", "2023-05-07 09:30:00"}[i%2] },
		"clock": func(i int) string { return []string{"24:00:00", "23:59:59.999", "12:30:00"}[i%3] },
	})
	for name, want := range map[string]domain.Type{"zero": domain.Date, "never": domain.DateTime, "clock": domain.Time} {
		c := f[name]
		must.Hold(t, c.Type == want && c.Null && strings.Contains(c.Note, "became NULL"), "%+v, want %v", c, want)
	}
	spans := found(t, 10_000, map[string]func(i int) string{"x": func(i int) string { return fmt.Sprintf("%02d:%02d:10", i%90, i%60) }})["x"]
	must.Hold(t, spans.Type != domain.Time, "durations of up to 90 hours: %+v", spans)
	must.Hold(t, f["clock"].Max == "23:59:59.999999", "%+v", f["clock"])
}
