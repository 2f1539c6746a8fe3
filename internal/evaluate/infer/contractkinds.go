package infer

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Nodes of YAML, and so of JSON. What is not there is nil, and has nothing.

func at(n *yaml.Node, keys ...string) *yaml.Node {
	for _, key := range keys {
		n = entry(n, key)
	}
	return n
}

func entry(n *yaml.Node, key string) *yaml.Node {
	if n != nil && n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == key {
				return n.Content[i+1]
			}
		}
	}
	return nil
}

// scalar returns the text of a scalar.
func scalar(n *yaml.Node) string {
	if n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return n.Value
	}
	return ""
}

func items(n *yaml.Node) []*yaml.Node {
	if n != nil && n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return nil
}

// words returns the texts of a list, and whether null is among them.
func words(n *yaml.Node) (list []string, null bool) {
	for _, item := range items(n) {
		if item.Tag == "!!null" {
			null = true
		} else if item.Kind == yaml.ScalarNode && !slices.Contains(list, item.Value) {
			list = append(list, item.Value)
		}
	}
	return list, null
}

func isTrue(n *yaml.Node) bool { return scalar(n) == "true" }

// contractOf reads a description of any kind.
func contractOf(root *yaml.Node, table string) (*contract, error) {
	switch {
	case scalar(at(root, "kind")) == "DataContract" || at(root, "apiVersion") != nil && at(root, "schema") != nil || at(root, "dataset") != nil:
		return odcs(root, table)
	case scalar(at(root, "type")) == "record":
		return avroContract(root)
	case at(root, "properties") != nil || at(root, "$schema") != nil || at(root, "$ref") != nil:
		return jsonSchema(root)
	case at(root, "models") != nil || at(root, "sources") != nil || at(root, "seeds") != nil || at(root, "snapshots") != nil:
		return dbt(root, table)
	case at(root, "resources") != nil:
		return dataPackage(root, table)
	}
	return fieldList(root)
}

// fieldList reads a list of fields, which is of BigQuery if its types are in capitals.
func fieldList(root *yaml.Node) (*contract, error) {
	fields := cmp.Or(at(root, "schema", "fields"), at(root, "fields"), root)
	for _, f := range items(fields) {
		if t := scalar(at(f, "type")); t != strings.ToLower(t) || at(f, "mode") != nil {
			return bigQueryContract(fields)
		}
	}
	if len(items(fields)) > 0 && fields != root {
		return frictionless(root)
	}
	return nil, errors.New("it is no ODCS contract, JSON Schema, Avro schema, BigQuery schema, schema.yml of dbt, or Frictionless schema")
}

// named is one of the tables of a description.
type named struct {
	name string
	node *yaml.Node
}

