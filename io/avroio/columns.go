package avroio

import (
	"math"
	"math/big"
	"slices"

	"github.com/hamba/avro/v2"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/internal/native"
	"github.com/dapple-dp/dapple/io/table"
)

// column is a field of the file's record: how its values are read, and of which types they are.
type column struct {
	schema avro.Schema // without the union with null; nil: null alone
	null   int         // the place of null in the union; −1: it has none
	union  int         // types of the union; 0: there is none
	kind   string      // for messages
}

// reading says how the values of a type of Avro's are read.
type reading func(in *input, out *domain.Column, scale int)

// types has a row for every type, in the order in which describe tries them.
var types = []struct {
	domain.Type
	of func(s avro.Schema) reading
}{
	{domain.String, func(s avro.Schema) reading {
		switch s.Type() {
		case avro.String:
			if logical(s) != dateTime {
				return text
			}
		case avro.Enum:
			return symbols(resolve(s).(*avro.EnumSchema).Symbols())
		}
		return nil
	}},
	{domain.Float64, func(s avro.Schema) reading { return floats(s) }},
	{domain.Int64, func(s avro.Schema) reading {
		if whole(s) {
			return number
		}
		return floats(s)
	}},
	{domain.Numeric, decimals},
	{domain.Bool, func(s avro.Schema) reading {
		return when(s.Type() == avro.Boolean, func(in *input, out *domain.Column, _ int) { out.Ints = append(out.Ints, in.truth()) })
	}},
	{domain.Date, func(s avro.Schema) reading { return when(s.Type() == avro.Int && logical(s) == avro.Date, number) }},
	{domain.Timestamp, clocks(map[avro.LogicalType]native.Unit{avro.TimestampMillis: native.Millis, avro.TimestampMicros: native.Micros, "timestamp-nanos": native.Nanos})},
	{domain.DateTime, func(s avro.Schema) reading {
		if s.Type() == avro.String && logical(s) == dateTime {
			return text
		}
		return clocks(map[avro.LogicalType]native.Unit{avro.LocalTimestampMillis: native.Millis, avro.LocalTimestampMicros: native.Micros, "local-timestamp-nanos": native.Nanos})(s)
	}},
	{domain.Time, clocks(map[avro.LogicalType]native.Unit{avro.TimeMillis: native.Millis, avro.TimeMicros: native.Micros})},
}

// dateTime is how BigQuery marks the texts that it writes of a DATETIME.
const dateTime avro.LogicalType = "datetime"

// formOf returns the form in which the values of a field come.
func formOf(s avro.Schema) domain.Form {
	switch s.Type() {
	case avro.String, avro.Enum:
		return domain.Text
	case avro.Float, avro.Double:
		return domain.Floats
	}
	return domain.Ints
}

// readingOf returns how a field is read as a type; nil: it is not of that type.
func readingOf(s avro.Schema, t domain.Type) reading {
	if s == nil { // it is null alone
		return func(*input, *domain.Column, int) {}
	}
	for _, row := range types {
		if row.Type == t {
			return row.of(s)
		}
	}
	panic("avroio: " + t.String() + " has no row in the table of types")
}

// idReading returns how a field is read as a privacy ID. Every type that is accepted keeps its values distinct.
func idReading(s avro.Schema) reading {
	if s != nil && whole(s) {
		return number
	}
	return readingOf(s, domain.String)
}

func when(is bool, r reading) reading {
	if is {
		return r
	}
	return nil
}

// whole reports whether values are whole numbers that are nothing else.
func whole(s avro.Schema) bool {
	return (s.Type() == avro.Int || s.Type() == avro.Long) && logical(s) == ""
}

func number(in *input, out *domain.Column, _ int) { out.Ints = append(out.Ints, in.Varint()) }

func text(in *input, out *domain.Column, _ int) { out.Bytes = append(out.Bytes, in.bytes()...) }

