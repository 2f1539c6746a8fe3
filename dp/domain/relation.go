package domain

import (
	"cmp"
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Derived is a column that is computed from others in every row written. It is not modelled: it is not an attribute,
// uses no budget, and need not be in a table that is read. Exactly one of From, Sum and Map is set. They name
// columns, which are attributes or derived themselves. A derived value is NULL if a value that it is computed from
// is.
type Derived struct {
	Column Attribute // name, type and declared values; Null: it can be NULL
	Place  int       // position among the columns written, without generated columns

	From string   `json:",omitempty"` // an expression such as "time / 100", or with Map the column that is looked up
	With string   `json:",omitempty"` // the second column that Map looks up; empty: From alone
	Sum  []string `json:",omitempty"` // the columns to add up
	Map  []Pair   `json:",omitempty"` // the value of each value of From, or pair of values of From and With, as canonical texts
	Else *string  `json:",omitempty"` // the value if Map has no entry; nil: it has all
}

// Pair is one entry of a map of values, of two columns with both values.
type Pair struct {
	From, To string
	With     string `json:",omitempty"`
}

// Order declares that values do not descend along Columns, attributes of one kind, in any row written. A NULL
// satisfies it, as in a CHECK of SQL.
type Order struct{ Columns []string }

// DateParts declares that three INT64 attributes are a day of the calendar in every row written: no 30th of February.
// Without a year, which is NULL then, the 29th of February is allowed; without a month or a day nothing is checked.
type DateParts struct{ Year, Month, Day string }

// Generated is a column of keys that are made up for the rows written, independently of the data: "uuid", "serial",
// a pattern such as "AB-####", in which # is a digit and ? a capital letter, or a kind of names such as "email".
type Generated struct{ Column, As string }

// LayOut orders the columns that are written as a table with columns of these names has them. A column that the table
// lacks stays behind the one before it, keys apart. Without it the order is Written's.
func (d *Domain) LayOut(table []string) {
	place := make(map[string]int, len(table))
	for i, name := range table {
		if _, seen := place[name]; !seen { // of two tables the first has the ID
			place[name] = i
		}
	}
	names, before := d.standard().Names(), -1
	for _, name := range names {
		k, known := place[name]
		key := slices.ContainsFunc(d.Generated, func(g Generated) bool { return g.Column == name })
		if !known {
			place[name] = before
		} else if !key {
			before = k
		}
	}
	layout := slices.Clone(names)
	slices.SortStableFunc(layout, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
	if d.Layout = layout; slices.Equal(layout, names) {
		d.Layout = nil
	}
}

// LayOutTables is LayOut for people and their rows that are read from two tables: one that is written of rows alone has the
// number of the person where the table of rows has it.
func (d *Domain) LayOutTables(people, rows []string) {
	d.LayOut(slices.Concat(people, rows))
	d.KeyBehind = ""
	for _, name := range rows {
		if name == d.PrivacyID {
			return
		}
		if !slices.Contains(d.Events.Person, name) && slices.Contains(d.standard().Names(), name) {
			d.KeyBehind = name
		}
	}
	d.KeyBehind = ""
}

// Arrangement returns of each column written its position without Layout; nil if Layout changes nothing.
func (d *Domain) Arrangement() []int {
	if len(d.Layout) == 0 {
		return nil
	}
	place := make(map[string]int, len(d.Layout))
	for i, name := range d.Layout {
		place[name] = i
	}
	names := d.standard().Names()
	order := All(len(names))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place[names[a]], place[names[b]]) })
	return order
}

// Arranged returns a list in the order of an Arrangement.
func Arranged[T any](order []int, list []T) []T {
	if order == nil {
		return list
	}
	return lists.Of(order, func(from int) T { return list[from] })
}

// Written returns the domain of the rows that are written: generated columns, then attributes and derived columns, each
// in its place, unless Layout has another order. It is d if there is nothing to add. With Events the number of the
// person is among them, before the others unless Layout has another place for it, under the name of the privacy ID.
func (d *Domain) Written() *Domain {
	w, order := d.standard(), d.Arrangement()
	if order == nil {
		return w
	}
	w = &Domain{Attributes: Arranged(order, w.Attributes)}
	return w.uncoupled() // places change, and rows that are written are decoded before
}

// standard is Written without Layout.
func (d *Domain) standard() *Domain {
	if d.Events != nil {
		w := *d.Recorded().standard()
		number := Attribute{Name: d.PrivacyID, Type: Int64, Cuts: []int64{1, 1 << 40}, Resolution: 1}
		w.Attributes, w.PrivacyID = slices.Insert(slices.Clone(w.Attributes), 0, number), ""
		return &w
	}
	if d = d.Recorded(); len(d.Derived) == 0 && len(d.Generated) == 0 {
		return d
	}
	w := (&Domain{Attributes: slices.Clone(d.Attributes)}).uncoupled() // as in Written
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
	w.Attributes = append(keys, w.Attributes...)
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
