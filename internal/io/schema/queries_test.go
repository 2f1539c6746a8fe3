package schema

import (
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

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
