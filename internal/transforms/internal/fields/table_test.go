package fields

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// columns are the types of columns, the more exacting cases of each beside the plain one.
func columns() map[string]domain.Attribute {
	const day = 24 * 60 * 60 * 1_000_000
	return map[string]domain.Attribute{
		"STRING":     {Type: domain.String, Values: []string{"a", "7"}, HasFallback: true},
		"INT64":      {Type: domain.Int64, Cuts: []int64{0, 50, 100}, Resolution: 1, HasFallback: true},
		"INT64 huge": {Type: domain.Int64, Cuts: []int64{-1 << 55, 0, 1 << 55}, Resolution: 1, HasFallback: true},
		"INT64 set":  {Type: domain.Int64, Values: []string{"-1", "300"}, Other: true, OtherValue: "0"},
		"FLOAT64":    {Type: domain.Float64, FloatCuts: []float64{-1, 0.3, 2}, HasFallback: true},
		"NUMERIC":    {Type: domain.Numeric, Scale: 2, Cuts: []int64{-5, 30, 100}, Resolution: 1, HasFallback: true},
		"NUMERIC 0":  {Type: domain.Numeric, Cuts: []int64{0, 30, 100}, Resolution: 1, HasFallback: true},
		"NUMERIC 9":  {Type: domain.Numeric, Scale: 9, Cuts: []int64{-1 << 62, 1, 1 << 62}, Resolution: 1, HasFallback: true},
		"BOOL":       {Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true},
		"DATE":       {Type: domain.Date, Cuts: []int64{-719_162, 0, 2_932_896}, Resolution: 1, HasFallback: true},
		"DATETIME":   {Type: domain.DateTime, Cuts: []int64{-5 * day, 0, 20_000 * day}, Resolution: 1, HasFallback: true},
		"TIMESTAMP":  {Type: domain.Timestamp, Cuts: []int64{-5 * day, 0, 20_000 * day}, Resolution: 1, HasFallback: true},
		"TIME":       {Type: domain.Time, Cuts: []int64{0, day / 3, day - 1}, Resolution: 1, HasFallback: true},
	}
}

type named string

