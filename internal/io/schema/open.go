package schema

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"go.yaml.in/yaml/v3"
)

// Find is what a domain file writes in place of columns, values, min, max or the most rows of a person that are to be found
// within the privacy budget. A column of a type alone is to be found as well, and so are columns without a word.
const Find = "find"

// Open is what a domain file leaves to be found.
type Open struct {
	Whole   bool // all columns
	Events  bool // of those: whether people have several rows is declared
	Columns []OpenColumn
	Rows    bool // the most rows of a person

	root *yaml.Node
	name string
	rows *yaml.Node // the value that stands for the most rows
}

// OpenColumn is a column some of whose properties are to be found.
type OpenColumn struct {
	Name     string
	Type     domain.Type
	Values   bool   // its values, and not its range
	Prefixes []int  // numbers of characters at which values may be cut, ascending
	Min, Max string // the ends of the range that are declared; empty: to be found
	// Resolution is the resolution of a range as it is declared, and Unit the same of times, in native units; empty: to be found.
	Resolution string
	Unit       int64
	Unusable   bool // what a value that cannot be used becomes is not declared either

	node *yaml.Node
}

// Parts names what is to be found.
func (c *OpenColumn) Parts() []string {
	switch {
	case c.Values:
		return []string{"values"}
	case c.Min != "":
		return []string{"max"}
	case c.Max != "":
		return []string{"min"}
	}
	return []string{"min", "max"}
}

// String names the column with what is to be found of it.
func (c *OpenColumn) String() string { return c.Name + " (" + strings.Join(c.Parts(), ", ") + ")" }

// ParseOpen is Parse for a domain file that may leave parts to be found: what stands for them in the File is good for checks
// alone. The Open is nil without any.
func ParseOpen(name string, data []byte) (*File, *Open, error) {
	o := &Open{name: name}
	f, err := parse(&reader{file: name, open: o}, data)
	if err != nil || len(o.Columns) == 0 && !o.Rows && !o.Whole {
		o = nil
	}
	return f, o, err
}

// isFind reports whether a part is to be found. Where nothing can be found it notes a fault.
func (r *reader) isFind(n *yaml.Node, what string) bool {
	if n == nil || n.Kind != yaml.ScalarNode || n.Value != Find {
		return false
	}
	if r.open == nil {
		r.add(n, "%s: is to be found, which `dapple synth` and `dapple infer --epsilon` do; run infer first, or declare it", what)
	}
	return true
}

// finds returns the column if some of its cells are to be found, else nil.
func (c *columnReader) finds() *OpenColumn {
	o := &OpenColumn{Name: c.attr.Name, Type: c.attr.Type, node: c.node}
	bare := !slices.ContainsFunc(cellKeys, func(key string) bool { return key != "resolution" && key != "prefix" && c.has(key) })
	values := c.isFind(c.values["values"], c.what+": values")
	low, high := c.isFind(c.values["min"], c.what+": min"), c.isFind(c.values["max"], c.what+": max")
	switch {
	case values || low && (high || c.has("max")) || high && c.has("min"):
	case low || high: // and the other end is missing
		delete(c.keys, "min")
		delete(c.keys, "max")
		return nil
	case !bare || c.attr.Type == domain.Bool || c.open == nil:
		return nil
	}
	o.Values = values || c.attr.Type == domain.String
	c.declared(o, map[string]bool{"min": low, "max": high})
	return o
}

// declared notes what a column with open parts declares of its range, and takes off it the ends that are to be found.
func (c *columnReader) declared(o *OpenColumn, found map[string]bool) {
	for key, to := range map[string]*string{"min": &o.Min, "max": &o.Max, "resolution": &o.Resolution} {
		switch n := c.values[key]; {
		case found[key]:
			delete(c.keys, key)
			delete(c.values, key)
		case n != nil:
			*to = n.Value
		}
	}
	for _, key := range []string{"bins", "step", "exact"} {
		if c.has(key) {
			c.add(c.keys[key], "%s: %s of a range that is to be found; leave it out, or declare min and max", c.what, key)
		}
	}
}

