package parquetio

import (
	"fmt"
	"strings"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
)

// leaf is a column of the file that is read.
type leaf struct {
	index int // among the file's leaves
	name  string
	typ   domain.Type
	numbers
	optional bool
	unsigned bool // a privacy ID of 64 bits without a sign
}

// mapColumns finds the column of each attribute, and of the privacy ID where the domain names one,
// and lists all mismatches at once.
func mapColumns(sc *schema.Schema, d *domain.Domain) (attrs []leaf, id *leaf, faults []string) {
	for i := range d.Attributes {
		a := &d.Attributes[i]
		l, fault := mapColumn(sc, a)
		if fault != "" {
			faults = append(faults, fmt.Sprintf("column %q: %s", a.Name, fault))
		}
		attrs = append(attrs, l)
	}
	if d.PrivacyID != "" {
		l, fault := mapID(sc, d.PrivacyID)
		if fault != "" {
			faults = append(faults, fmt.Sprintf("column %q: %s", d.PrivacyID, fault))
		}
		id = &l
	}
	return attrs, id, faults
}

func mapColumn(sc *schema.Schema, a *domain.Attribute) (leaf, string) {
	l, c, fault := findColumn(sc, a.Name)
	if fault != "" {
		return leaf{}, fault
	}
	n, ok := mapType(c, a)
	if !ok {
		return leaf{}, fmt.Sprintf("%s does not read as %s; change the domain, or convert the column", typeName(c), a.Type)
	}
	l.typ, l.numbers = a.Type, n
	return l, ""
}

// findColumn finds the column of a name, whatever its type.
func findColumn(sc *schema.Schema, name string) (leaf, *schema.Column, string) {
	found := -1
	for i := range sc.NumColumns() {
		path := sc.Column(i).ColumnPath()
		switch {
		case len(path) == 0 || path[0] != name:
		case len(path) > 1:
			return leaf{}, nil, fmt.Sprintf("%s is RECORD or REPEATED; flatten it or leave it out of the domain", strings.Join(path, "."))
		case found >= 0:
			return leaf{}, nil, "the file has it twice"
		default:
			found = i
		}
	}
	if found < 0 {
		return leaf{}, nil, "the file has no such column"
	}
	c := sc.Column(found)
	if c.MaxRepetitionLevel() > 0 || c.MaxDefinitionLevel() > 1 {
		return leaf{}, nil, "it is REPEATED; flatten it or leave it out of the domain"
	}
	return leaf{index: found, name: name, optional: c.MaxDefinitionLevel() == 1}, c, ""
}

func typeName(c *schema.Column) string {
	if !annotated(c) {
		return c.PhysicalType().String() + " without a logical type"
	}
	if t, ok := c.LogicalType().(*schema.TimestampLogicalType); ok && t.IsAdjustedToUTC() {
		return "Timestamp adjusted to UTC"
	} else if ok {
		return "Timestamp not adjusted to UTC"
	}
	return c.PhysicalType().String() + " " + c.LogicalType().String()
}

func annotated(c *schema.Column) bool {
	t := c.LogicalType()
	return t != nil && !t.IsNone() && t.IsValid()
}

// mapType says how a column of the file holds values of the attribute's type, and whether it does:
// the type that the writer gives it, or one whose values all fit that exactly.
func mapType(c *schema.Column, a *domain.Attribute) (numbers, bool) {
	n := numbers{physical: c.PhysicalType(), width: c.TypeLength()}
	switch a.Type {
	case domain.String:
		return n, textual(c)
	case domain.Int64:
		return n.integer(c)
	case domain.Float64:
		return n, !annotated(c) && (n.physical == parquet.Types.Double || n.physical == parquet.Types.Float)
	case domain.Bool:
		return n, n.physical == parquet.Types.Boolean
	case domain.Numeric:
		return n.decimals(c, a.Scale)
	case domain.Date:
		_, ok := c.LogicalType().(schema.DateLogicalType)
		return n, ok && n.physical == parquet.Types.Int32
	case domain.Time:
		t, ok := c.LogicalType().(*schema.TimeLogicalType)
		return n.clock(ok, func() schema.TimeUnitType { return t.TimeUnit() })
	}
	t, ok := c.LogicalType().(*schema.TimestampLogicalType)
	ok = ok && t.IsAdjustedToUTC() == (a.Type == domain.Timestamp) && n.physical == parquet.Types.Int64
	return n.clock(ok, func() schema.TimeUnitType { return t.TimeUnit() })
}

func textual(c *schema.Column) bool {
	switch c.LogicalType().(type) {
	case schema.StringLogicalType, schema.EnumLogicalType:
		return c.PhysicalType() == parquet.Types.ByteArray
	}
	return false
}

func (k numbers) integer(c *schema.Column) (numbers, bool) {
	unsigned, bits, ok := whole(c)
	switch {
	case !unsigned:
	case bits == 64:
		k.unit = unsigned64
	default:
		k.unit = unsigned32
	}
	return k, ok
}

func (k numbers) decimals(c *schema.Column, scale int) (numbers, bool) {
	t, ok := c.LogicalType().(*schema.DecimalLogicalType)
	if !ok || t.Scale() < 0 || t.Scale() > 38 || t.Precision() > 38 {
		return k, false
	}
	k.decimal, k.places = true, scale-int(t.Scale())
	switch k.physical {
	case parquet.Types.Int32, parquet.Types.Int64, parquet.Types.ByteArray:
		return k, true
	case parquet.Types.FixedLenByteArray:
		return k, k.width >= 1 && k.width <= 16
	}
	return k, false
}

func (k numbers) clock(ok bool, unit func() schema.TimeUnitType) (numbers, bool) {
	if !ok || k.physical != parquet.Types.Int64 && k.physical != parquet.Types.Int32 {
		return k, false
	}
	switch unit() {
	case schema.TimeUnitMillis:
		k.unit = thousandfold
	case schema.TimeUnitNanos:
		k.unit = thousandth
	}
	return k, true
}
