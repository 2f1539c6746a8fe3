package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/nearest"
)

// leaf is a column of the file that is read.
type leaf struct {
	index int // among the file's leaves
	name  string
	form  domain.Form // that its cells come in
	numbers
	optional bool
	null     bool     // its cells are all NULL, by its type
	unsigned bool     // a privacy ID of 64 bits without a sign
	values   []string // STRING: the categories
}

// mapColumns finds the column of each attribute, and of the privacy ID if the domain names one,
// and lists all mismatches at once.
func mapColumns(m *meta, d *domain.Domain) (attrs []leaf, id *leaf, faults []string) {
	var others []string
	fault := func(name, what string) {
		if what == noColumn && len(faults) < maxFaults { // later ones are counted, not shown
			if others == nil {
				others = m.others(d)
			}
			if near := nearest.Name(name, others); near != "" {
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
func (m *meta) others(d *domain.Domain) (names []string) {
	used := map[string]bool{d.PrivacyID: true}
	for i := range d.Attributes {
		used[d.Attributes[i].Name] = true
	}
	for i := range m.leaves {
		if name := m.leaves[i].path[0]; !used[name] {
			names = append(names, name)
		}
	}
	return names
}

func mapColumn(m *meta, a *domain.Attribute) (leaf, string) {
	l, f, fault := findColumn(m, a.Name)
	if fault != "" {
		return leaf{}, fault
	}
	if !l.fits(f, a) {
		return leaf{}, fmt.Sprintf("%s does not read as %s; change the domain, or convert the column", f.typeName(), a.Type)
	}
	return l, ""
}

// findColumn finds the column of a name, whatever its type.
func findColumn(m *meta, name string) (leaf, *field, string) {
	found := -1
	for i := range m.leaves {
		f := &m.leaves[i]
		switch {
		case f.path[0] != name:
		case found >= 0 && f.top != m.leaves[found].top:
			return leaf{}, nil, "the file has several columns of this name; rename all but one"
		case len(f.path) > 1 && f.outer >= 16:
			return leaf{}, nil, fmt.Sprintf("it is %s; convert it, or leave it out of the domain", logical{kind: f.outer})
		case len(f.path) > 1:
			return leaf{}, nil, nestedFault(f)
		default:
			found = i
		}
	}
	if found < 0 {
		return leaf{}, nil, noColumn
	}
	f := &m.leaves[found]
	if f.repeated {
		return leaf{}, nil, "it is REPEATED; flatten it or leave it out of the domain"
	}
	return leaf{index: found, name: name, optional: f.optional}, f, ""
}

// nestedFault names the field that makes a column nested.
func nestedFault(f *field) string {
	path := f.name()
	if len(path) > 100 {
		path = quoted(path)
	}
	return path + " is RECORD or REPEATED; flatten it or leave it out of the domain"
}

// text reports whether a column holds texts. Older writers do not annotate them; a UUID is read in its usual
// form.
func (l *leaf) text(f *field) bool {
	switch f.kind {
	case kindText, kindEnum, kindJSON, unannotated:
		return f.physical == parquet.Types.ByteArray
	case kindUUID:
		l.uuid = true
		return f.physical == parquet.Types.FixedLenByteArray && f.width == 16
	}
	return false
}

func (k *numbers) integer(f *field) bool {
	unsigned, bits, ok := whole(f)
	switch {
	case !unsigned:
	case bits == 64:
		k.unit = unsigned64
	default:
		k.unit = unsigned32
	}
	return ok
}

func (k *numbers) decimals(f *field, scale int) bool {
	if f.kind != kindDecimal || f.scale < 0 || f.scale > 38 || f.precision > 38 {
		return false
	}
	places := scale - int(f.scale)
	k.bytes = func(b []byte) int64 { return decimal(b, places) }
	switch f.physical {
	case parquet.Types.Int32, parquet.Types.Int64:
		k.unit = func(x int64) int64 { return scaled(x, places) }
		return true
	case parquet.Types.ByteArray:
		return true
	case parquet.Types.FixedLenByteArray:
		return f.width >= 1 && f.width <= 16
	}
	return false
}

func (k *numbers) clock(f *field) bool {
	switch f.logical.unit {
	case millis:
		k.unit = thousandfold
	case nanos:
		k.unit = thousandth
	}
	return f.physical == parquet.Types.Int64 || f.physical == parquet.Types.Int32
}
