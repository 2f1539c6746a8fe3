package schema

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const related = `privacy_id: id
columns:
  - {name: hour, type: INT64, min: 0, max: 23, fallback: 0}
  - {name: time, type: INT64, min: 0, max: 2359, bins: 24, null: true}
  - {name: start, type: DATE, min: 2020-01-01, max: 2020-12-31, step: month, fallback: 2020-01-01}
  - {name: end, type: DATE, min: 2020-01-01, max: 2021-03-31, step: month, null: true}
  - {name: city, type: STRING, values: [Austin, Boston], other: true}
  - {name: a, type: NUMERIC, min: 0, max: 10.5, bins: 5, fallback: 0}
  - {name: b, type: FLOAT64, min: 0, max: 1, bins: 5, fallback: 0}
  - {name: total, type: NUMERIC, min: 0, max: 3000, bins: 3, fallback: 0}
`

func TestRelations(t *testing.T) {
	f := must.Value(Parse("d.yaml", []byte(related+`constraints:
  - {derive: days, from: end - start}
  - {derive: hour, from: time / 100}
  - {derive: state, from: city, map: {Austin: TX, Boston: MA}, else: "?"}
  - {sum: total, of: [a, hour]}
  - {order: [start, end]}
generate:
  - {column: id, as: uuid}
  - {column: no, as: serial}
workload:
  - {columns: [time, city]}
`)))(t)
	var written, modelled []string
	w := f.Domain.Written()
	for i := range w.Attributes {
		written = append(written, w.Attributes[i].Name)
	}
	for i := range f.Domain.Attributes {
		modelled = append(modelled, f.Domain.Attributes[i].Name)
	}
	must.Equal(t, strings.Join(written, " "), "id no hour time start end city a b total days state", "written")
	must.Equal(t, strings.Join(modelled, " "), "time start end city a b", "modelled")
	days, state := w.Attributes[w.Index("days")], w.Attributes[w.Index("state")]
	// an end is not before its start
	must.Hold(t, days.Type == domain.Int64 && days.Null && days.Cuts[0] == 0 && days.Cuts[1] == 455, "days: %+v", days)
	must.Hold(t, state.Type == domain.String && !state.Null && slices.Equal(state.Values, []string{"?", "TX", "MA"}), "state: %+v", state)
	must.Hold(t, len(f.Domain.StructuralZeros) != 0 && f.Domain.Validate() == nil, "%d structural zeros, %v", len(f.Domain.StructuralZeros), f.Domain.Validate())
}

// Each fault is found at its line, together with all others.
func TestFaultsOfRelations(t *testing.T) {
	for _, c := range []struct{ entries, want string }{
		{"constraints: [{derive: hour, from: tme / 100}]", `character 1: no column is called "tme"`},
		{"constraints: [{derive: hour, from: end}]", `column "hour" is declared as INT64, and the computed values are DATE`},
		{"constraints: [{derive: hour}]", "no from"},
		{"constraints: [{derive: x, from: y + 1}, {derive: y, from: x * 2}]", "would be computed from itself"},
		{"constraints: [{derive: x, from: b + 1}]", "is a FLOAT64, which expressions cannot use"},
		{"constraints: [{derive: x, from: id}]", "is the privacy_id"},
		{"constraints: [{derive: x, from: city, map: {Austin: TX}}]", "the map lacks values of column \"city\": Boston, other"},
		{"constraints: [{derive: x, from: city, map: {Austin: TX, Dallas: TX}, else: a}]", `"Dallas" is not among the values`},
		{"constraints: [{derive: x, from: city, map: {Austin: TX, Austin: MA}, else: a}]", `"Austin" appears twice`},
		{"constraints: [{derive: x, from: time, map: [a]}]", "got a list"},
		{"constraints: [{derive: x, from: [city, time], map: {Austin: {1: TX}}}]", "the map lacks values of columns \"city\" and \"time\": Austin with 0, Austin with 2, "},
		{"constraints: [{derive: x, from: [city], map: {Austin: TX}, else: a}]", "a map looks up one column or two"},
		{"constraints: [{derive: x, from: [city, time], map: {Austin: TX}, else: a}]", "constraints: map: got \"TX\""},
		{"constraints: [{derive: x, from: [city, time], map: {Austin: {1: TX}, Austin: {2: TX}}, else: a}]", "\"Austin\" appears twice"},
		{"constraints: [{derive: x, from: [city, time], map: {Austin: {1: TX, 1: MA}}, else: a}]", "\"1\" appears twice"},
		{"constraints: [{derive: x, from: [city, time], map: {Austin: {-1: TX}}, else: a}]", "\"-1\" is not among the values of column \"time\""},
		{"constraints: [{derive: x, from: [city, b], map: {Austin: {1: TX}}, else: a}]", "is a FLOAT64, whose values cannot be mapped"},
		{"constraints: [{derive: x, from: [city, x], map: {Austin: {1: TX}}, else: a}]", "would be computed from itself"},
		{"constraints: [{derive: x, from: [city, time]}]", "constraints: from: got a list"},
		{"constraints: [{derive: x, from: time / 100}, {derive: x, from: time % 100}]", "computed twice"},
		{"constraints: [{sum: total, of: [a]}]", "at least two columns"},
		{"constraints: [{sum: total, of: [a, b]}]", "FLOAT64 columns add up to a FLOAT64 column, and with no others"},
		{"constraints: [{sum: total, of: [a, a1]}]", `no column is called "a1"`},
		{"constraints: [{sum: total}]", "no of"},
		{"constraints: [{order: [start]}]", "at least two columns"},
		{"constraints: [{order: [start, time]}]", `column "start" has type DATE and column "time" INT64`},
		{"constraints: [{order: [city, time]}]", "has no order"},
		{"constraints: [{order: [start, end]}, {order: [end, start]}]", "would be equal in every row"},
		{"constraints: [{order: [time, late]}, {derive: late, from: time + 1}]", `column "late" is derived`},
		{"constraints: [{order: [time, time]}]", "appears twice"},
		{"constraints: [{from: a}]", "one of order, date, derive and sum is needed"},
		{"constraints: [{derive: x, from: time, of: [a]}]", "of goes with sum"},
		{"constraints: [{date: [time, hour]}]", "three columns are needed"},
		{"constraints: [{date: [time, hour, a]}]", `column "time" goes from 0 to 2359; a year is from 1 to 9999`},
		{"constraints: [{date: [time, hour, a]}]", `column "a" is a NUMERIC; the day of a date is an INT64`},
		{"constraints: []", "the list is empty"},
		{"constraints: [{derive: x, from: time / 100}]\nworkload: [{columns: [x]}]", "column \"x\" is computed and not modelled, and has no marginals"},
		{"constraints: [{derive: hour, from: time / 100}]\nimpossible: [{hour: 3, city: Austin}]", "is computed and not modelled"},
		{"generate: [{column: time, as: uuid}]", `column "time" is modelled, derived or generated already`},
		{"generate: [{column: no, as: uid}]", "uuid, serial or a pattern is needed"},
		{"generate: [{column: no}]", "column and as are needed"},
	} {
		_, err := Parse("d.yaml", []byte(related+c.entries+"\n"))
		must.Hold(t, err != nil && strings.Contains(err.Error(), c.want) && strings.HasPrefix(err.Error(), "d.yaml:1"),
			"%s: got %v; want %q", c.entries, err, c.want)
	}
	_, err := Parse("d.yaml", []byte(related+"constraints:\n  - {derive: hour, from: tim}\n  - {order: [start, en]}\ngenerate: [{column: k, as: k}]\n"))
	var faults Faults
	must.Hold(t, errors.As(err, &faults) && len(faults) == 3 && faults[0].Line == 12 && faults[1].Line == 13 && faults[2].Line == 14,
		"want one fault on each of lines 12 to 14, got %v", err)
}

