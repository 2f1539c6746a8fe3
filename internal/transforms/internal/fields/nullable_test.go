package fields

import (
	"database/sql"
	"math"
	"reflect"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

type nullables struct {
	ID   sql.Null[int64]
	Word sql.NullString
	Ward bigquery.NullString
	Age  bigquery.NullInt64
	Cost sql.Null[float64]
	Day  bigquery.NullDate
	At   sql.NullTime
	Old  bigquery.NullBool
}

func nullableColumns() *domain.Domain {
	day := func(year int) int64 {
		return int64(time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "word", Type: domain.String, Values: []string{"a", "b"}},
		{Name: "ward", Type: domain.String, Values: []string{"a", "b"}},
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 1, 2, 3}, Resolution: 1},
		{Name: "cost", Type: domain.Float64, FloatCuts: []float64{0, 1, 2, 3}, FloatResolution: 1},
		{Name: "day", Type: domain.Date, Cuts: []int64{day(2020), day(2021)}, Resolution: 1},
		{Name: "at", Type: domain.Date, Cuts: []int64{day(2020), day(2021)}, Resolution: 1},
		{Name: "old", Type: domain.Bool, Values: []string{"false", "true"}},
	}}
	for i := range d.Attributes {
		d.Attributes[i].Null = true
	}
	return d
}

// Structs of a value and Valid are read as pointers are, written so, and named so in a table that is made of them.
func TestNullablesAreLikePointers(t *testing.T) {
	d := nullableColumns()
	must.Do(t, d.Validate())
	row := reflect.TypeFor[nullables]()
	m := must.Value(Input(row, d))(t)
	full := nullables{
		sql.Null[int64]{V: 7, Valid: true}, sql.NullString{String: "b", Valid: true}, bigquery.NullString{StringVal: "a", Valid: true},
		bigquery.NullInt64{Int64: 1, Valid: true}, sql.Null[float64]{V: 1, Valid: true}, bigquery.NullDate{Date: civil.Date{Year: 2020, Month: 2, Day: 3}, Valid: true},
		sql.NullTime{Time: time.Date(2020, 5, 6, 0, 0, 0, 0, time.UTC), Valid: true}, bigquery.NullBool{Bool: true, Valid: true},
	}
	decoder := domain.NewDecoder(d)
	for name, record := range map[string]nullables{"values": full, "NULL": {Word: sql.NullString{String: "b"}}} {
		codes, id, bad := m.NewReader(d).Read(record, nil, nil)
		must.Hold(t, bad < 0 && (string(id) == "7") == record.ID.Valid && (record.ID.Valid || len(id) <= 0), "%s: attribute %d is not usable, ID %q", name, bad, id)
		out := must.Value(Output(row, d))(t)
		var c domain.Chunk
		decoder.Decode(&c, codes, func(int, int) uint64 { return 0 })
		got := out.NewWriter(d).Write(&c, 0).Interface().(nullables)
		want := record
		if !record.Word.Valid {
			want = nullables{}
		}
		got.ID, want.ID = sql.Null[int64]{}, sql.Null[int64]{}
		got.Day.Date, want.Day.Date, got.At.Time, want.At.Time = civil.Date{}, civil.Date{}, time.Time{}, time.Time{} // of the same bin
		must.Hold(t, got == want, "%s: %+v comes out as %+v", name, want, got)
	}
	made := must.Value(Columns(row))(t)
	for _, a := range made.Attributes {
		must.Hold(t, a.Null, "column %s of a table that is made of them cannot be NULL", a.Name)
	}
	w := must.Value(NewAppender(row, made))(t)
	c := w.NewChunk()
	w.Append(c, full)
	w.Append(c, nullables{})
	for a := range c.Columns {
		must.Hold(t, !c.Columns[a].Null(0) && c.Columns[a].Null(1), "column %s: NULL in the first row, or not in the second", made.Attributes[a].Name)
	}
}

// What a column cannot hold is appended as NULL, not as another value: a day or time that does not exist, a number beyond 64 bits.
func TestAppendedOrNull(t *testing.T) {
	type record struct {
		N     uint64
		Day   civil.Date
		Clock civil.Time
		At    civil.DateTime
	}
	noon := civil.Time{Hour: 12}
	good := record{math.MaxInt64, civil.Date{Year: 2024, Month: 2, Day: 29}, noon, civil.DateTime{Date: civil.Date{Year: 1, Month: 1, Day: 1}, Time: noon}}
	w := must.Value(NewAppender(reflect.TypeFor[record](), must.Value(Columns(reflect.TypeFor[record]()))(t)))(t)
	c := w.NewChunk()
	w.Append(c, good)
	for n := range uint64(20) {
		w.Append(c, record{
			math.MaxInt64 + 1 + n<<58, civil.Date{Year: 2023, Month: 2, Day: 29 + int(n)}, civil.Time{Hour: 24 + int(n)},
			civil.DateTime{Date: civil.Date{Year: 2024, Month: time.Month(13 * (n % 2)), Day: int(n)}, Time: noon},
		})
	}
	w.Append(c, record{})
	for a, col := range c.Columns {
		for row := range c.Rows {
			want := row > 0 && (row <= 20 || a == 1 || a == 3) // no number and no clock is midnight
			must.Hold(t, col.Null(row) == want, "column %d, row %d: NULL is %t", a, row, !want)
		}
	}
}

// A record may itself be a struct of a value and Valid: it is no field.
func TestRecordWithValid(t *testing.T) {
	type check struct {
		Age   int64
		Valid bool
	}
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "age", Type: domain.Int64, Cuts: []int64{0, 2}, Resolution: 1, HasFallback: true},
		{Name: "valid", Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true},
	}}
	must.Passes(Input(reflect.TypeFor[check](), d))(t)
}
