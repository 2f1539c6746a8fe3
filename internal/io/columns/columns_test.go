package columns

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// source is an array of a type, with what its cells are as exact numbers.
type source struct {
	array  arrow.Array
	reads  []domain.Type
	number func(i int) *big.Rat // of a type's unit: days, microseconds, ones
}

// numbersOf returns an array of values; the last one is NULL.
func numbersOf[T, B any](t arrow.DataType, builder func(memory.Allocator) B, app func(B, T), values []T, exact func(T) *big.Rat, reads ...domain.Type) source {
	b := builder(memory.DefaultAllocator)
	for _, v := range values {
		app(b, v)
	}
	bld := any(b).(array.Builder)
	bld.AppendNull()
	a := bld.NewArray()
	if !arrow.TypeEqual(a.DataType(), t) {
		panic("another type")
	}
	return source{a, reads, func(i int) *big.Rat { return exact(values[i]) }}
}

func signed[T int8 | int16 | int32 | int64 | arrow.Date32 | arrow.Date64 | arrow.Time32 | arrow.Time64 | arrow.Timestamp](v T) *big.Rat {
	return new(big.Rat).SetInt64(int64(v))
}

func unsigned[T uint8 | uint16 | uint32 | uint64](v T) *big.Rat {
	return new(big.Rat).SetInt(new(big.Int).SetUint64(uint64(v)))
}

// times returns a number of another unit.
func times[T any](of func(T) *big.Rat, num, denom int64) func(T) *big.Rat {
	return func(v T) *big.Rat { return new(big.Rat).Mul(of(v), big.NewRat(num, denom)) }
}

// ends are the ends of int64, and of dates and times.
func ends[T ~int64]() (list []T) {
	for _, v := range []int64{0, 1, 999, 1000, 1001, 86_399_999_999, 86_400_000_000, 2_932_896, 2_932_897, 253_402_300_799_999, 253_402_300_800_000,
		253_402_300_799_999_999, 253_402_300_800_000_000, math.MaxInt64 / 1_000_000, math.MaxInt64/1_000_000 + 1, math.MaxInt64 / 1000, math.MaxInt64/1000 + 1, math.MaxInt64 - 1, math.MaxInt64} {
		list = append(list, T(v), T(-v), T(-v-1))
	}
	return list
}

func ends32[T ~int32]() (list []T) {
	for _, v := range []int32{0, 1, 86_399, 86_400, 719_162, 2_932_896, 2_932_897, 86_399_999, 86_400_000, math.MaxInt32} {
		list = append(list, T(v), T(-v), T(-v-1))
	}
	return list
}

