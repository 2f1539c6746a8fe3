package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
)

// mapID finds the column of the privacy ID. Attributes may read values that are close to each other as one
// value; for an ID that would make one person of two. So every type that is read keeps all its values
// apart, and every other type is refused: texts are taken byte by byte, and whole numbers become the
// decimal digits that CSV files and structs have for them.
func mapID(m *meta, name string) (leaf, string) {
	l, f, fault := findColumn(m, name)
	if fault != "" {
		return leaf{}, fault
	}
	l.numbers = numbers{physical: f.physical, width: f.width}
	if l.text(f) {
		l.form = domain.Text
		return l, ""
	}
	l.form = domain.Ints
	switch unsigned, bits, ok := whole(f); {
	case !ok:
		return leaf{}, fmt.Sprintf("%s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", f.typeName())
	case unsigned && bits == 64:
		l.unsigned = true
	case unsigned:
		l.unit = unsigned32
	}
	return l, ""
}

// whole reports whether a column holds whole numbers that are nothing else, and of what kind.
func whole(f *field) (unsigned bool, bits int, ok bool) {
	ok = f.physical == parquet.Types.Int32 || f.physical == parquet.Types.Int64
	switch f.kind {
	case unannotated:
		return false, 64, ok
	case kindInt:
		return f.unsigned, f.bits, ok
	}
	return false, 0, false
}
