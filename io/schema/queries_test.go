package schema

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

const queryColumns = `columns:
  - {name: sex, type: STRING, values: [Female, Male], fallback: Male}
  - {name: age, type: INT64, min: 0, max: 9, null: true}
  - {name: region, type: STRING, values: [N, S, W], fallback: N}
workload:
`

// TestQueries compares each kind of linear query with its meaning on all records.
func TestQueries(t *testing.T) {
	for text, want := range map[string]func(i int, sex, age, region domain.Code) float64{
		"{count: {region: [N, W], sex: Female, age: {from: 3, to: 6}}}": func(_ int, sex, age, region domain.Code) float64 {
			return truth(region != 1 && sex == 0 && age >= 3 && age <= 6)
		},
		"{count: {age: null}}": func(_ int, _, age, _ domain.Code) float64 { return truth(age == 10) },
		"{prefixes: age}":      func(i int, _, age, _ domain.Code) float64 { return truth(int(age) <= i) },
		"{halfspace: {region: -1.5, age: 1}, at_least: 2}": func(_ int, _, age, region domain.Code) float64 {
			return truth(float64(age)-1.5*float64(region) >= 2)
		},
		"{parity: [region, sex]}": func(_ int, sex, _, region domain.Code) float64 { return 1 - 2*float64((sex+region)%2) },
		"{columns: [region, sex], values: [1, 0, 0.5, -1, 0, 0.25]}": func(_ int, sex, _, region domain.Code) float64 {
			return []float64{1, 0, .5, -1, 0, .25}[2*region+sex]
		},
	} {
		f, err := Parse("d.yaml", []byte(queryColumns+"  - "+text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		e, sizes := f.Workload[0], f.Domain.Sizes()
		c := domain.Clique{}
		for _, name := range e.Columns {
			c = append(c, f.Domain.Index(name))
		}
		for z := range 2 * 11 * 3 {
			r := []domain.Code{domain.Code(z / 33), domain.Code(z / 3 % 11), domain.Code(z % 3)}
			for i := range e.Queries.Queries() {
				if got := e.Queries.Value(i, c.Cell(sizes, r)); got != want(i, r[0], r[1], r[2]) {
					t.Fatalf("%s: query %d of %v is %g, want %g", text, i, r, got, want(i, r[0], r[1], r[2]))
				}
			}
		}
	}
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func TestQueryFaults(t *testing.T) {
	for text, says := range map[string]string{
		"{parity: [sex, weight]}":                              "no column is called \"weight\"",
		"{halfspace: {height: 1}, at_least: 0}":                "no column is called \"height\"",
		"{halfspace: {age: one}, at_least: 0}":                 "a number is needed",
		"{halfspace: {age: 1}}":                                "at_least are needed",
		"{halfspace: {age: 1}, at_least: 100}":                 "leave it out",
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
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