// A minimum above the maximum of a column that is not below leaves no rows.
func TestOrdersContradictRanges(t *testing.T) {
	_, err := Parse("d.yaml", []byte("privacy_id: none\ncolumns:\n  - {name: a, type: INT64, min: 5, max: 9, fallback: 5}\n  - {name: b, type: INT64, min: 0, max: 4, fallback: 0}\nconstraints: [{order: [a, b]}]\n"))
	must.Fail(t, err, `d.yaml:5:23: constraints: the least value of column "a" is above the largest of column "b"`)
}

// TestOrderOfExactValues: numbers may have their own ones; FLOAT64 columns need the same. A column between two others has all
// values of one of them.
func TestOrderOfExactValues(t *testing.T) {
	parse := func(typ, a, b, order string) error {
		_, err := Parse("d.yaml", []byte("privacy_id: none\ncolumns:\n  - {name: a, type: "+typ+", min: 0, max: 90, resolution: 0.5, "+a+"fallback: 0}\n"+
			"  - {name: b, type: "+typ+", min: 0, max: 90, resolution: 0.5, "+b+"fallback: 0}\n"+
			"  - {name: c, type: "+typ+", min: 0, max: 90, resolution: 0.5, fallback: 0}\nconstraints: [{order: "+order+"}]\n"))
		return err
	}
	const own, other = "exact: [0.693], ", "exact: [0.7], "
	for _, err := range []error{parse("NUMERIC", own, other, "[b, a]"), parse("FLOAT64", own, own, "[b, a]"),
		parse("NUMERIC", own, own, "[b, a, c]"), parse("NUMERIC", "", other, "[b, a, c]")} {
		must.Hold(t, err == nil, "%v", err)
	}
	must.Fail(t, parse("FLOAT64", own, other, "[b, a]"), `columns "b" and "a" have different exact values`)
	must.Fail(t, parse("NUMERIC", own, other, "[b, a, c]"), `column "a" stands between "b" and "c" and has other exact values`)
}

const queryColumns = `privacy_id: none
columns:
  - {name: sex, type: STRING, values: [Female, Male], fallback: Male}
  - {name: age, type: INT64, min: 0, max: 9, null: true}
  - {name: region, type: STRING, values: [N, S, W], fallback: N}
workload:
`

func TestQueryFaults(t *testing.T) {
	for text, says := range map[string]string{
		"{parity: [sex, weight]}":                              "no column is called \"weight\"",
		"{halfspace: {height: 1}, at_least: 0}":                "no column is called \"height\"",
		"{halfspace: {age: one}, at_least: 0}":                 "a number is needed",
		"{halfspace: {age: 1}}":                                "at_least are needed",
		"{count: {sex: Other}}":                                "not among its values",
		"{count: {age: {from: 5}}}":                            "from and to are needed",
		"{count: {age: {from: 5, to: 2}}}":                     "exchange them",
		"{count: [sex]}":                                       "a mapping such as",
		"{columns: [sex], values: [0, 1.5]}":                   "values lie in [-1, 1]",
		"{columns: [sex], values: [0]}":                        "the columns have 2 cells",
		"{columns: [sex], values: [0, .inf]}":                  "a number is needed",
		"{values: [0, 1]}":                                     "columns are needed",
		"{prefixes: sex, parity: [sex]}":                       "give each an entry of its own",
		"{parity: [sex, age], weight: 2}":                      "has no weight",
		"{count: {sex: Female, age: {from: 0, to: 9, by: 2}}}": "unknown key",
	} {
		_, err := Parse("d.yaml", []byte(queryColumns+"  - "+text))
		must.Fail(t, err, says, "%s", text)
	}
}
