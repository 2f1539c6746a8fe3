package fields

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
)

// wild returns a column of cells that are often none of any domain's: in the given form, each value of
// numbers or texts in turn, some of them NULL.
func wild(form domain.Form, rng *rand.Rand, n int, nulls bool) domain.Column {
	numbers := []int64{0, 1, 2, -1, 7, 42, 99, 127, 128, 255, 256, 300, 1e9, 1<<53 + 1, 999_999_999_999_999, math.MaxInt64, math.MinInt64, -719_163, 86_400_000_000}
	texts := []string{"", "a", "7", "007", "+7", "-1", "0.5", "0.299", "1e400", "NaN", "0x1p2", "1_0", "TRUE", "f", "2", "x", "\xff", "12.345",
		"1970-01-02", "2023-02-29", "12:00:00", "24:00:00", "1970-01-01T00:00:00.000001", "1970-01-02 00:00:00+01", "9223372036854775808"}
	floats := []float64{0, -0.5, 0.3, 1, 42, 1.5, 1e15, 1e19, 1e300, math.NaN(), math.Inf(-1), math.SmallestNonzeroFloat64, 12.345}
	col := domain.Column{Form: form, Offsets: []uint32{0}, Dict: texts}
	for range n {
		col.Nulls = append(col.Nulls, nulls && rng.IntN(5) == 0)
		col.Floats = append(col.Floats, floats[rng.IntN(len(floats))])
		col.Bytes = append(col.Bytes, texts[rng.IntN(len(texts))]...)
		col.Offsets = append(col.Offsets, uint32(len(col.Bytes)))
		if form == domain.Dictionary {
			col.Ints = append(col.Ints, int64(rng.IntN(len(texts))))
		} else {
			col.Ints = append(col.Ints, numbers[rng.IntN(len(numbers))])
		}
	}
	if !nulls {
		col.Nulls = nil
	}
	return col
}

var forms = []domain.Form{domain.Absent, domain.Text, domain.Ints, domain.Floats, domain.Dictionary}

// Whatever a raw cell holds: a struct of it, and a chunk of that, are encoded to the cell's own code.
func TestRawKeepsCodes(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(3, 4))
	for _, row := range table {
		for name, a := range columns() {
			for _, null := range []bool{false, true} {
				a.Name, a.Null, a.HasFallback = "x", null, !null
				d := &domain.Domain{Attributes: []domain.Attribute{a}}
				field := row.field
				if null && field != reflect.TypeFor[*big.Rat]() {
					field = reflect.PointerTo(field)
				}
				s := reflect.StructOf([]reflect.StructField{{Name: "X", Type: field}})
				out, err := Raw(s, d)
				if err != nil {
					continue // TestEveryPair says which
				}
				in, err := Input(s, d)
				if err != nil {
					t.Fatalf("%v, %s: %v", s, name, err)
				}
				w, back := out.NewRawWriter(d), in.NewRawReader(d)
				for k, form := range append(forms, forms...) {
					c := &domain.Chunk{Rows: n, Columns: []domain.Column{wild(form, rng, n, k < len(forms))}}
					want := make([]domain.Code, n)
					domain.NewEncoder(d).Encode(c, want)
					if err := w.Take(c); err != nil {
						t.Fatal(err)
					}
					r := in.NewReader(d)
					for i := range n {
						v := w.Write(i)
						back.Read(v.Interface())
						if got, _, _ := r.Read(v.Interface(), nil, nil); got[0] != want[i] {
							t.Fatalf("%v, %s, null %v, form %d: code %d became %d in %+v", s, name, null, form, want[i], got[0], v)
						}
					}
					got := make([]domain.Code, n)
					again := back.Take()
					domain.NewEncoder(d).Encode(again, got)
					if !slices.Equal(got, want) {
						t.Fatalf("%v, %s, null %v, form %d: codes changed on the way back", s, name, null, form)
					}
				}
			}
		}
	}
}