// sources has an array of every type that is read, with the ends of the type and of those that it is read as.
func sources() []source {
	list := []source{
		numbersOf(arrow.PrimitiveTypes.Int8, array.NewInt8Builder, (*array.Int8Builder).Append, []int8{math.MinInt8, 0, math.MaxInt8}, signed[int8], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Int16, array.NewInt16Builder, (*array.Int16Builder).Append, []int16{math.MinInt16, 0, math.MaxInt16}, signed[int16], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Int32, array.NewInt32Builder, (*array.Int32Builder).Append, []int32{math.MinInt32, 0, math.MaxInt32}, signed[int32], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Int64, array.NewInt64Builder, (*array.Int64Builder).Append, ends[int64](), signed[int64], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Uint8, array.NewUint8Builder, (*array.Uint8Builder).Append, []uint8{0, math.MaxUint8}, unsigned[uint8], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Uint16, array.NewUint16Builder, (*array.Uint16Builder).Append, []uint16{0, math.MaxUint16}, unsigned[uint16], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Uint32, array.NewUint32Builder, (*array.Uint32Builder).Append, []uint32{0, math.MaxUint32}, unsigned[uint32], domain.Int64),
		numbersOf(arrow.PrimitiveTypes.Uint64, array.NewUint64Builder, (*array.Uint64Builder).Append, []uint64{0, 7, math.MaxInt64 - 1, math.MaxInt64, 1 << 63, 1<<63 + 5, math.MaxUint64}, unsigned[uint64], domain.Int64),
		numbersOf(arrow.FixedWidthTypes.Boolean, array.NewBooleanBuilder, (*array.BooleanBuilder).Append, []bool{false, true}, func(v bool) *big.Rat {
			if v {
				return big.NewRat(1, 1)
			}
			return new(big.Rat)
		}, domain.Bool),
		numbersOf(arrow.FixedWidthTypes.Date32, array.NewDate32Builder, (*array.Date32Builder).Append, ends32[arrow.Date32](), signed[arrow.Date32], domain.Date),
		numbersOf(arrow.FixedWidthTypes.Date64, array.NewDate64Builder, (*array.Date64Builder).Append, ends[arrow.Date64](), times(signed[arrow.Date64], 1, 86_400_000), domain.Date),
	}
	for unit, num := range map[arrow.TimeUnit]int64{arrow.Second: 1_000_000_000, arrow.Millisecond: 1_000_000, arrow.Microsecond: 1000, arrow.Nanosecond: 1} {
		for zone, typ := range map[string]domain.Type{"": domain.DateTime, "UTC": domain.Timestamp} {
			s := &arrow.TimestampType{Unit: unit, TimeZone: zone}
			list = append(list, numbersOf(s, func(m memory.Allocator) *array.TimestampBuilder { return array.NewTimestampBuilder(m, s) },
				(*array.TimestampBuilder).Append, ends[arrow.Timestamp](), times(signed[arrow.Timestamp], num, 1000), typ))
		}
		if unit == arrow.Second || unit == arrow.Millisecond {
			s := &arrow.Time32Type{Unit: unit}
			list = append(list, numbersOf(s, func(m memory.Allocator) *array.Time32Builder { return array.NewTime32Builder(m, s) },
				(*array.Time32Builder).Append, ends32[arrow.Time32](), times(signed[arrow.Time32], num, 1000), domain.Time))
		} else {
			s := &arrow.Time64Type{Unit: unit}
			list = append(list, numbersOf(s, func(m memory.Allocator) *array.Time64Builder { return array.NewTime64Builder(m, s) },
				(*array.Time64Builder).Append, ends[arrow.Time64](), times(signed[arrow.Time64], num, 1000), domain.Time))
		}
	}
	return append(list, decimalSources()...)
}

// decimalSources are decimals of both widths and of scales on either side of an attribute's.
func decimalSources() (list []source) {
	for _, places := range []int32{0, 2, 9, 20, 38} {
		var small []decimal128.Num
		var large []decimal256.Num
		for _, digits := range []int{0, 1, 2, 9, 17, 18, 19, 20, 21, 27, 28, 29, 37, 38, 56, 75} {
			p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(digits)), nil)
			for _, near := range []*big.Int{p, new(big.Int).Mul(p, big.NewInt(math.MaxInt64)), new(big.Int).Mul(p, new(big.Int).SetUint64(1<<63+1))} {
				for _, d := range []int64{-1, 0, 1} {
					v := new(big.Int).Add(near, big.NewInt(d))
					for _, x := range []*big.Int{v, new(big.Int).Neg(v)} {
						if v.BitLen() < 127 {
							small = append(small, decimal128.FromBigInt(x))
						}
						if v.BitLen() < 255 {
							large = append(large, decimal256.FromBigInt(x))
						}
					}
				}
			}
		}
		ones := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
		s, l := &arrow.Decimal128Type{Precision: 38, Scale: places}, &arrow.Decimal256Type{Precision: 76, Scale: places}
		list = append(list,
			numbersOf(s, func(m memory.Allocator) *array.Decimal128Builder { return array.NewDecimal128Builder(m, s) }, (*array.Decimal128Builder).Append, small,
				func(v decimal128.Num) *big.Rat { return new(big.Rat).SetFrac(v.BigInt(), ones) }, domain.Numeric),
			numbersOf(l, func(m memory.Allocator) *array.Decimal256Builder { return array.NewDecimal256Builder(m, l) }, (*array.Decimal256Builder).Append, large,
				func(v decimal256.Num) *big.Rat { return new(big.Rat).SetFrac(v.BigInt(), ones) }, domain.Numeric))
	}
	return list
}

