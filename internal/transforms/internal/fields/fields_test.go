package fields

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// all is a domain with every type of column, and text an alias of a base type.
func all() *domain.Domain {
	const day = 24 * 60 * 60 * 1_000_000
	return &domain.Domain{PrivacyID: "unit_id", Attributes: []domain.Attribute{
		{Name: "category", Type: domain.String, Values: []string{"a", "b", "c"}, Other: true, OtherValue: "rest"},
		{Name: "level", Type: domain.Int64, Values: []string{"-1", "0", "7"}, Null: true},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 10, 50, 255}, Resolution: 1, HasFallback: true},
		{Name: "score", Type: domain.Float64, FloatCuts: []float64{0, 0.5, 2}, Null: true},
		{Name: "income", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 100, 100_000}, Resolution: 5, HasFallback: true},
		{Name: "married", Type: domain.Bool, Values: []string{"false", "true"}, Null: true},
		{Name: "born", Type: domain.Date, Cuts: []int64{-3000, 0, 9000}, Resolution: 1, HasFallback: true},
		{Name: "seen_at", Type: domain.Timestamp, Cuts: []int64{0, 1000 * day, 2000 * day}, Resolution: 1, Null: true},
		{Name: "local", Type: domain.DateTime, Cuts: []int64{0, day, 2 * day}, Resolution: 1, HasFallback: true},
		{Name: "clock", Type: domain.Time, Cuts: []int64{0, day / 2, day - 1}, Resolution: 1, HasFallback: true},
	}}
}

type text string

// common is embedded: its fields count as the struct's own.
type common struct {
	Category text
	Level    *int8
}

type typed struct {
	common
	ID      uint32 `dapple:"unit_id"`
	Age     uint8
	Score   *float64
	Money   float64 `beam:"income,nullable"`
	Married *bool
	Born    time.Time
	SeenAt  *time.Time
	Local   time.Time
	Clock   time.Time
	income  int //nolint:unused // unexported fields are never used
}

type texts struct {
	ID       *string `dapple:"unit_id"`
	Category string
	Level    *string
	Age      string
	Score    *string
	Income   string
	Married  *string
	Born     string
	SeenAt   *string
	Local    string
	Clock    string
}

// Every record that Decode makes survives being written to a struct and read again.
func TestWriteThenRead(t *testing.T) {
	d := all()
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 2000
	var codes []domain.Code
	for range n {
		for _, size := range d.Sizes() {
			codes = append(codes, domain.Code(rng.IntN(size)))
		}
	}
	chunk := &domain.Chunk{}
	domain.NewDecoder(d).Decode(chunk, codes, func(int, int) uint64 { return rng.Uint64() })
	for _, typ := range []reflect.Type{reflect.TypeFor[typed](), reflect.TypeFor[texts](), reflect.TypeFor[*typed]()} {
		out, err := Output(typ, d)
		must.Need(t, err == nil, "%v: %v", typ, err)
		in, err := Input(typ, d)
		must.Need(t, err == nil, "%v: %v", typ, err)
		w, r := out.NewWriter(d), in.NewReader(d)
		for i := range n {
			want := codes[i*d.Len() : (i+1)*d.Len()]
			got, _, bad := r.Read(w.Write(chunk, i).Interface(), nil, nil)
			must.Need(t, slices.Equal(got, want) && bad < 0, "%v: codes %v came back as %v, attribute %d unusable", typ, want, got, bad)
		}
	}
}

func TestReadID(t *testing.T) {
	d := all()
	for want, record := range map[string]any{
		"7": typed{ID: 7}, "": texts{}, "x y": texts{ID: func() *string { s := "x y"; return &s }()},
	} {
		m := must.Value(Input(reflect.TypeOf(record), d))(t)
		_, id, _ := m.NewReader(d).Read(record, nil, nil)
		must.Hold(t, string(id) == want, "ID %q, want %q", id, want)
	}
}

func TestReadNamesTheUnusableAttribute(t *testing.T) {
	d := all()
	m := must.Value(Input(reflect.TypeFor[texts](), d))(t)
	now := time.Now().Format(time.RFC3339)
	record := texts{Category: "a", Age: "many", Income: "1", Born: "1970-01-02", Local: now, Clock: "x"}
	codes, _, bad := m.NewReader(d).Read(&record, nil, nil)
	must.Hold(t, bad == d.Index("age") && codes[bad] == 0, "attribute %d unusable, code %v; want age and its fallback", bad, codes)
}

func TestMatchPrefersTags(t *testing.T) {
	type many struct {
		X int64  `dapple:"age"`
		Y string `beam:"age"`
		Age,
		AGE string
		Hidden int64 `dapple:"-"`
	}
	d := &domain.Domain{Attributes: all().Attributes[2:3]}
	m := must.Value(Input(reflect.TypeFor[many](), d))(t)
	must.Equal(t, m.structType.FieldByIndex(m.attrs[0]).Name, "X", "column age is read from field")
	d.Attributes[0].Name = "Hidden"
	must.Fails(Input(reflect.TypeFor[many](), d))(t, "", `a field tagged dapple:"-" is used`)
}

func TestOutputFaults(t *testing.T) {
	type narrow struct {
		Category int64   // categories that are no numbers
		Level    *uint64 // −1
		Age      int8    // 255
		Score    float64 // NULL
		Income   int64   // decimal places
		Married  *time.Time
		Born     string
		SeenAt   *string
		Local    string
		Clock    string
	}
	_, err := Output(reflect.TypeFor[narrow](), all())
	must.Need(t, err != nil, "no fault found")
	for _, want := range []string{"category", "level", "age", "score", "income", "married"} {
		must.Hold(t, strings.Contains(err.Error(), `"`+want+`"`), "faults lack column %s", want)
	}
	n := strings.Count(err.Error(), "\n") + 1
	must.Hold(t, n == 6, "%d faults, want 6: %v", n, err)
}

func BenchmarkRead(b *testing.B) {
	d := all()
	m := must.Value(Input(reflect.TypeFor[typed](), d))(b)
	r := m.NewReader(d)
	var record any = typed{common: common{Category: "b"}, Age: 9, Money: 12.5}
	var codes []domain.Code
	var id []byte
	b.ReportAllocs()
	for b.Loop() {
		codes, id, _ = r.Read(record, codes[:0], id[:0])
	}
}