// What a domain has no cell for reaches the struct as it is, and goes back so.
func TestRawKeepsValues(t *testing.T) {
	type record struct {
		Plan  string
		Age   int64
		Money *big.Rat
		Rate  float64
		Born  civil.Date
		Seen  *time.Time
		Loud  bool
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "plan", Type: domain.String, Values: []string{"basic"}, HasFallback: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 10}, Resolution: 1, HasFallback: true},
		{Name: "money", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 10}, Resolution: 1, Null: true},
		{Name: "rate", Type: domain.Float64, FloatCuts: []float64{0, 1}, HasFallback: true},
		{Name: "born", Type: domain.Date, Cuts: []int64{0, 10}, Resolution: 1, HasFallback: true},
		{Name: "seen", Type: domain.Timestamp, Cuts: []int64{0, 10}, Resolution: 1, Null: true},
		{Name: "loud", Type: domain.Bool, Values: []string{"false"}, HasFallback: true},
	}}
	want := []domain.Column{
		{Form: domain.Text, Bytes: []byte("gold"), Offsets: []uint32{0, 4}},
		{Form: domain.Ints, Ints: []int64{-1234567890123}},
		{Form: domain.Ints, Ints: []int64{math.MaxInt64}, Nulls: []bool{false}},
		{Form: domain.Floats, Floats: []float64{-2.5}},
		{Form: domain.Ints, Ints: []int64{20_000}},
		{Form: domain.Ints, Ints: []int64{0}, Nulls: []bool{true}},
		{Form: domain.Ints, Ints: []int64{1}},
	}
	m, err := Raw(reflect.TypeFor[record](), d)
	if err != nil {
		t.Fatal(err)
	}
	w, r := m.NewRawWriter(d), m.NewRawReader(d)
	if err := w.Take(&domain.Chunk{Rows: 1, Columns: want}); err != nil {
		t.Fatal(err)
	}
	r.Read(w.Write(0).Interface())
	for a, got := range r.Take().Columns {
		if got.Form != want[a].Form || !slices.Equal(got.Ints, want[a].Ints) || !slices.Equal(got.Floats, want[a].Floats) ||
			!slices.Equal(got.Bytes, want[a].Bytes) || !slices.Equal(got.Nulls, want[a].Nulls) {
			t.Errorf("column %s: %+v came back as %+v", d.Attributes[a].Name, want[a], got)
		}
	}
}

func textID(id string) domain.Column {
	return domain.Column{Form: domain.Text, Bytes: []byte(id), Offsets: []uint32{0, uint32(len(id))}}
}

// Two IDs never become one, none is lost, and none ends a run: a field that does not hold every ID is refused.
func TestRawIDs(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 10}, Resolution: 1, HasFallback: true}}}
	structOf := func(id reflect.Type) reflect.Type {
		return reflect.StructOf([]reflect.StructField{{Name: "ID", Type: id}, {Name: "X", Type: reflect.TypeFor[int]()}})
	}
	for _, c := range []struct {
		ids  domain.Column
		want string
	}{
		{textID("007"), "007"},
		{textID(""), ""},
		{textID("a\r\nb \xff"), "a\r\nb \xff"},
		{domain.Column{Form: domain.Ints, Ints: []int64{math.MinInt64}}, "-9223372036854775808"},
		{domain.Column{Form: domain.Ints, Ints: []int64{0}, Nulls: []bool{true}}, ""},
		{domain.Column{Form: domain.Dictionary, Dict: []string{"a", " a"}, Ints: []int64{1}}, " a"},
		{domain.Column{Form: domain.Floats, Floats: []float64{math.NaN()}}, ""},
		{domain.Column{Form: domain.Floats, Floats: []float64{math.Copysign(0, -1)}}, "0"},
	} {
		for _, field := range []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[*string]()} {
			m, err := Raw(structOf(field), d)
			if err != nil {
				t.Fatal(err)
			}
			w := m.NewRawWriter(d)
			if err := w.Take(&domain.Chunk{Rows: 1, ID: c.ids, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{3}}}}); err != nil {
				t.Fatal(err)
			}
			r := m.NewRawReader(d)
			r.Read(w.Write(0).Interface())
			if got := r.Take().ID; string(got.Text(0)) != c.want {
				t.Errorf("ID %+v in a %v came back as %q, want %q", c.ids, field, got.Text(0), c.want)
			}
		}
	}
	for _, field := range []reflect.Type{reflect.TypeFor[int64](), reflect.TypeFor[*uint8](), reflect.TypeFor[float64]()} {
		if _, err := Raw(structOf(field), d); err == nil || !strings.Contains(err.Error(), "field ID is a "+field.String()) {
			t.Errorf("an ID in a %v: %v", field, err)
		}
	}
	m, err := Raw(reflect.TypeFor[struct {
		ID string
		X  int
	}](), d)
	if err != nil {
		t.Fatal(err)
	}
	if m.NewRawWriter(d).Take(&domain.Chunk{Rows: 1, Columns: make([]domain.Column, 1)}) == nil {
		t.Error("a source without IDs passes for a domain with one")
	}
}

