package arrowio

import (
	"context"
	"math"
	"math/big"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal"
	"github.com/apache/arrow-go/v18/arrow/float16"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bounded"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/internal/native"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// column is a column of a file that is needed.
type column struct {
	field int // −1: none
	fill  filling
	scale int
}

// filling appends cells lo … hi−1 of an array to a column; scale is that of a NUMERIC.
type filling func(a arrow.Array, lo, hi, scale int, out *domain.Column)

// take sets a column to cells of an array.
func (c *column) take(a arrow.Array, lo, hi int, out *domain.Column) {
	if a.NullN() > 0 || a.DataType().ID() == arrow.NULL {
		out.Nulls = make([]bool, hi-lo)
		for i := range out.Nulls {
			out.Nulls[i] = a.IsNull(lo + i)
		}
	}
	c.fill(a, lo, hi, c.scale, out)
}

// types are the types of a domain, in the order in which describe tries them, with what holds their values.
var types = []struct {
	domain.Type
	of func(arrow.DataType) filling // nil if it does not hold them
}{
	{domain.String, textsOf},
	{domain.Float64, floatsOf},
	{domain.Int64, func(t arrow.DataType) filling {
		if f := wholeOf(t); f != nil {
			return f
		}
		return floatsOf(t)
	}},
	{domain.Numeric, decimalsOf},
	{domain.Bool, func(t arrow.DataType) filling {
		if t.ID() != arrow.BOOL {
			return nil
		}
		return numbers(func(a *array.Boolean, i int) int64 {
			if a.Value(i) {
				return 1
			}
			return 0
		})
	}},
	{domain.Date, datesOf},
	{domain.Timestamp, stampsOf(true)},
	{domain.DateTime, stampsOf(false)},
	{domain.Time, clocksOf},
}

// fillingOf returns how a column of a file is read as a type; nil: it is not of that type.
func fillingOf(t arrow.DataType, as domain.Type) filling {
	if t.ID() == arrow.NULL {
		return func(_ arrow.Array, lo, hi, _ int, out *domain.Column) {
			out.Form, out.Ints = domain.Ints, make([]int64, hi-lo)
		}
	}
	for _, row := range types {
		if row.Type == as {
			return row.of(t)
		}
	}
	panic("arrowio: " + as.String() + " has no row in the table of types")
}

// idFilling returns how a column is read as a privacy ID. Every type that is accepted keeps its values distinct.
func idFilling(t arrow.DataType) filling {
	if t.ID() == arrow.UINT64 {
		return func(a arrow.Array, lo, hi, _ int, out *domain.Column) {
			spell(lo, hi, out, func(i int) string { return strconv.FormatUint(a.(*array.Uint64).Value(i), 10) })
		}
	}
	if f := wholeOf(t); f != nil {
		return f
	}
	if d, ok := t.(*arrow.DictionaryType); ok && isText(d.ValueType) {
		return func(a arrow.Array, lo, hi, _ int, out *domain.Column) {
			d := a.(*array.Dictionary)
			texts := d.Dictionary().(interface{ Value(int) string })
			spell(lo, hi, out, func(i int) string { return texts.Value(d.GetValueIndex(i)) })
		}
	}
	return fillingOf(t, domain.String)
}

// match finds the columns of d in a schema: the privacy ID first. All mismatches are listed at once.
func match(name string, s *arrow.Schema, d *domain.Domain) ([]column, error) {
	names := make([]string, s.NumFields())
	for i := range names {
		names[i] = s.Field(i).Name
	}
	var errs bounded.Errors
	fields, faults := table.Match(names, d)
	out := make([]column, len(fields))
	for i, field := range fields {
		out[i].field = field
		switch {
		case faults[i] != "":
			errs.Addf("arrowio: %s: %s", name, faults[i])
		case field < 0:
		case i == 0:
			if out[i].fill = idFilling(s.Field(field).Type); out[i].fill == nil {
				errs.Addf("arrowio: %s: column %q: %s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", name, names[field], s.Field(field).Type.Name())
			}
		default:
			a := &d.Attributes[i-1]
			out[i].scale = a.Scale
			if out[i].fill = fillingOf(s.Field(field).Type, a.Type); out[i].fill == nil {
				errs.Addf("arrowio: %s: column %q: %s does not read as %s; change the domain, or convert the column", name, a.Name, s.Field(field).Type.Name(), a.Type)
			}
		}
	}
	return out, errs.Err()
}

// describe returns the columns of a file's schema.
func describe(ctx context.Context, info files.Info, _ schema.CSV) (columns []table.Column, form schema.CSV, err error) {
	err = withFile(ctx, info, func(f *file) error {
		for _, field := range f.Schema().Fields() {
			c := table.Column{Name: field.Name, Nullable: field.Nullable, Fault: field.Type.Name() + " is not supported; flatten or convert it, or leave it out"}
			for _, row := range types {
				if fillingOf(field.Type, row.Type) == nil {
					continue
				}
				c.Type, c.Fault = row.Type, ""
				if d, ok := field.Type.(arrow.DecimalType); ok {
					c.Scale = int(min(d.GetScale(), 9))
				}
				break
			}
			columns = append(columns, c)
		}
		return nil
	})
	return columns, form, err
}

// numbers fills a column of numbers from arrays of one type. The value of a NULL says nothing.
func numbers[A arrow.Array](value func(a A, i int) int64) filling {
	return func(a arrow.Array, lo, hi, _ int, out *domain.Column) {
		of := a.(A)
		out.Form, out.Ints = domain.Ints, make([]int64, hi-lo)
		for i := range out.Ints {
			if !out.Null(i) {
				out.Ints[i] = value(of, lo+i)
			}
		}
	}
}

// valued is an array of numbers of one type.
type valued[T any] interface {
	arrow.Array
	Value(int) T
}

func integers[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32](a valued[T], i int) int64 {
	return int64(a.Value(i))
}

// wholeOf reads whole numbers. Those beyond an int64 are in one edge cell of an attribute.
func wholeOf(t arrow.DataType) filling {
	switch t.ID() {
	case arrow.INT8:
		return numbers(integers[int8])
	case arrow.INT16:
		return numbers(integers[int16])
	case arrow.INT32:
		return numbers(integers[int32])
	case arrow.INT64:
		return numbers(integers[int64])
	case arrow.UINT8:
		return numbers(integers[uint8])
	case arrow.UINT16:
		return numbers(integers[uint16])
	case arrow.UINT32:
		return numbers(integers[uint32])
	case arrow.UINT64:
		return numbers(func(a *array.Uint64, i int) int64 { return int64(min(a.Value(i), math.MaxInt64)) })
	}
	return nil
}

func floats[T any](to func(T) float64) filling {
	return func(a arrow.Array, lo, hi, _ int, out *domain.Column) {
		of := a.(valued[T])
		out.Form, out.Floats = domain.Floats, make([]float64, hi-lo)
		for i := range out.Floats {
			if !out.Null(i) {
				out.Floats[i] = to(of.Value(lo + i))
			}
		}
	}
}

func floatsOf(t arrow.DataType) filling {
	switch t.ID() {
	case arrow.FLOAT64:
		return floats(func(v float64) float64 { return v })
	case arrow.FLOAT32:
		return floats(func(v float32) float64 { return float64(v) })
	case arrow.FLOAT16:
		return floats(func(v float16.Num) float64 { return float64(v.Float32()) })
	}
	return nil
}

func isText(t arrow.DataType) bool {
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}

// textsOf reads texts, and keeps dictionaries.
func textsOf(t arrow.DataType) filling {
	if isText(t) {
		return func(a arrow.Array, lo, hi, _ int, out *domain.Column) { spell(lo, hi, out, a.(valued[string]).Value) }
	}
	if d, ok := t.(*arrow.DictionaryType); ok && isText(d.ValueType) {
		return func(a arrow.Array, lo, hi, _ int, out *domain.Column) {
			d := a.(*array.Dictionary)
			texts := d.Dictionary().(valued[string])
			out.Form, out.Ints, out.Dict = domain.Dictionary, make([]int64, hi-lo), make([]string, texts.Len())
			for i := range out.Dict {
				if !texts.IsNull(i) {
					out.Dict[i] = texts.Value(i)
				}
			}
			for i := range out.Ints {
				if !out.Null(i) {
					n := d.GetValueIndex(lo + i)
					out.Ints[i] = int64(n)
					if _ = out.Dict[n]; texts.IsNull(n) { // a NULL in the dictionary is one in the column
						setNull(out, i, hi-lo)
					}
				}
			}
			if len(out.Dict) == 0 {
				out.Dict = []string{""}
			}
		}
	}
	return nil
}

func setNull(out *domain.Column, i, rows int) {
	if out.Nulls == nil {
		out.Nulls = make([]bool, rows)
	}
	out.Nulls[i], out.Ints[i] = true, 0
}

// spell fills a column of texts.
func spell(lo, hi int, out *domain.Column, text func(int) string) {
	out.Form, out.Offsets = domain.Text, make([]uint32, 1, hi-lo+1)
	for i := range hi - lo {
		if !out.Null(i) {
			out.Bytes = append(out.Bytes, text(lo+i)...)
		}
		out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
	}
}

// decimalsOf reads decimals of all widths.
func decimalsOf(t arrow.DataType) filling {
	d, ok := t.(arrow.DecimalType)
	if !ok || d.GetScale() < 0 || d.GetScale() > 38 {
		return nil
	}
	places := int(d.GetScale())
	switch t.ID() {
	case arrow.DECIMAL32:
		return decimals(places, func(v decimal.Decimal32) *big.Int { return big.NewInt(int64(v)) })
	case arrow.DECIMAL64:
		return decimals(places, func(v decimal.Decimal64) *big.Int { return big.NewInt(int64(v)) })
	case arrow.DECIMAL128:
		return decimals(places, decimal.Decimal128.BigInt)
	}
	return decimals(places, decimal.Decimal256.BigInt)
}

func decimals[T any](places int, number func(T) *big.Int) filling {
	return func(a arrow.Array, lo, hi, scale int, out *domain.Column) {
		numbers(func(a valued[T], i int) int64 { return native.Moved(number(a.Value(i)), scale-places) })(a, lo, hi, scale, out)
	}
}

func datesOf(t arrow.DataType) filling {
	switch t.ID() {
	case arrow.DATE32:
		return numbers(func(a *array.Date32, i int) int64 { return int64(a.Value(i)) })
	case arrow.DATE64: // milliseconds
		const day = 24 * 60 * 60 * 1000
		return numbers(func(a *array.Date64, i int) int64 {
			v := int64(a.Value(i))
			days := v / day
			if v%day < 0 {
				days--
			}
			return days
		})
	}
	return nil
}

// units are Arrow's units of time.
var units = map[arrow.TimeUnit]native.Unit{
	arrow.Second: native.Seconds, arrow.Millisecond: native.Millis, arrow.Microsecond: native.Micros, arrow.Nanosecond: native.Nanos,
}

// stampsOf reads points in time with a time zone, or without.
func stampsOf(zone bool) func(arrow.DataType) filling {
	return func(t arrow.DataType) filling {
		s, ok := t.(*arrow.TimestampType)
		if !ok || (s.TimeZone != "") != zone {
			return nil
		}
		unit := units[s.Unit]
		return numbers(func(a *array.Timestamp, i int) int64 { return unit.ToMicros(int64(a.Value(i))) })
	}
}

func clocksOf(t arrow.DataType) filling {
	switch t := t.(type) {
	case *arrow.Time32Type:
		unit := units[t.Unit]
		return numbers(func(a *array.Time32, i int) int64 { return unit.ToMicros(int64(a.Value(i))) })
	case *arrow.Time64Type:
		unit := units[t.Unit]
		return numbers(func(a *array.Time64, i int) int64 { return unit.ToMicros(int64(a.Value(i))) })
	}
	return nil
}
