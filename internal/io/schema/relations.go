package schema

import (
	"errors"
	"math/big"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"go.yaml.in/yaml/v3"
)

// computed is a derived column that is also declared among the columns.
type computed struct {
	attr  domain.Attribute
	place int
}

// relations reads constraints and generate. Faults of single entries are found by package relation, which knows
// them by number.
type relations struct {
	*reader
	d       *domain.Domain
	untyped map[string]bool
	nodes   map[relation.Kind][]*yaml.Node
}

// derivedNames returns the columns that the constraints of a file compute, as far as they can be read: such
// columns are read in another way.
func derivedNames(root *yaml.Node) map[string]bool {
	names := map[string]bool{}
	list := valueOf(root, "constraints")
	if list == nil {
		return names
	}
	for _, item := range list.Content {
		for _, key := range []string{"derive", "sum"} {
			if n := valueOf(item, key); n != nil && n.Kind == yaml.ScalarNode {
				names[n.Value] = true
			}
		}
	}
	return names
}

// relate reads what relates the columns of d; constraints and generate may be nil.
func (r *reader) relate(d *domain.Domain, constraints, generate *yaml.Node) {
	before := len(r.faults)
	x := &relations{reader: r, d: d, untyped: map[string]bool{}, nodes: map[relation.Kind][]*yaml.Node{}}
	if constraints != nil {
		for _, item := range r.list(constraints, "constraints") {
			x.constraint(item)
		}
		x.inPlace()
	}
	if generate != nil {
		for _, item := range r.list(generate, "generate") {
			x.generated(item)
		}
	}
	if len(r.faults) > before {
		return
	}
	x.report(relation.Resolve(d, x.untyped))
}

// report records the faults of entries at their nodes.
func (x *relations) report(err error) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return
	}
	for _, e := range joined.Unwrap() {
		if f, ok := errors.AsType[relation.Fault](e); ok {
			what := "constraints: "
			if f.Kind == relation.Generated {
				what = "generate: "
			}
			x.add(x.nodes[f.Kind][f.Index], "%s%s", what, f.Text)
		}
	}
}

// constraint reads one entry of constraints.
func (x *relations) constraint(n *yaml.Node) {
	m, ok := x.mapping(n, "constraints", constraintKeys.names()...)
	if !ok {
		return
	}
	kinds := 0
	for _, key := range []string{"order", "date", "derive", "sum"} {
		if m.has(key) {
			kinds++
		}
	}
	if kinds != 1 {
		x.add(n, "constraints: one of order, date, derive and sum is needed, such as {order: [start, end]}, {date: [year, month, day]}, {derive: hour, from: time / 100} or {sum: total, of: [a, b]}")
		return
	}
	for _, fit := range [][2]string{{"gaps", "order"}, {"from", "derive"}, {"map", "derive"}, {"else", "derive"}, {"of", "sum"}} {
		if m.has(fit[0]) && !m.has(fit[1]) {
			x.add(m.keys[fit[0]], "constraints: %s goes with %s; leave it out", fit[0], fit[1])
			return
		}
	}
	switch {
	case m.has("order"):
		x.d.Orders = append(x.d.Orders, domain.Order{Columns: x.texts(m.values["order"], "constraints: order")})
		if m.has("gaps") && !x.flag(m.values["gaps"], "constraints: gaps") {
			x.ungapped = append(x.ungapped, m.values["order"])
		}
		x.nodes[relation.Order] = append(x.nodes[relation.Order], m.values["order"])
	case m.has("date"):
		parts := x.texts(m.values["date"], "constraints: date")
		if len(parts) != 3 {
			x.add(m.values["date"], "constraints: date: three columns are needed, such as [year, month, day]")
			return
		}
		x.d.Dates = append(x.d.Dates, domain.DateParts{Year: parts[0], Month: parts[1], Day: parts[2]})
		x.nodes[relation.Date] = append(x.nodes[relation.Date], m.values["date"])
	case m.has("derive"):
		x.derived(m)
	default:
		x.sum(m)
	}
}

// derived reads a column that is computed by an expression or a map.
func (x *relations) derived(m mapping) {
	name, ok := x.name(m.values["derive"], "constraints: derive")
	if !ok {
		return
	}
	d, at := x.column(name), m.values["derive"]
	if !m.has("from") {
		x.add(m.node, "constraints: derive %s: no from; add an expression such as from: time / 100, or the column that a map looks up", quote(name))
		return
	}
	if from := m.values["from"]; from.Kind == yaml.SequenceNode && m.has("map") {
		both := x.texts(from, "constraints: from")
		if len(both) != 2 {
			x.add(from, "constraints: from: a map looks up one column or two, such as [name, size]")
			return
		}
		d.From, d.With = both[0], both[1]
	} else if d.From, ok = x.text(from, "constraints: from"); !ok {
		return
	}
	if !m.has("map") {
		at = m.values["from"]
		if m.has("else") {
			x.add(m.keys["else"], "constraints: else goes with map; leave it out")
		}
	} else {
		d.Map = x.pairs(m.values["map"], d.With != "")
		if m.has("else") {
			s, _ := x.text(m.values["else"], "constraints: else")
			d.Else = &s
		}
	}
	x.keep(d, at)
}

