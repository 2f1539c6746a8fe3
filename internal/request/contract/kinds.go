package contract

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// jsonSchema reads the properties of an object, or of the items of a list of objects.
func jsonSchema(root *yaml.Node) (*description, error) {
	c := &description{kind: "a JSON Schema"}
	s := resolve(root, root)
	if list := at(s, "items"); list != nil && at(s, "properties") == nil {
		s = resolve(root, list)
	}
	properties := at(s, "properties")
	if properties == nil || properties.Kind != yaml.MappingNode {
		return nil, errors.New("the JSON Schema has no properties, which would be columns")
	}
	required, _ := words(at(s, "required"))
	for i := 0; i+1 < len(properties.Content); i += 2 {
		f := fact{name: properties.Content[i].Value}
		f.null = !slices.Contains(required, f.name)
		f.ofJSON(root, resolve(root, properties.Content[i+1]))
		c.facts = append(c.facts, f)
	}
	return c, nil
}

// resolve follows references inside a document.
func resolve(root, n *yaml.Node) *yaml.Node {
	for range 16 { // references may lead to themselves
		path, inside := strings.CutPrefix(scalar(at(n, "$ref")), "#/")
		if !inside {
			return n
		}
		n = at(root, strings.Split(path, "/")...)
	}
	return nil
}

// ofJSON reads the schema of a value.
func (f *fact) ofJSON(root, s *yaml.Node) {
	for _, key := range []string{"anyOf", "oneOf"} {
		branches := items(at(s, key))
		for _, b := range branches {
			b = resolve(root, b)
			switch c := at(b, "const"); {
			case scalar(at(b, "type")) == "null":
				f.null = true
			case c != nil:
				f.values = append(f.values, c.Value)
				f.ofJSONType(cmp.Or(scalar(at(b, "type")), tagType(c)), "")
			default:
				f.nested = f.nested || f.typed
				f.ofJSON(root, b)
			}
		}
		if len(branches) > 0 {
			return
		}
	}
	kind := scalar(at(s, "type"))
	kinds, _ := words(at(s, "type"))
	for _, k := range kinds {
		if k == "null" {
			f.null = true
		} else {
			f.nested = f.nested || kind != ""
			kind = k
		}
	}
	values, null := words(at(s, "enum"))
	if f.values, f.null = values, f.null || null; kind == "" && len(values) > 0 {
		kind = tagType(items(at(s, "enum"))[0])
	}
	f.ofJSONType(kind, scalar(at(s, "format")))
	f.nested = f.nested || kind == "object" || kind == "array"
	f.limited(s)
}

// limited reads limits, which JSON Schema and the Open Data Contract Standard write alike.
func (f *fact) limited(n *yaml.Node) {
	f.step = scalar(at(n, "multipleOf"))
	f.min, f.max = scalar(at(n, "minimum")), scalar(at(n, "maximum"))
	if low := scalar(at(n, "exclusiveMinimum")); low != "" && low != "true" {
		f.min = f.beyond(low, 1)
	}
	if high := scalar(at(n, "exclusiveMaximum")); high != "" && high != "true" {
		f.max = f.beyond(high, -1)
	}
}

// beyond returns the first whole number on one side of a limit that is not itself allowed; other numbers keep the limit.
func (f *fact) beyond(limit string, side int64) string {
	v, ok := new(big.Rat).SetString(limit)
	if f.typ != domain.Int64 || !ok || !v.IsInt() {
		return limit
	}
	return new(big.Int).Add(v.Num(), big.NewInt(side)).String()
}

// tagType returns the type of JSON that a value has.
func tagType(n *yaml.Node) string {
	return map[string]string{"!!int": "integer", "!!float": "number", "!!bool": "boolean"}[n.ShortTag()]
}

func (f *fact) ofJSONType(kind, format string) {
	f.kind, f.form = kind, format
	switch kind {
	case "integer":
		f.typ, f.typed = domain.Int64, true
	case "number":
		f.typ, f.typed = domain.Float64, true
	case "boolean":
		f.typ, f.typed = domain.Bool, true
	case "string", "":
		f.typ, f.typed = map[string]domain.Type{"date": domain.Date, "date-time": domain.Timestamp, "time": domain.Time}[format], kind != "" || len(f.values) > 0
	}
}

