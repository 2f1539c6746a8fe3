package parquetio

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/columns"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/native"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	tables "github.com/dapple-dp/dapple/internal/io/table"
)

// field is a column of a file, which may be nested.
type field struct {
	index int // of its first leaf
	name  string
	codec.Values
	cells codec.Arrays
	piece arrow.Array // of the row group
	at    int         // the next of its cells
}

// take sets the piece to the next cells of the row group, at most n, if no cell of it is left. It returns how many are left.
func (f *field) take(n int) (int, error) {
	if f.piece != nil && f.at < f.piece.Len() {
		return f.piece.Len() - f.at, nil
	}
	f.at = 0
	if f.Type.ID() == arrow.NULL {
		f.piece = array.NewNull(n)
		return n, nil
	}
	var err error
	if f.piece, err = f.cells.Take(n); err != nil {
		return 0, f.named(err)
	}
	return f.piece.Len(), nil
}

// named says of an error in which column it is.
func (f *field) named(err error) error {
	if err == nil || errors.Is(err, codec.ErrShort) {
		return err
	}
	return fmt.Errorf("column %q: %w", f.name, err)
}

// unreadable is the type of columns that hold values of no type of a domain.
var unreadable = arrow.FixedWidthTypes.MonthInterval

// fieldsOf returns the columns of a file, and their schema. A domain says how a column is read that several types hold.
func fieldsOf(f *codec.File, d *domain.Domain) (*arrow.Schema, []*field, error) {
	encrypted, err := f.Encrypted()
	if err != nil {
		return nil, nil, err
	}
	attributes := map[string]*domain.Attribute{}
	for i := range d.Attributes {
		attributes[d.Attributes[i].Name] = &d.Attributes[i]
	}
	var list []*field
	var schema []arrow.Field
	for i := range f.Leaves {
		l := &f.Leaves[i]
		if i > 0 && l.Top == f.Leaves[i-1].Top {
			continue
		}
		what := &field{index: i, name: l.Path[0]}
		what.read(l, attributes[what.name])
		name := l.TypeName()
		switch {
		case l.Outer >= codec.KindVariant && len(l.Path) > 1:
			name = codec.Logical{Kind: l.Outer}.String()
		case len(l.Path) > 1 || l.Repeated:
			name = "RECORD or REPEATED"
		case encrypted[i]:
			what.Type, name = unreadable, "an encrypted column"
		}
		list = append(list, what)
		schema = append(schema, arrow.Field{Name: what.name, Type: what.Type, Nullable: l.Optional, Metadata: arrow.MetadataFrom(map[string]string{columns.TypeName: name})})
	}
	return arrow.NewSchema(schema, nil), list, nil
}

// read sets the type of Arrow that holds the values of a column. INT96 and decimals are read as the attribute, if there is one.
func (f *field) read(l *codec.Field, a *domain.Attribute) {
	if f.Type = unreadable; len(l.Path) > 1 || l.Repeated {
		return
	}
	unit := arrow.Microsecond
	switch l.Unit {
	case codec.Millis:
		unit = arrow.Millisecond
	case codec.Nanos:
		unit = arrow.Nanosecond
	}
	is := func(k codec.Kind, p parquet.Type) bool { return l.Kind == k && l.Physical == p }
	whole := l.Kind == codec.Unannotated || l.Kind == codec.KindInt
	types := parquet.Types
	switch {
	case l.Kind == codec.KindNull && l.Optional:
		f.Type = arrow.Null
	case l.Kind == codec.KindDecimal:
		f.decimal(l, a)
	case l.Physical == types.ByteArray && (l.Kind == codec.KindText || l.Kind == codec.KindEnum || l.Kind == codec.KindJSON || l.Kind == codec.Unannotated):
		f.Type = arrow.BinaryTypes.String
	case is(codec.KindUUID, types.FixedLenByteArray) && l.Width == 16:
		f.Type, f.Spell = arrow.BinaryTypes.String, appendUUID
	case is(codec.KindHalf, types.FixedLenByteArray) && l.Width == 2:
		f.Type, f.Bytes = arrow.PrimitiveTypes.Float64, half
	case is(codec.Unannotated, types.Double):
		f.Type = arrow.PrimitiveTypes.Float64
	case is(codec.Unannotated, types.Float):
		f.Type = arrow.PrimitiveTypes.Float32
	case is(codec.Unannotated, types.Boolean):
		f.Type = arrow.FixedWidthTypes.Boolean
	case is(codec.Unannotated, types.Int96):
		f.Type, f.Bytes = stamp(arrow.Microsecond, a == nil || a.Type != domain.DateTime), int96
	case is(codec.KindDate, types.Int32):
		f.Type = arrow.FixedWidthTypes.Date32
	case is(codec.KindStamp, types.Int64):
		f.Type = stamp(unit, l.UTC)
	case is(codec.KindTime, types.Int32):
		f.Type = &arrow.Time32Type{Unit: unit}
	case is(codec.KindTime, types.Int64):
		f.Type = &arrow.Time64Type{Unit: unit}
	case whole && l.Physical == types.Int32 && l.Unsigned:
		f.Type = arrow.PrimitiveTypes.Uint32
	case whole && l.Physical == types.Int32:
		f.Type = arrow.PrimitiveTypes.Int32
	case whole && l.Physical == types.Int64 && l.Unsigned:
		f.Type = arrow.PrimitiveTypes.Uint64
	case whole && l.Physical == types.Int64:
		f.Type = arrow.PrimitiveTypes.Int64
	}
}

