package pipelines

import (
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/io/schema"
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
			return one(region != 1 && sex == 0 && age >= 3 && age <= 6)
		},
		"{count: {age: null}}": func(_ int, _, age, _ domain.Code) float64 { return one(age == 10) },
		"{prefixes: age}":      func(i int, _, age, _ domain.Code) float64 { return one(int(age) <= i) },
		"{halfspace: {region: -1.5, age: 1}, at_least: 2}": func(_ int, _, age, region domain.Code) float64 {
			return one(float64(age)-1.5*float64(region) >= 2)
		},
		"{parity: [region, sex]}": func(_ int, sex, _, region domain.Code) float64 { return 1 - 2*float64((sex+region)%2) },
		"{columns: [region, sex], values: [1, 0, 0.5, -1, 0, 0.25]}": func(_ int, sex, _, region domain.Code) float64 {
			return []float64{1, 0, .5, -1, 0, .25}[2*region+sex]
		},
	} {
		file, err := schema.Parse("d.yaml", []byte(queryColumns+"  - "+text))
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		w, ok := (&Request{File: file}).workload(&Faults{})
		if !ok {
			t.Fatalf("%s: refused", text)
		}
		m, sizes := w.Marginals[0], file.Domain.Sizes()
		for z := range 2 * 11 * 3 {
			r := []domain.Code{domain.Code(z / 33), domain.Code(z / 3 % 11), domain.Code(z % 3)}
			for i := range m.Queries.Queries() {
				if got := m.Queries.Value(i, m.Clique.Cell(sizes, r)); got != want(i, r[0], r[1], r[2]) {
					t.Fatalf("%s: query %d of %v is %g, want %g", text, i, r, got, want(i, r[0], r[1], r[2]))
				}
			}
		}
	}
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// TestTooManyQueries: queries that no record changes, and too many, are refused with the line or the number.
func TestTooManyQueries(t *testing.T) {
	for text, says := range map[string]string{
		"  - {halfspace: {age: 1}, at_least: 100}":                                "leave it out",
		strings.Repeat("  - {parity: [sex]}\n", query.MaxLinear+1):                "at most 100000",
		"  - {columns: [sex], values: [0, 1]}\n  - {columns: [age], weight: 1}\n": "",
	} {
		file, err := schema.Parse("d.yaml", []byte(queryColumns+text))
		if err != nil {
			t.Fatal(err)
		}
		var f Faults
		if _, ok := (&Request{File: file}).workload(&f); ok != (says == "") || says != "" && !strings.Contains(f.Error(), says) {
			t.Errorf("%.60s: %v, want %q", text, f, says)
		}
	}
}
