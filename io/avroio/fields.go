package avroio

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/hamba/avro/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/columns"
	"github.com/dapple-dp/dapple/internal/io/native"
)

// field is a field of the file's record.
type field struct {
	whole avro.Schema
	null  int            // the place of null in the union; −1: it has none
	union int            // types of the union; 0: no union
	typ   arrow.DataType // of the arrays that its values become
	read  reading
}

// reading appends the next value to an array.
type reading func(in *input, to array.Builder)

// dateTime is how BigQuery marks the texts that it writes of a DATETIME.
const dateTime avro.LogicalType = "datetime"

// number reads whole numbers. One beyond 32 bits is not of Avro's int.
func number[T ~int32 | ~int64](in *input, to array.Builder) {
	v := in.long()
	if int64(T(v)) != v {
		in.fail()
	}
	to.(interface{ Append(v T) }).Append(T(v))
}

// wholes has the types of int and long by their logical type.
var wholes = map[avro.LogicalType]field{
	"":                        {typ: arrow.PrimitiveTypes.Int64, read: number[int64]},
	avro.Date:                 {typ: arrow.FixedWidthTypes.Date32, read: number[arrow.Date32]},
	avro.TimeMillis:           {typ: arrow.FixedWidthTypes.Time32ms, read: number[arrow.Time32]},
	avro.TimeMicros:           {typ: arrow.FixedWidthTypes.Time64us, read: number[arrow.Time64]},
	avro.TimestampMillis:      {typ: arrow.FixedWidthTypes.Timestamp_ms, read: number[arrow.Timestamp]},
	avro.TimestampMicros:      {typ: arrow.FixedWidthTypes.Timestamp_us, read: number[arrow.Timestamp]},
	"timestamp-nanos":         {typ: arrow.FixedWidthTypes.Timestamp_ns, read: number[arrow.Timestamp]},
	avro.LocalTimestampMillis: {typ: &arrow.TimestampType{Unit: arrow.Millisecond}, read: number[arrow.Timestamp]},
	avro.LocalTimestampMicros: {typ: &arrow.TimestampType{Unit: arrow.Microsecond}, read: number[arrow.Timestamp]},
	"local-timestamp-nanos":   {typ: &arrow.TimestampType{Unit: arrow.Nanosecond}, read: number[arrow.Timestamp]},
}

// typeOf returns the type of the arrays that values become, and how they are read; nil: they are not read.
func typeOf(s avro.Schema, id bool) (arrow.DataType, reading) {
	switch s.Type() {
	case avro.Null:
		return arrow.Null, func(_ *input, to array.Builder) { to.AppendNull() }
	case avro.Int, avro.Long:
		f := wholes[logical(s)]
		return f.typ, f.read
	case avro.Float:
		return arrow.PrimitiveTypes.Float32, func(in *input, to array.Builder) { to.(*array.Float32Builder).Append(in.float()) }
	case avro.Double:
		return arrow.PrimitiveTypes.Float64, func(in *input, to array.Builder) { to.(*array.Float64Builder).Append(in.double()) }
	case avro.Boolean:
		return arrow.FixedWidthTypes.Boolean, func(in *input, to array.Builder) { to.(*array.BooleanBuilder).Append(in.truth()) }
	case avro.Enum:
		symbols := s.(*avro.EnumSchema).Symbols()
		return arrow.BinaryTypes.String, func(in *input, to array.Builder) {
			if i := in.long(); i >= 0 && i < int64(len(symbols)) {
				to.(*array.StringBuilder).Append(symbols[i])
			} else {
				in.fail()
			}
		}
	case avro.String:
		if logical(s) == dateTime {
			return wholes[avro.LocalTimestampMicros].typ, civil
		} else if id {
			return arrow.BinaryTypes.String, func(in *input, to array.Builder) { to.(*array.StringBuilder).Append(in.id()) }
		}
		return arrow.BinaryTypes.String, text
	case avro.Bytes, avro.Fixed:
		return decimals(s)
	}
	return nil, nil
}

