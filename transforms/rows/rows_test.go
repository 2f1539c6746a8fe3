package rows_test

import (
	"errors"
	"fmt"
	"math/big"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transformtest"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/rows"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// write writes a Parquet file of one chunk.
func write(path string, d *domain.Domain, c *domain.Chunk) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, err := parquetio.NewWriter(f, d, parquetio.Options{})
	if err != nil {
		return errors.Join(err, f.Close())
	}
	err = w.Write(c)
	_, closed := w.Close()
	return errors.Join(err, closed, f.Close())
}

// trip has a field for every type of column, and one for NULL of most.
type trip struct {
	Person string `dapple:"person_id"`
	City   *string
	Legs   int16
	Miles  *float64
	Fare   *big.Rat `beam:"fare,nullable"`
	Return bool     `dapple:"both_ways"`
	Day    civil.Date
	Booked *time.Time
	Local  civil.DateTime
	Clock  string
}

func init() { beam.RegisterType(reflect.TypeFor[trip]()) }

// anonymous is trip as a type that no package declares.
var anonymous = func() reflect.Type {
	var list []reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[trip]()) {
		list = append(list, reflect.StructField{Name: f.Name, Type: f.Type, Tag: f.Tag})
	}
	return reflect.StructOf(list)
}()

const day = 24 * 60 * 60 * 1_000_000

// trips has narrow bins: what tests read lies outside them too.
func trips() *domain.Domain {
	return &domain.Domain{PrivacyID: "person_id", Attributes: []domain.Attribute{
		{Name: "city", Type: domain.String, Values: []string{"Bern"}, Null: true},
		{Name: "legs", Type: domain.Int64, Cuts: []int64{1, 2, 10}, Resolution: 1, HasFallback: true},
		{Name: "miles", Type: domain.Float64, FloatCuts: []float64{0, 10, 20}, Null: true},
		{Name: "fare", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 100, 1000}, Resolution: 5, Null: true},
		{Name: "both_ways", Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true},
		{Name: "day", Type: domain.Date, Cuts: []int64{0, 10, 100}, Resolution: 1, HasFallback: true},
		{Name: "booked", Type: domain.Timestamp, Cuts: []int64{0, day, 2 * day}, Resolution: 1, Null: true},
		{Name: "local", Type: domain.DateTime, Cuts: []int64{0, day, 2 * day}, Resolution: 1, HasFallback: true},
		{Name: "clock", Type: domain.Time, Cuts: []int64{0, day / 2, day - 1}, Resolution: 1, HasFallback: true},
	}}
}

// cells are two trips: one with a value everywhere, none of which the bins reach, and one with NULLs.
func cells() *domain.Chunk {
	ints := func(nulls bool, v ...int64) domain.Column {
		c := domain.Column{Form: domain.Ints, Ints: v}
		if nulls {
			c.Nulls = []bool{false, true}
		}
		return c
	}
	miles := domain.Column{Form: domain.Floats, Floats: []float64{123.25, 0}, Nulls: []bool{false, true}}
	city := domain.Column{Form: domain.Dictionary, Dict: []string{"Chur"}, Ints: []int64{0, 0}, Nulls: []bool{false, true}}
	return &domain.Chunk{Rows: 2, ID: transformtest.Text([]string{"p1", ""}), Columns: []domain.Column{
		city, ints(false, 300, 1), miles, ints(true, 123_456, 0), ints(false, 1, 0), ints(false, 20_000, 0),
		ints(true, 20_000*day+1, 0), ints(false, 20_000*day, 0), ints(false, day/4, 0),
	}}
}

var wantTrips = []string{
	"Chur 300 123.25 30864/25 true 2024-10-04 2024-10-04T00:00:00.000001Z 2024-10-04T00:00:00 06:00:00",
	"NULL 1 NULL NULL false 1970-01-01 NULL 1970-01-01T00:00:00 00:00:00",
}

// show prints a trip, of a type of any name, without its ID.
func show(record any) string {
	v := reflect.Indirect(reflect.ValueOf(record))
	var out []string
	for i := 1; i < v.NumField(); i++ {
		f := v.Field(i)
		if f.Kind() == reflect.Pointer && f.IsNil() {
			out = append(out, "NULL")
			continue
		}
		switch x := f.Interface().(type) {
		case *big.Rat:
			out = append(out, x.RatString())
		case *time.Time:
			out = append(out, x.UTC().Format(time.RFC3339Nano))
		default:
			out = append(out, text(reflect.Indirect(f)))
		}
	}
	return strings.Join(out, " ")
}