// Whatever a field holds, also of the pairs that are only read: a chunk of it is encoded to its own code.
func TestRawReaderKeepsCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, row := range table {
		for name, a := range columns() {
			a.Name = "x"
			d := &domain.Domain{Attributes: []domain.Attribute{a}}
			s := reflect.StructOf([]reflect.StructField{{Name: "X", Type: row.field}})
			m, err := Input(s, d)
			if err != nil {
				continue // TestEveryPair says which
			}
			r, raw := m.NewReader(d), m.NewRawReader(d)
			var want []domain.Code
			for range 100 {
				v := reflect.New(s).Elem()
				fill(v.Field(0), rng)
				want, _, _ = r.Read(v.Interface(), want, nil)
				raw.Read(v.Interface())
			}
			got := make([]domain.Code, len(want))
			domain.NewEncoder(d).Encode(raw.Take(), got)
			if !slices.Equal(got, want) {
				t.Errorf("%v read as %s: codes changed in chunks", row.field, name)
			}
		}
	}
}

// fill sets a field to a random value, small or large.
func fill(f reflect.Value, rng *rand.Rand) {
	n := int64(rng.Uint64()) >> rng.IntN(64)
	switch k := f.Kind(); {
	case f.Type() == reflect.PointerTo(ratType):
		if rng.IntN(5) > 0 {
			f.Set(reflect.ValueOf(big.NewRat(n, 1+int64(rng.IntN(1000)))))
		}
	case f.Type() == timeType:
		f.Set(reflect.ValueOf(time.UnixMicro(n >> 7).In(time.FixedZone("", 3600))))
	case k == reflect.Struct:
		for i := range f.NumField() {
			fill(f.Field(i), rng)
		}
	case k == reflect.String:
		f.SetString([]string{"", "a", "7", "007", "x", "0.5", "TRUE", "1970-01-02", "12:00:00"}[rng.IntN(9)])
	case f.Type() == bytesType:
		f.SetBytes([]byte([]string{"", "a", "7", "007"}[rng.IntN(4)]))
	case k == reflect.Bool:
		f.SetBool(n < 0)
	case isFloat(k):
		f.SetFloat([]float64{float64(n), 0.29, 12.345, math.NaN(), math.Inf(1), 1e300}[rng.IntN(6)])
	case isInt(k):
		f.SetInt(n)
	default:
		f.SetUint(uint64(n))
	}
}

// NULL of a column without one is the declared cell and no empty text, which can be another cell.
func TestRawNullIsNoText(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.String, Values: []string{"", "a"}, HasFallback: true, Fallback: 1}}}
	m, err := Raw(reflect.TypeFor[struct{ X string }](), d)
	if err != nil {
		t.Fatal(err)
	}
	w := m.NewRawWriter(d)
	c := domain.Column{Form: domain.Text, Offsets: []uint32{0, 0, 0}, Nulls: []bool{true, false}}
	if err := w.Take(&domain.Chunk{Rows: 2, Columns: []domain.Column{c}}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a", ""} {
		if v := w.Write(i); v.Field(0).String() != want {
			t.Errorf("record %d holds %q, want %q", i, v.Field(0).String(), want)
		}
	}
}

// A chunk ends before its offsets do, however long the texts are.
func TestRawReaderFull(t *testing.T) {
	type record struct{ ID, X string }
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{{Name: "x", Type: domain.String, Values: []string{"a"}, HasFallback: true}}}
	m, err := Input(reflect.TypeFor[record](), d)
	if err != nil {
		t.Fatal(err)
	}
	long := string(make([]byte, fullBytes))
	for want, v := range map[int]record{1: {X: long}, 2: {ID: long[1:], X: "b"}} {
		r := m.NewRawReader(d)
		r.Read(v)
		for n := 1; ; n++ {
			if r.Full() {
				if n != want {
					t.Errorf("full after %d records, want %d", n, want)
				}
				break
			}
			if n == 3 {
				t.Fatal("never full")
			}
			r.Read(record{ID: "i"})
		}
	}
}
