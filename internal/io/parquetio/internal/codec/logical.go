package codec

import (
	"fmt"

	"github.com/apache/arrow-go/v18/parquet"
)

// Kind is the kind of a logical type, by its number in the union LogicalType.
type Kind int

// The logical types. Numbers that are not here are of types that came after this program.
const (
	Unannotated Kind = 0
	KindText    Kind = 1
	KindMap     Kind = 2
	KindList    Kind = 3
	KindEnum    Kind = 4
	KindDecimal Kind = 5
	KindDate    Kind = 6
	KindTime    Kind = 7
	KindStamp   Kind = 8
	KindBad     Kind = 9 // an interval, or a converted type without a meaning
	KindInt     Kind = 10
	KindNull    Kind = 11
	KindJSON    Kind = 12
	KindBSON    Kind = 13
	KindUUID    Kind = 14
	KindHalf    Kind = 15
	KindVariant Kind = 16
)

// Logical is the logical type of a column.
type Logical struct {
	Kind
	Bits             int  // integers
	Unsigned         bool // integers
	Unit             Unit // times
	UTC              bool // times: adjusted to UTC
	Precision, Scale int64
}

// Unit is the unit of a time.
type Unit int

// The units of times, by their numbers in Parquet's footers.
const (
	Millis Unit = 1
	Micros Unit = 2
	Nanos  Unit = 3
)

// logical reads a LogicalType. Its members that are not known here are passed over, but for their number.
//
// Source: Apache Parquet format, parquet.thrift, LogicalType.
func (t *thrift) logical() (l Logical) {
	t.fields(3, func(id, k int) bool {
		l.Kind = Kind(id)
		if k != thriftStruct {
			return false
		}
		switch l.Kind {
		case KindDecimal:
			t.fields(4, func(id, k int) bool { return t.number(id, k, &l.Scale, &l.Precision) })
		case KindTime, KindStamp:
			t.fields(4, func(id, k int) bool {
				l.UTC = l.UTC || id == 1 && k == thriftTrue
				if id != 2 || k != thriftStruct {
					return false
				}
				t.fields(5, func(id, _ int) bool { l.Unit = Unit(id); return false })
				return true
			})
		case KindInt:
			t.fields(4, func(id, k int) bool {
				l.Unsigned = l.Unsigned || id == 2 && k == thriftFalse
				if id == 1 && k == thriftByte {
					l.Bits = int(t.Byte())
					return true
				}
				return false
			})
		default:
			return false
		}
		return true
	})
	return l
}

// converted returns the logical type that an older annotation stands for.
//
// Source: Apache Parquet format, parquet.thrift, ConvertedType.
func converted(number, precision, scale int64) Logical {
	switch number {
	case 0:
		return Logical{Kind: KindText}
	case 1, 2:
		return Logical{Kind: KindMap}
	case 3:
		return Logical{Kind: KindList}
	case 4:
		return Logical{Kind: KindEnum}
	case 5:
		return Logical{Kind: KindDecimal, Precision: precision, Scale: scale}
	case 6:
		return Logical{Kind: KindDate}
	case 7, 8:
		return Logical{Kind: KindTime, Unit: Millis + Unit(number-7), UTC: true}
	case 9, 10:
		return Logical{Kind: KindStamp, Unit: Millis + Unit(number-9), UTC: true}
	case 11, 12, 13, 14:
		return Logical{Kind: KindInt, Bits: 8 << (number - 11), Unsigned: true}
	case 15, 16, 17, 18:
		return Logical{Kind: KindInt, Bits: 8 << (number - 15)}
	case 19:
		return Logical{Kind: KindJSON}
	case 20:
		return Logical{Kind: KindBSON}
	}
	return Logical{Kind: KindBad}
}

func (l Logical) String() string {
	switch l.Kind {
	case KindDecimal:
		return fmt.Sprintf("Decimal(precision=%d, scale=%d)", l.Precision, l.Scale)
	case KindTime:
		return "Time in " + l.Unit.String()
	case KindInt:
		return fmt.Sprintf("Int(bitWidth=%d, isSigned=%t)", l.Bits, !l.Unsigned)
	}
	if name, ok := map[Kind]string{
		KindText: "String", KindMap: "Map", KindList: "List", KindEnum: "Enum", KindDate: "Date", KindStamp: "Timestamp", KindBad: "Interval",
		KindNull: "Null", KindJSON: "JSON", KindBSON: "BSON", KindUUID: "UUID", KindHalf: "Float16", 16: "Variant", 17: "Geometry", 18: "Geography",
	}[l.Kind]; ok {
		return name
	}
	return fmt.Sprintf("of a logical type that dapple does not know (number %d)", int(l.Kind))
}

func (u Unit) String() string {
	if u < Millis || u > Nanos {
		return "an unknown unit"
	}
	return [...]string{"milliseconds", "microseconds", "nanoseconds"}[u-Millis]
}

// TypeName says what a column's cells are in the file.
func (f *Field) TypeName() string {
	physical := f.Physical.String()
	switch {
	case f.Physical == parquet.Types.FixedLenByteArray && f.Kind == Unannotated:
		return fmt.Sprintf("%s of %d bytes without a logical type", physical, f.Width)
	case f.Physical == parquet.Types.Int96 && f.Kind == Unannotated:
		return "INT96"
	case f.Kind == Unannotated:
		return physical + " without a logical type"
	case f.Kind == KindStamp && f.UTC:
		return "Timestamp adjusted to UTC"
	case f.Kind == KindStamp:
		return "Timestamp not adjusted to UTC"
	}
	return physical + " " + f.Logical.String()
}