// text keeps a text; a long one is NULL in every format.
func text(in *input, to array.Builder) {
	if b, long := in.text(); long != nil {
		to.AppendNull()
	} else {
		to.(*array.StringBuilder).BinaryBuilder.Append(b)
	}
}

// civil reads a text as a time in microseconds. One that is none cannot be used.
func civil(in *input, to array.Builder) {
	b, _ := in.text()
	v, ok := (&domain.Attribute{Type: domain.DateTime}).ParseNative(string(b))
	if !ok {
		v = native.Beyond
	}
	to.(*array.TimestampBuilder).Append(arrow.Timestamp(v))
}

// decimals reads numbers of a fixed or a variable number of bytes, the highest first.
func decimals(s avro.Schema) (arrow.DataType, reading) {
	l, ok := logicalOf(s).(*avro.DecimalLogicalSchema)
	if !ok {
		return nil, nil
	}
	size := func(in *input) int64 { return in.long() }
	if f, fixed := s.(*avro.FixedSchema); fixed {
		size = func(*input) int64 { return int64(f.Size()) }
	}
	return &arrow.Decimal256Type{Precision: 76, Scale: int32(l.Scale())}, func(in *input, to array.Builder) {
		b, long := in.bytes(size(in))
		w, ok := native.Wide(b)
		if !ok || long != nil { // beyond every int64 at all scales
			w = [4]uint64{0, 0, 0, 1 << 62}
		}
		to.(*array.Decimal256Builder).Append(decimal256.New(w[3], w[2], w[1], w[0]))
	}
}

// resolve returns the type that a name stands for.
func resolve(s avro.Schema) avro.Schema {
	if r, ok := s.(*avro.RefSchema); ok {
		return r.Schema()
	}
	return s
}

func logicalOf(s avro.Schema) avro.LogicalSchema {
	if l, ok := s.(avro.LogicalTypeSchema); ok {
		return l.Logical()
	}
	return nil
}

// logical returns the logical type, also one that the library does not know.
func logical(s avro.Schema) avro.LogicalType {
	if l := logicalOf(s); l != nil {
		return l.Type()
	}
	if p, ok := s.(interface{ Prop(name string) any }); ok {
		if name, ok := p.Prop("logicalType").(string); ok && slices.Contains([]avro.LogicalType{dateTime, "timestamp-nanos", "local-timestamp-nanos"}, avro.LogicalType(name)) {
			return avro.LogicalType(name)
		}
	}
	return ""
}

// fieldsOf returns the fields of a file, and its schema as Arrow's. id is the name of the privacy ID.
func fieldsOf(h *header, id string) ([]field, *arrow.Schema) {
	fields, list := make([]field, len(h.fields)), make([]arrow.Field, len(h.fields))
	for i, f := range h.fields {
		s := resolve(f.Type())
		c := field{whole: s, null: -1}
		rest := []avro.Schema{s}
		if u, ok := s.(*avro.UnionSchema); ok {
			rest, c.union = nil, len(u.Types())
			for k, s := range u.Types() {
				if s.Type() == avro.Null {
					c.null = k
				} else {
					rest = append(rest, resolve(s))
				}
			}
		}
		kind := "a union of several types"
		switch len(rest) {
		case 0:
			rest = append(rest, &avro.NullSchema{})
			fallthrough
		case 1:
			kind = string(rest[0].Type())
			c.typ, c.read = typeOf(rest[0], f.Name() == id)
			if l := logical(rest[0]); l != "" {
				kind += " (" + string(l) + ")"
			}
		}
		if c.typ == nil {
			c.typ = arrow.BinaryTypes.Binary // which no type of a domain reads
		}
		said := map[string]string{columns.TypeName: kind}
		if f.Name() == id {
			said[columns.Hashed] = ""
		}
		fields[i] = c
		list[i] = arrow.Field{Name: f.Name(), Type: c.typ, Nullable: c.null >= 0 || c.typ == arrow.Null, Metadata: arrow.MetadataFrom(said)}
	}
	return fields, arrow.NewSchema(list, nil)
}
