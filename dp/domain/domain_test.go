package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// mustNative reads a native value in a test table.
func mustNative(t testing.TB, typ Type, scale int, s string) int64 {
	t.Helper()
	v, ok := (&Attribute{Type: typ, Scale: scale}).ParseNative(s)
	must.Need(t, ok, "%q is not a %s", s, typ)
	return v
}

// allTypes is a domain with every type and every kind of cell.
func allTypes(t testing.TB) *Domain {
	t.Helper()
	at := func(typ Type, scale int, s string) int64 { return mustNative(t, typ, scale, s) }
	day := at(Date, 0, "2024-12-31")
	d := &Domain{PrivacyID: "id", Attributes: []Attribute{
		{Name: "sex", Type: String, Values: []string{"Female", "Male", "", "é"}, Other: true, OtherValue: "other", Null: true},
		{Name: "code", Type: Int64, Values: []string{"7", "-3", "0"}, Other: true, OtherValue: "-1"},
		{Name: "age", Type: Int64, Cuts: EqualCuts(17, 90, 20), Resolution: 1, Null: true},
		{Name: "small", Type: Int64, Cuts: EqualCuts(0, 9, 10), Resolution: 1, HasFallback: true, Fallback: 3},
		{Name: "tens", Type: Int64, Cuts: []int64{-35, -5, 5, 30, 30}, Resolution: 10, HasFallback: true},
		{Name: "wide", Type: Int64, Cuts: []int64{math.MinInt64, 0, math.MaxInt64}, Resolution: 1, Null: true},
		{Name: "all", Type: Int64, Cuts: []int64{math.MinInt64, math.MaxInt64}, Resolution: 1, Null: true},
		{Name: "rate", Type: Float64, FloatCuts: EqualFloatCuts(-1, 1, 20), FloatResolution: 0.05, Null: true},
		{Name: "real", Type: Float64, FloatCuts: EqualFloatCuts(-1e308, 1e308, 7), HasFallback: true},
		{Name: "income", Type: Numeric, Scale: 2, Cuts: EqualCuts(-500, 25_000_000, 32), Resolution: 5, Null: true},
		{Name: "married", Type: Bool, Values: []string{"false", "true"}, Null: true},
		{Name: "visited", Type: Date, Cuts: CalendarCuts(Date, at(Date, 0, "2020-01-15"), day, Month), Resolution: 1, Null: true},
		{Name: "seen", Type: DateTime, Resolution: microsPerSecond, HasFallback: true,
			Cuts: CalendarCuts(DateTime, at(DateTime, 0, "1968-12-30"), at(DateTime, 0, "1971-02-03 04:05:06"), Week)},
		{Name: "stamp", Type: Timestamp, Resolution: 1, Null: true,
			Cuts: CalendarCuts(Timestamp, at(Timestamp, 0, "0001-01-01"), at(Timestamp, 0, "9999-12-31 23:59:59.999999Z"), Year)},
		{Name: "fare", Type: Numeric, Scale: 2, Cuts: []int64{-7, 100_000}, Resolution: 5, Learned: 20, Null: true},
		{Name: "weight", Type: Float64, FloatCuts: []float64{0.3, 250}, FloatResolution: 0.1, Learned: 10, HasFallback: true, Fallback: 700},
		{Name: "moment", Type: DateTime, Cuts: []int64{3 * microsPerDay, 9*microsPerDay + 5}, Resolution: 60 * microsPerSecond, Learned: 3, Null: true},
		{Name: "clock", Type: Time, Cuts: CalendarCuts(Time, 0, microsPerDay-1, Hour), Resolution: 60 * microsPerSecond, Null: true},
	}}
	must.Do(t, d.Validate())
	return d
}

