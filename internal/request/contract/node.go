package contract

import (
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

// descriptionOf reads a description of any kind.
func descriptionOf(root *yaml.Node, table string) (*description, error) {
	switch {
	case scalar(at(root, "kind")) == "DataContract" || at(root, "apiVersion") != nil && at(root, "schema") != nil || at(root, "dataset") != nil:
		return odcs(root, table)
	case at(root, "properties") != nil || at(root, "$schema") != nil || at(root, "$ref") != nil:
		return jsonSchema(root)
	case at(root, "models") != nil || at(root, "sources") != nil || at(root, "seeds") != nil || at(root, "snapshots") != nil:
		return dbt(root, table)
	}
	return nil, errors.New("it is no ODCS contract, JSON Schema, or schema.yml of dbt; other descriptions of columns can be converted to JSON Schema")
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

// parameters are the parameters of a type, such as numeric(10, 2).
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