// pairs reads a map of values; of two columns, a map of the second one's values for each value of the first.
func (x *relations) pairs(n *yaml.Node, two bool) (out []domain.Pair) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		x.add(n, "constraints: map: got %s; values and what follows from each are needed, such as {Austin: TX, Boston: MA}", kind(n))
		return nil
	}
	for key, value := range pairs(n) {
		from, ok := x.text(key, "constraints: map")
		if slices.ContainsFunc(out, func(p domain.Pair) bool { return p.From == from }) {
			x.add(key, "constraints: map: %s appears twice; leave one out", quote(from))
			continue
		}
		if two {
			for _, p := range x.pairs(value, false) {
				out = append(out, domain.Pair{From: from, With: p.From, To: p.To})
			}
			continue
		}
		if to, good := x.text(value, "constraints: map: "+quote(from)); ok && good {
			out = append(out, domain.Pair{From: from, To: to})
		}
	}
	return out
}

// sum reads a column that is a sum of others.
func (x *relations) sum(m mapping) {
	name, ok := x.name(m.values["sum"], "constraints: sum")
	if !ok {
		return
	}
	if !m.has("of") {
		x.add(m.node, "constraints: sum %s: no of; name the columns, such as of: [a, b]", quote(name))
		return
	}
	d := x.column(name)
	if d.Sum = x.texts(m.values["of"], "constraints: of"); len(d.Sum) > 0 {
		x.keep(d, m.values["of"])
	}
}

// column returns a derived column as it is declared among the columns, or at their end.
func (x *relations) column(name string) domain.Derived {
	if c, ok := x.derivedColumns[name]; ok {
		return domain.Derived{Column: c.attr, Place: c.place}
	}
	x.untyped[name] = true
	return domain.Derived{Column: domain.Attribute{Name: name}, Place: 1 << 30}
}

func (x *relations) keep(d domain.Derived, at *yaml.Node) {
	for i := range x.d.Derived {
		if x.d.Derived[i].Column.Name == d.Column.Name {
			x.add(at, "constraints: column %s is computed twice; keep one", quote(d.Column.Name))
			return
		}
	}
	x.d.Derived = append(x.d.Derived, d)
	x.nodes[relation.Derived] = append(x.nodes[relation.Derived], at)
}

// inPlace sorts derived columns by their place among those written. Those that are declared nowhere else come
// last.
func (x *relations) inPlace() {
	order := domain.All(len(x.d.Derived))
	slices.SortStableFunc(order, func(a, b int) int { return x.d.Derived[a].Place - x.d.Derived[b].Place })
	derived, nodes := make([]domain.Derived, len(order)), make([]*yaml.Node, len(order))
	for to, from := range order {
		derived[to], nodes[to] = x.d.Derived[from], x.nodes[relation.Derived][from]
		derived[to].Place = min(derived[to].Place, len(x.d.Attributes)+to)
	}
	if len(order) > 0 {
		x.d.Derived, x.nodes[relation.Derived] = derived, nodes
	}
}

// generated reads one entry of generate.
func (x *relations) generated(n *yaml.Node) {
	m, ok := x.mapping(n, "generate", generateKeys.names()...)
	if !ok {
		return
	}
	if !m.has("column") || !m.has("as") {
		x.add(n, "generate: column and as are needed, such as {column: visit_id, as: uuid}")
		return
	}
	name, ok := x.text(m.values["column"], "generate: column")
	as, good := x.text(m.values["as"], "generate: as")
	if ok && good {
		x.d.Generated = append(x.d.Generated, domain.Generated{Column: name, As: as})
		x.nodes[relation.Generated] = append(x.nodes[relation.Generated], m.values["column"])
	}
}

// derivedCells reads what a derived column declares of its values, which it need not: they follow from others,
// and so does whether it is NULL.
func (c *columnReader) derivedCells() {
	switch {
	case c.has("values") || c.has("edges") || c.has("bins") || c.has("step") || c.attr.Type == domain.Bool:
		c.cells()
	case c.has("min") != c.has("max"):
		c.add(c.node, "%s: min and max go together; add the other one, or leave both out", c.what)
	case c.has("min") && c.attr.Type == domain.Float64:
		c.floatSpan()
	case c.has("min"):
		c.span()
	}
	if c.attr.Other = c.flag(c.values["other"], c.what+": other"); c.has("other") {
		c.other()
	}
}

// span reads min and max as the ends of one cell.
func (c *columnReader) span() {
	for _, key := range []string{"min", "max"} {
		if c.attr.Type != domain.Numeric {
			break
		}
		r := c.number(c.values[key], key)
		for r != nil && c.attr.Scale < maxScale && !new(big.Rat).Mul(r, pow10(c.attr.Scale)).IsInt() {
			c.attr.Scale++
		}
	}
	lo, ok := c.native(c.values["min"], "min")
	hi, good := c.native(c.values["max"], "max")
	switch {
	case !ok || !good:
	case lo > hi:
		c.fault("max", "got %s, which is below min; exchange them", quote(c.values["max"].Value))
	default:
		c.attr.Cuts, c.attr.Resolution = []int64{lo, hi}, 1
	}
}

// floatSpan is span for FLOAT64.
func (c *columnReader) floatSpan() {
	lo, hi := c.number(c.values["min"], "min"), c.number(c.values["max"], "max")
	switch {
	case lo == nil || hi == nil:
	case lo.Cmp(hi) >= 0:
		c.fault("max", "got %s, which is not above min; exchange them", quote(c.values["max"].Value))
	default:
		l, _ := lo.Float64()
		h, _ := hi.Float64()
		c.attr.FloatCuts = []float64{l, h}
	}
}
