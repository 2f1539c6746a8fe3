package bigqueryio

import (
	"fmt"
	"strings"
	"unicode"

	"cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
)

// columns returns the schema of a table made for d: a column per attribute in d's order, REQUIRED if
// it has no cell NULL. Files of parquetio.Writer have the same columns, of types that load into these.
func columns(d *domain.Domain) bigquery.Schema {
	s := make(bigquery.Schema, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		s[i] = &bigquery.FieldSchema{Name: a.Name, Type: types[a.Type].field, Required: !a.Null}
	}
	return s
}

// reserved begin names that BigQuery keeps for itself.
// Source: cloud.google.com/bigquery/docs/schemas, "Column names".
var reserved = []string{"_TABLE_", "_FILE_", "_PARTITION", "_ROW_TIMESTAMP", "__ROOT__", "_COLIDENTIFIER", "_CHANGE_SEQUENCE_NUMBER", "_CHANGE_TYPE", "_CHANGE_TIMESTAMP"}

// nameFaults lists the attributes that cannot be columns.
func nameFaults(d *domain.Domain) (faults []string) {
	seen := map[string]string{}
	if d.Len() == 0 {
		faults = append(faults, "a table without columns cannot hold rows")
	}
	for i := range d.Attributes {
		name := d.Attributes[i].Name
		lower := strings.ToLower(name)
		if other, twice := seen[lower]; twice {
			faults = append(faults, fmt.Sprintf("columns %q and %q: BigQuery tells no capitals apart; rename one", other, name))
		}
		seen[lower] = name
		if len([]rune(name)) > 300 || name == "" || strings.ContainsFunc(name, func(r rune) bool { return !columnRune(r) }) {
			faults = append(faults, fmt.Sprintf("column %q: BigQuery wants 1 to 300 letters, digits, spaces and any of _-&%%=+:'<>#|", name))
		}
		for _, prefix := range reserved {
			if strings.HasPrefix(strings.ToUpper(name), prefix) {
				faults = append(faults, fmt.Sprintf("column %q: BigQuery keeps names that begin with %s for itself; rename it", name, prefix))
			}
		}
	}
	return faults
}

// columnRune reports whether a column's name may hold r.
// Source: cloud.google.com/bigquery/docs/schemas, "Flexible column names".
func columnRune(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.Pc, unicode.Pd) || r == ' ' || strings.ContainsRune("&%=+:'<>#|", r)
}

// flexible reports whether a name needs the load option for names of more than letters, digits and "_".
func flexible(s bigquery.Schema) bool {
	for _, f := range s {
		if strings.Trim(f.Name, letters+"_") != "" || strings.ContainsAny(f.Name[:1], "0123456789") {
			return true
		}
	}
	return false
}

// mismatches lists why rows of d cannot be added to a table, one line per column.
func mismatches(d *domain.Domain, table bigquery.Schema) (faults []string) {
	fault := func(name, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("column %q: ", name)+fmt.Sprintf(format, args...))
	}
	used := map[*bigquery.FieldSchema]bool{}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		f, _ := find(table, a.Name)
		used[f] = true
		switch {
		case f == nil:
			fault(a.Name, "the table has no such column; the rows have %s", a.Type)
		case f.Repeated:
			fault(a.Name, "the table has %s REPEATED, the rows %s", sqlType(f), a.Type)
		case typeName(f.Type) != a.Type.String():
			fault(a.Name, "the table has %s, the rows %s", sqlType(f), a.Type)
		case f.Required && a.Null:
			fault(a.Name, "the table has %s REQUIRED, the rows %s with NULL", sqlType(f), a.Type)
		case tooNarrow(f, a) != "":
			fault(a.Name, "the table has %s, the rows %s", sqlType(f), tooNarrow(f, a))
		}
	}
	for _, f := range table {
		if f.Required && !used[f] {
			fault(f.Name, "the table has %s REQUIRED, the rows have no such column", sqlType(f))
		}
	}
	return faults
}

// tooNarrow returns what a column with limits cannot hold of an attribute, or "".
func tooNarrow(f *bigquery.FieldSchema, a *domain.Attribute) string {
	switch {
	case a.Type == domain.String && f.MaxLength > 0:
		longest := len([]rune(a.OtherValue))
		for _, v := range a.Values {
			longest = max(longest, len([]rune(v)))
		}
		if int64(longest) > f.MaxLength {
			return fmt.Sprintf("STRING of up to %d characters", longest)
		}
	case a.Type == domain.Numeric && f.Precision > 0:
		whole := 1
		for _, c := range a.Cuts {
			whole = max(whole, len(strings.TrimPrefix(fmt.Sprint(c), "-"))-a.Scale)
		}
		if int64(a.Scale) > f.Scale || int64(whole) > f.Precision-f.Scale {
			return fmt.Sprintf("NUMERIC of up to %d digits before and %d after the point", whole, a.Scale)
		}
	}
	return ""
}

// sqlType returns a column's type as SQL writes it, with its limits.
func sqlType(f *bigquery.FieldSchema) string {
	name := typeName(f.Type)
	switch {
	case f.Precision > 0 && f.Scale > 0:
		return fmt.Sprintf("%s(%d, %d)", name, f.Precision, f.Scale)
	case f.Precision > 0:
		return fmt.Sprintf("%s(%d)", name, f.Precision)
	case f.MaxLength > 0:
		return fmt.Sprintf("%s(%d)", name, f.MaxLength)
	}
	return name
}
