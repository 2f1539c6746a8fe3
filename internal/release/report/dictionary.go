package report

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// Column is an entry of the data dictionary: what a column may hold, and what becomes of everything else.
type Column struct {
	Name     string   `json:"name"`                   // in the table
	Type     string   `json:"type"`                   // one of the types of the domain file
	Cells    int      `json:"cells"`                  // values, bins and NULL that are told apart
	Values   []string `json:"values,omitempty"`       // of categories
	Cuts     []string `json:"cuts,omitempty"`         // of bins: the ends of each; if those are learned, of all together
	Learned  bool     `json:"bins_learned,omitempty"` // the cuts come from noisy counts
	Multiple string   `json:"resolution,omitempty"`   // of numbers: values are multiples of it
	Null     bool     `json:"null"`                   // NULL is a cell
	Other    bool     `json:"other"`                  // any other value is a cell
	Unusable string   `json:"unusable"`               // the cell of a value that fits no other
	Made     string   `json:"made,omitempty"`         // of columns that are not modelled: how their values come about
	Table    string   `json:"table,omitempty"`        // of two tables, the one that it is in; empty: each
}

// dictionary describes the columns of the rows, which are in two tables, of people and of their rows, if these have names.
func dictionary(d *domain.Domain, tables []string) []Column {
	list := described(d)
	if len(tables) == 0 {
		return list
	}
	people, rows := relation.Tables(d)
	for k, t := range []relation.Table{people, rows} {
		for _, i := range t.Columns {
			if list[i].Name != d.PrivacyID { // which both have
				list[i].Table = tables[k]
			}
		}
	}
	return list
}

func described(d *domain.Domain) []Column {
	made := map[string]string{}
	for _, c := range d.Derived {
		made[c.Column.Name] = "computed"
		switch {
		case len(c.Sum) > 0:
			made[c.Column.Name] += " as the sum of " + strings.Join(c.Sum, ", ")
		case len(c.Map) > 0:
			made[c.Column.Name] += " by a map of " + strings.TrimSuffix(c.From+" and "+c.With, " and ")
		default:
			made[c.Column.Name] += " as " + c.From
		}
	}
	for _, g := range d.Generated {
		made[g.Column] = "made up as " + g.As + ", never from data"
	}
	if d.Events != nil {
		made[d.PrivacyID] = "the number of the person, never from data"
	}
	d = d.Written()
	list := make([]Column, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		if how := made[a.Name]; how != "" {
			list[i] = Column{Name: a.Name, Type: a.Type.String(), Null: a.Null, Made: how}
			continue
		}
		list[i] = Column{Name: a.Name, Type: a.Type.String(), Cells: a.Size(), Values: a.Values, Null: a.Null, Other: a.Other,
			Learned: a.Learned > 0, Multiple: multiple(a), Unusable: unusable(a)}
		for _, c := range a.Cuts {
			list[i].Cuts = append(list[i].Cuts, string(a.AppendNative(nil, c)))
		}
		for _, c := range a.FloatCuts {
			list[i].Cuts = append(list[i].Cuts, string(domain.AppendFloat(nil, c)))
		}
	}
	return list
}

// multiple returns the resolution of an attribute of numbers.
func multiple(a *domain.Attribute) string {
	switch {
	case a.FloatResolution > 0:
		return string(domain.AppendFloat(nil, a.FloatResolution))
	case len(a.Cuts) > 0 && (a.Type == domain.Int64 || a.Type == domain.Numeric):
		return string(a.AppendNative(nil, a.Resolution))
	}
	return ""
}

// unusable is the label of the cell that a value without a cell of its own gets.
func unusable(a *domain.Attribute) string {
	if c, ok := a.OtherCode(); ok {
		return a.Label(c)
	}
	if a.Null {
		return a.Label(domain.Code(a.RecordSize() - 1))
	}
	if a.HasFallback {
		return a.Label(a.Fallback)
	}
	return ""
}

// constraints are the relations between columns that hold in every row, in words.
func constraints(d *domain.Domain) (list []string) {
	for _, o := range d.Orders {
		list = append(list, strings.Join(o.Columns, " <= "))
	}
	for _, c := range d.Dates {
		list = append(list, strings.Join([]string{c.Year, c.Month, c.Day}, ", ")+" are a day of the calendar")
	}
	if n := len(d.Recorded().StructuralZeros); n > 0 {
		list = append(list, fmt.Sprintf("%d combinations of cells, declared or out of order, are in no row", n))
	}
	return list
}