func stamp(u arrow.TimeUnit, utc bool) arrow.DataType {
	if utc {
		return &arrow.TimestampType{Unit: u, TimeZone: "UTC"}
	}
	return &arrow.TimestampType{Unit: u}
}

// decimal reads bytes with as many decimal places as the attribute has.
func (f *field) decimal(l *codec.Field, a *domain.Attribute) {
	scale := int32(l.Scale)
	switch {
	case l.Scale < 0 || l.Scale > 38 || l.Precision > 38:
	case l.Physical == parquet.Types.Int32:
		f.Type = &arrow.Decimal32Type{Precision: 9, Scale: scale}
	case l.Physical == parquet.Types.Int64:
		f.Type = &arrow.Decimal64Type{Precision: 18, Scale: scale}
	case l.Physical == parquet.Types.ByteArray, l.Physical == parquet.Types.FixedLenByteArray && l.Width >= 1 && l.Width <= 16:
		if a != nil {
			scale = int32(a.Scale)
		}
		f.Type = &arrow.Decimal64Type{Precision: int32(l.Precision), Scale: scale}
		f.Bytes = func(b []byte) int64 { return native.Decimal(b, int(scale)-int(l.Scale)) }
	}
}

// appendUUID appends the usual form of the 16 bytes of a UUID.
func appendUUID(dst, b []byte) []byte {
	for i, end := range []int{4, 6, 8, 10, 16} {
		from := []int{0, 4, 6, 8, 10}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[from:end])
	}
	return dst
}

// int96 reads a timestamp of older writers, Spark by default: nanoseconds of a day, and the number of the day,
// 2440588 of which is 1970-01-01.
func int96(b []byte) int64 {
	const day = 86400 * 1000 * 1000
	micros := native.Nanos.ToMicros(int64(binary.LittleEndian.Uint64(b)))
	days := int64(int32(binary.LittleEndian.Uint32(b[8:]))) - 2440588
	if most := int64(math.MaxInt64/day) - 200_000; days > most || days < -most { // of nanoseconds there are up to 106,752 days
		return native.Beyond
	}
	return days*day + micros
}

// half reads a float of 16 bits as the bits of one of 64.
func half(b []byte) int64 {
	return int64(math.Float64bits(native.Half(binary.LittleEndian.Uint16(b))))
}

// Describe returns the columns of a file in order, from its schema alone. A nested column is
// described once, as one that cannot be read.
func Describe(ctx context.Context, f files.Info) (out []tables.Column, err error) {
	src, _, err := files.OpenAt(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	r, err := openFooter(src, f.Name, ReadOptions{})
	if err != nil {
		return nil, err
	}
	err = codec.Protect(f.Name, func() error {
		schema, _, err := fieldsOf(r.file, &domain.Domain{})
		if err == nil {
			out = columns.Describe(schema)
		}
		return err
	})
	return out, err
}
