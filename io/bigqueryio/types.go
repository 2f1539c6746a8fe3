package bigqueryio

import (
	"math/big"
	"slices"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/internal/native"
)

// typeRow holds the names of a type, and the form in which its cells arrive.
type typeRow struct {
	field  bigquery.FieldType                                            // the client's name
	arrow  func(arrow.DataType) bool                                     // whether the Storage Read API sends it so
	native func(r *rows, c *Column, v bigquery.Value) (n int64, ok bool) // what the client makes of a cell; nil: a text or a float
}

// types has a row for every type.
var types = [...]typeRow{
	domain.String:  {bigquery.StringFieldType, isText, nil},
	domain.Int64:   {bigquery.IntegerFieldType, kinds(arrow.INT64), of(func(v int64) int64 { return v })},
	domain.Float64: {bigquery.FloatFieldType, kinds(arrow.FLOAT64), nil},
	domain.Numeric: {bigquery.NumericFieldType, kinds(arrow.DECIMAL128, arrow.DECIMAL256), scaled},
	domain.Bool:    {bigquery.BooleanFieldType, kinds(arrow.BOOL), of(truth)},
	domain.Date:    {bigquery.DateFieldType, kinds(arrow.DATE32), of(days)},
	domain.DateTime: {bigquery.DateTimeFieldType, stamps(false),
		of(func(v civil.DateTime) int64 { return days(v.Date)*microsPerDay + micros(v.Time) })},
	domain.Timestamp: {bigquery.TimestampFieldType, stamps(true), of(time.Time.UnixMicro)},
	domain.Time:      {bigquery.TimeFieldType, kinds(arrow.TIME64), of(micros)},
}

// kinds accepts Arrow types by their number.
func kinds(want ...arrow.Type) func(arrow.DataType) bool {
	return func(t arrow.DataType) bool { return slices.Contains(want, t.ID()) }
}

func isText(t arrow.DataType) bool {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	return t.ID() == arrow.STRING
}

// stamps accepts points in time with a zone, or without.
func stamps(zone bool) func(arrow.DataType) bool {
	return func(t arrow.DataType) bool {
		s, ok := t.(*arrow.TimestampType)
		return ok && (s.TimeZone != "") == zone
	}
}

// of takes cells of one Go type.
func of[V any](native func(V) int64) func(*rows, *Column, bigquery.Value) (int64, bool) {
	return func(_ *rows, _ *Column, v bigquery.Value) (int64, bool) {
		x, ok := v.(V)
		if !ok {
			return 0, false
		}
		return native(x), true
	}
}

func truth(v bool) int64 {
	if v {
		return 1
	}
	return 0
}

const microsPerDay = 24 * 60 * 60 * 1_000_000

func days(d civil.Date) int64 { return d.In(time.UTC).Unix() / (24 * 60 * 60) } // exact: midnight

func micros(t civil.Time) int64 {
	return ((int64(t.Hour)*60+int64(t.Minute))*60+int64(t.Second))*1_000_000 + int64(t.Nanosecond)/1000
}

// scaled returns ⌊v·10^scale⌋, or the nearest int64: rounding to the native unit moves no number over a cut point,
// and numbers beyond int64 are in the same edge cell.
func scaled(r *rows, c *Column, v bigquery.Value) (int64, bool) {
	x, ok := v.(*big.Rat)
	if !ok {
		return 0, false
	}
	n := r.num.Mul(x.Num(), native.Tens(c.Scale))
	return native.Moved(n.Div(n, x.Denom()), 0), true // Euclidean: rounds down, as the denominator is positive
}
