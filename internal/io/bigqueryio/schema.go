package bigqueryio

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	tables "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// numericScale is the number of decimal places of NUMERIC.
const numericScale = 9

// Describe returns the columns of a table or view in order, from its metadata alone. A nested column is
// described once, as one that cannot be read.
func Describe(ctx context.Context, c Client, t Table) ([]tables.Column, error) {
	md, err := c.metadata(ctx, t)
	if err != nil {
		return nil, err
	}
	return lists.Of(md.Schema, describe), nil
}

// describe finds the type whose values a column holds.
func describe(f *bigquery.FieldSchema) tables.Column {
	d := tables.Column{Name: f.Name, Nullable: !f.Required}
	if why := unreadable(f); why != "" {
		d.Fault = "it is " + why
		return d
	}
	d.Type, _ = domainType(f.Type)
	if d.Type == domain.Numeric {
		d.Scale = numericScale
		if f.Precision > 0 {
			d.Scale, d.Digits = int(f.Scale), int(f.Precision)
		}
	}
	return d
}

// domainType returns the type for one of BigQuery.
func domainType(t bigquery.FieldType) (domain.Type, bool) {
	name := typeName(t)
	if name == "BIGNUMERIC" {
		name = "NUMERIC"
	}
	return domain.ParseType(name)
}

// typeName returns the name that Standard SQL has for a type: metadata use older ones.
func typeName(t bigquery.FieldType) string { return cmp.Or(standardNames[t], string(t)) }

var standardNames = map[bigquery.FieldType]string{"INTEGER": "INT64", "FLOAT": "FLOAT64", "BOOLEAN": "BOOL", "STRUCT": "RECORD",
	"DECIMAL": "NUMERIC", "BIGDECIMAL": "BIGNUMERIC"}

const flatten = "; flatten it or leave it out of the domain"

// unreadable says what keeps a column from being read, to follow "is"; "" if nothing does.
func unreadable(f *bigquery.FieldSchema) string {
	name := typeName(f.Type)
	_, known := domainType(f.Type)
	switch {
	case name == "RECORD":
		return mode(f) + "RECORD with " + strings.Join(leaves(f.Name, f.Schema), ", ") + flatten
	case f.Repeated:
		return "REPEATED" + flatten
	case name == "BIGNUMERIC" && !exactNumeric(f):
		return "a BIGNUMERIC that may hold more than NUMERIC does; declare it BIGNUMERIC(38, 9), or convert it in a view"
	case !known:
		return name + ", which is not supported; convert it in a view, or leave it out of the domain"
	case nameFault(f.Name):
		return "called by a name that cannot be used in a query; rename it in a view"
	}
	return ""
}

func mode(f *bigquery.FieldSchema) string {
	if f.Repeated {
		return "a REPEATED "
	}
	return "a "
}

// exactNumeric reports whether every value of a BIGNUMERIC column is a NUMERIC, from its declaration and not its
// cells: whether a run ends must not depend on them.
func exactNumeric(f *bigquery.FieldSchema) bool {
	return f.Precision > 0 && f.Scale <= numericScale && f.Precision-f.Scale <= 38-numericScale
}

// nameFault refuses names that would end a quoted name in SQL.
func nameFault(name string) bool {
	return domain.NameFault(name) != "" || strings.ContainsAny(name, "`\\")
}

// maxLeaves is how many fields of a RECORD a message lists.
const maxLeaves = 8

// leaves returns the paths of the fields inside a RECORD.
func leaves(path string, s bigquery.Schema) (out []string) {
	for _, f := range s {
		if inner := path + "." + f.Name; typeName(f.Type) == "RECORD" {
			out = append(out, leaves(inner, f.Schema)...)
		} else {
			out = append(out, inner)
		}
	}
	if len(out) > maxLeaves {
		out = append(out[:maxLeaves], "…")
	}
	return out
}

// mapColumns finds the column of each attribute, and last the privacy ID's if the domain names
// one, and lists all mismatches at once.
func mapColumns(s bigquery.Schema, d *domain.Domain) (out []Column, faults []string) {
	for i := range d.Attributes {
		a := &d.Attributes[i]
		c, fault := mapColumn(s, a.Name, a.Type)
		c.Scale = a.Scale
		if fault != "" {
			faults = append(faults, fmt.Sprintf("column %q %s", a.Name, fault))
		}
		out = append(out, c)
	}
	if d.PrivacyID == "" {
		return out, faults
	}
	c, fault := mapID(s, d.PrivacyID)
	if fault != "" {
		faults = append(faults, fmt.Sprintf("privacy ID: column %q %s", d.PrivacyID, fault))
	}
	return append(out, c), faults
}

// mapID finds the privacy ID, whose type is not declared.
func mapID(s bigquery.Schema, name string) (Column, string) {
	c, fault := mapColumn(s, name, domain.String)
	if f, _ := find(s, name); f != nil && unreadable(f) == "" && typeName(f.Type) == "INT64" {
		return mapColumn(s, name, domain.Int64)
	} else if f != nil && unreadable(f) == "" && fault != "" {
		fault = "is " + typeName(f.Type) + "; want STRING or INT64: convert it in a view"
	}
	return c, fault
}

func mapColumn(s bigquery.Schema, name string, want domain.Type) (Column, string) {
	f, fault := find(s, name)
	if f == nil {
		return Column{}, fault
	}
	if why := unreadable(f); why != "" {
		return Column{}, "is " + why
	}
	if got, _ := domainType(f.Type); got != want {
		return Column{}, fmt.Sprintf("is %s in the table and %s in the domain; change the domain, or convert it in a view", typeName(f.Type), want)
	}
	return Column{Name: f.Name, Type: typeName(f.Type), As: want}, ""
}

// find returns the column of that name, ignoring case as everywhere in BigQuery.
func find(s bigquery.Schema, name string) (*bigquery.FieldSchema, string) {
	named := func(name string) func(*bigquery.FieldSchema) bool {
		return func(f *bigquery.FieldSchema) bool { return strings.EqualFold(f.Name, name) }
	}
	if i := slices.IndexFunc(s, named(name)); i >= 0 {
		return s[i], ""
	}
	first, _, nested := strings.Cut(name, ".")
	if i := slices.IndexFunc(s, named(first)); nested && i >= 0 {
		return nil, fmt.Sprintf("stands inside %q, which is %sRECORD; select it under a name of its own in a view", s[i].Name, mode(s[i]))
	}
	return nil, "is not in the table"
}
