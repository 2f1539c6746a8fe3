package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/nearest"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// leaf is a column of the file that is read.
type leaf struct {
	index int // among the file's leaves
	name  string
	form  domain.Form // that its cells come in
	codec.Values
	null       bool     // its cells are all NULL, by its type
	unsigned   bool     // a privacy ID of 64 bits without a sign
	uuid       bool     // bytes that are texts of 36 characters
	categories []string // STRING
}

// mapColumns finds the column of each attribute, and of the privacy ID if the domain names one,
// and lists all mismatches at once.
func mapColumns(m *codec.Meta, d *domain.Domain) (attrs []leaf, id *leaf, faults []string) {
	var rest []string
	fault := func(name, what string) {
		if what == noColumn && len(faults) < maxFaults { // later ones are counted, not shown
			if rest == nil {
				rest = others(m, d)
			}
			if near := nearest.Name(name, rest); near != "" {
				what = fmt.Sprintf("%s; did you mean %q?", noColumn, near)
			}
		}
		if what != "" {
			faults = append(faults, fmt.Sprintf("column %q: %s", name, what))
		}
	}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		l, what := mapColumn(m, a)
		fault(a.Name, what)
		attrs = append(attrs, l)
	}
	if d.PrivacyID != "" {
		l, what := mapID(m, d.PrivacyID)
		fault(d.PrivacyID, what)
		id = &l
	}
	return attrs, id, faults
}

const noColumn = "the file has no such column"

// others returns the names of the columns that the domain does not use. They are the schema's, and so no record's.
func others(m *codec.Meta, d *domain.Domain) (names []string) {
	used := map[string]bool{d.PrivacyID: true}
	for i := range d.Attributes {
		used[d.Attributes[i].Name] = true
	}
	for i := range m.Leaves {
		if name := m.Leaves[i].Path[0]; !used[name] {
			names = append(names, name)
		}
	}
	return names
}

func mapColumn(m *codec.Meta, a *domain.Attribute) (leaf, string) {
	l, f, fault := findColumn(m, a.Name)
	if fault != "" {
		return leaf{}, fault
	}
	if !l.fits(f, a) {
		return leaf{}, fmt.Sprintf("%s does not read as %s; change the domain, or convert the column", f.TypeName(), a.Type)
	}
	return l, ""
}

// findColumn finds the column of a name, whatever its type.
func findColumn(m *codec.Meta, name string) (leaf, *codec.Field, string) {
	found := -1
	for i := range m.Leaves {
		f := &m.Leaves[i]
		switch {
		case f.Path[0] != name:
		case found >= 0 && f.Top != m.Leaves[found].Top:
			return leaf{}, nil, "the file has several columns of this name; rename all but one"
		case len(f.Path) > 1:
			return leaf{}, nil, shapeFault(f)
		default:
			found = i
		}
	}
	if found < 0 {
		return leaf{}, nil, noColumn
	}
	f := &m.Leaves[found]
	return leaf{index: found, name: name}, f, shapeFault(f)
}

// shapeFault says why a column is not a plain one; empty: it is.
func shapeFault(f *codec.Field) string {
	path := nameOf(f)
	if len(path) > 100 {
		path = quoted(path)
	}
	switch {
	case len(f.Path) > 1 && f.Outer >= 16:
		return fmt.Sprintf("it is %s; convert it, or leave it out of the domain", codec.Logical{Kind: f.Outer})
	case len(f.Path) > 1:
		return path + " is RECORD or REPEATED; flatten it or leave it out of the domain"
	case f.Repeated:
		return "it is REPEATED; flatten it or leave it out of the domain"
	}
	return ""
}

// text reports whether a column holds texts. Older writers do not annotate them; a UUID is read in its usual
// form.
func (l *leaf) text(f *codec.Field) bool {
	switch f.Kind {
	case codec.KindText, codec.KindEnum, codec.KindJSON, codec.Unannotated:
		return f.Physical == parquet.Types.ByteArray
	case codec.KindUUID:
		l.uuid = true
		return f.Physical == parquet.Types.FixedLenByteArray && f.Width == 16
	}
	return false
}

func (l *leaf) integer(f *codec.Field) bool {
	unsigned, bits, ok := whole(f)
	switch {
	case !unsigned:
	case bits == 64:
		l.Unit = unsigned64
	default:
		l.Unit = unsigned32
	}
	return ok
}

func (l *leaf) decimals(f *codec.Field, scale int) bool {
	if f.Kind != codec.KindDecimal || f.Scale < 0 || f.Scale > 38 || f.Precision > 38 {
		return false
	}
	places := scale - int(f.Scale)
	l.Bytes = func(b []byte) int64 { return decimal(b, places) }
	switch f.Physical {
	case parquet.Types.Int32, parquet.Types.Int64:
		l.Unit = func(x int64) int64 { return scaled(x, places) }
		return true
	case parquet.Types.ByteArray:
		return true
	case parquet.Types.FixedLenByteArray:
		return f.Width >= 1 && f.Width <= 16
	}
	return false
}

func (l *leaf) clock(f *codec.Field) bool {
	switch f.Logical.Unit {
	case codec.Millis:
		l.Unit = thousandfold
	case codec.Nanos:
		l.Unit = thousandth
	}
	return f.Physical == parquet.Types.Int64 || f.Physical == parquet.Types.Int32
}
