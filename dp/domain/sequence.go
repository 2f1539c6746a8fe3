package domain

import (
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Sequence declares that a person's records follow each other in the order of a column of numbers, dates or times.
//
// That column is not modelled. Its place among the attributes is taken by the gap since the record before, NULL in the
// first. Behind the usual values come the first value of the column, which belongs to the person, and of each remembered
// column its value in the record before, NULL ("none") in the first. The column is the sum of the first value and the gaps.
type Sequence struct {
	Column   string
	Previous []string // columns that are remembered; nil: all columns of events of at most 99 cells
	Strict   bool     // no two records of a person have the same value of Column

	Place    int       // of Column among the attributes of a record; WithSequence finds it
	Declared Attribute // Column as records have it; WithSequence finds it
}

// rememberedCells is of how many cells a column may be that is remembered by default: larger ones make, with their value in
// the record before, more than the 10,000 cells of the largest marginal of a default workload.
const rememberedCells = 99

func gapName(column string) string    { return "gap_" + column }
func firstName(column string) string  { return "first_" + column }
func beforeName(column string) string { return "before_" + column }

// Ordered reports whether the records of a person have an order.
func (d *Domain) Ordered() bool { return d != nil && d.Events != nil && d.Events.Sequence != nil }

// Gap returns the attribute of the gap since the record before. It is for domains of ordered records, as all below.
func (e *Events) Gap() int { return e.Sequence.Place }

// First returns the attribute of the first value of the column that orders the records.
func (e *Events) First() int { return e.Columns + 1 + len(e.Usual) }

// Before returns the attribute that holds the value, in the record before, of remembered column i.
func (e *Events) Before(i int) int { return e.First() + 1 + i }

// Remembered returns the attributes of the remembered columns.
func (d *Domain) Remembered() []int {
	return lists.Of(d.Events.Sequence.Previous, d.Index)
}

// added returns the number of attributes behind a record's.
func (e *Events) added() int {
	n := 1 + len(e.Usual)
	if e.Sequence != nil {
		n += 1 + len(e.Sequence.Previous)
	}
	return n
}

// WithSequence returns the domain of people, which WithEvents made of records, with an order, which takes the place of one that
// it has. The error lists all faults.
func (d *Domain) WithSequence(q Sequence) (*Domain, error) {
	var errs errtext.Errors
	d = d.unordered()
	d.sequenceFaults(&q, &errs)
	if errs.Err() != nil {
		return nil, errs.Err()
	}
	out := d.copied()
	events := *d.Events
	out.Events = &events
	q.Place = d.Index(q.Column)
	q.Declared = d.Attributes[q.Place]
	if q.Previous == nil {
		q.Previous = []string{}
		for a := range events.Columns {
			if a != q.Place && !d.OfPerson(a) && d.Attributes[a].Size() <= rememberedCells {
				q.Previous = append(q.Previous, d.Attributes[a].Name)
			}
		}
	}
	if at := slices.Index(events.Filled, q.Column); at >= 0 {
		events.Filled, q.Declared.Null = slices.Delete(slices.Clone(events.Filled), at, at+1), false
	}
	events.Sequence = &q
	first := q.Declared
	first.Name, first.Null, first.Coupling = firstName(q.Column), events.NoRows, nil
	out.Attributes[q.Place] = q.gap()
	out.Attributes = append(out.Attributes, first)
	for _, name := range q.Previous {
		a := d.Attributes[d.Index(name)]
		a.Null = a.Null && !slices.Contains(events.Filled, name)
		out.Attributes = append(out.Attributes, before(a))
	}
	out.StructuralZeros = out.linkSequence()
	return out, nil
}

// unordered returns the domain without what WithSequence made.
func (d *Domain) unordered() *Domain {
	if !d.Ordered() {
		return d
	}
	out, events, gap, first := *d, *d.Events, d.Events.Gap(), d.Events.First()
	out.Attributes = slices.Clone(d.Attributes[:first])
	out.Attributes[gap], events.Sequence, out.Events = events.Sequence.Declared, nil, &events
	out.StructuralZeros = slices.DeleteFunc(slices.Clone(d.StructuralZeros), func(x Exclusion) bool {
		return x.Clique.Contains(Clique{gap}) || x.Clique[len(x.Clique)-1] >= first
	})
	return &out
}

// gap returns the attribute of gaps. Value k of it is that many steps of the resolution, or one more if the first is 1.
func (q *Sequence) gap() Attribute {
	a, least := &q.Declared, int64(0)
	if q.Strict {
		least = 1
	}
	g := Attribute{Name: gapName(q.Column), Type: Int64, Null: true}
	steps := int64(a.steps())
	switch f := a.Type.Facts(); {
	case len(a.FloatCuts) > 0:
		g.Type, g.FloatResolution = Float64, a.FloatResolution
		g.FloatCuts = []float64{float64(least) * a.FloatResolution, float64(steps-1) * a.FloatResolution}
	case a.Type == Numeric:
		g.Type, g.Scale, g.Resolution = Numeric, a.Scale, a.Resolution
	case f.Day > 1: // in the longest unit that the resolution is a multiple of
		_, unit := q.unit()
		g.Resolution = a.Resolution / unit
	default:
		g.Resolution = a.Resolution
	}
	if g.Type != Float64 {
		g.Cuts = []int64{least * g.Resolution, (steps - 1) * g.Resolution}
	}
	if g.Learned = g.whole().Fine(); a.Learned > 0 {
		g.Learned = min(a.Learned, g.Learned)
	} else if err := g.learn(eachValue(g.Learned)); err != nil { // each value of the column is a cell, and so is each gap
		panic(err.Error())
	}
	return g
}

// unit returns the unit of gaps, with its length in native units. It has no name if the column is no point in time.
func (q *Sequence) unit() (name string, length int64) {
	day := q.Declared.Type.Facts().Day
	for i, parts := range [...]int64{1, 24, 1440, 86_400} {
		if day >= parts && q.Declared.Resolution%(day/parts) == 0 {
			return [...]string{"days", "hours", "minutes", "seconds"}[i], day / parts
		}
	}
	if day > 0 {
		return "microseconds", 1
	}
	return "", 1
}

// Unit returns the unit of gaps, such as "days"; "" if the column is no point in time.
func (q *Sequence) Unit() string {
	name, _ := q.unit()
	return name
}

// eachValue returns bins of one value each.
func eachValue(n int) LearnedBins {
	b := LearnedBins{Starts: make([]int, n)}
	for i := range b.Starts {
		b.Starts[i] = i
	}
	return b
}

// before returns the attribute that remembers a: its cells, then "none", which is NULL.
func before(a Attribute) Attribute {
	name := beforeName(a.Name)
	switch {
	case !a.Null:
		a.Null = true
	case a.Learned > 0: // by the number of the value, and NULL as one more
		a = Attribute{Cuts: []int64{0, int64(a.Fine())}, Resolution: 1, Learned: a.Learned + 1, Type: Int64, Null: true}
	default:
		a = Attribute{Cuts: EqualCuts(0, int64(a.Size()-1), a.Size()), Resolution: 1, Type: Int64, Null: true}
	}
	a.Name, a.Coupling, a.Runs, a.HasFallback, a.Fallback = name, nil, nil, false, 0
	return a
}

// steps returns how many values of an attribute records tell apart, if these are all multiples of its resolution; else 0.
func (a *Attribute) steps() int {
	if len(a.Values) > 0 || a.Bins() == 0 {
		return 0
	}
	if a.Learned > 0 {
		return a.Fine()
	}
	if len(a.FloatCuts) > 0 && a.FloatResolution == 0 {
		return 0
	}
	for b, of := range a.numbered() {
		if of[0] != b || of[1] != b+1 {
			return 0
		}
	}
	return a.Bins()
}

// BinsOf returns the attribute whose learned bins attribute a takes over, which is before a; -1 if it has bins of its own.
func (d *Domain) BinsOf(a int) int {
	if !d.Ordered() || a < d.Events.Before(0) || d.Attributes[a].Learned == 0 {
		return -1
	}
	return d.Index(d.Events.Sequence.Previous[a-d.Events.Before(0)])
}

// TakeBins returns the bins of attribute a, which takes over the bins of BinsOf(a).
func (d *Domain) TakeBins(a int, of LearnedBins) LearnedBins {
	x := &d.Attributes[a]
	out := LearnedBins{Attribute: a, Starts: slices.Clone(of.Starts), Runs: of.Runs}
	if len(out.Starts) < x.Learned {
		out.Starts = append(out.Starts, x.Fine()-1) // NULL in the record before
	}
	return out
}

// linkSequence returns the exclusions of d with those that a sequence adds: the gap and all that is remembered are NULL in
// the first record of a person, and in no other.
func (d *Domain) linkSequence() (out Exclusions) {
	e, q := d.Events, d.Events.Sequence
	gap, rows := e.Gap(), e.Columns
	for _, x := range d.StructuralZeros {
		if !x.Clique.Contains(Clique{gap}) { // what was said of the column of the same place, for people without rows
			out = append(out, x)
		}
	}
	null := func(a int) []Code { return []Code{Code(d.Attributes[a].Size() - 1)} }
	some := func(a int) []Code { return numbered(0, d.Attributes[a].Size()-1) }
	for i := range q.Previous {
		b := e.Before(i)
		out = append(out, Exclusion{Clique{gap, b}, [][]Code{null(gap), some(b)}}, Exclusion{Clique{gap, b}, [][]Code{some(gap), null(b)}})
	}
	cuts := d.Attributes[rows].Cuts
	alone := func(n int64) (Code, bool) { // the bin that holds n rows and no other number
		b := slices.Index(cuts, n)
		return Code(b), b >= 0 && b+2 < len(cuts) && cuts[b+1] == n+1
	}
	none := []int64{1}
	if e.NoRows {
		none = []int64{0, 1}
		out = append(out, Exclusion{Clique{rows, e.First()}, [][]Code{{0}, some(e.First())}},
			Exclusion{Clique{rows, e.First()}, [][]Code{numbered(1, d.Attributes[rows].Size()), null(e.First())}})
	}
	for _, n := range none { // no row follows another
		if b, ok := alone(n); ok || n == 0 {
			out = append(out, Exclusion{Clique{gap, rows}, [][]Code{some(gap), {b}}})
			for i := range q.Previous {
				out = append(out, Exclusion{Clique{rows, e.Before(i)}, [][]Code{{b}, some(e.Before(i))}})
			}
		}
	}
	return out
}

// sequenceFaults checks what is declared of the order of a person's records, if d has Events.
func (d *Domain) sequenceFaults(q *Sequence, errs *errtext.Errors) {
	e := d.Events
	if e == nil {
		errs.Addf("domain: events: order: a record has no other of the same person beside it; declare events")
		return
	}
	add := func(format string, args ...any) { errs.Addf("domain: events: order: "+format, args...) }
	d.orderFaults(q, add)
	d.previousFaults(q, errs)
	for _, name := range append([]string{gapName(q.Column), firstName(q.Column)}, names(q.Previous, beforeName)...) {
		if d.recorded(name) != nil || name == d.PrivacyID {
			add("column %q is called as what is made for the order; call it otherwise", name)
		}
	}
}

// recorded returns the attribute of records of a name; nil if no attribute has it.
func (d *Domain) recorded(name string) *Attribute {
	if a := d.Index(name); a >= 0 && a < d.Events.Columns {
		return &d.Attributes[a]
	}
	return nil
}

// orderFaults checks the column that orders records.
func (d *Domain) orderFaults(q *Sequence, add func(format string, args ...any)) {
	e, a := d.Events, d.recorded(q.Column)
	switch {
	case a == nil:
		add("no column is called %q; name a column of numbers, dates or times", q.Column)
		return
	case slices.Contains(e.Person, q.Column):
		add("column %q is a person column, which is the same in all rows; name one that changes from row to row", q.Column)
	case a.Type == Time || a.Type.Facts().Form == Text || a.Type == Bool:
		add("column %q is of type %s; a column of numbers, dates or times of a day is needed", q.Column, a.Type)
	case a.Null && !slices.Contains(e.Filled, q.Column):
		add("column %q can be NULL, and such a row would have no place; give the column a fallback instead of null: true", q.Column)
	case len(a.Values) > 0:
		add("column %q has listed values; give it min and max", q.Column)
	case a.steps() == 0:
		add("column %q has bins that hold several values, whose order would not be known; leave out bins, edges and step: its first value and the gaps have learned bins", q.Column)
	case a.steps() == 1:
		add("column %q has one value, so that all rows have the same place; widen its range", q.Column)
	case q.Strict && e.MaxRows > int64(a.steps()):
		add("strict: somebody with %d rows needs as many different values of column %q, which has %d; lower rows: max, widen the range, or leave strict out", e.MaxRows, q.Column, a.steps())
	}
	if slices.Contains(e.Usual, q.Column) {
		add("column %q is there under usual too; leave it out there", q.Column)
	}
	const computed = "column %q, which is computed from the first value and the gaps; leave it out of that"
	of := Clique{d.Index(q.Column)}
	if slices.ContainsFunc(d.StructuralZeros, func(x Exclusion) bool { return x.Clique.Contains(of) && x.Clique[len(x.Clique)-1] < e.Columns }) {
		add("an impossible combination names "+computed, q.Column)
	}
	if slices.ContainsFunc(d.Orders, func(o Order) bool { return slices.Contains(o.Columns, q.Column) }) {
		add("a constraint order names "+computed, q.Column)
	}
	if slices.ContainsFunc(d.Dates, func(p DateParts) bool { return slices.Contains([]string{p.Year, p.Month, p.Day}, q.Column) }) {
		add("a constraint date names "+computed, q.Column)
	}
}

// previousFaults checks the columns that are remembered.
func (d *Domain) previousFaults(q *Sequence, errs *errtext.Errors) {
	for i, name := range q.Previous {
		what := fmt.Sprintf("domain: events: previous: column %q", name)
		switch {
		case d.recorded(name) == nil:
			errs.Addf("domain: events: previous: no column is called %q", name)
		case slices.Contains(q.Previous[:i], name):
			errs.Addf("%s is there twice; keep one", what)
		case name == q.Column:
			errs.Addf("%s is the one that orders the rows, and the gap since the row before is kept anyway; leave it out", what)
		case slices.Contains(d.Events.Person, name):
			errs.Addf("%s is a person column, which is the same in the row before; leave it out", what)
		case d.recorded(name).Size() >= MaxSize:
			errs.Addf("%s has %d cells, and needs one more for the first row; use fewer", what, d.recorded(name).Size())
		}
	}
}

func names(list []string, of func(string) string) []string {
	return lists.Of(list, of)
}

// sequenced reports whether the attributes are those that WithSequence makes.
func (d *Domain) sequenced() bool {
	e, q := d.Events, d.Events.Sequence
	if q.Place < 0 || q.Place >= e.Columns || q.Declared.Name != q.Column || q.Declared.Validate() != nil || q.Declared.steps() < 2 ||
		d.Attributes[q.Place].Name != gapName(q.Column) || !d.Attributes[q.Place].Null || d.Attributes[e.First()].Name != firstName(q.Column) {
		return false
	}
	for i, name := range q.Previous {
		if a := d.Index(name); a < 0 || a >= e.Columns || a == q.Place || d.OfPerson(a) || d.Attributes[e.Before(i)].Name != beforeName(name) || !d.Attributes[e.Before(i)].Null {
			return false
		}
	}
	return true
}

// Inside finds values in the cells of an attribute that has bins.
type Inside struct {
	bins   [][2]int // the values of each bin, by number: from the first to before the second
	runs   *Distribution
	shares [][2]float64 // of the values before both ends of each bin
}

// NewInside returns the inside of an attribute whose bins need no learning.
func NewInside(a *Attribute) *Inside {
	s := &Inside{bins: a.numbered(), runs: a.Distribution()}
	for _, b := range s.bins {
		if s.runs != nil {
			s.shares = append(s.shares, [2]float64{s.runs.Below(float64(b[0])), s.runs.Below(float64(b[1]))})
		}
	}
	return s
}

// Value returns the number of a value of the cell, for a uniform position from 0 to 1 by the learned distribution.
func (s *Inside) Value(code Code, position float64) int64 {
	b := s.bins[code]
	if s.runs != nil {
		return int64(s.runs.draw(b[0], b[1], s.shares[code][0], s.shares[code][1], position))
	}
	return int64(min(b[0]+int(position*float64(b[1]-b[0])), b[1]-1))
}
