package population

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// halves returns records of two independent columns and half their sum, rounded down, and the one-ways of the same records
// if those with a remainder weigh more.
func halves(records int) (*Model, []*Table) {
	rng := rand.New(rand.NewPCG(1, 2))
	sizes := []int{30, 30, 30}
	m := &Model{Sizes: sizes, Columns: make([][]domain.Code, 3), Weights: make([]float64, records)}
	other := make([]float64, records)
	for r := range records {
		x, y := rng.IntN(30), rng.IntN(30)
		z := (x + y) / 2
		for a, v := range []int{x, y, z} {
			m.Columns[a] = append(m.Columns[a], domain.Code(v))
		}
		m.Weights[r], other[r] = 1, 1+.5*float64((x+y)%2)
	}
	wanted := &Model{Sizes: sizes, Columns: m.Columns, Weights: other}
	var ones []*Table
	for a, k := range sizes {
		ones = append(ones, NewTable(sizes, domain.Clique{a}, wanted.Marginal(domain.Clique{a}, nil), slices.Repeat([]float64{.0001}, k)))
	}
	return m, ones
}

func offOnes(m *Model, ones []*Table) (off float64) {
	for _, t := range ones {
		for v, x := range m.Marginal(t.Clique, nil) {
			off += math.Abs(x - t.Target[v])
		}
	}
	return off
}

// FitOneWays reaches one-way marginals that sweeps over one column at a time stay far from, and on any number of cores with the same weights.
func TestFitOneWays(t *testing.T) {
	const records, enough = 40_000, 1
	raked, ones := halves(records)
	f := &Field{Model: raked, Tables: ones}
	f.Rake(Stop{Sweeps: 40, Tolerance: 1e-9}, rand.New(rand.NewPCG(1, 1)))
	if off := offOnes(f.Model, ones); off < 10*enough {
		t.Errorf("40 sweeps end %.1f counts off: the table is no test", off)
	}
	var first []float64
	for _, cores := range []int{1, 3} {
		before := runtime.GOMAXPROCS(cores)
		m, ones := halves(records)
		m.FitOneWays(ones, enough)
		runtime.GOMAXPROCS(before)
		if off := offOnes(m, ones); off > enough {
			t.Errorf("%.1f counts off, want %d", off, enough)
		}
		if first == nil {
			first = m.Weights
		}
		if !slices.Equal(first, m.Weights) {
			t.Errorf("other weights on %d cores", cores)
		}
	}
}

// Targets that no weights meet are met as nearly as their ridges say: of two tables of one column with targets that
// contradict each other, the mean weighted by 1/ridge.
func TestFitOneWaysContradiction(t *testing.T) {
	sizes, n := []int{2, 2}, 1000
	m := &Model{Sizes: sizes, Columns: [][]domain.Code{make([]domain.Code, n), make([]domain.Code, n)}, Weights: slices.Repeat([]float64{1}, n)}
	for r := range n / 2 {
		m.Columns[0][r], m.Columns[1][r] = 1, 1
	}
	m.FitOneWays([]*Table{
		NewTable(sizes, domain.Clique{0}, []float64{480, 520}, []float64{1, 1}),
		NewTable(sizes, domain.Clique{1}, []float64{440, 560}, []float64{3, 3}),
	}, 1e-6)
	// m + θ₁ = 480, m + 3·θ₂ = 440 and 500·exp(θ₁ + θ₂) = m.
	want := 470.0
	for range 50 {
		want -= (want - 500*math.Exp((480-want)+(440-want)/3)) / (1 + 500*math.Exp((480-want)+(440-want)/3)*4/3)
	}
	if got := m.Marginal(domain.Clique{0}, nil)[0]; math.Abs(got-want) > .5 {
		t.Errorf("%.2f records, want %.2f", got, want)
	}
}
