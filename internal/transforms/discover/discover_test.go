package discover

import (
	"bytes"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
)

// rows is a table of texts, by row; the first column may be the privacy ID. "\x00" is NULL.
type rows [][]string

// chunk returns rows as a reader of text does.
func (r rows) chunk(id bool) *domain.Chunk {
	width := len(r[0])
	all := make([]domain.Column, width)
	for k := range all {
		all[k] = domain.Column{Form: domain.Text, Offsets: []uint32{0}, Nulls: make([]bool, len(r))}
		for i, row := range r {
			if row[k] == "\x00" {
				all[k].Nulls[i] = true
			} else {
				all[k].Bytes = append(all[k].Bytes, row[k]...)
			}
			all[k].Offsets = append(all[k].Offsets, uint32(len(all[k].Bytes)))
		}
	}
	c := &domain.Chunk{Rows: len(r), Columns: all}
	if id {
		c.ID, c.Columns = all[0], all[1:]
	}
	return c
}

// counted counts rows as the pipeline does, a bundle for each part.
func counted(t testing.TB, p Params, parts ...rows) *table {
	t.Helper()
	return countedAbove(t, p, 0, parts...)
}

// countedAbove is counted with a first cut.
func countedAbove(t testing.TB, p Params, cut int64, parts ...rows) *table {
	t.Helper()
	bundles := make([][]*domain.Chunk, len(parts))
	for i, part := range parts {
		for from := 0; from < len(part); from += 100 {
			bundles[i] = append(bundles[i], part[from:min(len(part), from+100)].chunk(p.PrivacyID != ""))
		}
	}
	return countedChunks(t, p, cut, bundles...)
}

// countedChunks is countedAbove of chunks.
func countedChunks(t testing.TB, p Params, cut int64, bundles ...[]*domain.Chunk) *table {
	t.Helper()
	p = p.withDefaults()
	shards := map[int][][]byte{}
	emit := func(key int, b []byte) { shards[key] = append(shards[key], b) }
	for _, chunks := range bundles {
		f := &readFn{Params: p, MaxEntries: 50}
		must.Do(t, f.Setup())
		_ = f.StartBundle(nil)
		for _, c := range chunks {
			must.Do(t, f.ProcessElement(c, emit))
		}
		must.Do(t, f.FinishBundle(emit))
	}
	iterate := func(list [][]byte) func(*[]byte) bool {
		return func(b *[]byte) bool {
			if len(list) == 0 {
				return false
			}
			*b, list = list[0], list[1:]
			return true
		}
	}
	if p.PrivacyID != "" {
		people := shards
		shards = map[int][][]byte{}
		for key, list := range people {
			must.Do(t, (&peopleFn{Params: p}).ProcessElement(key, iterate(list), emit))
		}
	}
	var sums [][]byte
	for key, list := range shards {
		must.Do(t, (&sumFn{Columns: p.Columns, Cut: cut}).ProcessElement(key, iterate(list), func(b []byte) { sums = append(sums, b) }))
	}
	sum := must.Value(sumOf(p.Columns, carry.Carrier{}, iterate(sums), allValues))(t)
	return sum
}

func untyped(names ...string) (list []Column) {
	for _, n := range names {
		list = append(list, Column{Name: n, Untyped: true})
	}
	return list
}

func params(id string, names ...string) Params {
	return Params{Columns: untyped(names...), PrivacyID: id, Epsilon: 1, Delta: 1e-9, Share: dp.ShareOf(1, 10)}
}

func foundIn(t testing.TB, p Params, counts *table) *Found {
	t.Helper()
	must.Do(t, p.Validate())
	cut := must.Value(p.firstCut())(t)
	seed := must.Value(mechanism.SeedFromBytes([]byte("a fixed seed is for tests alone!")))(t)
	return must.Value(find(p, cut, counts, seed, nil))(t)
}

// rowsOf makes a table of so many rows.
func rowsOf(n int, row func(i int) []string) (all rows) {
	for i := range n {
		all = append(all, row(i))
	}
	return all
}

