package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// mapID finds the column of the privacy ID. Attributes may read values that are close to each other as one value; for
// an ID that would merge two persons. So every type that is accepted keeps all its values distinct, and every other
// type is refused: texts are compared byte by byte, and whole numbers become the same decimal digits as in CSV files
// and structs.
func mapID(m *codec.Meta, name string) (leaf, string) {
	l, f, fault := findColumn(m, name)
	if fault != "" {
		return leaf{}, fault
	}
	l.Values = codec.Values{Physical: f.Physical, Width: f.Width, Optional: f.Optional}
	if l.text(f) {
		l.form = domain.Text
		return l, ""
	}
	l.form = domain.Ints
	switch unsigned, bits, ok := whole(f); {
	case !ok:
		return leaf{}, fmt.Sprintf("%s cannot be the privacy ID, which is a text or a whole number; convert the column to one of these", f.TypeName())
	case unsigned && bits == 64:
		l.unsigned = true
	case unsigned:
		l.Unit = unsigned32
	}
	return l, ""
}

// whole reports whether a column holds whole numbers that are nothing else, and of what kind.
func whole(f *codec.Field) (unsigned bool, bits int, ok bool) {
	ok = f.Physical == parquet.Types.Int32 || f.Physical == parquet.Types.Int64
	switch f.Kind {
	case codec.Unannotated:
		return false, 64, ok
	case codec.KindInt:
		return f.Unsigned, f.Bits, ok
	}
	return false, 0, false
}
