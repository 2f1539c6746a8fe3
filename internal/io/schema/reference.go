package schema

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
)

// keyFact is what there is to say of one key of a domain file. The parser takes its keys from the lists below, and so do
// the reference and the JSON Schema.
type keyFact struct {
	name  string
	form  string // what its value looks like
	text  string
	shape shape
	must  bool
}

// keyFacts are the keys of one mapping, in the order in which people write them.
type keyFacts []keyFact

func (k keyFacts) names() (list []string) {
	for _, f := range k {
		list = append(list, f.name)
	}
	return list
}

var (
	fileKeys = keyFacts{
		{name: "privacy_id", form: "COLUMN", text: "the column that names the people; none if every record is another person", shape: scalar, must: true},
		{name: "expected_rows", form: "N", text: "public estimate of the number of people, for planning; --expected_rows goes before it", shape: count},
		{name: "columns", form: "[COLUMN, …]", text: "what a record can hold; without columns, or with columns: find, all are found"}, // the shapes of these are in JSONSchema
		{name: "events", form: "{…}", text: "a person has several records, and is written with several rows"},
		{name: "constraints", form: "[CONSTRAINT, …]", text: "what holds in every row that is written: public facts, which cost nothing"},
		{name: "generate", form: "[KEY, …]", text: "columns of keys, made up for the rows and never from the data"},
		{name: "impossible", form: "[{COLUMN: VALUE, …}, …]", text: "combinations that no record has: a value, or a list, of each of two or more columns"},
		{name: "workload", form: "[MARGINAL, …]", text: "the marginals or queries that matter, or {target: COLUMN}; absent: --marginals and --max_cells"},
		{name: "csv", form: "{…}", text: "how an unusual CSV file is written"},
		{name: "derived_from_data", form: "{COLUMN: [FACT, …], …}", text: "what infer read off the table; delete what you have reviewed", shape: object(scalars)},
		{name: "found", form: "{…}", text: "what a private infer has spent: leave it as it is, for releases state it"},
	}
	foundKeys = keyFacts{
		{name: "id", form: "TEXT", text: "of the finding: a budget book charges it once", shape: scalar, must: true},
		{name: "privacy_id", form: "COLUMN", text: "whom it was charged for; none: every record is another person", shape: scalar, must: true},
		{name: "neighbouring", form: "REL", text: "add_remove or replace", shape: scalar, must: true},
		{name: "epsilon", form: "E", text: "what finding the domain has spent, at most", shape: scalar, must: true},
		{name: "delta", form: "D", text: "the δ of that", shape: scalar, must: true},
		{name: "accounting", form: "KIND", text: "how losses were added", shape: scalar, must: true},
		{name: "loss", form: "A/B", text: "the whole loss, exact: rho or μ²/2", shape: scalar, must: true},
		{name: "values_delta", form: "D", text: "the part of delta for values above a threshold", shape: scalar, must: true},
		{name: "noisy_numbers", form: "N", text: "how many were drawn, at most", shape: scalar, must: true},
		{name: "sha256", form: "HEX", text: "of the values above", shape: scalar, must: true},
	}
	columnFacts = keyFacts{
		{name: "name", form: "NAME", text: "as in the table", shape: scalar, must: true},
		{name: "type", form: "TYPE", text: "see below", must: true},
		{name: "values", form: "[A, B, …]", text: "the categories, in order, or find; BOOL has false and true without it", shape: shape{"anyOf": []shape{scalars, {"const": Find}}}},
		{name: "prefix", form: "[N, …]", text: "of codes: a value outside values that begins with D66 is written D66* if that is one of them", shape: list(count)},
		{name: "min", form: "VALUE", text: "least value, or find; what is below goes to the first cell", shape: scalar},
		{name: "max", form: "VALUE", text: "largest value, or find; what is above goes to the last cell", shape: scalar},
		{name: "bins", form: "N", text: "so many equal bins; without bins and step they are learned, or each of up to 64 values is a cell", shape: count},
		{name: "edges", form: "[A, B, C, …]", text: "cut points of bins, in place of min and max: [A, B), [B, C], the last one closed", shape: scalars},
		{name: "step", form: "STEP", text: "calendar bins: minute, hour, day, week, month, quarter or year", shape: scalar},
		{name: "resolution", form: "VALUE", text: "values are multiples of it: a number, or second, minute, hour, day for times", shape: scalar},
		{name: "exact", form: "[A, B, …]", text: "values that are written as they are, such as codes beyond min and max", shape: scalars},
		{name: "beyond", form: "[min, max]", text: "ends beyond which values are expected, as at those that were found: answers say so", shape: list(shape{"enum": []string{"min", "max"}})},
		{name: "null", form: "true", text: "NULL is a cell of its own", shape: boolean},
		{name: "other", form: "true", text: "a value outside values becomes the cell other", shape: boolean},
		{name: "other_value", form: "VALUE", text: `how the cell other is written back; default "other"`, shape: scalar},
		{name: "fallback", form: "VALUE", text: "what a value that cannot be used becomes, if there is neither null nor other", shape: scalar},
	}
	eventsKeys = keyFacts{
		{name: "person", form: "[COLUMN, …]", text: "columns that do not change within a person", shape: scalars},
		{name: "rows", form: "{max: N}", text: "public: nobody is written with more than N rows; N can be find", must: true},
		{name: "usual", form: "[COLUMN, …]", text: "columns of the rows whose commonest value in a person is kept: people stay alike to themselves", shape: scalars},
		{name: "order", form: "COLUMN", text: "numbers, dates or times of a day: a person's rows follow each other in its order", shape: scalar},
		{name: "previous", form: "[COLUMN, …]", text: "of order: columns whose value in the row before is remembered; default: all of at most 99 cells", shape: scalars},
		{name: "strict", form: "true", text: "of order: no two rows of a person have the same value of that column", shape: boolean},
	}
	rowsKeys = keyFacts{
		{name: "max", form: "N", text: "1 to 2^20, or find", shape: shape{"anyOf": []shape{count, {"const": Find}}}, must: true},
		{name: "beyond", form: "[max]", text: "people with more rows are expected, as where N was found: answers say so", shape: list(shape{"const": "max"})},
		{name: "min", form: "0", text: "people without rows exist: all people are in --people_input; default 1", shape: scalar},
	}
	constraintKeys = keyFacts{
		{name: "order", form: "[A, B, …]", text: "A <= B in every row: numbers, or dates or times of one type", shape: scalars},
		{name: "gaps", form: "false", text: "of order: model B itself; else gap_B = B - A where both have min and max alone", shape: boolean},
		{name: "date", form: "[YEAR, MONTH, DAY]", text: "three columns that make a day of the calendar", shape: scalars},
		{name: "derive", form: "COLUMN", text: "is computed from others, and not modelled", shape: scalar},
		{name: "from", form: "EXPRESSION", text: "of derive: columns, numbers, + - * / % ( ), year(x) … second(x), date(x); or a map's columns", shape: shape{"anyOf": []shape{scalar, scalars}}},
		{name: "map", form: "{FROM: TO, …}", text: "of derive: a value for each value of the column from; of two, {A: {B: TO, …}, …}",
			shape: object(shape{"anyOf": []shape{scalar, object(scalar)}})},
		{name: "else", form: "VALUE", text: "of map: for all other values", shape: scalar},
		{name: "sum", form: "COLUMN", text: "is the sum of others, and not modelled", shape: scalar},
		{name: "of", form: "[A, B, …]", text: "of sum: the columns", shape: scalars},
	}
	generateKeys = keyFacts{
		{name: "column", form: "NAME", text: "stands before all other columns; the privacy_id can be one", shape: scalar, must: true},
		{name: "as", form: "FORM", text: "uuid, serial, name, email, phone, street, …, or AB-####: # is a digit, ? a capital letter", shape: scalar, must: true},
	}
	workloadKeys = keyFacts{
		{name: "columns", form: "[A, B, …]", text: "of the marginal, or of values", shape: scalars},
		{name: "weight", form: "NUMBER", text: "how much a marginal matters beside others; default 1", shape: scalar},
		{name: "count", form: "{COLUMN: VALUE, …}", text: "a linear query: records with these values, lists, or {from: A, to: B}", shape: object(shape{})},
		{name: "prefixes", form: "COLUMN", text: "linear queries: for each cell but the last, records in it or before", shape: scalar},
		{name: "halfspace", form: "{COLUMN: NUMBER, …}", text: "a linear query: records with a sum of cell numbers of at least", shape: object(scalar)},
		{name: "at_least", form: "NUMBER", text: "of halfspace", shape: scalar},
		{name: "parity", form: "[A, B, …]", text: "a linear query: 1 for an even sum of cell numbers, -1 for an odd one", shape: scalars},
		{name: "values", form: "[X, Y, …]", text: "a linear query: a number in [-1, 1] for each cell of columns", shape: scalars},
	}
	targetKeys = keyFacts{
		{name: "target", form: "COLUMN", text: "classifiers that are trained on the rows predict it: marginals with it weigh 30 times as much", shape: scalar, must: true},
	}
	csvKeys = keyFacts{
		{name: "columns", form: "[A, B, …]", text: "the names of all columns, for files without a header line", shape: scalars},
		{name: "header", form: "true", text: "the first line holds names, though some are numbers, dates or empty", shape: boolean},
		{name: "null", form: "[TEXT, …]", text: `further texts that mean NULL, such as "?"; not in the privacy ID`, shape: scalars},
		{name: "trim", form: "true", text: "blanks around cells are not part of them; the privacy ID keeps its own", shape: boolean},
		{name: "null_id", form: "[TEXT, …]", text: "further texts that mean that a record has no privacy ID", shape: scalars},
		{name: "trim_id", form: "true", text: "blanks around the privacy ID are not part of it", shape: boolean},
		{name: "comma", form: "CHARACTER", text: `what separates cells: ";" or "\t", say`, shape: scalar},
		{name: "escape", form: `"\\"`, text: "a backslash makes a quote, separator, line end or backslash literal", shape: shape{"const": `\`}},
		{name: "max_record_mib", form: "N", text: "what the cells of a record hold at most, in MiB; default 4", shape: count},
		{name: "encoding", form: strings.Join(encodings, " | "), text: "of files that are not UTF-8; windows-1252 is also ISO 8859-1", shape: shape{"enum": encodings}},
		{name: "mark", form: "true", text: "files without a header line begin with a byte order mark, which is skipped", shape: boolean},
		{name: "written", form: "{COLUMN: FORM, …}", text: strings.ReplaceAll(formList(nil), `, "`, ` or "`), shape: object(shape{"enum": formEnum()})},
	}
)

// referenceParts are the mappings of a domain file with their headings.
var referenceParts = []struct {
	title string
	keys  keyFacts
}{
	{"The file (YAML, strict: unknown keys and keys given twice are faults)", fileKeys},
	{"columns: each", columnFacts},
	{"events", eventsKeys},
	{"constraints: each has order, date, derive with from, or sum with of", constraintKeys},
	{"generate: each", generateKeys},
	{"workload: each", workloadKeys},
	{"workload, in place of a list", targetKeys},
	{"csv", csvKeys},
	{"found, as infer writes it", foundKeys},
}

// WriteReference writes all keys of a domain file with their meaning, for a terminal.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString("A domain file declares what a table may contain. Nothing in it may be read off the private table.\n")
	for _, part := range referenceParts {
		fmt.Fprintf(&b, "\n%s\n", part.title)
		for _, k := range part.keys {
			form := k.name + ": " + k.form
			if k.must {
				form += " (required)"
			}
			fmt.Fprintf(&b, "  %-30s %s\n", form, k.text)
		}
	}
	b.WriteString("\ntypes, and the keys that say what their cells are\n")
	for _, t := range domain.Types() {
		fmt.Fprintf(&b, "  %-10s such as %-21s %s\n", t, t.Facts().Example, strings.Join(typeKeys(t), ", "))
	}
	b.WriteString(`
Every column says what a value that does not fit becomes: null, other (with values) or fallback.
Parts that say find, and the cells of a column of a name and type alone, are found by synth and infer --epsilon.
Equal bins want min and max, and then bins, step or resolution; min and max alone have bins learned from noisy counts.

example
  privacy_id: person_id
  columns:
    - {name: sex, type: STRING, values: [Female, Male], other: true}
    - {name: age, type: INT64, min: 0, max: 110, null: true}
    - {name: income, type: NUMERIC, min: 0, max: 250000, resolution: 100, null: true}
    - {name: visited, type: DATE, min: 2020-01-01, max: 2024-12-31, step: month, null: true}
`)
	_, err := io.WriteString(w, b.String())
	return err
}

// shape is a JSON Schema.
type shape map[string]any

var (
	count   = shape{"type": []string{"integer", "string"}, "minimum": 1, "pattern": "^[0-9]+$"}
	scalar  = shape{"type": []string{"string", "number", "boolean"}}
	boolean = shape{"type": "boolean"}
	scalars = list(scalar)
)

func list(of shape) shape { return shape{"type": "array", "items": of, "minItems": 1} }

func object(of shape) shape {
	return shape{"type": "object", "additionalProperties": of, "minProperties": 1}
}

// mapping is a mapping with these keys and no others.
func (k keyFacts) mapping() shape {
	properties, must := shape{}, []string{}
	for _, f := range k {
		s := shape{"description": f.text}
		maps.Copy(s, f.shape)
		properties[f.name] = s
		if f.must {
			must = append(must, f.name)
		}
	}
	return shape{"type": "object", "additionalProperties": false, "properties": properties, "required": must}
}

// set completes the shape of a key.
func (s shape) set(key string, value shape) {
	property := s["properties"].(shape)[key].(shape)
	maps.Copy(property, value)
}

// JSONSchema returns a JSON Schema (2020-12) of domain files, for editors that check a file while it is written. It knows the
// keys, their forms and which belong to a type; the parser knows more, such as that min is below max.
func JSONSchema() ([]byte, error) {
	column := columnFacts.mapping()
	var names []string
	var rules []shape
	for _, t := range domain.Types() {
		names = append(names, t.String())
		others := shape{}
		for _, key := range cellKeys {
			others[key] = false
		}
		for _, key := range typeKeys(t) {
			delete(others, key)
		}
		rules = append(rules, shape{"if": shape{"properties": shape{"type": shape{"const": t.String()}}}, "then": shape{"properties": others}})
	}
	for _, r := range rivals {
		rules = append(rules, shape{"not": shape{"required": r[:]}})
	}
	column["allOf"] = rules
	column.set("type", shape{"enum": names})
	constraint := constraintKeys.mapping()
	constraint["oneOf"] = []shape{{"required": []string{"order"}}, {"required": []string{"date"}}, {"required": []string{"derive"}}, {"required": []string{"sum"}}}
	constraint["dependentRequired"] = shape{"gaps": []string{"order"}, "from": []string{"derive"}, "derive": []string{"from"}, "sum": []string{"of"}, "map": []string{"derive"}, "else": []string{"map"}, "of": []string{"sum"}}
	file := fileKeys.mapping()
	file.set("columns", shape{"anyOf": []shape{list(column), {"const": Find}}})
	file.set("constraints", list(constraint))
	events := eventsKeys.mapping()
	events.set("rows", rowsKeys.mapping())
	file.set("events", events)
	file.set("generate", list(generateKeys.mapping()))
	file.set("impossible", list(shape{"type": "object", "minProperties": 2, "additionalProperties": shape{"anyOf": []shape{scalar, scalars, {"type": "null"}}}}))
	workload := workloadKeys.mapping()
	workload["oneOf"] = []shape{{"required": []string{"columns"}}, {"required": []string{"count"}}, {"required": []string{"prefixes"}},
		{"required": []string{"halfspace", "at_least"}}, {"required": []string{"parity"}}}
	workload["dependentRequired"] = shape{"values": []string{"columns"}, "at_least": []string{"halfspace"}, "weight": []string{"columns"}}
	file.set("workload", shape{"anyOf": []shape{list(workload), targetKeys.mapping()}})
	file.set("csv", csvKeys.mapping())
	file.set("found", foundKeys.mapping())
	file["$schema"], file["$id"], file["title"] = "https://json-schema.org/draft/2020-12/schema", yamltext.Schema, "Domain file of dapple"
	b, err := json.MarshalIndent(file, "", " ")
	return append(b, '\n'), err
}