func symbols(list []string) reading {
	return func(in *input, out *domain.Column, _ int) {
		i := in.Varint()
		if i < 0 || i >= int64(len(list)) {
			in.Fail()
			return
		}
		out.Bytes = append(out.Bytes, list[i]...)
	}
}

func floats(s avro.Schema) reading {
	switch s.Type() {
	case avro.Double:
		return func(in *input, out *domain.Column, _ int) { out.Floats = append(out.Floats, in.double()) }
	case avro.Float:
		return func(in *input, out *domain.Column, _ int) { out.Floats = append(out.Floats, in.float()) }
	}
	return nil
}

// clocks reads times in one of several units.
func clocks(units map[avro.LogicalType]native.Unit) func(avro.Schema) reading {
	return func(s avro.Schema) reading {
		unit, known := units[logical(s)]
		return when(known && (s.Type() == avro.Long || s.Type() == avro.Int), func(in *input, out *domain.Column, _ int) {
			out.Ints = append(out.Ints, unit.ToMicros(in.Varint()))
		})
	}
}

// decimals reads numbers of a fixed or a variable number of bytes, the highest first.
func decimals(s avro.Schema) reading {
	l, ok := logicalOf(s).(*avro.DecimalLogicalSchema)
	if !ok || l.Scale() < 0 || l.Scale() > 38 {
		return nil
	}
	size := int64(-1)
	if f, fixed := s.(*avro.FixedSchema); fixed {
		size = int64(f.Size())
	}
	if size > 32 {
		return nil
	}
	x := new(big.Int)
	return func(in *input, out *domain.Column, scale int) {
		n := size
		if n < 0 {
			n = in.Varint()
		}
		b := in.take(n)
		for len(b) > 33 && (b[0] == 0 || b[0] == 0xff) && b[0]>>7 == b[1]>>7 { // a sign of many bytes
			b = b[1:]
		}
		if len(b) > 33 { // beyond every int64 at all scales
			out.Ints = append(out.Ints, math.MaxInt64^int64(int8(b[0]))>>63)
			return
		}
		x.SetBytes(b)
		if len(b) > 0 && b[0] >= 0x80 {
			x.Sub(x, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		out.Ints = append(out.Ints, native.Moved(x, scale-l.Scale()))
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
	if p, ok := s.(interface{ Prop(string) any }); ok {
		if name, ok := p.Prop("logicalType").(string); ok && slices.Contains([]avro.LogicalType{dateTime, "timestamp-nanos", "local-timestamp-nanos"}, avro.LogicalType(name)) {
			return avro.LogicalType(name)
		}
	}
	return ""
}

// columnOf returns a field as a column.
func columnOf(f *avro.Field) column {
	c := column{schema: resolve(f.Type()), null: -1, kind: string(resolve(f.Type()).Type())}
	if u, ok := c.schema.(*avro.UnionSchema); ok {
		var rest []avro.Schema
		c.union = len(u.Types())
		for i, s := range u.Types() {
			if s.Type() == avro.Null {
				c.null = i
			} else {
				rest = append(rest, resolve(s))
			}
		}
		switch len(rest) {
		case 0:
			c.schema = nil
		case 1:
			c.schema, c.kind = rest[0], string(rest[0].Type())
		default:
			c.kind = "a union of several types"
		}
	} else if c.schema.Type() == avro.Null {
		c.schema = nil
	}
	if c.schema != nil {
		if l := logical(c.schema); l != "" {
			c.kind += " (" + string(l) + ")"
		}
	}
	return c
}

// describeField finds the type that a field holds values of.
func describeField(f *avro.Field) table.Column {
	c := columnOf(f)
	d := table.Column{Name: f.Name(), Nullable: c.null >= 0 || c.schema == nil}
	for _, row := range types {
		if readingOf(c.schema, row.Type) == nil {
			continue
		}
		if d.Type = row.Type; row.Type == domain.Numeric {
			d.Scale = min(logicalOf(c.schema).(*avro.DecimalLogicalSchema).Scale(), 9)
		}
		return d
	}
	d.Fault = c.kind + " is not supported; flatten or convert it, or leave it out"
	return d
}
