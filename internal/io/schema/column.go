package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"go.yaml.in/yaml/v3"
)

// cellKeys are the keys of a column that say what its cells are.
var cellKeys = []string{"values", "prefix", "min", "max", "bins", "edges", "step", "resolution", "exact", "beyond"}

// rivals are keys; a column can have one of them.
var rivals = [][2]string{{"values", "edges"}, {"values", "min"}, {"values", "max"}, {"values", "bins"},
	{"values", "resolution"}, {"edges", "min"}, {"edges", "max"}, {"edges", "bins"}, {"edges", "step"}, {"bins", "step"},
	{"values", "exact"}, {"edges", "exact"}, {"bins", "exact"},
	{"values", "beyond"}, {"edges", "beyond"}}

// typeKeys returns the keys that say what the cells of a type are.
func typeKeys(t domain.Type) (keys []string) {
	f := t.Facts()
	if f.Categories {
		keys = append(keys, "values")
	}
	if t == domain.String {
		keys = append(keys, "prefix")
	}
	if f.Bins {
		keys = append(keys, "min", "max", "bins", "edges")
		if f.Calendar {
			keys = append(keys, "step")
		}
		keys = append(keys, "resolution", "beyond")
		if t != domain.Time {
			keys = append(keys, "exact")
		}
	}
	return keys
}

// columnReader reads one column of the file.
type columnReader struct {
	*reader
	mapping
	attr domain.Attribute
	what string // stands for the column in messages
}

// column reads one column and the node that names it; ok is false if it has no name.
func (r *reader) column(n *yaml.Node) (a domain.Attribute, at *yaml.Node, ok bool) {
	m, ok := r.mapping(n, "column", columnFacts.names()...)
	if !ok {
		return a, nil, false
	}
	if !m.has("name") {
		r.add(n, "column: no name; add name: NAME")
		return a, nil, false
	}
	c := &columnReader{reader: r, mapping: m}
	if c.attr.Name, ok = r.name(m.values["name"], "column: name"); !ok {
		return a, nil, false
	}
	c.what = "column " + quote(c.attr.Name)
	before := len(r.faults)
	if r.derived[c.attr.Name] {
		if c.readType() && c.allowed() {
			c.derivedCells()
		}
		return c.attr, m.values["name"], true
	}
	if c.readType() {
		switch good, open := c.allowed(), c.finds(); {
		case open != nil:
			if good {
				c.standIn(open)
			}
			if c.openUnusable(open); r.open != nil {
				r.open.Columns = append(r.open.Columns, *open)
			}
		case good:
			c.cells()
			c.unusable(len(r.faults) > before)
		default:
			if c.has("values") {
				c.categories() // its own faults show whatever the other keys are
			}
			c.unusable(true)
		}
	}
	if len(r.faults) == before {
		c.validate()
	}
	return c.attr, m.values["name"], true
}

// fault records a fault at the value of a key.
func (c *columnReader) fault(key, format string, args ...any) {
	c.add(c.values[key], c.what+": "+key+": "+format, args...)
}

func (c *columnReader) readType() bool {
	if !c.has("type") {
		c.add(c.node, "%s: no type; add type: and one of %s", c.what, typeList())
		return false
	}
	s, ok := c.text(c.values["type"], c.what+": type")
	if !ok {
		return false
	}
	if c.attr.Type, ok = domain.ParseType(s); !ok {
		c.fault("type", "got %s; the types are %s", quote(s), typeList())
	}
	return ok
}

func typeList() string {
	var s []string
	for _, t := range domain.Types() {
		s = append(s, t.String())
	}
	return strings.Join(s, ", ")
}

// allowed checks that the keys fit the type and each other.
func (c *columnReader) allowed() bool {
	good := true
	refuse := func(key, why string) {
		c.add(c.keys[key], "%s: %s", c.what, why)
		good = false
	}
	keys, fit := typeKeys(c.attr.Type), map[string]bool{}
	for _, k := range keys {
		fit[k] = true
	}
	for _, k := range cellKeys {
		if c.has(k) && !fit[k] {
			refuse(k, c.attr.Type.String()+" columns have no "+k+"; their cells are declared by "+strings.Join(keys, ", "))
		}
	}
	for _, rival := range rivals {
		if c.has(rival[0]) && c.has(rival[1]) && fit[rival[0]] && fit[rival[1]] {
			refuse(rival[1], rival[1]+" together with "+rival[0]+"; keep one of them")
		}
	}
	return good
}

// cells reads what the cells are.
func (c *columnReader) cells() {
	fit := c.attr.Type.Facts()
	switch {
	case c.attr.Type == domain.Bool && !c.has("values"):
		c.attr.Values = []string{"false", "true"}
	case !fit.Bins || c.has("values"):
		c.categories()
	case !c.has("edges") && !(c.has("min") && c.has("max")):
		c.count() // for its faults
		c.add(c.node, "%s: no cells; add min and max, or edges%s", c.what, map[bool]string{true: ", or values"}[fit.Categories])
	case fit.Form == domain.Floats:
		c.floatBins()
	default:
		c.bins()
	}
	c.beyond()
}

// beyond reads at which ends of the range values beyond it are expected.
func (c *columnReader) beyond() {
	for _, n := range c.list(c.values["beyond"], c.what+": beyond") {
		end := slices.Index([]string{"min", "max"}, n.Value)
		if end < 0 {
			c.add(n, "%s: beyond: got %s; want [min], [max] or [min, max]", c.what, quote(n.Value))
			continue
		}
		c.attr.Beyond[end] = true
	}
}

