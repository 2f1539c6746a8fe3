package private

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
)

func TestMain(m *testing.M) { transformtest.Main(m) }

// people is a domain with one column of each way to declare one.
func people() *domain.Domain {
	return &domain.Domain{PrivacyID: "person_id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, Other: true, OtherValue: "other"},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 20, 40, 100}, Resolution: 1, Null: true},
		{Name: "married", Type: domain.Bool, Values: []string{"false", "true"}, Null: true},
		{Name: "income", Type: domain.Numeric, Scale: 2, Cuts: []int64{0, 1_000_000, 5_000_000}, Resolution: 100, HasFallback: true},
		{Name: "visited", Type: domain.Date, Cuts: []int64{18262, 18293, 18322}, Resolution: 1, Null: true},
	}}
}

// text is a name of a string type: fields of such types are read as their base type.
type text string

type person struct {
	ID      int64 `dapple:"person_id"`
	Gender  text  `dapple:"sex"`
	Age     *int32
	Married *bool `beam:"married,omitempty"`
	Income  float64
	Visited *time.Time
	Ignored []string
}

func init() { beam.RegisterType(reflect.TypeFor[person]()) }

func ptr[T any](v T) *T { return &v }

var persons = []person{
	{ID: 1, Gender: "F", Age: ptr(int32(30)), Married: ptr(true), Income: 12000.5, Visited: ptr(time.Date(2020, 1, 15, 1, 2, 3, 0, time.UTC))},
	{ID: 2, Gender: "x", Income: math.NaN()},
	{ID: 2, Gender: "M", Age: ptr(int32(-7)), Married: ptr(false), Income: 1e300, Visited: ptr(time.Date(2020, 2, 15, 0, 0, 0, 0, time.UTC))},
}

// The same records as text.
var personCells = [][]string{
	{"F", "30", "true", "12000.50", "2020-01-15"},
	{"x", "", "", "5 Euro", ""},
	{"M", "-7", "false", "99999999999", "2020-02-15"},
}

// encoded runs Encode and returns "id:packed row" of each record.
func encoded(t *testing.T, build func(s beam.Scope) beam.PCollection, d *domain.Domain, p EncodeParams) (map[string]int, error) {
	pl, s := beam.NewPipelineWithRoot()
	coded := Encode(s, build(s), d, p)
	got := transformtest.Capture[*records.Batch](s, sensitive.Reveal(coded.records))
	transformtest.Performant(t, pl)
	if err := transformtest.RunOn("prism", pl); err != nil {
		return nil, err
	}
	rows := map[string]int{}
	for _, b := range got.Elements() {
		for i := range b.N {
			rows[fmt.Sprintf("%s:%v", b.ID(i), b.Row(i))]++
		}
	}
	return rows, nil
}

func TestEncode(t *testing.T) {
	want := map[string]int{"1:[0 1 1 1 0]": 1, "2:[2 3 2 0 2]": 1, "2:[1 0 0 1 1]": 1}
	inputs := map[string]func(s beam.Scope) beam.PCollection{
		"structs": func(s beam.Scope) beam.PCollection { return transformtest.Create(s, persons...) },
		"chunks": func(s beam.Scope) beam.PCollection {
			return transformtest.Create(s, transformtest.Chunk(personCells[:2], []string{"1", "2"}),
				transformtest.Chunk(personCells[2:], []string{"2"}))
		},
	}
	for name, build := range inputs {
		got := must.Value(encoded(t, build, people(), EncodeParams{}))(t)
		must.Hold(t, reflect.DeepEqual(got, want), "%s: records %v, want %v", name, got, want)
	}
}

func TestStrictFailsWithPositionOnly(t *testing.T) {
	chunk := transformtest.Chunk([][]string{{"F", "30", "canary-1", "1", ""}}, []string{"canary-2"})
	chunk.Source, chunk.Lines = "people.csv", []int{17}
	build := func(s beam.Scope) beam.PCollection { return transformtest.Create(s, chunk) }
	must.Passes(encoded(t, build, people(), EncodeParams{}))(t, "an unusable cell fails the run")
	_, err := encoded(t, build, people(), EncodeParams{Unreadable: FailWithPosition})
	must.Need(t, err != nil && strings.Contains(err.Error(), `people.csv line 17: column "married"`), "error %v, want the position", err)
	must.Hold(t, !strings.Contains(err.Error(), "canary"), "the error holds a value of the table")
}