// table says, for each type of field, which columns it is written with and, beyond those, which it is read
// as. What is in neither list is refused both ways.
var table = []struct {
	field    reflect.Type
	both, in []string
}{
	{reflect.TypeFor[string](), all13, nil},
	{reflect.TypeFor[named](), all13, nil},
	{reflect.TypeFor[bool](), []string{"BOOL"}, nil},
	{reflect.TypeFor[int](), []string{"INT64", "INT64 huge", "INT64 set", "NUMERIC 0"}, []string{"STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[int64](), []string{"INT64", "INT64 huge", "INT64 set", "NUMERIC 0"}, []string{"STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[int32](), []string{"INT64", "INT64 set", "NUMERIC 0"}, []string{"INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[int16](), []string{"INT64", "INT64 set", "NUMERIC 0"}, []string{"INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[int8](), []string{"INT64", "NUMERIC 0"}, []string{"INT64 set", "INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[uint](), []string{"INT64", "NUMERIC 0"}, []string{"INT64 set", "INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[uint64](), []string{"INT64", "NUMERIC 0"}, []string{"INT64 set", "INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[uint32](), []string{"INT64", "NUMERIC 0"}, []string{"INT64 set", "INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[uint16](), []string{"INT64", "NUMERIC 0"}, []string{"INT64 set", "INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[uint8](), []string{"INT64", "NUMERIC 0"}, []string{"INT64 set", "INT64 huge", "STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[float64](), []string{"INT64", "INT64 set", "FLOAT64", "NUMERIC", "NUMERIC 0"}, []string{"INT64 huge", "NUMERIC 9"}},
	{reflect.TypeFor[float32](), []string{"INT64", "INT64 set", "NUMERIC 0"}, []string{"INT64 huge", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
	{reflect.TypeFor[time.Time](), []string{"DATE", "DATETIME", "TIMESTAMP", "TIME"}, nil},
	{reflect.TypeFor[civil.Date](), []string{"DATE"}, nil},
	{reflect.TypeFor[civil.DateTime](), []string{"DATETIME"}, nil},
	{reflect.TypeFor[civil.Time](), []string{"TIME"}, nil},
	{reflect.TypeFor[*big.Rat](), []string{"NUMERIC", "NUMERIC 0", "NUMERIC 9"}, nil},
	{reflect.TypeFor[big.Rat](), nil, nil},
	{reflect.TypeFor[[]byte](), []string{"STRING"}, nil},
	{reflect.TypeFor[[]string](), nil, nil},
	{reflect.TypeFor[map[string]int](), nil, nil},
	{reflect.TypeFor[struct{ X int }](), nil, nil},
	{reflect.TypeFor[complex128](), nil, nil},
	{reflect.TypeFor[any](), nil, nil},
	{reflect.TypeFor[**int](), nil, nil},
	{reflect.TypeFor[time.Duration](), []string{"INT64", "INT64 huge", "INT64 set", "NUMERIC 0"}, []string{"STRING", "FLOAT64", "NUMERIC", "NUMERIC 9"}},
}

var all13 = []string{"STRING", "INT64", "INT64 huge", "INT64 set", "FLOAT64", "NUMERIC", "NUMERIC 0", "NUMERIC 9", "BOOL", "DATE", "DATETIME", "TIMESTAMP", "TIME"}

// Every type of field and every type of column: written values come back exactly, or the pair is refused.
// Pointers, for columns that can be NULL, do as what they point to.
func TestEveryPair(t *testing.T) {
	for _, row := range table {
		for name, a := range columns() {
			both, in := slices.Contains(row.both, name), slices.Contains(row.in, name)
			check(t, row.field, a, name, both, both || in)
			a.Null, a.HasFallback = true, false
			if row.field == reflect.TypeFor[*big.Rat]() {
				check(t, row.field, a, name+" or NULL", both, both || in)
				continue
			}
			check(t, row.field, a, name+" or NULL", false, both || in) // a value cannot say NULL
			if row.field.Kind() != reflect.Pointer && row.both != nil {
				check(t, reflect.PointerTo(row.field), a, name+" or NULL", both, both || in)
			}
		}
	}
}

func check(t *testing.T, field reflect.Type, a domain.Attribute, name string, wantOut, wantIn bool) {
	t.Helper()
	a.Name = "x"
	d := &domain.Domain{Attributes: []domain.Attribute{a}}
	err := d.Validate()
	must.Need(t, err == nil, "%s: %v", name, err)
	s := reflect.StructOf([]reflect.StructField{{Name: "X", Type: field}})
	in, err := Input(s, d)
	must.Hold(t, (err == nil) == wantIn, "%v read as %s: %v", field, name, err)
	out, err2 := Output(s, d)
	must.Hold(t, (err2 == nil) == wantOut, "%v written with %s: %v", field, name, err2)
	if err == nil && err2 == nil {
		roundTrip(t, in, out, d, name)
	}
}

// roundTrip compares codes, and numbers themselves: cells are wide, and hide what is lost within them.
func roundTrip(t *testing.T, in, out *Map, d *domain.Domain, name string) {
	t.Helper()
	const n = 200
	rng := rand.New(rand.NewPCG(11, 12))
	codes := make([]domain.Code, n)
	for i := range codes {
		codes[i] = domain.Code(rng.IntN(d.Attributes[0].Size()))
	}
	var c domain.Chunk
	domain.NewDecoder(d).Decode(&c, codes, func(int, int) uint64 { return rng.Uint64() })
	w, r := out.NewWriter(d), in.NewReader(d)
	for i := range n {
		record := w.Write(&c, i).Interface()
		if got, _, bad := r.Read(record, nil, nil); bad >= 0 || got[0] != codes[i] {
			t.Fatalf("%v with %s: code %d came back as %d", in.structType, name, codes[i], got[0])
		}
		if only, ok := around(d.Attributes[0], &c.Columns[0], i); ok {
			got, _, _ := in.NewReader(only).Read(record, nil, nil)
			must.Need(t, got[0] == 1, "%v with %s: %+v is not exactly what was written", in.structType, name, record)
		}
	}
}

// around returns a domain whose cell 1 is the number in row i and nothing else.
func around(a domain.Attribute, c *domain.Column, i int) (*domain.Domain, bool) {
	switch {
	case c.Null(i) || a.Bins() == len(a.Values):
		return nil, false
	case c.Form == domain.Floats:
		v := c.Floats[i]
		next := math.Nextafter(v, 9)
		a.FloatCuts = []float64{math.Nextafter(v, -9), v, next, next + 1}
	default:
		v := c.Ints[i]
		a.Cuts = []int64{v - 1, v, v + 1, v + 2}
	}
	return &domain.Domain{Attributes: []domain.Attribute{a}}, true
}
