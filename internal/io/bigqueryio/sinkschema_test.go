package bigqueryio

import (
	"bytes"
	"fmt"
	"testing"

	"cloud.google.com/go/bigquery"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// everyType has a column of each type, twice: without NULL and with it.
func everyType() domain.Domain {
	var d domain.Domain
	for t := domain.String; t <= domain.Time; t++ {
		a := domain.Attribute{Name: "c_" + t.String(), Type: t, Cuts: []int64{0, 9}, Resolution: 1}
		switch t {
		case domain.String, domain.Bool:
			a.Cuts, a.Values = nil, []string{"false", "true"}
		case domain.Float64:
			a.Cuts, a.FloatCuts = nil, []float64{0, 9}
		}
		d.Attributes = append(d.Attributes, a)
		a.Name, a.Null = a.Name+"_null", true
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// The schema that a job gives and the files that it loads agree in every column.
func TestSchemaAgreesWithFiles(t *testing.T) {
	parquetTypes := map[bigquery.FieldType]string{
		bigquery.StringFieldType:  "BYTE_ARRAY String",
		bigquery.IntegerFieldType: "INT64 Int(bitWidth=64, isSigned=true)", bigquery.FloatFieldType: "DOUBLE None", bigquery.BooleanFieldType: "BOOLEAN None",
		bigquery.NumericFieldType: "FIXED_LEN_BYTE_ARRAY Decimal(precision=38, scale=9)", bigquery.DateFieldType: "INT32 Date",
		bigquery.DateTimeFieldType:  "INT64 Timestamp(isAdjustedToUTC=false, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false)",
		bigquery.TimestampFieldType: "INT64 Timestamp(isAdjustedToUTC=true, timeUnit=microseconds, is_from_converted_type=false, force_set_converted_type=false)",
		bigquery.TimeFieldType:      "INT64 Time(isAdjustedToUTC=false, timeUnit=microseconds)",
	}
	s := Sink{Domain: everyType()}
	var b bytes.Buffer
	w := must.Value(s.NewWriter(&b))(t)
	must.Value(w.Close())(t)
	r := must.Value(file.NewParquetReader(bytes.NewReader(b.Bytes())))(t)
	columns := columns(&s.Domain)
	must.Need(t, r.MetaData().Schema.NumColumns() == len(columns), "%d columns in the file, %d in the schema", r.MetaData().Schema.NumColumns(), len(columns))
	for i, f := range columns {
		c := r.MetaData().Schema.Column(i)
		required := c.SchemaNode().RepetitionType() == parquet.Repetitions.Required
		got := fmt.Sprintf("%s %s", c.PhysicalType(), c.LogicalType())
		must.Hold(t, c.Name() == f.Name && got == parquetTypes[f.Type] && required == f.Required,
			"%s %s, required %v: in the file %s %s, required %v", f.Name, f.Type, f.Required, c.Name(), got, required)
	}
}

// What dapple writes into an absent table it can add to, and read.
func TestSchemaFitsItself(t *testing.T) {
	d := everyType()
	faults := mismatches(&d, columns(&d))
	must.Hold(t, len(faults) <= 0, "%v", faults)
	_, faults = mapColumns(columns(&d), &d)
	must.Hold(t, len(faults) <= 0, "%v", faults)
}

func TestMismatches(t *testing.T) {
	text := domain.Attribute{Name: "a", Type: domain.String, Values: []string{"äöü"}, OtherValue: "other"}
	money := domain.Attribute{Name: "a", Type: domain.Numeric, Scale: 2, Cuts: []int64{-100000, 99999}}
	cases := []struct {
		attr  domain.Attribute
		field bigquery.FieldSchema
		want  string
	}{
		{text, bigquery.FieldSchema{Name: "A", Type: "STRING"}, ""},
		{text, bigquery.FieldSchema{Name: "b", Type: "STRING"}, `column "a": the table has no such column; the rows have STRING`},
		{text, bigquery.FieldSchema{Name: "a", Type: "STRING", MaxLength: 5}, ""},
		{text, bigquery.FieldSchema{Name: "a", Type: "STRING", MaxLength: 4}, `column "a": the table has STRING(4), the rows STRING of up to 5 characters`},
		{text, bigquery.FieldSchema{Name: "a", Type: "STRING", Repeated: true}, `column "a": the table has STRING REPEATED, the rows STRING`},
		{text, bigquery.FieldSchema{Name: "a", Type: "JSON"}, `column "a": the table has JSON, the rows STRING`},
		{money, bigquery.FieldSchema{Name: "a", Type: "NUMERIC"}, ""},
		{money, bigquery.FieldSchema{Name: "a", Type: "BIGNUMERIC"}, `column "a": the table has BIGNUMERIC, the rows NUMERIC`},
		{money, bigquery.FieldSchema{Name: "a", Type: "NUMERIC", Precision: 6, Scale: 2}, ""},
		{money, bigquery.FieldSchema{Name: "a", Type: "NUMERIC", Precision: 5, Scale: 2}, `column "a": the table has NUMERIC(5, 2), the rows NUMERIC of up to 4 digits before and 2 after the point`},
		{money, bigquery.FieldSchema{Name: "a", Type: "NUMERIC", Precision: 9}, `column "a": the table has NUMERIC(9), the rows NUMERIC of up to 4 digits before and 2 after the point`},
	}
	for _, c := range cases {
		d := domain.Domain{Attributes: []domain.Attribute{c.attr}}
		got := ""
		if faults := mismatches(&d, bigquery.Schema{&c.field}); len(faults) > 0 {
			got = faults[0]
		}
		must.Hold(t, got == c.want, "%+v: got %q, want %q", c.field, got, c.want)
	}
}

func TestFlexibleNames(t *testing.T) {
	for name, want := range map[string]bool{"a_1": false, "_a": false, "1a": true, "größe": true, "a b": true} {
		must.Equal(t, flexible(bigquery.Schema{{Name: name}}), want, "%q", name)
	}
}

// Every type has a row, whole, and BigQuery's own name for it is the domain's.
func TestEveryTypeHasARow(t *testing.T) {
	for _, typ := range domain.Types() {
		if int(typ) >= len(types) || types[typ].field == "" {
			t.Errorf("%v has no row in types.go", typ)
			continue
		}
		row := types[typ]
		must.Hold(t, (row.native != nil) == (typ.Facts().Form == domain.Ints), "%v: native in types.go is for types of form Ints, and for no other", typ)
		d := describe(&bigquery.FieldSchema{Name: "x", Type: row.field})
		must.Hold(t, d.Type == typ && d.Fault == "", "%v is called %s in types.go, which reads as %+v", typ, row.field, d)
	}
}