// choose returns the table of a name, or the only one.
func choose(list []named, table string) (*yaml.Node, error) {
	var names []string
	for _, n := range list {
		if n.name == table || table == "" && len(list) == 1 {
			return n.node, nil
		}
		names = append(names, n.name)
	}
	if table == "" {
		return nil, fmt.Errorf("it describes several tables; name one as FILE#TABLE: %.500s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("it describes no table %q, but %.500s", table, strings.Join(names, ", "))
}

// parameters are those of a type, such as numeric(10, 2).
var parameters = regexp.MustCompile(`^([a-z0-9_ ]+?) *(?:\( *([0-9]+) *(?:, *([0-9]+) *)?\))?( with(?:out)? time zone)?$`)

// sqlTypes are types by the names that databases and descriptions give them.
var sqlTypes = map[string]domain.Type{
	"string": domain.String, "text": domain.String, "varchar": domain.String, "character varying": domain.String, "char": domain.String, "character": domain.String,
	"nvarchar": domain.String, "nchar": domain.String, "bpchar": domain.String, "uuid": domain.String, "enum": domain.String,
	"integer": domain.Int64, "int": domain.Int64, "int64": domain.Int64, "bigint": domain.Int64, "smallint": domain.Int64, "tinyint": domain.Int64,
	"int2": domain.Int64, "int4": domain.Int64, "int8": domain.Int64, "long": domain.Int64, "short": domain.Int64, "serial": domain.Int64, "bigserial": domain.Int64, "year": domain.Int64,
	"float": domain.Float64, "float64": domain.Float64, "double": domain.Float64, "double precision": domain.Float64, "real": domain.Float64, "float4": domain.Float64, "float8": domain.Float64,
	"numeric": domain.Numeric, "decimal": domain.Numeric, "number": domain.Numeric, "bignumeric": domain.Numeric,
	"boolean": domain.Bool, "bool": domain.Bool, "date": domain.Date, "time": domain.Time,
	"timestamp": domain.Timestamp, "timestamptz": domain.Timestamp, "timestamp_tz": domain.Timestamp, "timestamp_ltz": domain.Timestamp,
	"datetime": domain.DateTime, "timestamp_ntz": domain.DateTime,
}

// ofSQL sets the type by its name in SQL, whose parameters give the decimal places.
func (f *fact) ofSQL(name string) {
	f.kind = name
	m := parameters.FindStringSubmatch(strings.ToLower(strings.TrimSpace(name)))
	if m == nil {
		return
	}
	if f.typ, f.typed = sqlTypes[m[1]]; !f.typed {
		return
	}
	f.places, _ = strconv.Atoi(m[3]) // digits, or nothing
	switch {
	case m[1] == "uuid":
		f.form = "uuid"
	case m[1] == "timestamp" && m[4] == " without time zone":
		f.typ = domain.DateTime
	case f.typ == domain.Numeric && m[2] != "" && m[3] == "":
		f.typ = domain.Int64 // numeric(10)
	}
}

// bigQueryContract reads the fields of a table of BigQuery.
func bigQueryContract(fields *yaml.Node) (*contract, error) {
	c := &contract{kind: "a BigQuery table schema"}
	for _, n := range items(fields) {
		f := fact{name: scalar(at(n, "name")), null: scalar(at(n, "mode")) != "REQUIRED"}
		f.ofSQL(scalar(at(n, "type")))
		f.places, _ = strconv.Atoi(scalar(at(n, "scale"))) // a number, or nothing
		f.nested = at(n, "fields") != nil || scalar(at(n, "mode")) == "REPEATED"
		c.facts = append(c.facts, f)
	}
	return c, nil
}

// dataPackage reads the schema of one of the tables of a package.
func dataPackage(root *yaml.Node, table string) (*contract, error) {
	var list []named
	for _, r := range items(at(root, "resources")) {
		list = append(list, named{scalar(at(r, "name")), at(r, "schema")})
	}
	s, err := choose(list, table)
	if err != nil {
		return nil, err
	}
	return frictionless(s)
}

// frictionless reads a table schema.
func frictionless(s *yaml.Node) (*contract, error) {
	c := &contract{kind: "a Frictionless table schema"}
	missing, _ := words(at(s, "missingValues"))
	for _, m := range missing {
		if m != "" { // which is NULL anyway
			c.null = append(c.null, m)
		}
	}
	key, _ := words(at(s, "primaryKey"))
	for _, n := range items(at(s, "fields")) {
		limits := at(n, "constraints")
		f := fact{name: scalar(at(n, "name")), null: !isTrue(at(limits, "required")), form: scalar(at(n, "format"))}
		kind := scalar(at(n, "type"))
		f.ofSQL(cmp.Or(kind, "string"))
		f.nested = kind == "object" || kind == "array" || kind == "geojson"
		f.unique = isTrue(at(limits, "unique")) || scalar(at(s, "primaryKey")) == f.name || len(key) == 1 && key[0] == f.name
		f.values, _ = words(at(limits, "enum"))
		if categories := at(n, "categories"); len(f.values) == 0 {
			f.values, _ = words(categories)
			for _, item := range items(categories) {
				if v := scalar(at(item, "value")); v != "" {
					f.values = append(f.values, v)
				}
			}
		}
		f.min, f.max = scalar(at(limits, "minimum")), scalar(at(limits, "maximum"))
		c.facts = append(c.facts, f)
	}
	return c, nil
}

// avroLogical are the types of Avro that are not those of their name.
var avroLogical = map[string]domain.Type{
	"date": domain.Date, "time-millis": domain.Time, "time-micros": domain.Time, "timestamp-millis": domain.Timestamp, "timestamp-micros": domain.Timestamp, "timestamp-nanos": domain.Timestamp,
	"local-timestamp-millis": domain.DateTime, "local-timestamp-micros": domain.DateTime, "local-timestamp-nanos": domain.DateTime, "decimal": domain.Numeric, "uuid": domain.String,
}

// avroContract reads the fields of a record.
func avroContract(root *yaml.Node) (*contract, error) {
	c := &contract{kind: "an Avro schema"}
	known := map[string]*yaml.Node{} // named types
	for _, n := range items(at(root, "fields")) {
		f, t := fact{name: scalar(at(n, "name"))}, at(n, "type")
		for _, branch := range items(t) {
			if scalar(branch) == "null" {
				f.null = true
				continue
			}
			f.nested = f.nested || t.Kind == yaml.MappingNode // a second one
			t = branch
		}
		if earlier := known[scalar(t)]; earlier != nil {
			t = earlier
		}
		if name := scalar(at(t, "name")); name != "" {
			known[name] = t
		}
		kind := cmp.Or(scalar(t), scalar(at(t, "type")))
		f.ofSQL(kind)
		if l := scalar(at(t, "logicalType")); l != "" {
			if typ, ok := avroLogical[l]; ok {
				f.typ, f.typed, f.form = typ, true, l
			}
			f.places, _ = strconv.Atoi(scalar(at(t, "scale"))) // a number, or nothing
		}
		if kind == "enum" {
			f.values, _ = words(at(t, "symbols"))
		}
		f.nested = f.nested || kind == "record" || kind == "array" || kind == "map"
		c.facts = append(c.facts, f)
	}
	return c, nil
}