// TestNoNumberBecomesAnother: all types of files × all types of a domain × the ends of both. A number is what it was, rounded
// down to the native unit, or nothing that the attribute can use. A type that could not hold it is refused.
func TestNoNumberBecomesAnother(t *testing.T) {
	read := 0
	for _, s := range sources() {
		for _, typ := range domain.Types() {
			for _, scale := range map[bool][]int{true: {0, 2, 9}, false: {0}}[typ == domain.Numeric] {
				a := domain.Attribute{Name: "x", Type: typ, Scale: scale, Null: true}
				c, ok := Of(s.array.DataType(), &a)
				if want := slices.Contains(s.reads, typ); ok != want {
					t.Errorf("%v as %v: read %v, want %v", s.array.DataType(), typ, ok, want)
				}
				if ok {
					read++
					checkNumbers(t, s, c, &a)
				}
			}
		}
	}
	must.Hold(t, read >= 40, "%d pairs of types are read", read)
}

func checkNumbers(t *testing.T, s source, c Column, a *domain.Attribute) {
	facts := a.Type.Facts()
	unit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(a.Scale)), nil))
	for lo := range s.array.Len() { // each beside the later ones, and the last alone
		var out domain.Column
		c.Take(s.array, lo, s.array.Len(), &out)
		if last := s.array.Len() - 1; !out.Null(last - lo) {
			t.Fatalf("%v as %v: NULL is lost", s.array.DataType(), a.Type)
		}
		if lo == s.array.Len()-1 {
			continue
		}
		x := new(big.Rat).Mul(s.number(lo), unit)
		want := new(big.Int).Div(x.Num(), x.Denom()) // rounds down
		usable := want.IsInt64() && want.Int64() >= facts.Least && want.Int64() <= facts.Most
		got, ok := nativeOf(a, &out, 0)
		if a.Type == domain.Numeric && want.IsInt64() && want.Int64() == math.MinInt64 { // it has no text
			usable = false
		}
		if ok != usable || ok && got != want.Int64() {
			t.Fatalf("%v %s as %v, scale %d: %d, %v; want %v, %v", s.array.DataType(), s.array.ValueStr(lo), a.Type, a.Scale, got, ok, want, usable)
		}
	}
}

// nativeOf returns what an attribute makes of a cell.
func nativeOf(a *domain.Attribute, c *domain.Column, i int) (int64, bool) {
	if c.Form == domain.Text {
		return a.ParseNative(string(c.Text(i)))
	}
	return c.Ints[i], true
}

// TestFloats: floats are read as FLOAT64 and as INT64, which uses whole ones.
func TestFloats(t *testing.T) {
	values := []float64{0, math.Copysign(0, -1), 1.5, -7, 1 << 53, math.MaxInt64, -1 << 63, 1e300, math.Inf(1), math.NaN(), math.SmallestNonzeroFloat64}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.AppendValues(values, nil)
	encoder := domain.NewEncoder(&domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: []int64{0, 10}, Null: true}}})
	for _, typ := range domain.Types() {
		a := &domain.Attribute{Name: "x", Type: typ}
		c, ok := Of(arrow.PrimitiveTypes.Float64, a)
		want := typ == domain.Float64 || typ == domain.Int64
		must.Hold(t, ok == want, "as %v: %v", typ, ok)
		if !ok {
			continue
		}
		var out domain.Column
		c.Take(b.NewArray(), 0, 0, &out)
		b.AppendValues(values, nil)
		c.Take(b.NewArray(), 0, len(values), &out)
		b.AppendValues(values, nil)
		for i, v := range values {
			must.Hold(t, out.Form == domain.Floats && math.Float64bits(out.Floats[i]) == math.Float64bits(v), "%v is %v", v, out.Floats[i])
			_, usable := encoder.FromFloat(0, v)
			must.Hold(t, usable == (v == math.Trunc(v) && v >= -1<<63 && v < 1<<63), "%v as INT64: usable %v", v, usable)
		}
	}
}

// TestHalves: every float of 16 bits is its sign, exponent and fraction.
func TestHalves(t *testing.T) {
	h := array.NewFloat16Builder(memory.DefaultAllocator)
	for bits := range 1 << 16 {
		h.Append(float16.FromBits(uint16(bits)))
	}
	c, _ := Of(arrow.FixedWidthTypes.Float16, &domain.Attribute{Type: domain.Float64})
	var out domain.Column
	c.Take(h.NewArray(), 0, 1<<16, &out)
	for bits, got := range out.Floats {
		exponent, fraction := bits>>10&31, float64(bits&1023)/1024
		want := math.Pow(2, float64(max(exponent, 1)-15)) * (fraction + float64(min(exponent, 1)))
		if exponent == 31 {
			if want = math.Inf(1); fraction > 0 {
				want = math.NaN()
			}
		}
		if bits>>15 == 1 {
			want = -want
		}
		must.Need(t, (got == want || math.IsNaN(got) && math.IsNaN(want)) && (got != 0 || math.Signbit(got) == (bits>>15 == 1)),
			"%#04x is %v, want %v", bits, got, want)
	}
}

