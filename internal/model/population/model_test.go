package population

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// randomUniverse has random weights, about a fifth of them 0.
func randomUniverse(sizes []int, rng *rand.Rand) *Model {
	k := 1
	for _, s := range sizes {
		k *= s
	}
	m := &Model{Sizes: sizes, Weights: make([]float64, k)}
	for i := range m.Weights {
		if rng.IntN(5) > 0 {
			m.Weights[i] = rng.ExpFloat64()
		}
	}
	m.Weights[rng.IntN(k)] = 1
	return m
}

// randomColumns has n records with repeats and weights of 0.
func randomColumns(sizes []int, n int, rng *rand.Rand) *Model {
	m := &Model{Sizes: sizes, Weights: make([]float64, n)}
	for _, s := range sizes {
		col := make([]domain.Code, n)
		for i := range col {
			col[i] = domain.Code(rng.IntN(s))
		}
		m.Columns = append(m.Columns, col)
	}
	for i := range m.Weights {
		m.Weights[i] = max(0, rng.NormFloat64()+.5)
	}
	m.Weights[n/2] = 2
	return m
}

// bruteMarginal adds records one by one.
func bruteMarginal(m *Model, c domain.Clique) []float64 {
	cells, _ := c.Cells(m.Sizes)
	out := make([]float64, cells)
	codes := make([]domain.Code, len(m.Sizes))
	for i, w := range m.Weights {
		out[c.Cell(m.Sizes, m.Record(i, codes))] += w
	}
	return out
}

func closeTo(t *testing.T, name string, got, want []float64) {
	t.Helper()
	must.Need(t, len(got) == len(want), "%s: %d cells, want %d", name, len(got), len(want))
	for i := range got {
		must.Need(t, math.Abs(got[i]-want[i]) <= 1e-9*(1+math.Abs(want[i])), "%s: cell %d: got %g, want %g", name, i, got[i], want[i])
	}
}

func TestMarginalAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	sizes := []int{3, 2, 5, 1, 4}
	models := map[string]*Model{
		"universe": randomUniverse(sizes, rng),
		"columns":  randomColumns(sizes, 5000, rng), // more than two index blocks
	}
	for name, m := range models {
		err := m.Validate()
		must.Need(t, err == nil, "%v %v", name, err)
		for set := 0; set < 1<<len(sizes); set++ {
			c := domain.Clique{}
			for a := range sizes {
				if set>>a&1 == 1 {
					c = append(c, a)
				}
			}
			want := bruteMarginal(m, c)
			closeTo(t, name+" "+c.Key(), m.Marginal(c, nil), want)
			dirty := slices.Repeat([]float64{7}, len(want))
			closeTo(t, name+" reused "+c.Key(), m.Marginal(c, dirty), want)
		}
		closeTo(t, name+" total", []float64{m.Total()}, bruteMarginal(m, domain.Clique{}))
	}
}

func TestTotalIsCompensated(t *testing.T) {
	m := &Model{Sizes: []int{3}, Weights: []float64{1, 1e100, 1}}
	m.Weights[1] = 1 << 54 // 1 is below half its last place
	must.Equal(t, m.Total(), float64(1<<54+2))
}

func TestMarginalPanicsOnLengths(t *testing.T) {
	m := &Model{Sizes: []int{2, 2}, Weights: make([]float64, 4)}
	for name, f := range map[string]func(){
		"short table":  func() { m.Marginal(domain.Clique{0}, make([]float64, 3)) },
		"short record": func() { m.Record(0, make([]domain.Code, 1)) },
	} {
		func() {
			defer func() {
				must.Hold(t, recover() != nil, "%s: no panic", name)
			}()
			f()
		}()
	}
}

func TestValidate(t *testing.T) {
	one := [][]domain.Code{{0}}
	for name, m := range map[string]*Model{
		"too few weights":   {Sizes: []int{2, 2}, Weights: []float64{1}},
		"missing column":    {Sizes: []int{2, 2}, Columns: one, Weights: []float64{1}},
		"short column":      {Sizes: []int{2}, Columns: one, Weights: []float64{1, 1}},
		"code beyond":       {Sizes: []int{1}, Columns: [][]domain.Code{{1}}, Weights: []float64{1}},
		"negative weight":   {Sizes: []int{1}, Weights: []float64{-1}},
		"no weight":         {Sizes: []int{1}, Weights: []float64{0}},
		"not a number":      {Sizes: []int{1}, Weights: []float64{math.NaN()}},
		"infinite weight":   {Sizes: []int{1}, Weights: []float64{math.Inf(1)}},
		"no records at all": {Sizes: []int{1}, Columns: [][]domain.Code{{}}},
	} {
		must.Hold(t, m.Validate() != nil, "%s: no error", name)
	}
}

