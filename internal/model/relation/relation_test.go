package relation

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func ints(name string, lo, hi int64) domain.Attribute {
	return domain.Attribute{Name: name, Type: domain.Int64, Cuts: []int64{lo, hi}, Resolution: 1, HasFallback: true}
}

func dates(name string, t domain.Type, lo, hi string) domain.Attribute {
	a := domain.Attribute{Name: name, Type: t, Resolution: 1, HasFallback: true}
	l, _ := a.ParseNative(lo)
	h, _ := a.ParseNative(hi)
	a.Cuts = []int64{l, h}
	return a
}

// value1 computes an expression for one row of the columns' least values.
func value1(t *testing.T, attrs []domain.Attribute, typ domain.Type, from string) (string, error) {
	t.Helper()
	d := &domain.Domain{Attributes: attrs, Derived: []domain.Derived{{Column: domain.Attribute{Name: "out", Type: typ}, From: from, Place: 9}}}
	if err := Resolve(d, map[string]bool{"out": typ == domain.String}); err != nil {
		return "", err
	}
	p := must.Value(New(d))(t)
	c := &domain.Chunk{}
	domain.NewDecoder(d).Decode(c, make([]domain.Code, len(attrs)), func(int, int) uint64 { return 0 })
	p.Complete(c, 0, nil)
	w := d.Written()
	out := &c.Columns[len(attrs)]
	return string(w.Attributes[len(attrs)].AppendNative(nil, out.Ints[0])), nil
}

func TestExpressions(t *testing.T) {
	attrs := []domain.Attribute{
		ints("time", 1730, 2359), ints("a b", -7, 9), dates("day", domain.Date, "2024-02-29", "2024-12-31"),
		dates("next", domain.Date, "2024-03-01", "2025-12-31"), dates("at", domain.Timestamp, "1969-12-31 23:59:58.5", "2025-01-01"),
		dates("clock", domain.Time, "09:30:15", "23:00:00"), dates("then", domain.Timestamp, "1970-01-01 00:00:00", "2025-01-01"),
	}
	for from, want := range map[string]string{
		"time / 100":            "17",
		"time % 100":            "30",
		"-time":                 "-1730",
		"2 - 3 - 4":             "-5",
		"2 + 3 * 4":             "14",
		"(2 + 3) * 4":           "20",
		"100 / 7 / 2":           "7",
		`"a b" / 2`:             "-4",
		`"a b" % 2`:             "1",
		`"a b" % -4`:            "-3",
		"year(day)":             "2024",
		"quarter(day)":          "1",
		"month(day)":            "2",
		"day(day)":              "29",
		"weekday(day)":          "4",
		"weekday(at)":           "3",
		"hour(at)":              "23",
		"minute(clock)":         "30",
		"second(clock)":         "15",
		"hour(at) * 60":         "1380",
		"next - day":            "1",
		"day + 1":               "2024-03-01",
		"day - 60":              "2023-12-31",
		"date(at)":              "1969-12-31",
		"then - at":             "1",
		"then + 90":             "1970-01-01T00:01:30Z",
		"date(then) - date(at)": "1",
	} {
		must.Equal(t, must.Value(value1(t, attrs, domain.String, from))(t), want, "%s", from)
	}
	for from, want := range map[string]string{
		"":                       "not the end",
		"time /":                 "character 7: a column",
		"time time":              "an operator is needed",
		"(time":                  "closing parenthesis",
		"tme / 100":              `no column is called "tme"; the columns are time`,
		"time / 0":               "is 0",
		"time + day":             "has no meaning",
		"day + next":             "has no meaning",
		"day * 2":                "has no meaning",
		"at - day":               "has no meaning",
		"year(time)":             "year of a number has no meaning",
		"hour(day)":              "no meaning",
		"century(day)":           `no function is called "century"`,
		"1.5 * time":             "a whole number",
		"out + 1":                "computed from itself",
		strings.Repeat("(", 200): "levels of parentheses",
	} {
		got, err := value1(t, attrs, domain.String, from)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), "%s: got %q, %v; want an error with %q", from, got, err, want)
	}
}