// TestTexts: texts of all kinds of arrays, and long ones, which are NULL.
func TestTexts(t *testing.T) {
	long := strings.Repeat("x", lines.Most+1)
	values := []string{"a", "", long, "b", long[1:], long + "y", lines.HashedID}
	dictionary := func(t arrow.DataType) arrow.Array {
		b := array.NewDictionaryBuilder(memory.DefaultAllocator, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: t}).(*array.BinaryDictionaryBuilder)
		for _, v := range values {
			_ = b.AppendString(v) // a dictionary in memory has room
		}
		b.AppendNull()
		return b.NewArray()
	}
	arrays := []arrow.Array{dictionary(arrow.BinaryTypes.String)}
	for _, b := range []interface {
		array.Builder
		Append(string)
	}{array.NewStringBuilder(memory.DefaultAllocator), array.NewLargeStringBuilder(memory.DefaultAllocator), array.NewStringViewBuilder(memory.DefaultAllocator)} {
		for _, v := range values {
			b.Append(v)
		}
		b.AppendNull()
		arrays = append(arrays, b.NewArray())
	}
	for _, a := range arrays {
		for _, typ := range domain.Types() {
			if _, ok := Of(a.DataType(), &domain.Attribute{Type: typ}); ok != (typ == domain.String) {
				t.Errorf("%v as %v: %v", a.DataType(), typ, ok)
			}
		}
		id, _ := ID(a.DataType())
		attr, _ := Of(a.DataType(), &domain.Attribute{Type: domain.String})
		for k, c := range []Column{id, attr} {
			for _, lo := range []int{0, 3} {
				var out domain.Column
				c.Take(a, lo, len(values)+1, &out)
				for i, v := range values[lo:] {
					text := ""
					switch {
					case out.Null(i):
						text = "NULL"
					case out.Form == domain.Text:
						text = string(out.Text(i))
					default:
						text = out.Dict[out.Ints[i]]
					}
					switch {
					case k == 0:
						v = lines.ID(v)
					case len(v) > lines.Most:
						v = "NULL"
					}
					if text != v {
						t.Fatalf("%v: %.20q, want %.20q", a.DataType(), text, v)
					}
				}
				if !out.Null(len(values) - lo) {
					t.Errorf("%v: NULL is lost", a.DataType())
				}
			}
		}
	}
}

// TestIDs: whole numbers and texts stay distinct; every other type is refused.
func TestIDs(t *testing.T) {
	for _, s := range sources() {
		typ := s.array.DataType()
		c, ok := ID(typ)
		if want := s.reads[0] == domain.Int64; ok != want {
			t.Errorf("%v as an ID: %v, want %v", typ, ok, want)
		}
		if !ok {
			continue
		}
		var out domain.Column
		c.Take(s.array, 0, s.array.Len(), &out)
		for i := range s.array.Len() - 1 {
			text := ""
			if out.Form == domain.Text {
				text = string(out.Text(i))
			} else {
				text = strconv.FormatInt(out.Ints[i], 10)
			}
			want := s.number(i).Num().String()
			must.Hold(t, text == want, "%v: %s, want %s", typ, text, want)
		}
	}
	for _, typ := range []arrow.DataType{arrow.PrimitiveTypes.Float64, arrow.BinaryTypes.Binary, arrow.ListOf(arrow.PrimitiveTypes.Int8)} {
		_, ok := ID(typ)
		must.Hold(t, !ok, "%v is an ID", typ)
	}
}

// TestNull: a column of type null is one of NULLs, as every type.
func TestNull(t *testing.T) {
	a := array.NewNull(3)
	id, _ := ID(a.DataType())
	all := []Column{id}
	for _, typ := range domain.Types() {
		c, ok := Of(a.DataType(), &domain.Attribute{Type: typ})
		must.Hold(t, ok, "null is not read as %v", typ)
		all = append(all, c)
	}
	for _, c := range all {
		var out domain.Column
		c.Take(a, 0, 3, &out)
		must.Hold(t, fmt.Sprint(out.Nulls) == "[true true true]", "NULLs %v", out.Nulls)
	}
}