func TestFingerprintSeesEverything(t *testing.T) {
	base := func() *Model {
		return &Model{Sizes: []int{2, 3}, Columns: [][]domain.Code{{0, 1}, {2, 0}}, Weights: []float64{1, 0}}
	}
	want := base().Fingerprint()
	must.Need(t, base().Fingerprint() == want, "equal models differ")
	zero := base()
	zero.Weights[1] = math.Copysign(0, -1)
	must.Hold(t, zero.Fingerprint() == want, "−0 and 0 differ")
	seen := map[[32]byte]string{want: "base"}
	for name, change := range map[string]func(*Model){
		"size":     func(m *Model) { m.Sizes[0]++ },
		"code":     func(m *Model) { m.Columns[1][1] = 1 },
		"weight":   func(m *Model) { m.Weights[0] = math.Nextafter(1, 2) },
		"swap":     func(m *Model) { m.Columns[0], m.Columns[1] = m.Columns[1], m.Columns[0] },
		"universe": func(m *Model) { m.Columns = nil },
	} {
		m := base()
		change(m)
		f := m.Fingerprint()
		other, ok := seen[f]
		must.Hold(t, !ok, "%s and %s have one fingerprint", name, other)
		seen[f] = name
	}
}

func TestSortedIsLexicographicByRisingSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	sizes := []int{4, 2, 3, 2}
	order := []int{1, 3, 2, 0}
	for name, m := range map[string]*Model{
		"universe": randomUniverse(sizes, rng),
		"columns":  randomColumns(sizes, 300, rng),
	} {
		var last []domain.Code
		seen := make([]bool, m.Len())
		m.sorted(func(i int) {
			codes, key := m.Record(i, make([]domain.Code, 4)), []domain.Code(nil)
			for _, a := range order {
				key = append(key, codes[a])
			}
			must.Need(t, slices.Compare(last, key) <= 0 && !seen[i], "%s: record %d, codes %v, after key %v", name, i, codes, last)
			last, seen[i] = key, true
		})
		must.Hold(t, !slices.Contains(seen, false), "%s: a record was not visited", name)
	}
}

// Records are in the order of a stable sort by their codes, whether these fit into one word or into several.
func TestSortedByIsStable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, sizes := range [][]int{{3, 1, 2}, {2048, 3}, {2049, 65535}, {65535, 65535, 65535, 65535}, slices.Repeat([]int{2, 300}, 30)} {
		m := randomColumns(sizes, 3000, rng)
		for a, column := range m.Columns[1:] { // few distinct codes, so that later attributes decide
			for i := range column {
				if rng.IntN(4) > 0 {
					column[i] = domain.Code(sizes[a+1] - 1)
				}
			}
		}
		keys, all := rng.Perm(len(sizes)), make([]uint32, m.Len())
		for i, r := range rng.Perm(len(all)) {
			all[i] = uint32(r)
		}
		want := slices.Clone(all)
		slices.SortStableFunc(want, func(x, y uint32) int {
			for _, a := range keys {
				if c := cmp.Compare(m.code(x, a), m.code(y, a)); c != 0 {
					return c
				}
			}
			return 0
		})
		got := sortedBy(m, all, keys)
		must.Hold(t, slices.Equal(got, want), "sizes %v by attributes %v: another order", sizes, keys)
	}
}

func TestDecoder(t *testing.T) {
	for _, sizes := range [][]int{{7}, {3, 5000}, {16, 15, 10, 7, 5, 2, 2}, {2, 1, 70, 70, 1}} {
		k := 1
		for _, s := range sizes {
			k *= s
		}
		m, d := Model{Sizes: sizes}, newDecoder(sizes)
		got, want := make([]domain.Code, len(sizes)), make([]domain.Code, len(sizes))
		for i := 0; i < k; i += 1 + k/1000 {
			d.decode(uint32(i), got)
			m.Record(i, want)
			must.Need(t, slices.Equal(got, want), "sizes %v cell %d: got %v, want %v", sizes, i, got, want)
		}
	}
}