func TestStrictStructs(t *testing.T) {
	build := func(s beam.Scope) beam.PCollection { return transformtest.Create(s, persons...) }
	_, err := encoded(t, build, people(), EncodeParams{Unreadable: FailWithPosition})
	must.Hold(t, err != nil && strings.Contains(err.Error(), `column "income"`) && !strings.Contains(err.Error(), "NaN"),
		"error %v, want the column and no value", err)
}

func TestValidateStructListsAllFaults(t *testing.T) {
	type wrong struct {
		Sex     time.Time
		Age     bool
		Married *bool `dapple:"wedded"`
		Income  float64
		Visited string
	}
	err := ValidateStruct(reflect.TypeFor[wrong](), people())
	must.Need(t, err != nil, "no fault found")
	for _, want := range []string{`"sex"`, `"age"`, `"married"`, `"person_id"`} {
		must.Hold(t, strings.Contains(err.Error(), want), "faults lack column %s: %v", want, err)
	}
	for _, good := range []string{`"income"`, `"visited"`} {
		must.Hold(t, !strings.Contains(err.Error(), good), "column %s is reported: %v", good, err)
	}
	must.Pass(t, ValidateStruct(reflect.TypeFor[*person](), people()), "a good struct is refused")
}

func TestBound(t *testing.T) {
	d := people()
	var rows [][]string
	var ids []string
	add := func(id string, cells ...string) { rows, ids = append(rows, cells), append(ids, id) }
	for i := range 10_000 {
		add("busy", []string{"F", "M", "?"}[i%3], fmt.Sprint(i%100), "true", "1", "2020-01-15")
	}
	for range 3 {
		add("same", "F", "30", "true", "1", "2020-01-15")
	}
	add("", "M", "1", "true", "1", "2020-01-15")
	add("one", "M", "50", "false", "1", "2020-01-15")
	bound := func(runner string, p BoundParams) []byte {
		rand.New(rand.NewPCG(1, uint64(len(runner)))).Shuffle(len(rows), func(i, j int) {
			rows[i], rows[j], ids[i], ids[j] = rows[j], rows[i], ids[j], ids[i]
		})
		pl, s := beam.NewPipelineWithRoot()
		col := transformtest.Create(s, transformtest.Chunk(rows[:4000], ids[:4000]), transformtest.Chunk(rows[4000:], ids[4000:]))
		units := Bound(s, Encode(s, col, d, EncodeParams{}), p)
		got := transformtest.Capture[*records.Batch](s, sensitive.Reveal(units.Collection()))
		transformtest.Performant(t, pl)
		must.Do(t, transformtest.RunOn(runner, pl))
		var kept []string
		for _, b := range got.Elements() {
			for i := range b.N {
				kept = append(kept, string(b.Row(i)))
			}
		}
		must.Hold(t, len(kept) == 3, "%s: %d units, want 3", runner, len(kept))
		slices.Sort(kept)
		return []byte(strings.Join(kept, ""))
	}
	want, spill := bound("prism", BoundParams{}), NewSpill(t.TempDir())
	defer spill.Close()
	for name, p := range map[string]BoundParams{
		"few shards": {Shards: 2}, "many shards": {Shards: maxShards}, "early emit": {MaxEntries: 1}, "spill": {Spill: spill}, "spill and early emit": {Spill: spill, MaxEntries: 1},
	} {
		must.Hold(t, bytes.Equal(bound("prism", p), want), "%s: other units than with the defaults", name)
	}
	got := bound("direct", BoundParams{})
	must.Hold(t, bytes.Equal(got, want), "the direct runner keeps other records than prism")
}

