package bigqueryio

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cloud.google.com/go/bigquery"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Privacy IDs map one to one: a type is refused at launch, or all its values stay apart on both ways that
// rows take. Which types are taken is listed here, so that no other one comes in unseen.
func TestPrivacyIDsAreInjective(t *testing.T) {
	d := &domain.Domain{PrivacyID: "id"}
	var taken []string
	for _, typ := range []bigquery.FieldType{"STRING", "BYTES", "INTEGER", "INT64", "FLOAT", "FLOAT64", "BOOLEAN", "BOOL", "TIMESTAMP", "RECORD", "STRUCT", "DATE",
		"TIME", "DATETIME", "NUMERIC", "DECIMAL", "BIGNUMERIC", "BIGDECIMAL", "GEOGRAPHY", "INTERVAL", "JSON", "RANGE", "ARRAY", "UNKNOWN"} {
		columns, faults := mapColumns(bigquery.Schema{{Name: "id", Type: typ, Precision: 18, Scale: 0}}, d)
		if len(faults) > 0 {
			must.Hold(t, strings.Contains(faults[0], `privacy ID: column "id" is `), "%s: %q", typ, faults)
			continue
		}
		taken = append(taken, string(typ))
		s := &Source{Columns: columns, HasID: true}
		values, want := idValues(columns[0].As)
		r := newRows(s)
		for _, v := range values {
			must.Do(t, r.Load([]bigquery.Value{v}, nil))
		}
		must.List(t, show(&r.chunk.ID, len(values)), want, "%s by query", typ)
		must.List(t, show(arrowIDs(t, s, values), len(values)), want, "%s by the Storage Read API", typ)
	}
	want := []string{"STRING", "INTEGER", "INT64"}
	must.Hold(t, slices.Equal(taken, want), "taken for IDs: %q, want %q", taken, want)
}

// idValues returns values of a type that are far apart, close together, at the ends, or that look alike.
func idValues(as domain.Type) (values []bigquery.Value, want []string) {
	if as == domain.Int64 {
		for _, v := range []int64{math.MinInt64, math.MinInt64 + 1, -1<<53 - 1, -1 << 53, -1, 0, 1, 1 << 53, 1<<53 + 1, math.MaxInt64 - 1, math.MaxInt64} {
			values, want = append(values, v), append(want, strconv.FormatInt(v, 10))
		}
		return values, want
	}
	for _, s := range []string{"0", "00", "1", " 1", "1 ", "a", "A", "\x00", "é", "e\u0301", "NULL", "\r\n", "\n", strings.Repeat("x", 5000), strings.Repeat("x", 5001)} {
		values, want = append(values, s), append(want, s)
	}
	return values, want
}

// arrowIDs sends the values through an Arrow batch.
func arrowIDs(t *testing.T, s *Source, values []bigquery.Value) *domain.Column {
	t.Helper()
	typ := arrow.DataType(arrow.PrimitiveTypes.Int64)
	if s.Columns[0].As == domain.String {
		typ = arrow.BinaryTypes.String
	}
	b := array.NewRecordBuilder(memory.NewGoAllocator(), arrow.NewSchema([]arrow.Field{{Name: "id", Type: typ, Nullable: true}}, nil))
	for _, v := range values {
		switch f := b.Field(0).(type) {
		case *array.Int64Builder:
			f.Append(v.(int64))
		case *array.StringBuilder:
			f.Append(v.(string))
		}
	}
	schema, batches := serialized(t, b.NewRecordBatch())
	d := must.Value(newArrowDecoder(s, schema))(t)
	chunks, err := d.decode(batches[0], int64(len(values)))
	must.Need(t, err == nil && len(chunks) == 1, "%v, %v", len(chunks), err)
	return &chunks[0].ID
}
