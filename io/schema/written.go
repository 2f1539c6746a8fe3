package schema

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/cellkind"
	"go.yaml.in/yaml/v3"
)

// Written is how people write the cells of a column, by an example: a number of thousands with a fraction, or the last
// day of 2024. Its method Canonical reads a cell that is written so.
type Written = cellkind.Written

// The forms that cells can have besides the usual ones.
const (
	PointNumbers = cellkind.PointNumbers
	CommaNumbers = cellkind.CommaNumbers
	DayFirst     = cellkind.DayFirst
	MonthFirst   = cellkind.MonthFirst
	NamedMonth   = cellkind.NamedMonth
	DateDigits   = cellkind.DateDigits
)

// WrittenForms are all forms, those of numbers first.
var WrittenForms = cellkind.WrittenForms

// written reads the forms of columns.
func (r *reader) written(f *File, n *yaml.Node) {
	if f.Domain == nil {
		return
	}
	columns, types := f.Domain.Names(), map[string]domain.Type{}
	for i, name := range columns {
		types[name] = f.Domain.Attributes[i].Type
	}
	for _, d := range f.Domain.Derived { // which check and evaluate read
		name := d.Column.Name
		columns = append(columns, name)
		if _, declared := r.derivedColumns[name]; declared || len(r.faults) == 0 { // else nobody knows its type
			types[name] = d.Column.Type
		}
	}
	m, ok := r.mapping(n, "csv: written", columns...)
	if !ok {
		return
	}
	f.CSV.Written = map[string]Written{}
	for _, name := range columns {
		if !m.has(name) {
			continue
		}
		s, ok := r.text(m.values[name], "csv: written: "+name)
		w, t := Written(s), types[name]
		_, known := types[name]
		switch {
		case !ok:
		case !slices.Contains(WrittenForms, w):
			r.add(m.values[name], "csv: written: %s: got %s; the forms are %s", name, quote(s), formList(nil))
		case known && !w.Fits(t):
			fits := formList(&t)
			if fits == "" {
				r.add(m.keys[name], "csv: written: column %s is a %v, which is written in one way only; leave it out", quote(name), t)
				continue
			}
			r.add(m.values[name], "csv: written: column %s is a %v, whose forms are %s", quote(name), t, fits)
		default:
			f.CSV.Written[name] = w
		}
	}
}

// formList names the forms that fit a type, all of them for nil.
func formList(t *domain.Type) string {
	var s []string
	for _, w := range WrittenForms {
		if t == nil || w.Fits(*t) {
			s = append(s, strconv.Quote(string(w)))
		}
	}
	return strings.Join(s, ", ")
}

// formEnum lists the forms as JSON has them. Eight digits need no quotes in YAML, and are a number then.
func formEnum() []any {
	list := []any{json.Number(DateDigits)}
	for _, w := range WrittenForms {
		list = append(list, w)
	}
	return list
}