// tableOf makes a table of columns in the order of their names.
func tableOf(n int, columns map[string]func(i int) string) (names []string, all rows) {
	names = slices.Sorted(maps.Keys(columns))
	return names, rowsOf(n, func(i int) (row []string) {
		for _, name := range names {
			row = append(row, columns[name](i))
		}
		return row
	})
}

// blurred adds noise to cells.
func blurred(rng *rand.Rand, n noisy) noisy {
	for i := range n.cells {
		n.cells[i] += n.sigma * rng.NormFloat64()
	}
	return n
}

// mixed makes a table of a number, a decimal number, a date, a category, an identifier and free text.
func mixed(n int) rows {
	rng := rand.New(rand.NewPCG(1, 2))
	var all rows
	for i := range n {
		age := fmt.Sprint(18 + rng.IntN(60))
		if rng.IntN(20) == 0 {
			age = "\x00"
		}
		all = append(all, rows{{age, fmt.Sprintf("%.2f", rng.ExpFloat64()*100), fmt.Sprintf("20%02d-%02d-11", 10+rng.IntN(9), 1+rng.IntN(12)),
			string(rune('A' + min(rng.IntN(12), 7))), fmt.Sprintf("id-%d", i), fmt.Sprintf("%d:%02d", rng.IntN(24), rng.IntN(60))}}...)
	}
	return all
}

// What is found of a plain table is what it was made of, the file is a domain, and the identifier is left out with a reason.
func TestFindsColumns(t *testing.T) {
	p := params("", "age", "price", "day", "kind", "key", "clock")
	data := mixed(60_000)
	f := foundIn(t, p, counted(t, p, data))
	want := []domain.Type{domain.Int64, domain.Numeric, domain.Date, domain.String, domain.String, domain.Time}
	for i, c := range f.Columns {
		must.Hold(t, c.Type == want[i], "%s is %v, want %v", c.Name, c.Type, want[i])
	}
	c := f.Columns[0]
	must.Hold(t, c.Min == "18" && c.Max == "120" && c.Null, "age: %+v", c)
	if c := f.Columns[1]; c.Resolution != "0.01" || c.Null {
		t.Errorf("price: %+v", c)
	}
	if c := f.Columns[2]; c.Min != "2010-01-01" || c.Max != "2018-12-31" {
		t.Errorf("day: %+v", c)
	}
	if c := f.Columns[3]; len(c.Values) != 8 || c.Values[0] != "H" {
		t.Errorf("kind: %+v", c)
	}
	if c := f.Columns[4]; c.Left == "" || len(f.LeftOut()) != 1 {
		t.Errorf("key: %+v", c)
	}
	file, err := schema.Parse("found.yaml", f.File("trim: true"))
	must.Need(t, err == nil, "%v\n%s", err, f.File("trim: true"))
	must.Hold(t, file.Domain.Len() == 5 && file.ExpectedRows >= 58_000 && file.ExpectedRows <= 62_000 && file.CSV.Trim,
		"the domain has %d columns, of %d rows", file.Domain.Len(), file.ExpectedRows)
	data2 := must.Value(f.Encode())(t)
	again, err := Decode(data2)
	must.Hold(t, err == nil && bytes.Equal(again.File("trim: true"), f.File("trim: true")) && again.Prior.Events[0].Scales[0].Cmp(f.Prior.Events[0].Scales[0]) == 0,
		"what was found does not survive its encoding: %v", err)
}

// The charges of a discovery are at most its share, nearly all of it, and the whole δ of values; what is left of the budget
// is for the release, exactly.
func TestSharesAreSpent(t *testing.T) {
	data := mixed(20_000)
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		for _, mixedKinds := range []bool{false, true} {
			p := params("", "age", "price", "day", "kind", "key", "clock")
			p.Neighbouring, p.Mixed = n, mixedKinds
			f := foundIn(t, p, counted(t, p, data))
			ledger := must.Value(p.ledger())(t)
			delta := new(big.Rat)
			for _, e := range f.Prior.Events {
				must.Do(t, ledger.Charge(e))
				if e.Delta != nil {
					delta.Add(delta, e.Delta)
				}
			}
			used := new(big.Rat).Quo(ledger.Spent(), ledger.Capacity())
			x, _ := used.Float64()
			must.Hold(t, used.Cmp(big.NewRat(1, 10)) <= 0 && x >= .0999, "%v: %v of the budget is spent, the share is a tenth", n, x)
			d, _ := delta.Float64()
			must.Hold(t, d <= 1e-10 && d >= .999e-10, "%v: values spend %g of delta", n, d)
		}
	}
}

