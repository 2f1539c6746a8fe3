package workload_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const queryColumns = `privacy_id: none
columns:
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
		w, err := workload.Listed(file)
		must.Need(t, err == nil, "%s: %v", text, err)
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

// TestOrder: entries are in the order of their cliques, and one that asks nothing of a record is refused with its line.
func TestOrder(t *testing.T) {
	file := must.Value(schema.Parse("d.yaml", []byte(queryColumns+"  - {columns: [sex, age], weight: 2}\n  - {parity: [region]}\n  - {columns: [age]}\n")))(t)
	w, err := workload.Listed(file)
	must.Hold(t, err == nil && len(w.Marginals) == 3 && w.Marginals[0].Clique[0] == 1 && w.Marginals[1].Queries != nil && w.Marginals[2].Weight == 2,
		"%+v, %v", w.Marginals, err)
	file = must.Value(schema.Parse("d.yaml", []byte(queryColumns+"  - {halfspace: {age: 1}, at_least: 100}\n")))(t)
	must.Fails(workload.Listed(file))(t, "line 7: ")
}

// A list of columns says nothing of how many rows people have: that is added, by itself, with each marginal that has room
// for it, and with what is usual.
func TestWithRows(t *testing.T) {
	text := strings.Replace(queryColumns, "privacy_id: none", "privacy_id: who", 1) + "  - {columns: [sex, age]}\n  - {columns: [region]}\n  - {columns: [sex, age, region]}\n" +
		"events: {person: [sex], rows: {max: 3}, usual: [region]}\n"
	file := must.Value(schema.Parse("d.yaml", []byte(text)))(t)
	w := must.Value(workload.Listed(file))(t)
	var got []domain.Clique
	for _, m := range query.WithRows(file.Domain, w, 66).Marginals { // 2·11·3 cells, and 2·11·3 rows
		got = append(got, m.Clique)
	}
	want := []domain.Clique{{2}, {3}, {0, 1}, {2, 3}, {3, 4}, {0, 1, 2}, {0, 1, 3}, {2, 3, 4}}
	slices.SortFunc(got, domain.Clique.Compare)
	slices.SortFunc(want, domain.Clique.Compare)
	must.Hold(t, slices.EqualFunc(got, want, domain.Clique.Equal), "%v, want %v", got, want)
	must.Hold(t, len(query.WithRows(file.Domain.Recorded(), w, 66).Marginals) == 3, "a workload of records is another one")
}
