package discover

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestLossesAreSaid: a note says what is lost, all of it, the largest part first, and nothing where nothing is.
func TestLossesAreSaid(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	lognormal := func(middle, spread float64) string {
		return fmt.Sprintf("%.2f", math.Exp(middle+spread*rng.NormFloat64()))
	}
	f := found(t, 20_000, map[string]func(i int) string{
		"tenths":  func(i int) string { return fmt.Sprintf("%d.%d", i%10, i/10%10) },
		"fine":    func(int) string { return fmt.Sprintf("%.6f", rng.Float64()) },
		"digits":  func(int) string { return fmt.Sprintf("%.12f", rng.Float64()) },
		"whole":   func(i int) string { return fmt.Sprint(i % 5000) },
		"epoch":   func(int) string { return fmt.Sprint(1_690_000_000 + rng.IntN(30_000_000)) },
		"skew":    func(int) string { return lognormal(3, 5) },
		"tail":    func(int) string { return lognormal(7, 1) },
		"seconds": func(i int) string { return fmt.Sprintf("20%02d-0%d-11 10:20:%02d", 10+i%12, 1+i%9, i%60) },
		"minutes": func(i int) string { return fmt.Sprintf("2024-0%d-11 10:%02d:%02d", 1+i%9, i%60, i%50) },
		"both": func(i int) string {
			if i%150 == 0 {
				return "?"
			}
			if i%20 == 0 {
				return "-"
			}
			return lognormal(3, 5)
		},
	})
	for name, want := range map[string][]string{
		"tenths": nil, "fine": nil, "digits": nil, "whole": nil, "epoch": {"its values are rounded to multiples of 200"},
		"skew": {"are rounded to multiples of ", "of them by a hundredth or more"}, "tail": {"% of its values are beyond its range"},
		"seconds": {"rounded down to the hour"}, "minutes": {"rounded down to the minute"}, "both": {"of them by a hundredth or more; ", "say that there is no NUMERIC"},
	} {
		c := f[name]
		must.Hold(t, c.Left == "" && (c.Note == "") == (want == nil), "%s: %+v", name, c)
		for _, text := range want {
			must.Hold(t, strings.Contains(c.Note, text), "%s: %q, want %q", name, c.Note, text)
		}
	}
	a, b := f["epoch"], f["skew"]
	must.Hold(t, a.Part <= leastNoted && b.Part >= .4 && b.Part <= .8, "parts of %g and %g", a.Part, b.Part)
}

// TestUnusableIsSaid: values that a declared type does not hold are no NULL of the table: what they became is said, for each type.
func TestUnusableIsSaid(t *testing.T) {
	for _, typ := range domain.Types() {
		if typ == domain.String {
			continue
		}
		good := map[domain.Type]string{domain.Int64: "7", domain.Numeric: "7.5", domain.Float64: "7.5", domain.Bool: "true", domain.Date: "2024-05-06", domain.DateTime: "2024-05-06T10:00:00",
			domain.Timestamp: "2024-05-06T10:00:00Z", domain.Time: "10:00:00"}[typ]
		for bad, said := range map[string]bool{"beyond the type": true, "": false} {
			p := params("", "x")
			p.Columns[0] = Column{Name: "x", Type: typ, Scale: 1}
			p.Share, p.Epsilon = dp.ShareOf(1, 2), 2
			data := rowsOf(10_000, func(i int) []string { return []string{[]string{bad, good}[min(i%5, 1)]} })
			c := foundIn(t, p, counted(t, p, data)).Columns[0]
			note := strings.Contains(c.Note, fmt.Sprintf("%% of its values are no %v that can be used, and became NULL", typ))
			must.Hold(t, note == said && c.Null && (!said || c.Part > .18 && c.Part < .22), "%v, %q: %+v", typ, bad, c)
		}
	}
}

// TestFirstOfDates: dates that do not tell whether the day or the month is first are read as dates of other columns that tell, and
// it is said. One record tells nothing.
func TestFirstOfDates(t *testing.T) {
	both := func(i int) string { return fmt.Sprintf("%02d/%02d/2024", 1+i%12, 1+i/12%12) }
	us := func(i int) string { return fmt.Sprintf("%02d/%02d/2024", 1+i%12, 1+i%28) }
	de := func(i int) string { return fmt.Sprintf("%02d.%02d.2024", 1+i%28, 1+i%12) }
	one := func(i int) string {
		if i == 17 {
			return "12/31/2024"
		}
		return both(i)
	}
	for _, c := range []struct {
		others []func(int) string
		want   cellkind.Written
	}{
		{nil, cellkind.DayFirst}, {[]func(int) string{us}, cellkind.MonthFirst}, {[]func(int) string{de}, cellkind.DayFirst}, {[]func(int) string{us, de}, cellkind.DayFirst},
		{[]func(int) string{one}, cellkind.DayFirst},
	} {
		columns := map[string]func(int) string{"x": both}
		for i, other := range c.others {
			columns[fmt.Sprint("other", i)] = other
		}
		f := found(t, 10_000, columns)
		must.Hold(t, f["x"].Written == c.want && strings.Contains(f["x"].Note, "in March, or in April"), "%d others: %+v", len(c.others), f["x"])
		for i, other := range c.others {
			x := f[fmt.Sprint("other", i)]
			asked := strings.Contains(x.Note, "in March, or in April")
			must.Hold(t, x.Type == domain.Date && asked == (other(17) == one(17)), "%+v", x)
		}
	}
}

// TestVastNumbers: whole numbers that no INT64 holds make a FLOAT64 of decimals; by themselves they are no numbers.
func TestVastNumbers(t *testing.T) {
	vast := func(i int) string { return fmt.Sprint("1234567890123456789", i%3) }
	f := found(t, 20_000, map[string]func(i int) string{
		"decimals": func(i int) string {
			if i%20 == 0 {
				return vast(i)
			}
			return fmt.Sprintf("%d.%02d", 20+i*7%60, i*31%100)
		},
		"kinds": vast,
		"ids":   func(i int) string { return fmt.Sprint("12345678901234", 100_000+i) },
	})
	x := f["decimals"]
	must.Hold(t, x.Type == domain.Float64 && len(x.Exact) != 0 && parsed(x.Max) <= 100 && x.Resolution == "0.01", "%+v", x)
	x = f["kinds"]
	must.Hold(t, x.Type == domain.String && len(x.Values) == 3, "%+v", x)
	x = f["ids"]
	must.Hold(t, x.Type == domain.String && x.Left != "", "%+v", x)
}

// TestNothingIsLost: noise alone makes no note, however few people there are. Each of 700 columns has one by chance in 1 of 13,000
// cases, for what is said of its rare values, and in fewer for the rest: these tables and their noise are fixed.
func TestNothingIsLost(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for table := range 100 {
		names, people := []string{"a", "b", "c", "d", "e", "f", "g"}, 300+rng.IntN(1500)
		p := params("", names...)
		p.Epsilon, p.Share = 2, dp.ShareOf(1, 2)
		data := rowsOf(people, func(i int) []string {
			return []string{fmt.Sprint(i % 2), []string{"x", "y"}[i%2], "only", fmt.Sprintf("%d.5", i%9), fmt.Sprintf("2024-%02d-11", 1+i%12), []string{"u", "v", "w"}[i%3], fmt.Sprint(table + i%7)}
		})
		for _, c := range foundIn(t, p, counted(t, p, data)).Columns {
			must.Hold(t, c.Note == "" || strings.Contains(c.Note, "rounded"), "%d people: %+v", people, c)
		}
	}
}
