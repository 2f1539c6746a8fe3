package domain

import (
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Events declares that a privacy unit, a person, has several records, and that people are to be written with theirs.
//
// The attributes of such a domain are a record's, then RowsPerPerson, then one for each column of Usual. What is
// modelled are a person's records, each together with what is known of all of them. They share the weight 1, so that a
// person weighs as much as any other, whatever the number of records.
type Events struct {
	Columns int      // number of attributes of a record; they come first
	Person  []string // those that do not change within a person; the others are of each event
	Usual   []string // columns of events whose commonest value for a person is modelled too
	MaxRows int64    // nobody is written with more rows; people with more count as having so many

	// NoRows: people without rows exist. The people then stand in a table of their own, which has the columns of
	// Person, and columns of events are NULL of people without rows: for Filled that is so of them alone.
	NoRows bool     `json:",omitempty"`
	Filled []string `json:",omitempty"`

	Sequence *Sequence `json:",omitempty"` // the order of a person's records; nil: they have none
}

// RowsPerPerson names the attribute that holds the number of a person's records.
const RowsPerPerson = "rows_per_person"

// MaxRowsPerPerson is the largest Events.MaxRows.
const MaxRowsPerPerson = 1 << 20

// eventWeightBits: see WeightBits. On this grid a person shows 4096 different rows, and a table counts 2^28 people.
const eventWeightBits = 12

// WeightBits returns k if records have weights in steps of 2^-k, adding up to exactly 1 for a privacy unit; 0 if a
// unit is one record, of weight 1.
func (d *Domain) WeightBits() int {
	if d.Events == nil {
		return 0
	}
	return eventWeightBits
}

// usualName names the attribute that holds the commonest value of a column.
func usualName(column string) string { return "usual_" + column }

// WithEvents returns a domain of records as one of people: d has the columns of a record, and cuts are the least numbers
// of rows of each bin, ascending from 1, or from 0 if people without rows exist. The error lists all faults.
func (d *Domain) WithEvents(person, usual []string, cuts []int64, maxRows int64) (*Domain, error) {
	out := d.copied()
	out.Events = &Events{Columns: d.Len(), Person: person, Usual: usual, MaxRows: maxRows}
	rows := Attribute{Name: RowsPerPerson, Type: Int64, Cuts: append(slices.Clone(cuts), maxRows), Resolution: 1, HasFallback: true}
	out.Attributes = append(out.Attributes, rows)
	if len(cuts) > 0 && cuts[0] == 0 {
		out.Events.NoRows = true
		out.fill()
	}
	for _, name := range usual {
		if i := d.Index(name); i >= 0 {
			a := out.Attributes[i]
			a.Name, a.Coupling = usualName(name), nil
			out.Attributes = append(out.Attributes, a)
		}
	}
	var errs errtext.Errors
	out.events(&errs)
	if errs.Err() == nil && out.Events.NoRows {
		out.StructuralZeros = out.excludeRows()
	}
	if errs.Err() == nil && len(usual) > 0 {
		out.StructuralZeros = slices.Concat(out.StructuralZeros, out.excludeUnusual())
	}
	return out, errs.Err()
}

// usualCells is of how many cells a usual column may have exclusions: each cell excludes all others.
const usualCells = 64

// excludeUnusual returns that in the only row of a person is what is usual. Without it a model makes people with few rows
// as alike to themselves as it finds those with one, who cannot be otherwise.
func (d *Domain) excludeUnusual() (out Exclusions) {
	rows := d.Events.Columns
	cuts := d.Attributes[rows].Cuts
	one := slices.Index(cuts, 1)
	if one < 0 || one+2 == len(cuts) || cuts[one+1] != 2 { // the last bin holds larger numbers too
		return nil
	}
	for i, name := range d.Events.Usual {
		a, u := d.Index(name), rows+1+i
		k := d.Attributes[a].Size()
		if k == 1 || k > usualCells {
			continue
		}
		for v := range k {
			others := slices.Concat(numbered(0, v), numbered(v+1, k))
			out = append(out, Exclusion{Clique{a, rows, u}, [][]Code{others, {Code(one)}, {Code(v)}}})
		}
	}
	return out
}

// fill makes NULL a cell of every column of events, for people without rows.
func (d *Domain) fill() {
	for i := range d.Events.Columns {
		if a := &d.Attributes[i]; !a.Null && !d.OfPerson(i) {
			a.Null, d.Events.Filled = true, append(d.Events.Filled, a.Name)
		}
	}
}

// excludeRows returns what d excludes of people with rows alone, and that columns of events have a value if and only if
// there are rows.
func (d *Domain) excludeRows() (out Exclusions) {
	rows := d.Events.Columns
	null := func(a int) Code { return Code(d.Attributes[a].Size() - 1) }
	some := numbered(1, d.Attributes[rows].Size())
	for _, e := range d.StructuralZeros {
		ofNone := false // a column of events may be NULL
		for i, a := range e.Clique {
			ofNone = ofNone || !d.OfPerson(a) && slices.Contains(e.Codes[i], null(a))
		}
		if ofNone {
			e = Exclusion{append(slices.Clone(e.Clique), rows), append(slices.Clone(e.Codes), some)}
		}
		out = append(out, e)
	}
	for a := range d.Attributes {
		column := d.Attributes[a].Name
		if a > rows {
			column = d.Events.Usual[a-rows-1]
		} else if a == rows || d.OfPerson(a) {
			continue
		}
		exclude := func(codes, rowsCodes []Code) {
			if a < rows {
				out = append(out, Exclusion{Clique{a, rows}, [][]Code{codes, rowsCodes}})
			} else {
				out = append(out, Exclusion{Clique{rows, a}, [][]Code{rowsCodes, codes}})
			}
		}
		exclude(numbered(0, int(null(a))), []Code{0})
		if slices.Contains(d.Events.Filled, column) {
			exclude([]Code{null(a)}, some)
		}
	}
	return out
}

// numbered returns from … to−1.
func numbered(from, to int) (codes []Code) {
	for c := from; c < to; c++ {
		codes = append(codes, Code(c))
	}
	return codes
}

// ofRows reports whether an exclusion is of those that excludeRows, excludeUnusual and linkSequence add, or that excludeRows
// has changed.
func (e *Exclusion) ofRows(rows int) (added, changed bool) {
	if !e.Clique.Contains(Clique{rows}) {
		return e.Clique[len(e.Clique)-1] > rows, false // what is remembered
	}
	usual := e.Clique[len(e.Clique)-1] > rows
	return len(e.Clique) == 2 || usual, len(e.Clique) > 2 && !usual
}

// EqualRatioCuts returns the least numbers of rows of bins each half as wide again as the one before it. The last bin is
// maxRows alone, of people with so many rows or more.
func EqualRatioCuts(maxRows int64) (cuts []int64) {
	for c := int64(1); c < maxRows; c = max(c+1, c*3/2) {
		cuts = append(cuts, c)
	}
	if n := len(cuts); n > 5 && maxRows < cuts[n-1]+cuts[n-1]/4 { // the one before it would be narrow
		cuts = cuts[:n-1]
	}
	return append(cuts, maxRows)
}

// events checks what belongs to Events.
func (d *Domain) events(errs *errtext.Errors) {
	e := d.Events
	if e == nil {
		return
	}
	if e.Columns < 1 || e.Columns+e.added() != d.Len() || d.Attributes[e.Columns].Name != RowsPerPerson || e.Sequence != nil && !d.sequenced() {
		d.eventsFaults(errs)
		if errs.Err() == nil {
			errs.Addf("domain: events: the columns are not a record's own, %s, one for each usual column, and what an order adds", RowsPerPerson)
		}
		return
	}
	d.eventsFaults(errs)
}

func (d *Domain) eventsFaults(errs *errtext.Errors) {
	e := d.Events
	if d.PrivacyID == "" {
		errs.Addf("domain: events: no privacy ID, so that nobody knows whose records are whose; declare one")
	}
	if e.MaxRows < 1 || e.MaxRows > MaxRowsPerPerson {
		errs.Addf("domain: events: at most %d rows of a person; want 1 to 2^20 = %d", e.MaxRows, MaxRowsPerPerson)
	}
	if e.NoRows && len(e.Person) == 0 {
		errs.Addf("domain: events: people without rows exist, and no column is one of a person; name some under person")
	}
	records := slices.Clone(d.Attributes[:max(0, min(e.Columns, d.Len()))])
	if q := e.Sequence; q != nil && q.Place >= 0 && q.Place < len(records) {
		records[q.Place] = q.Declared
	}
	find := func(name string) *Attribute {
		if i := slices.IndexFunc(records, func(a Attribute) bool { return a.Name == name }); i >= 0 {
			return &records[i]
		}
		return nil
	}
	e.columnsFaults(find, len(records), errs)
	if find(RowsPerPerson) != nil {
		errs.Addf("domain: events: column %q is called as what is made for the number of rows; call it otherwise", RowsPerPerson)
	}
	d.eventsRelations(errs)
}

// columnsFaults finds what is wrong with the lists of columns; find returns a column of the records by its name.
func (e *Events) columnsFaults(find func(string) *Attribute, records int, errs *errtext.Errors) {
	for i, name := range e.Person {
		switch {
		case find(name) == nil:
			errs.Addf("domain: events: person: no column is called %q", name)
		case slices.Contains(e.Person[:i], name):
			errs.Addf("domain: events: person: column %q is there twice; keep one", name)
		}
	}
	if len(e.Person) >= records {
		errs.Addf("domain: events: person: names every column, so that no column is left for the events; leave out those that change from row to row")
	}
	for i, name := range e.Usual {
		a := find(name)
		switch {
		case a == nil:
			errs.Addf("domain: events: usual: no column is called %q", name)
		case slices.Contains(e.Usual[:i], name):
			errs.Addf("domain: events: usual: column %q is there twice; keep one", name)
		case slices.Contains(e.Person, name):
			errs.Addf("domain: events: usual: column %q is a person column, which is the same in all rows; leave it out", name)
		case a.Learned > 0:
			errs.Addf("domain: events: usual: the bins of column %q are learned; give it bins, edges or values", name)
		case find(usualName(name)) != nil:
			errs.Addf("domain: events: usual: column %q is called as what is made for %q; call it otherwise", usualName(name), name)
		}
	}
}

// eventsRelations finds constraints and computed columns that events have no place for.
func (d *Domain) eventsRelations(errs *errtext.Errors) {
	e := d.Events
	person := func(name string) bool { return slices.Contains(e.Person, name) }
	for _, o := range d.Orders {
		if slices.ContainsFunc(o.Columns, person) {
			errs.Addf("domain: events: an order names a person column; only orders of event columns hold in every row")
		}
	}
	for _, c := range d.Dates {
		if slices.ContainsFunc([]string{c.Year, c.Month, c.Day}, person) {
			errs.Addf("domain: events: a date names a person column; only dates of event columns hold in every row")
		}
	}
	made := func(kind, name string) {
		switch {
		case name == d.PrivacyID:
			errs.Addf("domain: events: %s column %q is the privacy ID, which numbers the people; leave it out", kind, name)
		case name == RowsPerPerson || slices.ContainsFunc(e.Usual, func(u string) bool { return usualName(u) == name }):
			errs.Addf("domain: events: %s column %q is called as what is made of all rows of a person; call it otherwise", kind, name)
		}
	}
	for _, c := range d.Derived {
		made("derived", c.Column.Name)
	}
	for _, g := range d.Generated {
		made("generated", g.Column)
	}
}

// Recorded returns the domain of the records as they are read; d itself, unless it is one of people or has gaps.
func (d *Domain) Recorded() *Domain { return d.Modelled().WithoutGaps() }

// Modelled returns the domain of the records as a model has them: Recorded, with gaps in place of columns.
func (d *Domain) Modelled() *Domain {
	if d.Events == nil {
		return d
	}
	out := new(Domain)
	*out = *d
	out.Attributes, out.Events, out.StructuralZeros = slices.Clone(d.Attributes[:d.Events.Columns]), nil, nil
	computed := -1
	if q := d.Events.Sequence; q != nil {
		computed, out.Attributes[q.Place] = q.Place, q.Declared
	}
	for _, e := range d.StructuralZeros {
		added, changed := e.ofRows(d.Events.Columns)
		if n := len(e.Clique) - 1; changed {
			e.Clique, e.Codes = e.Clique[:n], e.Codes[:n]
		}
		if !added {
			out.StructuralZeros = append(out.StructuralZeros, e)
		}
	}
	for i := range out.Attributes {
		if slices.Contains(d.Events.Filled, out.Attributes[i].Name) {
			out.Attributes[i].Null = false
		}
		// A value of the person does not follow one of an event.
		unknown := func(a int) bool { return a >= len(out.Attributes) || a == computed || d.OfPerson(i) && !d.OfPerson(a) }
		if c := out.Attributes[i].Coupling; c != nil && slices.ContainsFunc(c.others(), unknown) {
			out.Attributes[i].Coupling = nil
		}
	}
	return out
}

// OfPerson reports whether attribute a is the same in all rows of a person. It is for domains with Events.
func (d *Domain) OfPerson(a int) bool {
	e := d.Events
	return a >= e.Columns && (e.Sequence == nil || a < e.Before(0)) || slices.Contains(e.Person, d.Attributes[a].Name)
}

// Split returns the columns of d, a record's columns, that people have and that their rows have, and which they
// are: the columns of the table of people and of the table of rows, if there are two.
func (e *Events) Split(d *Domain) (people, rows *Domain, ofPeople, ofRows []int) {
	people, rows = &Domain{PrivacyID: d.PrivacyID}, &Domain{PrivacyID: d.PrivacyID}
	for i, a := range d.Attributes {
		a.Coupling = nil // places change
		if slices.Contains(e.Person, a.Name) {
			people.Attributes, ofPeople = append(people.Attributes, a), append(ofPeople, i)
		} else {
			rows.Attributes, ofRows = append(rows.Attributes, a), append(ofRows, i)
		}
	}
	return people, rows, ofPeople, ofRows
}
