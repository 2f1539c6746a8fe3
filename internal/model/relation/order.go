package relation

import (
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// orders reads what d declares of the order of attributes: which are at most which others, directly or not.
func (p *Plan) orders() {
	n := p.d.Len()
	if len(p.d.Orders) == 0 {
		return
	}
	p.before = make([][]bool, n)
	for a := range p.before {
		p.before[a] = make([]bool, n)
	}
	for i := range p.d.Orders {
		list := p.listOf(i)
		for k := 1; k < len(list); k++ {
			a, b := list[k-1], list[k]
			if why := p.incomparable(a, b); why != "" {
				p.fault(Order, i, "%s", why)
				continue
			}
			p.join(a, b)
			if p.before[b][a] {
				p.fault(Order, i, "%q and %q would be equal in every row, by this and other entries; derive one from the other instead", p.columns[a].Name, p.columns[b].Name)
				return
			}
		}
	}
	p.scales = make([]scale, n)
	for a := range n {
		if slices.Contains(p.before[a], true) || slices.ContainsFunc(p.before, func(to []bool) bool { return to[a] }) {
			p.scales[a] = p.newScale(a)
			p.members = append(p.members, a)
		}
	}
	p.members = p.sorted(p.members)
	if len(p.faults) == 0 {
		p.ranges()
		p.steady()
	}
	for b := range n {
		for a := range n {
			if p.before[a][b] {
				p.pairs = append(p.pairs, [2]int{a, b})
			}
		}
	}
}

// listOf returns the columns of one order, or nil after a fault.
func (p *Plan) listOf(i int) (members []int) {
	names := p.d.Orders[i].Columns
	if len(names) < 2 {
		p.fault(Order, i, "at least two columns are needed, such as [start, end]")
		return nil
	}
	for k, name := range names {
		switch a := p.d.Index(name); {
		case slices.Contains(names[:k], name):
			p.fault(Order, i, "column %q appears twice; leave one out", name)
			return nil
		case a >= 0:
			members = append(members, a)
		case slices.ContainsFunc(p.d.Derived, func(d domain.Derived) bool { return d.Column.Name == name }):
			p.fault(Order, i, "column %q is derived; declare the order of the columns that it is computed from", name)
		default:
			_, err := p.find(name)
			p.fault(Order, i, "%v", err)
		}
	}
	if len(members) < len(names) {
		return nil
	}
	return members
}

// join declares that a is at most b, with all that follows.
func (p *Plan) join(a, b int) {
	for x := range p.before {
		for y := range p.before {
			if (x == a || p.before[x][a]) && (y == b || p.before[b][y]) {
				p.before[x][y] = true
			}
		}
	}
}

// ordered reports whether a is declared to be at most b.
func (p *Plan) ordered(a, b int) bool {
	return a < len(p.before) && b < len(p.before) && p.before[a][b]
}

// incomparable says why two columns have no order between them; empty: they have one.
func (p *Plan) incomparable(a, b int) string {
	x, y := &p.columns[a], &p.columns[b]
	number := func(t domain.Type) bool { return t == domain.Int64 || t == domain.Numeric }
	switch {
	case x.Type == domain.String || x.Type == domain.Bool:
		return fmt.Sprintf("column %q is a %v, which has no order", x.Name, x.Type)
	case x.Type != y.Type && !(number(x.Type) && number(y.Type)):
		return fmt.Sprintf("column %q has type %v and column %q %v; one kind is needed", x.Name, x.Type, y.Name, y.Type)
	case !slices.Equal(x.FloatExact, y.FloatExact):
		return fmt.Sprintf("columns %q and %q have different exact values, which float64 have to share to be comparable; declare the same, or NUMERIC", x.Name, y.Name)
	case x.Type == domain.Float64 && x.FloatResolution != y.FloatResolution:
		return fmt.Sprintf("columns %q and %q have different resolutions, in which float64 are not comparable; declare one, or NUMERIC", x.Name, y.Name)
	}
	return ""
}

// ranges checks that the ranges of ordered columns leave them room.
func (p *Plan) ranges() {
	p.each(func(i, a, b int) {
		x, y := &p.scales[a], &p.scales[b]
		if x.least == math.MinInt64 || x.most == math.MaxInt64 || y.least == math.MinInt64 || y.most == math.MaxInt64 {
			p.fault(Order, i, "columns %q and %q are too large to be compared at their resolutions; narrow their ranges", p.columns[a].Name, p.columns[b].Name)
		}
		if x.least > y.most {
			p.fault(Order, i, "the least value of column %q is above the largest of column %q; no row could have both", p.columns[a].Name, p.columns[b].Name)
		}
	})
}

// steady checks that a column between two others can take a value wherever they leave room: all values of one of them
// are its own.
func (p *Plan) steady() {
	p.each(func(i, a, c int) {
		for b := range p.before {
			if !p.before[a][b] || !p.before[b][c] || p.columns[b].Type == domain.Float64 {
				continue
			}
			x, y, z := &p.scales[a], &p.scales[b], &p.scales[c]
			switch {
			case y.list != nil || y.contains(x) || y.contains(z):
			case x.step%y.step != 0 && z.step%y.step != 0:
				p.fault(Order, i, "the resolution of column %q divides neither the one of %q nor the one of %q, which it stands between; make it finer", p.columns[b].Name, p.columns[a].Name, p.columns[c].Name)
			default:
				p.fault(Order, i, "column %q stands between %q and %q and has other exact values than they; declare the same, and one resolution", p.columns[b].Name, p.columns[a].Name, p.columns[c].Name)
			}
		}
	})
}

// each visits all pairs in order with the entry that has both, or the last one if none has.
func (p *Plan) each(visit func(i, a, b int)) {
	for a := range p.before {
		for b := range p.before[a] {
			if !p.before[a][b] {
				continue
			}
			i := slices.IndexFunc(p.d.Orders, func(o domain.Order) bool {
				return slices.Contains(o.Columns, p.columns[a].Name) && slices.Contains(o.Columns, p.columns[b].Name)
			})
			if i < 0 {
				i = len(p.d.Orders) - 1
			}
			visit(i, a, b)
		}
	}
}
