package bigqueryio

import (
	"fmt"
	"strings"
)

// Scheme begins the name of a table in a flag: bq://project.dataset.table.
const Scheme = "bq://"

// Table names a table or a view.
type Table struct{ Project, Dataset, Name string }

// ParseTable reads project.dataset.table, with or without Scheme. A project may hold full stops and a
// colon, as projects of organisations do; the other two parts hold letters, digits, "_" and "-", the table
// also any further letter of Unicode.
func ParseTable(s string) (Table, error) {
	name := strings.TrimPrefix(s, Scheme)
	fault := fmt.Errorf("bigquery: got %q; want bq://project.dataset.table", s)
	last := strings.LastIndexByte(name, '.')
	if last < 0 {
		return Table{}, fault
	}
	dot := strings.LastIndexByte(name[:last], '.')
	if dot < 0 {
		return Table{}, fault
	}
	t := Table{Project: name[:dot], Dataset: name[dot+1 : last], Name: name[last+1:]}
	if !plainName(t.Project, ".:-") || !plainName(t.Dataset, "_-") || !tableName(t.Name) {
		return Table{}, fault
	}
	return t, nil
}

// String returns project.dataset.table.
func (t Table) String() string { return t.Project + "." + t.Dataset + "." + t.Name }

func plainName(s, marks string) bool {
	return s != "" && strings.Trim(s, letters+marks) == ""
}

// tableName refuses names that would end a quoted name in SQL or name another resource.
func tableName(s string) bool {
	return s != "" && len(s) <= 1024 && !strings.ContainsAny(s, "`\\/.:$@!*'\"\n\r\t;?#%")
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
