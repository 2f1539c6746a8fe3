package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"go.yaml.in/yaml/v3"
)

// Query is a linear query over the columns of its entry, or several. Lists are in the order of these columns.
type Query struct {
	Kind         string          // count, prefixes, halfspace, parity or values
	Allowed      [][]domain.Code // of count: the codes of each column that records count with
	Coefficients []float64       // of halfspace: one for each column
	Least        float64         // of halfspace
	Values       []float64       // of values: one in [−1, 1] for each cell of the columns, row-major
}

// queryKeys are the entries of a workload that are linear queries.
var queryKeys = []string{"count", "prefixes", "halfspace", "parity", "values"}

// query reads an entry that is a linear query, or several over the same columns.
func (r *reader) query(d *domain.Domain, m mapping, e *WorkloadEntry) {
	before, key := len(r.faults), ""
	for _, k := range queryKeys {
		switch {
		case !m.has(k):
		case key != "":
			r.add(m.keys[k], "workload: %s and another query in one entry; give each an entry of its own", k)
			return
		default:
			key = k
		}
	}
	if m.has("weight") {
		r.add(m.keys["weight"], "workload: a linear query has no weight; scale its values")
	}
	at, q := m.values[key], &Query{Kind: key}
	var c domain.Clique
	switch key {
	case "count":
		c, q.Allowed = r.conditions(d, at)
	case "prefixes":
		name, ok := r.text(at, "workload: prefixes")
		c = domain.Clique{r.attribute(d, at, name, ok)}
	case "halfspace":
		c = r.halfSpace(d, m, at, q)
	case "parity":
		c = r.clique(d, at, "parity")
	case "values":
		c = r.cellValues(d, m, at, q)
	}
	if len(r.faults) > before {
		return
	}
	e.Columns, e.Query = c.Names(d), q
}

// attribute returns the position of a named column; n is where it is named.
func (r *reader) attribute(d *domain.Domain, n *yaml.Node, name string, ok bool) int {
	a := d.Index(name)
	switch {
	case !ok:
	case r.derived[name]:
		r.add(n, "workload: column %s is computed and not modelled; name the columns that it is computed from", quote(name))
	case a < 0:
		r.add(n, "workload: no column is called %s; the columns are %s", quote(name), names(d))
	case d.Attributes[a].Learned > 0:
		r.add(n, "workload: the bins of column %s are learned from a release, so that queries cannot name them; give it bins or edges", quote(name))
	}
	return a
}

// clique reads a list of columns.
func (r *reader) clique(d *domain.Domain, n *yaml.Node, key string) domain.Clique {
	var list []int
	for _, name := range r.texts(n, "workload: "+key) {
		list = append(list, r.attribute(d, n, name, true))
	}
	return domain.NewClique(list...)
}

// conditions reads a mapping from columns to the values that records count with.
func (r *reader) conditions(d *domain.Domain, n *yaml.Node) (c domain.Clique, allowed [][]domain.Code) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 {
		r.add(n, "workload: count: got %s; a mapping such as {sex: Female, region: [North, South]} is needed", kind(n))
		return nil, nil
	}
	codes := map[int][]domain.Code{}
	for key, value := range pairs(n) {
		a := r.attribute(d, key, key.Value, true)
		if a < 0 || d.Attributes[a].Learned > 0 {
			continue
		}
		if codes[a] != nil {
			r.add(key, "workload: count: column %s appears twice; give it a list of values", quote(key.Value))
		}
		if value.Kind == yaml.MappingNode {
			codes[a] = r.between(&d.Attributes[a], value)
		} else {
			codes[a] = r.cellsOf(&d.Attributes[a], value, "workload: count")
		}
		c = append(c, a)
	}
	slices.Sort(c)
	c = slices.Compact(c)
	for _, a := range c {
		allowed = append(allowed, codes[a])
	}
	return c, allowed
}

