package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
)

// kind is the kind of a logical type, by its number in the union LogicalType.
type kind int

// The logical types. Numbers that are not here are of types that came after this program.
const (
	unannotated kind = 0
	kindText    kind = 1
	kindMap     kind = 2
	kindList    kind = 3
	kindEnum    kind = 4
	kindDecimal kind = 5
	kindDate    kind = 6
	kindTime    kind = 7
	kindStamp   kind = 8
	kindBad     kind = 9 // an interval, or a converted type without a meaning
	kindInt     kind = 10
	kindNull    kind = 11
	kindJSON    kind = 12
	kindBSON    kind = 13
	kindUUID    kind = 14
	kindHalf    kind = 15
)

// logical is the logical type of a column.
type logical struct {
	kind
	bits             int  // integers
	unsigned         bool // integers
	unit             unit // times
	utc              bool // times: adjusted to UTC
	precision, scale int64
}

// unit is that of a time.
type unit int

const (
	millis unit = 1
	micros unit = 2
	nanos  unit = 3
)

// logical reads a LogicalType. Its members that are not known here are passed over, but for their number.
//
// Source: Apache Parquet format, parquet.thrift, LogicalType.
func (t *thrift) logical() (l logical) {
	t.fields(3, func(id, k int) bool {
		l.kind = kind(id)
		if k != thriftStruct {
			return false
		}
		switch l.kind {
		case kindDecimal:
			t.fields(4, func(id, k int) bool { return t.number(id, k, &l.scale, &l.precision) })
		case kindTime, kindStamp:
			t.fields(4, func(id, k int) bool {
				l.utc = l.utc || id == 1 && k == thriftTrue
				if id != 2 || k != thriftStruct {
					return false
				}
				t.fields(5, func(id, _ int) bool { l.unit = unit(id); return false })
				return true
			})
		case kindInt:
			t.fields(4, func(id, k int) bool {
				l.unsigned = l.unsigned || id == 2 && k == thriftFalse
				if id == 1 && k == thriftByte {
					l.bits = int(t.Byte())
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
func converted(number, precision, scale int64) logical {
	switch number {
	case 0:
		return logical{kind: kindText}
	case 1, 2:
		return logical{kind: kindMap}
	case 3:
		return logical{kind: kindList}
	case 4:
		return logical{kind: kindEnum}
	case 5:
		return logical{kind: kindDecimal, precision: precision, scale: scale}
	case 6:
		return logical{kind: kindDate}
	case 7, 8:
		return logical{kind: kindTime, unit: millis + unit(number-7), utc: true}
	case 9, 10:
		return logical{kind: kindStamp, unit: millis + unit(number-9), utc: true}
	case 11, 12, 13, 14:
		return logical{kind: kindInt, bits: 8 << (number - 11), unsigned: true}
	case 15, 16, 17, 18:
		return logical{kind: kindInt, bits: 8 << (number - 15)}
	case 19:
		return logical{kind: kindJSON}
	case 20:
		return logical{kind: kindBSON}
	}
	return logical{kind: kindBad}
}

func (l logical) String() string {
	switch l.kind {
	case kindDecimal:
		return fmt.Sprintf("Decimal(precision=%d, scale=%d)", l.precision, l.scale)
	case kindTime:
		return "Time in " + l.unit.String()
	case kindInt:
		return fmt.Sprintf("Int(bitWidth=%d, isSigned=%t)", l.bits, !l.unsigned)
	}
	if name, ok := map[kind]string{
		kindText: "String", kindMap: "Map", kindList: "List", kindEnum: "Enum", kindDate: "Date", kindStamp: "Timestamp", kindBad: "Interval",
		kindNull: "Null", kindJSON: "JSON", kindBSON: "BSON", kindUUID: "UUID", kindHalf: "Float16", 16: "Variant", 17: "Geometry", 18: "Geography",
	}[l.kind]; ok {
		return name
	}
	return fmt.Sprintf("of a logical type that dapple does not know (number %d)", int(l.kind))
}

func (u unit) String() string {
	if u < millis || u > nanos {
		return "an unknown unit"
	}
	return [...]string{"milliseconds", "microseconds", "nanoseconds"}[u-millis]
}

// typeName says what a column's cells are in the file.
func (f *field) typeName() string {
	physical := f.physical.String()
	switch {
	case f.physical == parquet.Types.FixedLenByteArray && f.kind == unannotated:
		return fmt.Sprintf("%s of %d bytes without a logical type", physical, f.width)
	case f.physical == parquet.Types.Int96 && f.kind == unannotated:
		return "INT96"
	case f.kind == unannotated:
		return physical + " without a logical type"
	case f.kind == kindStamp && f.utc:
		return "Timestamp adjusted to UTC"
	case f.kind == kindStamp:
		return "Timestamp not adjusted to UTC"
	}
	return physical + " " + f.logical.String()
}