// standIn makes cells that stand for those that are to be found.
func (c *columnReader) standIn(o *OpenColumn) {
	a := &c.attr
	facts := a.Type.Facts()
	switch {
	case o.Values && a.Type == domain.String:
		a.Values = []string{"(to be found)"}
		c.prefixes()
		o.Prefixes = a.Prefixes
	case o.Values:
		a.Values = []string{"0"}
	case facts.Form == domain.Floats:
		c.standInFloats()
	case a.Type == domain.Numeric && !c.scale(0):
	default:
		if c.resolution(); !c.has("resolution") && facts.Day > 0 {
			a.Resolution = min(facts.Day, facts.Most)
		}
		o.Unit = a.Resolution
		width := 100 * a.Resolution
		lo, isLow := c.native(c.values["min"], "min")
		hi, isHigh := c.native(c.values["max"], "max")
		switch {
		case isLow:
			hi = min(lo+width, facts.Most)
		case isHigh:
			lo = max(hi-width, facts.Least)
		case facts.Day == 0:
			lo, hi = -domain.MaxFine/2*a.Resolution, (domain.MaxFine/2-1)*a.Resolution
		case !c.has("resolution"):
			lo, _ = a.ParseNative("1900-01-01")
			hi, _ = a.ParseNative("2100-12-31")
		default:
			hi = min(width, facts.Most)
		}
		if facts.Day > 0 && facts.Most < facts.Day {
			lo, hi = facts.Least, facts.Most
		}
		a.Cuts = []int64{lo, hi}
		c.learn()
	}
}

// standInFloats is standIn for FLOAT64.
func (c *columnReader) standInFloats() {
	lo, isLow := c.float(c.values["min"], "min")
	hi, isHigh := c.float(c.values["max"], "max")
	c.attr.FloatResolution = max(1, lo/1000, -lo/1000, hi/1000, -hi/1000)
	if r, ok := c.float(c.values["resolution"], "resolution"); ok {
		if c.attr.FloatResolution = r; !(r > 0) {
			c.fault("resolution", "got %s; a number above 0 is needed", quote(c.values["resolution"].Value))
			return
		}
	}
	switch width := 100 * c.attr.FloatResolution; {
	case isLow:
		hi = lo + width
	case isHigh:
		lo = hi - width
	default:
		lo, hi = -width, width
	}
	c.attr.FloatCuts = []float64{lo, hi}
	c.learn()
}

// openUnusable is unusable for a column whose cells are to be found.
func (c *columnReader) openUnusable(o *OpenColumn) {
	switch {
	case c.has("fallback"):
		c.add(c.keys["fallback"], "%s: fallback is one of the cells, which are to be found; use null: true, or leave it out", c.what)
		c.attr.Null = true
	case c.has("null") || c.has("other"):
		c.unusable(true)
	default:
		o.Unusable, c.attr.Null = true, true
	}
}

// Fill returns the domain file with all that it left open: properties that it lacks are as in a domain file of what was
// found. Columns that this one does not have are left out, with the reasons that left gives.
func (o *Open) Fill(found []byte, rows int64, left map[string]string, charge *Charge) ([]byte, error) {
	var theirs yaml.Node
	if err := yaml.Unmarshal(found, &theirs); err != nil {
		return nil, fmt.Errorf("schema: what was found: %w", err)
	}
	columns := map[string]*yaml.Node{}
	if list := valueOf(theirs.Content[0], "columns"); list != nil {
		for _, n := range list.Content {
			columns[valueOf(n, "name").Value] = n
		}
	}
	head := "# What this file left open was released within the ε and δ of a run. Everything else was given.\n"
	if o.Whole {
		head += "# released: " + strings.Join(o.adopt(theirs.Content[0]), ", ") + "\n"
		for _, name := range slices.Sorted(maps.Keys(left)) {
			head += leftOutLine(name, left[name])
			o.forget(name)
		}
	}
	for i := range o.Columns {
		c := &o.Columns[i]
		if n := columns[c.Name]; n != nil {
			c.node.HeadComment = strings.TrimPrefix(c.node.HeadComment+"\n# released: "+strings.Join(c.merge(n), ", "), "\n")
			continue
		}
		head += leftOutLine(c.Name, left[c.Name])
		list := valueOf(o.root, "columns")
		list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool { return n == c.node })
		o.forget(c.Name)
	}
	if o.Rows {
		o.rows.Value, o.rows.Tag, o.rows.Style = fmt.Sprint(rows), "!!int", 0
		found := yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: "max"}}}
		put(valueOf(valueOf(o.root, "events"), "rows"), &yaml.Node{Kind: yaml.ScalarNode, Value: "beyond"}, &found)
		head += "# released: rows: max\n"
	}
	if charge != nil {
		var n yaml.Node
		if err := yaml.Unmarshal([]byte(charge.String()), &n); err != nil {
			return nil, fmt.Errorf("schema: the charge: %w", err)
		}
		o.root.Content = append(o.root.Content, n.Content[0].Content...)
	}
	var b bytes.Buffer
	b.WriteString(head)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(o.root); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return b.Bytes(), nil
}