// TestOverflow: an expression of whole numbers is the one of numbers without end, rounded down, where 64 bits hold it and its parts
// and no divisor is 0, and NULL elsewhere; where it is not NULL, the range of its column holds it. Some columns go to the ends of 64 bits.
func TestOverflow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	draw := func() int64 { return int64(r.Uint64()) >> r.IntN(64) }
	exact := map[string]func(a, b *big.Int) *big.Int{
		"a + b": func(a, b *big.Int) *big.Int { return new(big.Int).Add(a, b) }, "a - b": func(a, b *big.Int) *big.Int { return new(big.Int).Sub(a, b) },
		"a * b": func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) },
		"a / b": floorQuotient, "a % b": remainder,
		"a * b % 1000":   func(a, b *big.Int) *big.Int { return remainder(new(big.Int).Mul(a, b), big.NewInt(1000)) },
		"(a - b) / 1000": func(a, b *big.Int) *big.Int { return floorQuotient(new(big.Int).Sub(a, b), big.NewInt(1000)) },
	}
	nulls := 0
	for range 2000 {
		x, y, z, w := draw(), draw(), draw(), draw()
		a, b := ints("a", min(x, y), max(x, y)), ints("b", min(z, w), max(z, w))
		if z == 0 && w == 0 {
			continue
		}
		for from, want := range exact {
			d := &domain.Domain{Attributes: []domain.Attribute{a, b}, Derived: []domain.Derived{{Column: domain.Attribute{Name: "out", Type: domain.Int64}, From: from, Place: 9}}}
			must.Do(t, Resolve(d, nil))
			p := must.Value(New(d))(t)
			as, bs := []int64{x, y, x, y, x}, []int64{z, w, w, z, min(max(0, b.Cuts[0]), b.Cuts[1])}
			c := &domain.Chunk{Rows: len(as), Columns: []domain.Column{{Form: domain.Ints, Ints: as}, {Form: domain.Ints, Ints: bs}}}
			p.Complete(c, 0, nil)
			column, out := d.Derived[0].Column, &c.Columns[2]
			for row := range as {
				sum := want(big.NewInt(as[row]), big.NewInt(bs[row]))
				if fits := sum != nil && sum.IsInt64(); fits == out.Null(row) || fits && sum.Int64() != out.Ints[row] {
					t.Fatalf("%s with a = %d and b = %d: %d, NULL %v; want %v", from, as[row], bs[row], out.Ints[row], out.Null(row), sum)
				} else if !fits {
					nulls++
				} else if v := float64(out.Ints[row]); v < float64(column.Cuts[0]) || v > float64(column.Cuts[1]) {
					t.Errorf("%s = %d is outside of %v", from, out.Ints[row], column.Cuts)
				}
				must.Hold(t, !out.Null(row) || column.Null, "%s with a = %d and b = %d: NULL in a column without", from, as[row], bs[row])
			}
		}
	}
	must.Hold(t, nulls >= 500, "%d values do not fit: too few", nulls)
}

// remainder returns x − y·⌊x/y⌋, or nil with floorQuotient.
func remainder(x, y *big.Int) *big.Int {
	q := floorQuotient(x, y)
	if q == nil {
		return nil
	}
	return q.Sub(x, q.Mul(y, q))
}

// floorQuotient returns ⌊x/y⌋; nil if y is 0, or if 64 bits do not hold x.
func floorQuotient(x, y *big.Int) *big.Int {
	if y.Sign() == 0 || !x.IsInt64() {
		return nil
	}
	q, m := new(big.Int).DivMod(x, y, new(big.Int)) // m is at least 0
	if y.Sign() < 0 && m.Sign() > 0 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// TestSubstitutes: what a declared column does not hold becomes its fallback, or NULL.
func TestSubstitutes(t *testing.T) {
	source := ints("a", 0, 30)
	for _, tt := range []struct {
		column domain.Attribute
		from   string
		want   []string // of a = 0, 7, 30
	}{
		{domain.Attribute{Type: domain.Int64, Cuts: []int64{0, 50}, Resolution: 1, Null: true}, "a * 2", []string{"0", "14", "NULL"}},
		{domain.Attribute{Type: domain.Int64, Cuts: []int64{5, 50}, Resolution: 1, HasFallback: true}, "a * 2", []string{"5", "14", "5"}},
		{domain.Attribute{Type: domain.Int64, Values: []string{"0", "14"}, HasFallback: true, Fallback: 1}, "a * 2", []string{"0", "14", "14"}},
		{domain.Attribute{Type: domain.Int64, Cuts: []int64{0, 50}, Resolution: 1}, "a * 2", []string{"0", "14", "0"}}, // as in the model files of earlier releases
		{domain.Attribute{Type: domain.Int64, Cuts: []int64{0, 100}, Resolution: 1, Null: true}, "100 / (a - 7)", []string{"NULL", "NULL", "4"}},
	} {
		tt.column.Name = "out"
		d := &domain.Domain{Attributes: []domain.Attribute{source}, Derived: []domain.Derived{{Column: tt.column, From: tt.from, Place: 9}}}
		p := must.Value(New(d))(t)
		c := &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{0, 7, 30}}}}
		p.Complete(c, 0, nil)
		for row, want := range tt.want {
			got := "NULL"
			if out := &c.Columns[1]; !out.Null(row) {
				got = fmt.Sprint(out.Ints[row])
			}
			must.Hold(t, got == want, "%s, row %d: %s, want %s", tt.from, row, got, want)
		}
	}
}