// between reads {from: …, to: …} as the cells from one to the other, in the order in which they are declared.
func (r *reader) between(a *domain.Attribute, n *yaml.Node) []domain.Code {
	m, ok := r.mapping(n, "workload: count: "+quote(a.Name), "from", "to")
	if !ok {
		return []domain.Code{}
	}
	if !m.has("from") || !m.has("to") {
		r.add(n, "workload: count: %s: from and to are needed, both included", quote(a.Name))
		return []domain.Code{}
	}
	from, okFrom := r.cellOf(a, m.values["from"], "workload: count")
	to, okTo := r.cellOf(a, m.values["to"], "workload: count")
	codes := []domain.Code{}
	if okFrom && okTo && from > to {
		r.add(n, "workload: count: %s: from comes after to; exchange them", quote(a.Name))
	}
	for v := from; v <= to && okFrom && okTo; v++ {
		codes = append(codes, v)
	}
	return codes
}

// halfSpace reads coefficients of columns and the least sum.
func (r *reader) halfSpace(d *domain.Domain, m mapping, n *yaml.Node, q *Query) (c domain.Clique) {
	if n.Kind != yaml.MappingNode || len(n.Content) == 0 || !m.has("at_least") {
		r.add(n, "workload: halfspace: a mapping from columns to coefficients and at_least are needed, such as {halfspace: {age: 1, hours: -0.5}, at_least: 3}")
		return nil
	}
	of := map[int]float64{}
	for key, value := range pairs(n) {
		a := r.attribute(d, key, key.Value, true)
		if of[a] = r.float(value, "halfspace"); slices.Contains(c, a) {
			r.add(key, "workload: halfspace: column %s appears twice; add up its coefficients", quote(key.Value))
		}
		c = append(c, a)
	}
	q.Least = r.float(m.values["at_least"], "at_least")
	slices.Sort(c)
	for _, a := range c {
		q.Coefficients = append(q.Coefficients, of[a])
	}
	return c
}

// cellValues reads any query: columns, and a value for each of their cells, the last column's cells fastest.
func (r *reader) cellValues(d *domain.Domain, m mapping, n *yaml.Node, q *Query) domain.Clique {
	before := len(r.faults)
	if !m.has("columns") {
		r.add(n, "workload: values: columns are needed, whose cells have the values")
		return nil
	}
	order := r.texts(m.values["columns"], "workload: columns")
	c := r.clique(d, m.values["columns"], "columns")
	if len(r.faults) > before {
		return nil
	}
	items := r.list(n, "workload: values")
	if cells, err := c.Cells(d.Sizes()); err != nil || int64(len(items)) != cells {
		r.add(n, "workload: values: got %d; the columns have %d cells, null and other among them: give one for each", len(items), cells)
		return nil
	}
	q.Values = make([]float64, len(items))
	for from, item := range items {
		x := r.float(item, "values")
		if !(math.Abs(x) <= 1) {
			r.add(item, "workload: values: got %s; values lie in [-1, 1]: divide all by the largest absolute value", quote(item.Value))
		}
		record := make([]domain.Code, d.Len())
		for i, rest := len(order)-1, from; i >= 0; i-- {
			a := d.Index(order[i])
			record[a], rest = domain.Code(rest%d.Attributes[a].Size()), rest/d.Attributes[a].Size()
		}
		q.Values[c.Cell(d.Sizes(), record)] = x
	}
	return c
}

// float reads a number.
func (r *reader) float(n *yaml.Node, what string) float64 {
	s, ok := r.text(n, "workload: "+what)
	if !ok {
		return 0
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || x-x != 0 {
		r.add(n, "workload: %s: got %s; a number is needed", what, quote(s))
		return 0
	}
	return x
}

// longestEntry is how many characters of an entry stand for it.
const longestEntry = 200

// entryText is an entry of the workload on one line.
func entryText(n *yaml.Node) string {
	text := []rune(strings.TrimSuffix(strings.TrimPrefix(flow(n), "{"), "}"))
	if len(text) > longestEntry {
		return string(text[:longestEntry-1]) + "…"
	}
	return string(text)
}

// flow writes a node as YAML on one line.
func flow(n *yaml.Node) string {
	var parts []string
	switch {
	case n.Kind == yaml.MappingNode:
		for key, value := range pairs(n) {
			parts = append(parts, flow(key)+": "+flow(value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case n.Kind == yaml.SequenceNode:
		for _, x := range n.Content {
			parts = append(parts, flow(x))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return strconv.Quote(n.Value)
	}
	return n.Value
}