// text prints a value; a civil type may have lost its name, and with it its String.
func text(f reflect.Value) string {
	for _, t := range []reflect.Type{reflect.TypeFor[civil.Date](), reflect.TypeFor[civil.DateTime]()} {
		if f.Kind() == reflect.Struct && f.NumField() == t.NumField() && f.Type().Field(0).Name == t.Field(0).Name {
			dst := reflect.New(t).Elem()
			copyFields(dst, f)
			f = dst
		}
	}
	return fmt.Sprint(f.Interface())
}

func copyFields(dst, src reflect.Value) {
	for i := range dst.NumField() {
		if dst.Field(i).Kind() == reflect.Struct {
			copyFields(dst.Field(i), src.Field(i))
		} else {
			dst.Field(i).Set(src.Field(i).Convert(dst.Field(i).Type()))
		}
	}
}

// Every type and NULL: chunk to structs, of values and of pointers, and back to the cells themselves.
func TestRoundTrip(t *testing.T) {
	d := trips()
	p, s := beam.NewPipelineWithRoot()
	in := transformtest.Create(s, cells())
	values := rows.Structs(s, in, d, reflect.TypeFor[trip](), rows.Params{})
	pointers := rows.Structs(s, in, d, reflect.TypeFor[*trip](), rows.Params{})
	gotValues, gotPointers := transformtest.Capture[trip](s, values), transformtest.Capture[*trip](s, pointers)
	chunks := transformtest.Capture[*domain.Chunk](s, rows.Chunks(s, values, d, rows.Params{}))
	transformtest.Performant(t, p)
	transformtest.Run(t, p)

	var shown, ids []string
	for _, v := range gotValues.Elements() {
		shown, ids = append(shown, show(v)), append(ids, v.Person)
	}
	if !slices.Equal(shown, wantTrips) || !slices.Equal(ids, []string{"p1", ""}) {
		t.Errorf("got  %q of %q\nwant %q", shown, ids, wantTrips)
	}
	for i, v := range gotPointers.Elements() {
		if show(v) != wantTrips[i] {
			t.Errorf("by pointer: got %s, want %s", show(v), wantTrips[i])
		}
	}
	want := cells()
	want.Columns[0] = domain.Column{Form: domain.Text, Bytes: []byte("Chur"), Offsets: []uint32{0, 4, 4}, Nulls: []bool{false, true}}
	got := chunks.Elements()
	if len(got) != 1 || got[0].Rows != 2 || !reflect.DeepEqual(got[0].ID, want.ID) {
		t.Fatalf("%d chunks, want one with two IDs", len(got))
	}
	for a := range want.Columns {
		g, w := got[0].Columns[a], want.Columns[a]
		if g.Form != w.Form || string(g.Bytes) != string(w.Bytes) || !slices.Equal(g.Offsets, w.Offsets) ||
			!slices.Equal(g.Ints, w.Ints) || !slices.Equal(g.Floats, w.Floats) || !slices.Equal(g.Nulls, w.Nulls) {
			t.Errorf("column %s: %+v, want %+v", d.Attributes[a].Name, g, w)
		}
	}
}

