package columns

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/native"
)

// valued is an array of values of one Go type.
type valued[T any] interface {
	arrow.Array
	Value(int) T
}

// listed is an array whose values are a list.
type listed[T any] interface{ Values() []T }

// numbers fills a column of numbers in the native unit.
func numbers[T any](native func(T) int64) filling {
	return func(a arrow.Array, lo, hi int, out *domain.Column) {
		out.Form, out.Ints = domain.Ints, make([]int64, hi-lo)
		for i, v := range a.(listed[T]).Values()[lo:hi] {
			if !out.Null(i) {
				out.Ints[i] = native(v)
			}
		}
	}
}

func whole[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | arrow.Date32](v T) int64 {
	return int64(v)
}

func wholes(t arrow.DataType) filling {
	switch t.ID() {
	case arrow.INT8:
		return numbers(whole[int8])
	case arrow.INT16:
		return numbers(whole[int16])
	case arrow.INT32:
		return numbers(whole[int32])
	case arrow.INT64:
		return numbers(whole[int64])
	case arrow.UINT8:
		return numbers(whole[uint8])
	case arrow.UINT16:
		return numbers(whole[uint16])
	case arrow.UINT32:
		return numbers(whole[uint32])
	case arrow.UINT64:
		return numbers(native.Unsigned)
	}
	return nil
}

func reals[T any](to func(T) float64) filling {
	return func(a arrow.Array, lo, hi int, out *domain.Column) {
		out.Form, out.Floats = domain.Floats, make([]float64, hi-lo)
		for i, v := range a.(listed[T]).Values()[lo:hi] {
			if !out.Null(i) {
				out.Floats[i] = to(v)
			}
		}
	}
}

func floats(t arrow.DataType) filling {
	switch t.ID() {
	case arrow.FLOAT64:
		return reals(func(v float64) float64 { return v })
	case arrow.FLOAT32:
		return reals(native.Single)
	case arrow.FLOAT16:
		return reals(func(v float16.Num) float64 { return native.Half(v.Uint16()) })
	}
	return nil
}

// decimals reads decimals of all widths, with up to 38 decimal places.
func decimals(t arrow.DataType, scale int) filling {
	d, ok := t.(arrow.DecimalType)
	if !ok || d.GetScale() < 0 || d.GetScale() > 38 {
		return nil
	}
	places := scale - int(d.GetScale())
	switch t.ID() {
	case arrow.DECIMAL32:
		return numbers(func(v decimal.Decimal32) int64 { return native.Scaled(int64(v), places) })
	case arrow.DECIMAL64:
		return numbers(func(v decimal.Decimal64) int64 { return native.Scaled(int64(v), places) })
	case arrow.DECIMAL128:
		return numbers(func(v decimal.Decimal128) int64 {
			sign := uint64(v.HighBits() >> 63)
			return native.Words([4]uint64{v.LowBits(), uint64(v.HighBits()), sign, sign}, places)
		})
	}
	return numbers(func(v decimal.Decimal256) int64 { return native.Words(v.Array(), places) })
}

func truths(t arrow.DataType) filling {
	if t.ID() != arrow.BOOL {
		return nil
	}
	return func(a arrow.Array, lo, hi int, out *domain.Column) {
		out.Form, out.Ints = domain.Ints, make([]int64, hi-lo)
		for i := range out.Ints {
			if !out.Null(i) && a.(*array.Boolean).Value(lo+i) {
				out.Ints[i] = 1
			}
		}
	}
}

func dates(t arrow.DataType) filling {
	switch t.ID() {
	case arrow.DATE32:
		return numbers(whole[arrow.Date32])
	case arrow.DATE64:
		return numbers(func(v arrow.Date64) int64 { return native.Days(int64(v)) })
	}
	return nil
}

// units are Arrow's units of time.
var units = map[arrow.TimeUnit]native.Unit{
	arrow.Second: native.Seconds, arrow.Millisecond: native.Millis, arrow.Microsecond: native.Micros, arrow.Nanosecond: native.Nanos,
}

// stamps reads points in time with a time zone, or without.
func stamps(zone bool) func(arrow.DataType, int) filling {
	return func(t arrow.DataType, _ int) filling {
		s, ok := t.(*arrow.TimestampType)
		if !ok || (s.TimeZone != "") != zone {
			return nil
		}
		unit := units[s.Unit]
		return numbers(func(v arrow.Timestamp) int64 { return unit.ToMicros(int64(v)) })
	}
}

func clocks(t arrow.DataType) filling {
	switch t := t.(type) {
	case *arrow.Time32Type:
		unit := units[t.Unit]
		return numbers(func(v arrow.Time32) int64 { return unit.ToMicros(int64(v)) })
	case *arrow.Time64Type:
		unit := units[t.Unit]
		return numbers(func(v arrow.Time64) int64 { return unit.ToMicros(int64(v)) })
	}
	return nil
}