// merge takes over what the column lacks, and returns the names of that.
func (c *OpenColumn) merge(found *yaml.Node) (released []string) {
	for name, value := range pairs(found) {
		key, own := name.Value, valueOf(c.node, name.Value)
		switch {
		case key == "null" || key == "other" || key == "fallback":
			if !c.Unusable {
				continue
			}
		case key == "values":
			value.Content = slices.DeleteFunc(value.Content, func(n *yaml.Node) bool { // that cell is there already
				other := valueOf(c.node, "other_value")
				return other != nil && n.Value == other.Value
			})
		case key == "other_value":
			if other := valueOf(c.node, "other"); other == nil || own != nil {
				continue
			}
		}
		switch {
		case own == nil:
			c.node.Content = append(c.node.Content, name, value)
		case own.Kind == yaml.ScalarNode && own.Value == Find, key == "resolution": // a declared one had too many values
			value.LineComment = own.LineComment
			*own = *value
		default:
			continue
		}
		released = append(released, key)
	}
	return released
}

// leftOutLine is the comment on a column that is left out.
func leftOutLine(name, why string) string { return fmt.Sprintf("# left out: %s: %s\n", name, why) }

// adopt takes over what a file lacks whose columns are all to be found, and returns the names of what of that was released:
// how cells of text are read was not.
func (o *Open) adopt(found *yaml.Node) (released []string) {
	uncomment(found)
	for key, value := range pairs(found) {
		own := valueOf(o.root, key.Value)
		switch {
		case key.Value != "csv" && (own == nil || key.Value == "columns"):
			released = append(released, key.Value)
		case key.Value == "csv" && valueOf(value, "written") != nil:
			released = append(released, "csv: written")
		}
		switch {
		case own == nil || key.Value == "columns":
			put(o.root, key, value)
		case key.Value == "csv":
			for name, form := range pairs(value) {
				if name.Value == "trim" || valueOf(own, name.Value) == nil { // cells of all tables are trimmed
					put(own, name, form)
				}
			}
		}
	}
	return released
}

// put sets a key of a mapping.
func put(n, key, value *yaml.Node) {
	if own := valueOf(n, key.Value); own != nil {
		*own = *value
		return
	}
	n.Content = append(n.Content, key, value)
}

// uncomment removes all comments, which text in braces cannot hold.
func uncomment(n *yaml.Node) {
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, inner := range n.Content {
		uncomment(inner)
	}
}

// forget removes a column that is left out from events and csv. What else names it is found when the file is read.
func (o *Open) forget(name string) {
	if events := valueOf(o.root, "events"); events != nil {
		for _, key := range []string{"person", "usual", "previous"} {
			if list := valueOf(events, key); list != nil {
				list.Content = slices.DeleteFunc(list.Content, func(n *yaml.Node) bool { return n.Value == name })
				if len(list.Content) == 0 {
					drop(events, key)
				}
			}
		}
	}
	if csv := valueOf(o.root, "csv"); csv != nil {
		if written := valueOf(csv, "written"); written != nil {
			if drop(written, name); len(written.Content) == 0 {
				drop(csv, "written")
			}
		}
	}
}

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for k, value := range pairs(n) {
		if k.Value == key {
			return value
		}
	}
	return nil
}

// drop removes a key of a mapping.
func drop(n *yaml.Node, key string) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			n.Content = slices.Delete(n.Content, i, i+2)
			return
		}
	}
}