// All columns that do not fit are listed at once, by Validate and by the panic of Structs.
func TestMismatches(t *testing.T) {
	type narrow struct {
		ID    float64 `dapple:"person_id"`
		City  string  // NULL
		Legs  bool
		Miles *float32
		Fare  *int64 // decimal places
		Day   time.Time
		Local time.Time
		Clock civil.Date
	}
	d := trips()
	err := rows.Validate(reflect.TypeFor[narrow](), d)
	if err == nil {
		t.Fatal("no fault found")
	}
	for _, name := range []string{"person_id", "city", "legs", "miles", "fare", "both_ways", "booked", "clock"} {
		if !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("faults lack %s: %v", name, err)
		}
	}
	if n := strings.Count(err.Error(), "\n"); n != 8 {
		t.Errorf("%d faults, want 8: %v", n, err)
	}
	_, s := beam.NewPipelineWithRoot()
	in, structs := transformtest.Create(s, cells()), transformtest.Create(s, trip{})
	other := &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Bool, Values: []string{"true"}, HasFallback: true}}}
	for name, build := range map[string]func(){
		`"both_ways"`:           func() { rows.Structs(s, in, d, reflect.TypeFor[narrow](), rows.Params{}) },
		"*domain.Chunk":         func() { rows.Structs(s, structs, d, reflect.TypeFor[trip](), rows.Params{}) },
		"no type of struct":     func() { rows.Structs(s, in, d, nil, rows.Params{}) },
		"no columns":            func() { rows.Chunks(s, structs, &domain.Domain{}, rows.Params{}) },
		`column "x"`:            func() { rows.Chunks(s, structs, other, rows.Params{}) },
		"not key-value pairs":   func() { rows.Chunks(s, beam.AddFixedKey(s, structs), d, rows.Params{}) },
		"want a struct or a po": func() { rows.Structs(s, in, d, reflect.TypeFor[int](), rows.Params{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.Contains(got, name) {
					t.Errorf("panic %q lacks %q", got, name)
				}
			}()
			build()
		})
	}
}

// Strict runs end with the place of a cell, lenient ones do not end; the cell itself is never shown.
func TestUnreadable(t *testing.T) {
	type record struct{ Age int64 }
	type texts struct{ Age string }
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "age", Type: domain.Int64, Cuts: []int64{5, 10}, Resolution: 1, HasFallback: true}}}
	c := transformtest.Chunk([][]string{{"7"}, {"secret"}}, nil)
	c.Source, c.Lines = "csv: people.csv", []int{2, 3}
	strict := rows.Params{Unreadable: private.FailWithPosition}
	run := func(p rows.Params, back bool) (ages []int64, err error) {
		pl, s := beam.NewPipelineWithRoot()
		in := transformtest.Create(s, c)
		if back {
			in = rows.Chunks(s, rows.Structs(s, in, d, reflect.TypeFor[texts](), rows.Params{}), d, p)
			p = rows.Params{}
		}
		got := transformtest.Capture[record](s, rows.Structs(s, in, d, reflect.TypeFor[record](), p))
		err = transformtest.RunOn("direct", pl)
		for _, r := range got.Elements() {
			ages = append(ages, r.Age)
		}
		return ages, err
	}
	for _, back := range []bool{false, true} {
		if ages, err := run(rows.Params{}, back); err != nil || !slices.Equal(ages, []int64{7, 5}) {
			t.Errorf("back %v: ages %v, error %v; want 7 and the fallback's 5", back, ages, err)
		}
		_, err := run(strict, back)
		if err == nil || !strings.Contains(err.Error(), `column "age"`) || strings.Contains(err.Error(), "secret") {
			t.Errorf("back %v: a strict run ends with %v", back, err)
		}
		if !back && !strings.Contains(fmt.Sprint(err), "people.csv: line 3") {
			t.Errorf("error %v lacks the place", err)
		}
	}
}

// Bundles of more records than a chunk's are split, and every record arrives once.
func TestChunksAreBounded(t *testing.T) {
	type record struct{ Age int64 }
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "age", Type: domain.Int64, Cuts: []int64{5, 10}, Resolution: 1, HasFallback: true}}}
	var ages []int64
	for i := range 10_000 {
		ages = append(ages, int64(i))
	}
	pl, s := beam.NewPipelineWithRoot()
	in := transformtest.Create(s, &domain.Chunk{Rows: len(ages), Columns: []domain.Column{{Form: domain.Ints, Ints: ages}}})
	chunks := transformtest.Capture[*domain.Chunk](s, rows.Chunks(s, rows.Structs(s, in, d, reflect.TypeFor[record](), rows.Params{}), d, rows.Params{}))
	transformtest.Run(t, pl)
	var got []int64
	for _, c := range chunks.Elements() {
		if c.Rows > 4096 || c.Rows != len(c.Columns[0].Ints) {
			t.Errorf("a chunk of %d rows and %d numbers", c.Rows, len(c.Columns[0].Ints))
		}
		got = append(got, c.Columns[0].Ints...)
	}
	if slices.Sort(got); !slices.Equal(got, ages) {
		t.Errorf("%d records came back, want each of %d once", len(got), len(ages))
	}
}
