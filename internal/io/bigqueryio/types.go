package bigqueryio

import (
	"math/big"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/native"
)

// typeRow holds the names of a type, and the form in which its cells arrive.
type typeRow struct {
	field  bigquery.FieldType                                            // the client's name
	native func(r *rows, c *Column, v bigquery.Value) (n int64, ok bool) // what the client makes of a cell; nil: a text or a float
}

// types has a row for every type.
var types = [...]typeRow{
	domain.String:  {bigquery.StringFieldType, nil},
	domain.Int64:   {bigquery.IntegerFieldType, of(func(v int64) int64 { return v })},
	domain.Float64: {bigquery.FloatFieldType, nil},
	domain.Numeric: {bigquery.NumericFieldType, scaled},
	domain.Bool:    {bigquery.BooleanFieldType, of(truth)},
	domain.Date:    {bigquery.DateFieldType, of(days)},
	domain.DateTime: {bigquery.DateTimeFieldType,
		of(func(v civil.DateTime) int64 { return days(v.Date)*microsPerDay + micros(v.Time) })},
	domain.Timestamp: {bigquery.TimestampFieldType, of(time.Time.UnixMicro)},
	domain.Time:      {bigquery.TimeFieldType, of(micros)},
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

// scaled returns ⌊v·10^scale⌋: rounding to the native unit moves no number over a cut point.
func scaled(r *rows, c *Column, v bigquery.Value) (int64, bool) {
	x, ok := v.(*big.Rat)
	if !ok {
		return 0, false
	}
	n := r.num.Mul(x.Num(), big.NewInt(int64(native.Power10(c.Scale))))
	if n.Div(n, x.Denom()); !n.IsInt64() { // Euclidean: rounds down, as the denominator is positive
		return native.Beyond, true
	}
	return n.Int64(), true
}
