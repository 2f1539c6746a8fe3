package domain

import (
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// gap declares that an attribute holds how far a column lies above those before it in an Order.
// The column is the largest of those plus the gap, so that rows are in order and small gaps have bins of their own. A record
// that is out of order has the gap 0. Where all columns before it are NULL, the gap counts from the least value of all.
type gap struct {
	Place    int       // of the attribute, called gap_ and the name of the column
	Declared Attribute // the column as records have it
	After    []int     // the columns before it in the order
}

// WithGaps returns the domain of records with a gap for each column but the first of each order whose records tell single values
// of its columns apart: numbers, dates and times of one type and resolution that are in one order alone, and whose max does not
// descend. Orders with a column of others, a date or an impossible combination remain as they are.
func (d *Domain) WithGaps(others []string) *Domain {
	for _, p := range d.Dates {
		others = append(others, p.Year, p.Month, p.Day)
	}
	for _, e := range d.StructuralZeros {
		for _, a := range e.Clique {
			others = append(others, d.Attributes[a].Name)
		}
	}
	out := d.copied()
	for i, o := range d.Orders {
		rest := slices.Concat(d.Orders[:i], d.Orders[i+1:])
		elsewhere := func(name string) bool {
			return slices.ContainsFunc(rest, func(o Order) bool { return slices.Contains(o.Columns, name) })
		}
		if len(o.Columns) < 2 || slices.ContainsFunc(o.Columns[1:], func(name string) bool { return slices.Contains(others, name) }) || slices.ContainsFunc(o.Columns, elsewhere) {
			continue
		}
		var list []gap
		var gaps []Attribute
		for k, name := range o.Columns {
			a := d.Index(name)
			if k > 0 {
				list = append(list, gap{a, d.Attributes[a], nil})
				for _, before := range o.Columns[:k] {
					list[k-1].After = append(list[k-1].After, d.Index(before))
				}
			}
		}
		for k := range list {
			if d.comparable(&list[k]) {
				gaps = append(gaps, d.gapOf(&list[k]))
			}
		}
		if len(gaps) < len(list) || slices.ContainsFunc(gaps, func(a Attribute) bool { return a.Fine() > MaxFine || d.Index(a.Name) >= 0 || d.PrivacyID == a.Name }) {
			continue
		}
		for k, g := range list {
			out.Attributes[g.Place] = gaps[k]
		}
		out.Gaps = append(out.Gaps, list...)
	}
	return out
}

// WithoutGaps returns d with the columns that gaps stand for; d itself without gaps.
func (d *Domain) WithoutGaps() *Domain {
	if len(d.Gaps) == 0 {
		return d
	}
	out := d.copied()
	out.Gaps = nil
	for _, g := range d.Gaps {
		out.Attributes[g.Place] = g.Declared
	}
	return out.uncoupled() // places are of other columns
}

// comparable reports whether records have the difference of a column and those before it.
func (d *Domain) comparable(g *gap) bool {
	x := &g.Declared
	if x.Type == Float64 || len(x.Exact) > 0 || x.steps() == 0 {
		return false
	}
	_, most := x.span()
	for _, a := range g.After {
		y := d.declared(a)
		if y.Type != x.Type || y.Scale != x.Scale || y.Resolution != x.Resolution || len(y.Exact) > 0 || y.steps() == 0 {
			return false
		}
		if _, last := y.span(); last > most {
			return false
		}
	}
	return true
}

// rangeOf returns the least and the largest value of all columns of a gap, in steps of the resolution.
func (d *Domain) rangeOf(g *gap) (first, last int64) {
	first, last = g.Declared.span()
	for _, a := range g.After {
		lo, _ := d.declared(a).span()
		first = min(first, lo)
	}
	return first, last
}

// declared returns the column that stands in place a of records.
func (d *Domain) declared(a int) *Attribute {
	for i := range d.Gaps {
		if d.Gaps[i].Place == a {
			return &d.Gaps[i].Declared
		}
	}
	return &d.Attributes[a]
}

// gapOf returns the attribute of a gap.
func (d *Domain) gapOf(g *gap) Attribute {
	wide := g.Declared
	first, last := d.rangeOf(g)
	wide.Cuts = []int64{first * wide.Resolution, last * wide.Resolution}
	wide.Learned, wide.Runs, wide.Coupling = max(wide.Learned, DefaultLearned), nil, nil
	if n := last - first + 1; g.Declared.Learned == 0 && n > 0 && n <= int64(2*g.Declared.Bins()) { // a cell for each value
		wide.Learned = int(n)
		if err := wide.learn(eachValue(int(n))); err != nil {
			panic(err.Error())
		}
	}
	out := (&Sequence{Column: wide.Name, Declared: wide}).gap()
	out.Null, out.HasFallback = wide.Null, !wide.Null
	return out
}

// toGaps replaces the codes of the columns of a record, in place, by its gaps.
func (d *Domain) toGaps(record []Code) {
	for i := range slices.Backward(d.Gaps) { // columns behind others first: each is computed from columns
		g := &d.Gaps[i]
		first, _ := d.rangeOf(g)
		x, ok := value(&g.Declared, record[g.Place])
		if !ok {
			record[g.Place] = Code(d.Attributes[g.Place].RecordSize() - 1)
			continue
		}
		base := first
		for _, a := range g.After {
			if y, ok := value(d.declared(a), record[a]); ok {
				base = max(base, y)
			}
		}
		record[g.Place] = Code(max(x-base, 0))
	}
}

// value returns the value of a code of a record, in steps of the resolution; ok is false for NULL.
func value(a *Attribute, code Code) (x int64, ok bool) {
	first, _ := a.span()
	return first + int64(code), !a.Null || int(code) != a.RecordSize()-1
}

// ToGaps replaces the codes of columns of records, as Recorded says them, by the codes of d.
func (d *Domain) ToGaps(codes []Code, columns int) {
	for ; len(d.Gaps) > 0 && len(codes) > 0; codes = codes[columns:] {
		d.toGaps(codes)
	}
}

// fromGaps computes the columns that gaps stand for in the rows of c.
func (d *Domain) fromGaps(c *Chunk) {
	for i := range d.Gaps {
		g := &d.Gaps[i]
		_, unit := (&Sequence{Declared: g.Declared}).unit()
		first, last := d.rangeOf(g)
		col := &c.Columns[g.Place]
		for row := range c.Rows {
			base, most := first*g.Declared.Resolution, last*g.Declared.Resolution
			for _, a := range g.After {
				if !c.Columns[a].Null(row) {
					base = max(base, c.Columns[a].Ints[row])
				}
			}
			if !col.Null(row) {
				col.Ints[row] = max(base, min(base+col.Ints[row]*unit, most))
			}
		}
	}
}

// Above returns the column of the i-th gap, in its own units: the largest of before, the columns that it lies above, and the gap.
// before reports a column that is NULL.
func (d *Domain) Above(i int, gap float64, before func(column int) (x float64, ok bool)) float64 {
	g := &d.Gaps[i]
	_, unit := (&Sequence{Declared: g.Declared}).unit()
	first, last := d.rangeOf(g)
	base := float64(first * g.Declared.Resolution)
	for _, a := range g.After {
		if x, ok := before(a); ok {
			base = max(base, x)
		}
	}
	return min(base+gap*float64(unit), float64(last*g.Declared.Resolution))
}

// GapNames returns the names of the attributes from which a column is computed, none if it is a column of no gap.
func (d *Domain) GapNames(column string) (names []string) {
	for i := range d.Gaps {
		if g := &d.Gaps[i]; g.Declared.Name == column {
			names = []string{d.declared(g.After[len(g.After)-1]).Name, d.Attributes[g.Place].Name}
		}
	}
	return names
}

// gapsFaults checks what belongs to Gaps.
func (d *Domain) gapsFaults(errs *errtext.Errors) {
	for i := range d.Gaps {
		g := &d.Gaps[i]
		ok := len(g.After) > 0 && g.Declared.Validate() == nil
		for _, a := range append([]int{g.Place}, g.After...) {
			ok = ok && a >= 0 && a < d.Len()
		}
		if ok = ok && !slices.Contains(g.After, g.Place) && len(g.Declared.Cuts) > 1; ok {
			for _, a := range g.After {
				y := d.declared(a)
				ok = ok && y.Type == g.Declared.Type && y.Resolution == g.Declared.Resolution && len(y.Cuts) > 1
			}
		}
		if ok {
			is, want := d.Attributes[g.Place].Cuts, d.gapOf(g)
			ok = d.Attributes[g.Place].Name == want.Name && len(is) > 1 && want.Cuts[0] == is[0] && want.Cuts[len(want.Cuts)-1] == is[len(is)-1]
		}
		if !ok {
			errs.Addf("domain: the gap of column %q does not match the columns; make it by WithGaps", g.Declared.Name)
		}
	}
}
