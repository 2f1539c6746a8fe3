package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// never excludes a pair and a triple that overlap.
var never = domain.Exclusions{
	{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{1}, {0, 2}}},
	{Clique: domain.Clique{1, 2, 3}, Codes: [][]domain.Code{{1, 2}, {0}, {1}}},
}

var neverSizes = []int{2, 3, 4, 2}

// drawn returns n random records, and sets the weights of impossible ones to 0.
func drawn(n int, rng *rand.Rand) *Model {
	m := &Model{Sizes: neverSizes, Columns: make([][]domain.Code, 4), Weights: make([]float64, n), StructuralZeros: never}
	for a, k := range neverSizes {
		for range n {
			m.Columns[a] = append(m.Columns[a], domain.Code(rng.IntN(k)))
		}
	}
	for i := range m.Weights {
		m.Weights[i] = rng.ExpFloat64()
	}
	m.Exclude()
	return m
}

func wantPossible(t *testing.T, what string, m *Model) {
	t.Helper()
	must.Pass(t, m.Validate(), "%s", what)
}

// TestExclude: exactly the impossible records lose their weight, and Validate sees one that keeps it.
func TestExclude(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	universe := &Model{Sizes: neverSizes, Weights: make([]float64, 48), StructuralZeros: never}
	for _, m := range []*Model{drawn(500, rng), universe} {
		for i := range m.Weights {
			m.Weights[i] = 1
		}
		must.Hold(t, m.Validate() != nil, "impossible records with weight are valid")
		m.Exclude()
		record := make([]domain.Code, 4)
		for i, w := range m.Weights {
			must.Need(t, (w == 0) == (never.Violated(m.Record(i, record)) >= 0), "record %v has weight %g", record, w)
		}
		wantPossible(t, "excluded", m)
	}
}

// TestRejuvenatePossible: renewed populations hold possible records alone, and the sweep's stationary law is
// the law of the model conditioned on being possible: from many exact draws, one-way shares stay.
//
// Each of the 11 shares moves by at most 5 standard errors √(2/(4n)): a false alarm in 1 of 10^5 seeds; the
// seed is fixed.
func TestRejuvenatePossible(t *testing.T) {
	const n = 40_000
	rng := rand.New(rand.NewPCG(6, 6))
	universe := &Model{Sizes: neverSizes, Weights: make([]float64, 48), StructuralZeros: never}
	base := [][]float64{{.6, .4}, {.5, .3, .2}, {.4, .3, .2, .1}, {.3, .7}}
	theta := []float64{.5, -.5, .2, 1, -1, 0}
	record := make([]domain.Code, 4)
	for z := range universe.Weights {
		universe.Record(z, record)
		w := math.Exp(theta[int(record[0])*3+int(record[1])])
		for a, p := range base {
			w *= p[record[a]]
		}
		universe.Weights[z] = w
	}
	universe.Exclude()
	f := &Field{Model: universe.Resample(n, rng), Base: base}
	table := NewTable(neverSizes, domain.Clique{0, 1}, make([]float64, 6), make([]float64, 6))
	table.Theta = theta
	f.Tables = []*Table{table}
	for range 3 {
		f.Rejuvenate(rng)
		wantPossible(t, "rejuvenated", f.Model)
	}
	for a := range neverSizes {
		want, got := universe.Marginal(domain.Clique{a}, nil), f.Model.Marginal(domain.Clique{a}, nil)
		for v := range want {
			d := got[v]/f.Model.Total() - want[v]/universe.Total()
			must.Hold(t, math.Abs(d) <= 5*math.Sqrt(1./(2*n)), "attribute %d, value %d: share moved by %g", a, v, d)
		}
	}
}

// TestRowsPossible: neither systematic nor refined rows are impossible, of either form of model, also
// where no refined table holds an exclusion.
func TestRowsPossible(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	universe := &Model{Sizes: neverSizes, Weights: make([]float64, 48), StructuralZeros: never}
	for z := range universe.Weights {
		universe.Weights[z] = rng.ExpFloat64()
	}
	universe.Exclude()
	ones := []domain.Clique{{0}, {1}, {2}, {3}}
	pairs := []domain.Clique{{0, 2}, {1, 3}, {2, 3}}
	for _, m := range []*Model{universe, drawn(300, rng)} {
		for _, cliques := range [][]domain.Clique{nil, ones, pairs} {
			rows := NewRows(m, cliques, 2000, 9)
			record := make([]domain.Code, 4)
			for p := range rows.Len() {
				rows.At(p, record)
				must.Need(t, never.Violated(record) < 0, "universe %t, tables %v: row %v is impossible", m.Columns == nil, cliques, record)
			}
		}
	}
}

// A model is never left empty: if exclusions take all of its weight, a possible record has it.
func TestExcludeLeavesSome(t *testing.T) {
	for name, m := range map[string]*Model{
		"a universe": {Sizes: []int{2, 2}, Weights: []float64{0, 7, 0, 0}},
		"a sample":   {Sizes: []int{2, 2}, Columns: [][]domain.Code{{0, 0}, {1, 1}}, Weights: []float64{3, 4}},
	} {
		m.StructuralZeros = domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{0}, {1}}}}
		m.Exclude()
		wantPossible(t, name, m)
		must.Hold(t, m.Total() == 7, "%s: a weight of %g is left, want 7", name, m.Total())
	}
}

// Weights that a target would all make 0 stay.
func TestScaleToNothing(t *testing.T) {
	for name, m := range map[string]*Model{
		"a universe": {Sizes: []int{2, 3}, Weights: []float64{1, 2, 0, 0, 0, 0}},
		"a sample":   {Sizes: []int{2, 3}, Columns: [][]domain.Code{{0, 0}, {0, 1}}, Weights: []float64{1, 2}},
	} {
		m.ScaleTo(domain.Clique{0}, []float64{0, 5})
		if m.Weights[0] != 1 || m.Weights[1] != 2 {
			t.Errorf("%s: weights %v, want 1 and 2", name, m.Weights[:2])
		}
		if m.ScaleTo(domain.Clique{1}, []float64{4, 0, 1}); m.Weights[0] != 4 || m.Weights[1] != 0 {
			t.Errorf("%s: weights %v, want 4 and 0", name, m.Weights[:2])
		}
	}
}

// TestScaleToFromNearlyNothing: weights near the smallest number there is are scaled as all others are. The factor alone
// would be infinite.
func TestScaleToFromNearlyNothing(t *testing.T) {
	for _, columns := range [][][]domain.Code{nil, {{0, 0, 1}, {0, 1, 0}}} {
		m := &Model{Sizes: []int{2, 2}, Weights: []float64{4e-310, 0, 3}, Columns: columns}
		if columns == nil {
			m.Weights = append(m.Weights, 0)
		}
		m.ScaleTo(domain.Clique{0}, []float64{.75, .25})
		if got := m.Marginal(domain.Clique{0}, nil); !(math.Abs(got[0]-.75) < 1e-12 && math.Abs(got[1]-.25) < 1e-12) { // NaN is not
			t.Errorf("marginal = %v, want .75 and .25", got)
		}
	}
}
