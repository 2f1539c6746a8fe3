package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// typeRow says how the values of a type are written, and which columns of a file hold them.
type typeRow struct {
	typ      domain.Type
	physical parquet.Type
	logical  func(c *column) schema.LogicalType
	fits     func(l *leaf, f *codec.Field, a *domain.Attribute) bool
}

// types has a row for every type, in the order in which Describe tries them. Each type of a file reads as one type
// of a domain, but floats, which read as INT64 too, and INT96, which has no time zone in it: Spark, which writes it,
// means an instant.
var types = []typeRow{
	{domain.String, parquet.Types.ByteArray, always(schema.StringLogicalType{}), (*leaf).texts},
	{domain.Float64, parquet.Types.Double, always(schema.NoLogicalType{}), (*leaf).floats},
	{domain.Int64, parquet.Types.Int64, always(schema.NewIntLogicalType(64, true)), (*leaf).integers},
	{domain.Numeric, parquet.Types.FixedLenByteArray,
		func(c *column) schema.LogicalType {
			return schema.NewDecimalLogicalType(int32(c.digits), int32(c.places))
		},
		func(l *leaf, f *codec.Field, a *domain.Attribute) bool { return l.decimals(f, a.Scale) }},
	{domain.Bool, parquet.Types.Boolean, always(schema.NoLogicalType{}),
		func(_ *leaf, f *codec.Field, _ *domain.Attribute) bool {
			return f.Kind == codec.Unannotated && f.Physical == parquet.Types.Boolean
		}},
	{domain.Date, parquet.Types.Int32, always(schema.DateLogicalType{}),
		func(_ *leaf, f *codec.Field, _ *domain.Attribute) bool {
			return f.Kind == codec.KindDate && f.Physical == parquet.Types.Int32
		}},
	{domain.Timestamp, parquet.Types.Int64, always(schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)), stamps(true)},
	{domain.DateTime, parquet.Types.Int64, always(schema.NewTimestampLogicalType(false, schema.TimeUnitMicros)), stamps(false)},
	{domain.Time, parquet.Types.Int64, always(schema.NewTimeLogicalType(false, schema.TimeUnitMicros)),
		func(l *leaf, f *codec.Field, _ *domain.Attribute) bool { return f.Kind == codec.KindTime && l.clock(f) }},
}

// rowOf returns the row of a type.
func rowOf(t domain.Type) *typeRow {
	for i := range types {
		if types[i].typ == t {
			return &types[i]
		}
	}
	panic(fmt.Sprintf("parquet: %v has no row in the table of types", t))
}

// always is the logical type of every column of a type.
func always(t schema.LogicalType) func(*column) schema.LogicalType {
	return func(*column) schema.LogicalType { return t }
}

// fits says how a column of the file holds values of a type, and whether it can: no value of an attribute
// becomes one that is in another cell.
func (l *leaf) fits(f *codec.Field, a *domain.Attribute) bool {
	l.form = domain.Ints
	l.Values = codec.Values{Physical: f.Physical, Width: f.Width, Optional: f.Optional}
	if f.Kind == codec.KindNull {
		l.null = l.Optional
		return l.null
	}
	return rowOf(a.Type).fits(l, f, a)
}

func (l *leaf) texts(f *codec.Field, a *domain.Attribute) bool {
	l.form, l.categories = domain.Dictionary, a.Values
	return l.text(f)
}

// real reports whether a column holds floats of 32 or 64 bits.
func real(f *codec.Field) bool {
	return f.Kind == codec.Unannotated && (f.Physical == parquet.Types.Double || f.Physical == parquet.Types.Float)
}

func (l *leaf) floats(f *codec.Field, _ *domain.Attribute) bool {
	l.form, l.Float = domain.Floats, true
	if f.Kind == codec.KindHalf && f.Physical == parquet.Types.FixedLenByteArray && f.Width == 2 {
		l.Bytes = half
		return true
	}
	return real(f)
}

// integers takes floats too: whole numbers that became floats, as pandas makes them of a column with NULLs.
func (l *leaf) integers(f *codec.Field, _ *domain.Attribute) bool {
	if real(f) {
		l.form, l.Float = domain.Floats, true
		return true
	}
	return l.integer(f)
}

// stamps takes points in time that are adjusted to UTC, or not; INT96 says neither.
func stamps(utc bool) func(*leaf, *codec.Field, *domain.Attribute) bool {
	return func(l *leaf, f *codec.Field, _ *domain.Attribute) bool {
		if f.Physical == parquet.Types.Int96 && f.Kind == codec.Unannotated {
			l.Bytes = int96
			return true
		}
		return f.Kind == codec.KindStamp && f.Physical == parquet.Types.Int64 && f.UTC == utc && l.clock(f)
	}
}
