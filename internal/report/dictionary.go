package report

import "github.com/dapple-dp/dapple/dp/domain"

// Column is an entry of the data dictionary: what a column may hold, and what becomes of everything else.
type Column struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Cells    int      `json:"cells"`
	Values   []string `json:"values,omitempty"` // of categories
	Cuts     []string `json:"cuts,omitempty"`   // of bins: the ends of each
	Null     bool     `json:"null"`             // NULL is a cell
	Other    bool     `json:"other"`            // any other value is a cell
	Unusable string   `json:"unusable"`         // the cell of a value that fits no other
}

// dictionary describes the columns of a domain.
func dictionary(d *domain.Domain) []Column {
	list := make([]Column, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		list[i] = Column{Name: a.Name, Type: a.Type.String(), Cells: a.Size(), Values: a.Values, Null: a.Null, Other: a.Other, Unusable: unusable(a)}
		for _, c := range a.Cuts {
			list[i].Cuts = append(list[i].Cuts, string(a.AppendNative(nil, c)))
		}
		for _, c := range a.FloatCuts {
			list[i].Cuts = append(list[i].Cuts, string(domain.AppendFloat(nil, c)))
		}
	}
	return list
}

// unusable is the label of the cell that a value without a cell of its own gets.
func unusable(a *domain.Attribute) string {
	if c, ok := a.OtherCode(); ok {
		return a.Label(c)
	}
	if c, ok := a.NullCode(); ok {
		return a.Label(c)
	}
	if a.HasFallback && a.Learned == 0 {
		return a.Label(a.Fallback)
	}
	return ""
}