func TestKeys(t *testing.T) {
	word := func(i uint64) uint64 { return rand.New(rand.NewPCG(7, i)).Uint64() }
	uuid := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	for as, want := range map[string]*regexp.Regexp{
		"uuid": uuid, "AB-##": regexp.MustCompile(`^AB-\d{2,}$`), "?#?": regexp.MustCompile(`^[A-Z]+\d[A-Z]$`), "x#y": regexp.MustCompile(`^x\d+y$`),
	} {
		seen := map[string]bool{}
		const rows = 5000
		for first := int64(0); first < rows; first += 1000 {
			c := generate(domain.Generated{Column: "k", As: as}, 1000, first, word, word)
			for i := range 1000 {
				s := string(c.Text(i))
				must.Need(t, !seen[s] && want.MatchString(s), "%s: row %d has %q: twice, or not of the pattern", as, first+int64(i), s)
				seen[s] = true
			}
		}
	}
	must.Equal(t, string(appendPattern(nil, "AB-####", 42)), "AB-0042")
	must.Equal(t, string(appendPattern(nil, "AB-##-Z", 12345)), "AB-12345-Z", "a number that is too large for its pattern")
	for x := range uint64(1000) { // the inverse exists if no two meet; the mixing keeps 62 bits
		must.Need(t, permuted(x, word(0)) < 1<<62, "more than 62 bits")
	}
}

func TestRanksOfFloatsAreTheirOrder(t *testing.T) {
	list := []float64{math.Inf(-1), -math.MaxFloat64, -1, -math.SmallestNonzeroFloat64, 0, math.SmallestNonzeroFloat64, 1, math.MaxFloat64}
	for i, x := range list {
		must.Hold(t, ranked(rank(x)) == x && (i <= 0 || rank(x) > rank(list[i-1])), "%g is not ranked", x)
	}
	must.Hold(t, rank(math.Copysign(0, -1)) == rank(0), "two zeros")
}

// Every cell of two columns that an exclusion names is impossible, and of few cells all impossible ones are named.
func TestZeros(t *testing.T) {
	a, b := ints("a", 0, 100), ints("b", -20, 60)
	a.Cuts, b.Cuts = domain.EqualCuts(0, 100, 20), domain.EqualCuts(-20, 60, 16)
	a.Null = true
	for _, names := range [][]string{{"a", "b"}, {"b", "a"}} {
		d := &domain.Domain{Attributes: []domain.Attribute{a, b}, Orders: []domain.Order{{Columns: names}}}
		x, p := Zeros(d), compile(d, nil, false)
		for i := range a.Size() {
			for j := range b.Size() {
				record := []domain.Code{domain.Code(i), domain.Code(j)}
				must.Equal(t, x.Violated(record) >= 0, !p.Possible(record), "%v: cells %d and %d: excluded", names, i, j)
			}
		}
		d.StructuralZeros = x
		err := d.Validate()
		must.Hold(t, err == nil && len(x) != 0 && len(x) < 1<<halvings, "%v: %d exclusions, %v", names, len(x), err)
	}
}

// Names belong to a row, whatever rows are made beside it, fit together, and are no privacy ID.
func TestNames(t *testing.T) {
	word := func(i uint64) uint64 { return rand.New(rand.NewPCG(7, i)).Uint64() }
	other := func(i uint64) uint64 { return rand.New(rand.NewPCG(8, i)).Uint64() }
	whole := generate(domain.Generated{Column: "n", As: "name"}, 100, 0, word, other)
	part := generate(domain.Generated{Column: "n", As: "last_name"}, 10, 90, other, other)
	for i := range 10 {
		name, last := string(whole.Text(90+i)), string(part.Text(i))
		must.Hold(t, strings.HasSuffix(name, " "+last), "row %d: %q and %q", 90+i, name, last)
	}
	d := &domain.Domain{PrivacyID: "n", Generated: []domain.Generated{{Column: "n", As: "name"}, {Column: "m", As: "name de"}}}
	_, err := New(d)
	for _, want := range []string{"two people can have one name", `got "name de"; uuid, serial or a pattern`} {
		must.Fail(t, err, want)
	}
}

// TestRunOut: patterns say when they have no room for more keys, at the first one that is longer.
func TestRunOut(t *testing.T) {
	for pattern, room := range map[string]int64{"??-###": 675_999, "#": 9, "A-??": 675, "K####": 9999} {
		g := domain.Generated{Column: "k", As: pattern}
		d := &domain.Domain{Generated: []domain.Generated{g}}
		for _, rows := range []int64{room, room + 1} {
			notes := RunOut(d, rows)
			must.Hold(t, (len(notes) > 0) == (rows > room), "%s, %d rows: %q", pattern, rows, notes)
			word := func(uint64) uint64 { return 0 }
			c := generate(g, 1, rows-1, word, word)
			must.Hold(t, len(c.Bytes) > len(pattern) == (rows > room), "%s: key %d is %s", pattern, rows, c.Bytes)
		}
	}
}