// A person counts once in everything, with a record that does not depend on the order or the bundles of the table; rows
// without an ID are nobody's.
func TestPeopleCountOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := params("id", "sex", "visit")
	var all rows
	for i := range 300 {
		for range 1 + rng.IntN(5) {
			all = append(all, []string{fmt.Sprint("p", i), string(rune('m' + i%2)), fmt.Sprint(rng.IntN(1000))})
		}
	}
	all = append(all, []string{"", "x", "1"}, []string{"\x00", "x", "1"})
	want := counted(t, p, all)
	must.Need(t, want.units == 300, "%d units", want.units)
	for a, cells := range want.dense {
		n := summation.InOrder(cells)
		must.Hold(t, n == 300, "statistic %d counts %d units", a, n)
	}
	must.Hold(t, want.values[0]["x"] == 0 && want.values[0]["m"] == 150, "values: %v", want.values[0])
	c := want.dense[attribute(0, constantOf)]
	must.Hold(t, c[changing] == 0 && c[constant] != 0, "a column that stays the same within a person: %v", c)
	c = want.dense[attribute(1, constantOf)]
	must.Hold(t, c[changing] >= 150, "a column that changes within a person: %v", c)
	for range 5 {
		rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		at := rng.IntN(len(all))
		got := counted(t, p, slices.Clone(all[:at]), slices.Clone(all[at:]))
		must.Need(t, got.digest() == want.digest(), "counts depend on the order or the bundles of a table")
	}
}

// TestNeighboursDifferInOneCell: a person more changes each statistic in one cell by 1, and of each column one value at most,
// whatever the rows are.
func TestNeighboursDifferInOneCell(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	cell := func() string {
		return []string{"\x00", "", "1", "-2.5", "2024-01-02", "12:30", "true", "text", strings.Repeat("long", 100), "1e300", "99999999999999999999", "2024-01-02T10:00:00Z", "?", "2.0"}[rng.IntN(14)]
	}
	p := params("id", "a", "b")
	for range 200 {
		var all rows
		for i := range 1 + rng.IntN(6) {
			for range 1 + rng.IntN(3) {
				all = append(all, []string{fmt.Sprint(i), cell(), cell()})
			}
		}
		with := slices.Clone(all)
		for range 1 + rng.IntN(4) {
			with = append(with, []string{"more", cell(), cell()})
		}
		x, y := counted(t, p, all), counted(t, p, with)
		for a := range x.dense {
			moved := int64(0)
			for i := range x.dense[a] {
				moved += max(y.dense[a][i]-x.dense[a][i], x.dense[a][i]-y.dense[a][i])
			}
			must.Need(t, moved == 1, "statistic %d changes by %d", a, moved)
		}
		for c := range x.values {
			moved := int64(0)
			for text, n := range y.values[c] {
				moved += n - x.values[c][text]
			}
			must.Need(t, moved <= 1, "values of column %d change by %d", c, moved)
		}
	}
}

// Little or nothing in a table is no failure: all columns are left out, each with a reason.
func TestNothingToFind(t *testing.T) {
	for name, p := range map[string]Params{"rows": params("", "a", "b"), "people": params("id", "a", "b")} {
		one := rows{{"1", "y"}}
		if p.PrivacyID != "" {
			one = rows{{"x", "1", "y"}}
		}
		for _, counts := range []*table{newTable(p.Columns), counted(t, p, one)} {
			f := foundIn(t, p, counts)
			must.Hold(t, len(f.LeftOut()) == 2, "%s: found %+v", name, f.Columns)
		}
	}
}