// odcs reads a data contract of the Open Data Contract Standard.
func odcs(root *yaml.Node, table string) (*description, error) {
	var list []named
	for _, n := range slices.Concat(items(at(root, "schema")), items(at(root, "dataset"))) {
		list = append(list, named{cmp.Or(scalar(at(n, "name")), scalar(at(n, "table"))), n})
	}
	s, err := choose(list, table)
	if err != nil {
		return nil, err
	}
	c := &description{kind: "an ODCS data contract"}
	for _, n := range slices.Concat(items(at(s, "properties")), items(at(s, "columns"))) {
		f := fact{name: cmp.Or(scalar(at(n, "name")), scalar(at(n, "column")))}
		f.null = !isTrue(at(n, "required")) && !isTrue(at(n, "primaryKey")) && scalar(at(n, "isNullable")) != "false"
		f.unique = isTrue(at(n, "unique")) || isTrue(at(n, "primaryKey")) || isTrue(at(n, "isPrimaryKey"))
		f.ofContract(scalar(at(n, "physicalType")), scalar(at(n, "logicalType")))
		f.options(at(n, "logicalTypeOptions"))
		for _, q := range items(at(n, "quality")) {
			for _, valid := range []*yaml.Node{at(q, "validValues"), at(q, "arguments", "validValues")} {
				if v, _ := words(valid); len(v) > 0 {
					f.values = v
				}
			}
		}
		c.facts = append(c.facts, f)
	}
	return c, nil
}

// ofContract sets the type: the physical one may be of a database that nobody here knows.
func (f *fact) ofContract(physical, logical string) {
	f.ofSQL(cmp.Or(physical, logical))
	switch logical {
	case "string", "integer", "boolean", "date", "timestamp", "time":
		if !f.typed || sqlTypes[logical] != f.typ && f.typ != domain.DateTime {
			f.ofSQL(logical)
		}
	case "number":
		if !f.typed {
			f.ofSQL("double")
		}
	case "object", "array":
		f.nested = true
	}
	f.kind = cmp.Or(f.kind, "nothing")
}

// options reads the options of a logical type.
func (f *fact) options(n *yaml.Node) {
	f.form = cmp.Or(scalar(at(n, "format")), f.form)
	f.limited(n)
	f.values, _ = words(at(n, "enum"))
}

// dbt reads the columns of a model, a source's table, a seed or a snapshot.
func dbt(root *yaml.Node, table string) (*description, error) {
	var list []named
	add := func(n *yaml.Node) { list = append(list, named{scalar(at(n, "name")), n}) }
	for _, key := range []string{"models", "seeds", "snapshots"} {
		for _, n := range items(at(root, key)) {
			add(n)
		}
	}
	for _, source := range items(at(root, "sources")) {
		for _, n := range items(at(source, "tables")) {
			add(n)
		}
	}
	model, err := choose(list, table)
	if err != nil {
		return nil, err
	}
	c := &description{kind: "dbt's description of a model"}
	for _, n := range items(at(model, "columns")) {
		f := fact{name: scalar(at(n, "name")), null: true}
		f.ofSQL(scalar(at(n, "data_type")))
		for _, t := range items(at(n, "constraints")) {
			f.null = f.null && scalar(at(t, "type")) != "not_null" && scalar(at(t, "type")) != "primary_key"
			f.unique = f.unique || scalar(at(t, "type")) == "unique" || scalar(at(t, "type")) == "primary_key"
		}
		for _, t := range slices.Concat(items(at(n, "tests")), items(at(n, "data_tests"))) {
			f.tested(t)
		}
		if f.kind == "" { // dbt needs no type
			f.untyped()
		}
		c.facts = append(c.facts, f)
	}
	return c, nil
}

// tested reads a test of dbt, which is a name, or a name with arguments.
func (f *fact) tested(t *yaml.Node) {
	name, with := scalar(t), (*yaml.Node)(nil)
	if t.Kind == yaml.MappingNode && len(t.Content) > 1 {
		name, with = t.Content[0].Value, t.Content[1]
		if inner := at(with, "arguments"); inner != nil {
			with = inner
		}
	}
	_, name, found := strings.Cut("."+name, ".")
	if _, short, in := strings.Cut(name, "."); found && in {
		name = short
	}
	switch name {
	case "not_null":
		f.null = false
	case "unique":
		f.unique = true
	case "accepted_values", "expect_column_values_to_be_in_set":
		v, _ := words(cmp.Or(at(with, "values"), at(with, "value_set")))
		f.values = v
	case "accepted_range", "expect_column_values_to_be_between":
		if v := scalar(at(with, "min_value")); v != "" {
			f.min = v
		}
		if v := scalar(at(with, "max_value")); v != "" {
			f.max = v
		}
	}
}

// untyped finds the type from limits and values, as a table's cells would give it.
func (f *fact) untyped() {
	k := cellkind.None
	places := 0
	for _, text := range append(slices.Clone(f.values), f.min, f.max) {
		if text != "" {
			kind, n := cellkind.Classify([]byte(text))
			k, places = cellkind.Join(k, kind), max(places, n)
		}
	}
	f.kind = "nothing"
	if k == cellkind.Boolean && len(f.values) != 2 {
		k = cellkind.Text
	}
	if k == cellkind.None {
		return
	}
	f.typ, f.typed, f.places = k.Type(), true, places
}