// TestDecodeEncode: every cell of every type, decoded with extreme and random words, encodes to itself,
// from the decoded columns and from their canonical text.
func TestDecodeEncode(t *testing.T) {
	d := allTypes(t)
	enc, dec := NewEncoder(d), NewDecoder(d)
	rng := rand.New(rand.NewPCG(1, 2))
	words := []func(int, int) uint64{
		func(int, int) uint64 { return 0 },
		func(int, int) uint64 { return math.MaxUint64 },
		func(int, int) uint64 { return rng.Uint64() },
		func(int, int) uint64 { return rng.Uint64() },
	}
	const rows = 20_003
	codes := make([]Code, rows*d.Len())
	for i := range rows {
		for a, n := range d.RecordSizes() {
			codes[i*d.Len()+a] = Code(i % n)
		}
	}
	var c Chunk
	got := make([]Code, len(codes))
	for w, word := range words {
		dec.Decode(&c, codes, word)
		check := func(form string) {
			row, attr, ok := enc.EncodeStrict(&c, got)
			must.Need(t, ok, "words %d, %s: row %d, %s: decoded value is not usable", w, form, row, d.Attributes[attr].Name)
			for i := range got {
				if got[i] != codes[i] {
					a := &d.Attributes[i%d.Len()]
					t.Fatalf("words %d, %s: %s: cell %q decodes to a value of %q", w, form, a.Name, a.Label(codes[i]), a.Label(got[i]))
				}
			}
		}
		check("columns")
		for a := range c.Columns {
			c.Columns[a] = texts(&d.Attributes[a], &c.Columns[a], rows)
		}
		check("texts")
	}
}

// texts returns a decoded column as Text.
func texts(a *Attribute, col *Column, rows int) Column {
	out := Column{Form: Text, Offsets: []uint32{0}, Nulls: col.Nulls}
	for i := range rows {
		switch col.Form {
		case Ints:
			out.Bytes = a.AppendNative(out.Bytes, col.Ints[i])
		case Floats:
			out.Bytes = AppendFloat(out.Bytes, col.Floats[i])
		case Dictionary:
			out.Bytes = append(out.Bytes, col.Dict[col.Ints[i]]...)
		}
		out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
	}
	return out
}

// TestDecodeUniform: with words spread evenly, each value of a bin comes out equally often, up to one.
func TestDecodeUniform(t *testing.T) {
	d := &Domain{Attributes: []Attribute{
		{Name: "a", Type: Int64, Cuts: []int64{-7, 6, 23}, Resolution: 3, Null: true}, // cell 0: −6 −3 0 3; cell 1: 6 … 21
		{Name: "b", Type: Float64, FloatCuts: []float64{0, 0.5, 1}, FloatResolution: 0.1, Null: true},
	}}
	dec := NewDecoder(d)
	const n = 6000
	for _, cell := range []struct {
		a      int
		code   Code
		values int
	}{{0, 0, 4}, {0, 1, 6}, {1, 0, 5}, {1, 1, 6}} {
		seen := map[string]int{}
		for i := range n {
			var c Chunk
			codes := []Code{2, 2}
			codes[cell.a] = cell.code
			dec.Decode(&c, codes, func(int, int) uint64 { return uint64(i) * (math.MaxUint64 / n) })
			if cell.a == 0 {
				seen[fmt.Sprint(c.Columns[0].Ints[0])]++
			} else {
				seen[fmt.Sprint(c.Columns[1].Floats[0])]++
			}
		}
		must.Need(t, len(seen) == cell.values, "attribute %d cell %d: values %v, want %d of them", cell.a, cell.code, seen, cell.values)
		for v, k := range seen {
			must.Hold(t, k >= n/cell.values-1 && k <= n/cell.values+1 && len(v) <= 3,
				"attribute %d cell %d: value %s came %d times of %d", cell.a, cell.code, v, k, n)
		}
	}
}

// TestDecodeReuse: a chunk used again holds nothing of its former rows.
func TestDecodeReuse(t *testing.T) {
	d := allTypes(t)
	dec := NewDecoder(d)
	var used, fresh Chunk
	all := make([]Code, 3*d.Len())
	for i := range all {
		all[i] = Code(d.RecordSizes()[i%d.Len()] - 1)
	}
	zero := func(int, int) uint64 { return 0 }
	dec.Decode(&used, all, zero)
	dec.Decode(&used, make([]Code, d.Len()), zero)
	dec.Decode(&fresh, make([]Code, d.Len()), zero)
	must.Equal(t, fmt.Sprint(used), fmt.Sprint(fresh), "used chunk")
}
