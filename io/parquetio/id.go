package parquetio

import (
	"fmt"
	"strconv"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
)

// mapID finds the column of the privacy ID. Attributes may read values that are close to each other as one
// value; for an ID that would make one person of two. So every type that is read keeps all its values
// apart, and every other type is refused: texts are taken byte by byte, and whole numbers become the
// decimal digits that CSV files and structs have for them.
func mapID(sc *schema.Schema, name string) (leaf, string) {
	l, c, fault := findColumn(sc, name)
	if fault != "" {
		return leaf{}, fault
	}
	l.numbers = numbers{physical: c.PhysicalType(), width: c.TypeLength()}
	if textual(c) {
		l.typ = domain.String
		return l, ""
	}
	l.typ = domain.Int64
	switch unsigned, bits, ok := whole(c); {
	case !ok:
		return leaf{}, fmt.Sprintf("%s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", typeName(c))
	case unsigned && bits == 64:
		l.unsigned = true
	case unsigned:
		l.unit = unsigned32
	}
	return l, ""
}

// whole reports whether a column holds whole numbers that are nothing else, and of what kind.
func whole(c *schema.Column) (unsigned bool, bits int, ok bool) {
	ok = c.PhysicalType() == parquet.Types.Int32 || c.PhysicalType() == parquet.Types.Int64
	if !annotated(c) {
		return false, 64, ok
	}
	t, isInt := c.LogicalType().(*schema.IntLogicalType)
	if !isInt {
		return false, 0, false
	}
	return !t.IsSigned(), int(t.BitWidth()), ok
}

// spellUnsigned turns the bits of unsigned numbers into their digits.
func spellUnsigned(c *domain.Column) {
	c.Form = domain.Text
	c.Bytes, c.Offsets = c.Bytes[:0], append(sized(c.Offsets, len(c.Ints)+1)[:0], 0)
	for i, x := range c.Ints {
		if !c.Null(i) {
			c.Bytes = strconv.AppendUint(c.Bytes, uint64(x), 10)
		}
		c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
	}
}
