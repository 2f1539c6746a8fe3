package domain

import (
	"cmp"
	"slices"
)

// Derived is a column that is computed from others in every row written. It is not modelled: it is not an attribute,
// uses no budget, and need not be in a table that is read. Exactly one of From, Sum and Map is set. They name
// columns, which are attributes or derived themselves. A derived value is NULL if a value that it is computed from
// is.
type Derived struct {
	Column Attribute // name, type and declared values; Null: it can be NULL
	Place  int       // position among the columns written, without generated columns

	From    string   `json:",omitempty"` // an expression such as "time / 100", or with Map the column that is looked up
	Sum     []string `json:",omitempty"` // the columns to add up
	Map     []Pair   `json:",omitempty"` // the value of each value of From, as canonical texts
	Else    string   `json:",omitempty"` // with HasElse: the value if Map has no entry
	HasElse bool     `json:",omitempty"`
}

// Pair is one entry of a map of values.
type Pair struct{ From, To string }

// Order declares that values do not descend along Columns, attributes of one kind, in any row written. A NULL
// satisfies it, as in a CHECK of SQL.
type Order struct{ Columns []string }

// DateParts declares that three INT64 attributes are a day of the calendar in every row written: no 30th of February.
// Without a year, which is NULL then, the 29th of February is allowed; without a month or a day nothing is checked.
type DateParts struct{ Year, Month, Day string }

// Generated is a column of keys that are made up for the rows written, independently of the data: "uuid", "serial",
// or a pattern such as "AB-####", in which # is a digit and ? a capital letter.
type Generated struct {
	Column, As string
	Place      int `json:",omitempty"` // position among all columns written; keys without one come first
}

// PlaceGenerated gives generated columns the places that they have in a table with columns of these names: each behind
// the column that is before it there, of those that are written. Others come first.
func (d *Domain) PlaceGenerated(table []string) {
	var names []string
	for _, a := range d.Written().Attributes {
		if !slices.ContainsFunc(d.Generated, func(g Generated) bool { return g.Column == a.Name && slices.Contains(table, a.Name) }) {
			names = append(names, a.Name)
		}
	}
	if d.Events != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return name == d.PrivacyID }) // which is before them all
	}
	at := 0 // behind keys that the table lacks
	for at < len(names) && slices.ContainsFunc(d.Generated, func(g Generated) bool { return g.Column == names[at] }) {
		at++
	}
	for _, name := range table {
		if k := slices.Index(names, name); k >= 0 {
			at = k + 1
		} else if slices.ContainsFunc(d.Generated, func(g Generated) bool { return g.Column == name }) {
			names = slices.Insert(names, at, name)
			at++
		}
	}
	d.Generated = slices.Clone(d.Generated)
	for i := range d.Generated {
		d.Generated[i].Place = slices.Index(names, d.Generated[i].Column)
	}
}

// WithGenerated puts the generated columns in their places among the others.
func WithGenerated[T any](generated []Generated, keys, others []T) []T {
	order := make([]int, len(generated))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(generated[a].Place, generated[b].Place) })
	out := slices.Clone(others)
	for before, i := range order {
		out = slices.Insert(out, min(max(generated[i].Place, before), len(out)), keys[i])
	}
	return out
}

// Written returns the domain of the rows that are written: generated columns, attributes and derived columns, each
// in its place. It is d if there is nothing to add. With Events the number of the person comes first, under
// the name of the privacy ID.
func (d *Domain) Written() *Domain {
	if d.Events != nil {
		w := *d.Recorded().Written()
		number := Attribute{Name: d.PrivacyID, Type: Int64, Cuts: []int64{1, 1 << 40}, Resolution: 1}
		w.Attributes, w.PrivacyID = slices.Insert(slices.Clone(w.Attributes), 0, number), ""
		return &w
	}
	if len(d.Derived) == 0 && len(d.Generated) == 0 {
		return d
	}
	w := &Domain{Attributes: slices.Clone(d.Attributes)}
	for i := range w.Attributes {
		w.Attributes[i].Coupling = nil // places change, and rows that are written are decoded before
	}
	for _, c := range d.Derived {
		w.Attributes = slices.Insert(w.Attributes, min(max(c.Place, 0), len(w.Attributes)), c.Column)
	}
	keys := make([]Attribute, len(d.Generated))
	for i, g := range d.Generated {
		keys[i] = Attribute{Name: g.Column, Type: String}
		if g.As == "serial" {
			keys[i] = Attribute{Name: g.Column, Type: Int64, Cuts: []int64{1, 1 << 40}, Resolution: 1}
		}
	}
	w.Attributes = WithGenerated(d.Generated, keys, w.Attributes)
	return w
}

// Ends returns the least and the largest value that a cell is decoded to, in the native unit; ok is false for NULL
// and for types without a native unit. BOOL is 0 or 1. If bins are still to be learned, they are the ends of the
// whole range.
func (a *Attribute) Ends(code Code) (lo, hi int64, ok bool) {
	c := int(code)
	switch {
	case c >= a.Size() || a.Type == String || a.Type == Float64 || a.Null && c == a.Size()-1:
		return 0, 0, false
	case a.Learned > 0:
		lo, hi = a.span()
		return a.written(lo), a.written(hi), lo <= hi
	case len(a.Values) == 0:
		lo, hi = a.multiples(c)
		return a.written(lo), a.written(hi), lo <= hi
	}
	text := a.OtherValue
	if c < len(a.Values) {
		text = a.Values[c]
	}
	v := numbers(a, []string{text})[0]
	return v, v, true
}

// FloatEnds is Ends for FLOAT64. Without a resolution the largest value is the float64 before the end of the bin,
// unless the bin is closed.
func (a *Attribute) FloatEnds(code Code) (lo, hi float64, ok bool) {
	c := int(code)
	if a.Type != Float64 || c >= a.Bins() {
		return 0, 0, false
	}
	if a.Learned > 0 {
		c = 0
	}
	g := newGrid(a, c)
	if g.resolution > 0 {
		return a.writtenFloat(&g, g.first), a.writtenFloat(&g, g.last), true
	}
	return g.lo, g.at(1<<64 - 1), true
}