// IDs are text however the source holds them, and equal numbers are equal texts. A NULL is nobody's, and so is
// NaN: as an ID it would merge all whose number is missing into one person.
func TestIDsOfEveryForm(t *testing.T) {
	nulls := []bool{false, true, false}
	for name, c := range map[string]struct {
		col  domain.Column
		want string
	}{
		"text":       {transformtest.Text([]string{"a", "hidden", ""}), "a||"},
		"ints":       {domain.Column{Form: domain.Ints, Ints: []int64{7, 8, -9}}, "7||-9"},
		"floats":     {domain.Column{Form: domain.Floats, Floats: []float64{7, 8, 0.5}}, "7||0.5"},
		"odd floats": {domain.Column{Form: domain.Floats, Floats: []float64{math.NaN(), 8, math.Copysign(0, -1)}}, "||0"},
		"dictionary": {domain.Column{Form: domain.Dictionary, Dict: []string{"x", "y"}, Ints: []int64{1, 0, 0}}, "y||x"},
	} {
		c.col.Nulls = nulls
		b := &records.Batch{N: 3}
		must.Do(t, addIDs(b, &c.col))
		must.Equal(t, fmt.Sprintf("%s|%s|%s", b.ID(0), b.ID(1), b.ID(2)), c.want, "%s: IDs", name)
	}
	err := addIDs(&records.Batch{N: 1}, &domain.Column{})
	must.Hold(t, err != nil, "a source without IDs is accepted for a domain with one: all its records would vanish")
}

// A bundle passes its units on when it holds MaxEntries of them, with the batch that comes next, and does not wait for its
// end.
func TestBoundEmitsEarly(t *testing.T) {
	f := &boundFn{Width: 1, Shards: 4, MaxEntries: 3}
	units := 0
	emit := func(_ int, b []byte) { units += decoded(t, b).Len() }
	must.Do(t, f.StartBundle(emit))
	b := &records.Batch{N: 10, Rows: make([]byte, 10), HasID: true}
	for i := range b.N {
		b.AddID(fmt.Append(nil, i))
	}
	must.Do(t, f.ProcessElement(t.Context(), b, emit))
	err := f.ProcessElement(t.Context(), &records.Batch{}, emit)
	must.Hold(t, err == nil && units == 9, "%d units of 10 were passed on within the bundle, want 9 (error %v)", units, err)
	err = f.FinishBundle(t.Context(), emit)
	must.Hold(t, err == nil && units == 10, "%d units of 10 were passed on, error %v", units, err)
}

func decoded(t *testing.T, b []byte) *records.Units {
	t.Helper()
	u := must.Value(records.DecodeUnits(b))(t)
	return u
}

func TestBoundParamsValidate(t *testing.T) {
	err := BoundParams{Shards: 70000, MaxEntries: -1}.Validate()
	must.Hold(t, err != nil && strings.Contains(err.Error(), "70000") && strings.Contains(err.Error(), "-1"), "faults %v, want both", err)
}

func TestChunkCoder(t *testing.T) {
	chunks := []*domain.Chunk{
		{},
		{Columns: []domain.Column{{Form: domain.Text}, {Form: domain.Dictionary}, {Form: domain.Ints}}},
		{Rows: 1000, Columns: make([]domain.Column, 2)},
		transformtest.Chunk(personCells, []string{"a", "", "c"}),
		{Rows: 2, Source: "x.parquet", Lines: []int{1, 5}, ID: domain.Column{Form: domain.Ints, Ints: []int64{-1, 7}},
			Columns: []domain.Column{
				{Form: domain.Floats, Floats: []float64{0.5, -2}, Nulls: []bool{true, false}},
				{Form: domain.Dictionary, Ints: []int64{1, 0}, Dict: []string{"a", ""}},
				{},
			}},
	}
	for i, c := range chunks {
		b := encodeChunk(c)
		got, err := decodeChunk(b)
		must.Need(t, err == nil, "chunk %d: %v", i, err)
		must.Hold(t, got.Rows == c.Rows && got.Source == c.Source && reflect.DeepEqual(got.Lines, c.Lines) && len(got.Columns) == len(c.Columns) && bytes.Equal(encodeChunk(got), b),
			"chunk %d came back as %+v", i, got)
		for cut := range b {
			_, err := decodeChunk(b[:cut])
			must.Hold(t, err != nil, "chunk %d: %d of %d bytes decode", i, cut, len(b))
		}
	}
}