// categories reads values.
func (c *columnReader) categories() {
	if !c.has("values") {
		c.add(c.node, "%s: no values; list the categories, such as values: [a, b]; of a column of a type alone synth finds them", c.what)
		return
	}
	c.attr.Values = c.texts(c.values["values"], c.what+": values")
	c.prefixes()
	if c.attr.Type == domain.Bool {
		for i, s := range c.attr.Values {
			c.attr.Values[i] = strings.ToLower(s)
		}
	}
	if c.attr.Type == domain.Numeric && c.scale(0) {
		for i, n := range c.list(c.values["values"], c.what+": values") {
			c.attr.Values[i] = c.canonical(n, "values")
		}
	}
	if n := len(c.attr.Values); n > domain.MaxSize-2 {
		c.fault("values", "%d categories, at most %d are possible; list the frequent ones and set other: true", n, domain.MaxSize-2)
	}
}

// prefixes reads the lengths at which codes may be cut.
func (c *columnReader) prefixes() {
	for _, n := range c.list(c.values["prefix"], c.what+": prefix") {
		s, ok := c.text(n, c.what+": prefix")
		if !ok {
			continue
		}
		v, err := strconv.Atoi(s)
		if err != nil || v < 1 || v > domain.MaxPrefix || slices.Contains(c.attr.Prefixes, v) {
			c.add(n, "%s: prefix: got %s; different numbers of characters from 1 to %d are needed, such as [1, 3]", c.what, quote(s), domain.MaxPrefix)
			continue
		}
		c.attr.Prefixes = append(c.attr.Prefixes, v)
	}
	slices.Sort(c.attr.Prefixes)
}

// canonical returns the text that a NUMERIC is written as.
func (c *columnReader) canonical(n *yaml.Node, key string) string {
	v, _ := c.native(n, key)
	return string(c.attr.AppendNative(nil, v))
}

// unusable reads what NULL and unusable values become; faulty tells that the cells are not known.
func (c *columnReader) unusable(faulty bool) {
	c.attr.Null = c.flag(c.values["null"], c.what+": null")
	c.attr.Other = c.flag(c.values["other"], c.what+": other")
	c.other()
	switch {
	case c.has("fallback") && (c.attr.Null || c.attr.Other):
		c.add(c.keys["fallback"], "%s: fallback has no effect together with null or other, which take unusable values; leave it out", c.what)
	case c.has("fallback") && !faulty:
		c.fallback()
	case !c.has("fallback") && !c.attr.Null && !c.attr.Other:
		fix := "null: true or fallback: VALUE"
		if len(c.attr.Values) > 0 && c.attr.Type != domain.Bool {
			fix = "other: true, " + fix
		}
		c.add(c.node, "%s does not say what an unusable value becomes; add %s", c.what, fix)
	}
}

// other reads what the cell "other" is written back as.
func (c *columnReader) other() {
	if !c.attr.Other {
		if c.has("other_value") {
			c.add(c.keys["other_value"], "%s: other_value without other: true; add it, or leave both out", c.what)
		}
		return
	}
	if !c.has("values") && len(c.attr.Values) == 0 || c.attr.Type == domain.Bool {
		c.attr.Other = false
		c.add(c.keys["other"], "%s: other is for STRING, INT64 and NUMERIC columns with values; use null: true or fallback: VALUE", c.what)
		c.attr.Null = true // unusable values have a place in the file's mind: do not ask again
		return
	}
	c.attr.OtherValue = "other"
	if c.has("other_value") {
		c.attr.OtherValue, _ = c.text(c.values["other_value"], c.what+": other_value")
	} else if c.attr.Type != domain.String {
		c.add(c.keys["other"], "%s: a number cannot be written back as %q; add other_value: NUMBER", c.what, "other")
	}
	if n := c.values["other_value"]; n != nil && c.attr.Type == domain.Numeric {
		c.attr.OtherValue = c.canonical(n, "other_value")
	}
}

// fallback reads the value that stands for unusable ones.
func (c *columnReader) fallback() {
	s, ok := c.text(c.values["fallback"], c.what+": fallback")
	if !ok {
		return
	}
	if c.attr.Type == domain.Float64 || len(c.attr.Values) == 0 {
		ok = c.inside(s)
	}
	d := &domain.Domain{Attributes: []domain.Attribute{c.attr}}
	code, usable := domain.NewEncoder(d).FromString(0, s)
	switch {
	case !usable && len(c.attr.Values) > 0:
		c.fault("fallback", "got %s; one of the values is needed", quote(s))
	case !usable:
		c.fault("fallback", "got %s; %s is needed", quote(s), c.attr.Wants())
	case !ok:
		between := "between the first and the last of its edges"
		if lo, hi := c.values["min"], c.values["max"]; lo != nil && hi != nil {
			between = "from " + lo.Value + " to " + hi.Value
		}
		c.fault("fallback", "got %s; a value %s is needed", quote(s), between)
	}
	c.attr.HasFallback, c.attr.Fallback = true, code
}

// validate reports what is left to find, at the column: faults that no single key has.
func (c *columnReader) validate() {
	err := c.attr.Validate()
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		c.add(c.node, "%s", strings.TrimPrefix(line, "domain: "))
	}
}
