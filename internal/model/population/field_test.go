package population

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// randomField returns a field over the universe, with tables that form a cycle, and targets that no model meets exactly.
func randomField(sizes []int, rng *rand.Rand) *Field {
	m := randomUniverse(sizes, rng)
	f := &Field{Model: &Model{Sizes: sizes, Weights: slices.Repeat([]float64{1000 / float64(m.Len())}, m.Len())}}
	for _, k := range sizes {
		f.Base = append(f.Base, slices.Repeat([]float64{1 / float64(k)}, k))
	}
	for _, c := range []domain.Clique{{0}, {1}, {0, 1}, {1, 2}, {0, 2}, {0, 1, 2}} {
		y := m.Marginal(c, nil)
		ridge := make([]float64, len(y))
		for j := range y {
			y[j] = y[j]/m.Total()*1000 + 5*rng.NormFloat64()
			ridge[j] = 2 + 30*rng.Float64()
		}
		f.Tables = append(f.Tables, NewTable(sizes, c, y, ridge))
	}
	return f
}

// TestRakeColumnsLikeTheUniverse lists every cell of the universe as a record.
func TestRakeColumnsLikeTheUniverse(t *testing.T) {
	sizes := []int{3, 4, 2}
	whole := randomField(sizes, rand.New(rand.NewPCG(32, 1)))
	listed := randomField(sizes, rand.New(rand.NewPCG(32, 1)))
	m := &Model{Sizes: sizes, Weights: slices.Clone(whole.Model.Weights), Columns: make([][]domain.Code, 3)}
	for i := range m.Weights {
		for a, c := range whole.Model.Record(i, make([]domain.Code, 3)) {
			m.Columns[a] = append(m.Columns[a], c)
		}
	}
	listed.Model = m
	stop := Stop{Sweeps: 5, Rejuvenations: 3, Effective: 1e-6}
	a, b := whole.Rake(stop, nil), listed.Rake(stop, nil)
	must.Hold(t, a.Sweeps == b.Sweeps && math.Abs(a.Change-b.Change) <= 1e-6, "universe %+v, columns %+v", a, b)
	closeTo(t, "weights", listed.Model.Weights, whole.Model.Weights)
}

// TestSumsDoNotDependOnCores: the sums of a large population, in blocks, on one core and on several.
func TestSumsDoNotDependOnCores(t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 1))
	const n = 5 * blockRecords
	for _, cells := range []int{1, 60, n} {
		index, last, weights := make([]int32, n), make([]int32, n), make([]float64, n)
		want, wantNext, factor := make([]float64, cells), make([]float64, cells), make([]float64, cells)
		for c := range factor {
			factor[c] = rng.Float64()
		}
		for i := range index {
			index[i], last[i], weights[i] = int32(rng.IntN(cells)), int32(rng.IntN(cells)), rng.Float64()
			want[index[i]] += weights[i]
			wantNext[index[i]] += weights[i] * factor[last[i]]
		}
		var masses, next, products [2][]float64
		var effective [2]float64
		for i, cores := range []int{1, 4} {
			before := runtime.GOMAXPROCS(cores)
			var s sums
			masses[i], next[i], products[i] = make([]float64, cells), slices.Clone(factor), slices.Clone(weights)
			s.add(masses[i], index, weights, factors{})
			effective[i] = s.add(next[i], index, products[i], factors{last, next[i]}) // in the factors' memory
			runtime.GOMAXPROCS(before)
		}
		closeTo(t, "sums", masses[0], want)
		closeTo(t, "sums of products", next[0], wantNext)
		must.Hold(t, slices.Equal(masses[0], masses[1]) && slices.Equal(next[0], next[1]) && slices.Equal(products[0], products[1]) && effective[0] == effective[1],
			"%d cells: sums depend on the number of cores", cells)
	}
}

// tables returns those that are raked on b.
func (b *belief) tables() []*Table {
	if b.table != nil {
		return []*Table{b.table}
	}
	var out []*Table
	for _, p := range b.parts {
		out = append(out, p.tables()...)
	}
	return out
}

// TestClustersCover: every wider table is in one cluster, one-ways in all that hold them, and no cluster of several
// tables is larger than allowed.
func TestClustersCover(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 1))
	for range 50 {
		sizes := make([]int, 8)
		for a := range sizes {
			sizes[a] = 2 + rng.IntN(30)
		}
		var tables, ones []*Table
		add := func(to *[]*Table, c domain.Clique) {
			cells, _ := c.Cells(sizes)
			*to = append(*to, NewTable(sizes, c, make([]float64, cells), make([]float64, cells)))
		}
		for a := range sizes {
			add(&ones, domain.Clique{a})
			for b := a + 1; b < 8; b++ {
				if rng.IntN(2) == 0 {
					add(&tables, domain.Clique{a, b})
				}
				if c := b + 1 + rng.IntN(3); c < 8 {
					add(&tables, domain.Clique{a, b, c})
				}
			}
		}
		const most = 4096
		seen := map[*Table]int{}
		for _, b := range newClusters(sizes, slices.Concat(ones, tables), most) {
			inside := b.tables()
			single := slices.ContainsFunc(inside, func(x *Table) bool { return b.clique.Equal(x.Clique) })
			must.Hold(t, len(b.mass) <= most || single, "sizes %v: cluster %v of %d cells", sizes, b.clique, len(b.mass))
			for _, x := range inside {
				seen[x]++
			}
			for _, x := range ones {
				must.Hold(t, b.clique.Contains(x.Clique) == slices.Contains(inside, x), "cluster %v and the one-way of attribute %v", b.clique, x.Clique)
			}
		}
		for _, x := range tables {
			must.Hold(t, seen[x] == 1, "table %v is in %d clusters", x.Clique, seen[x])
		}
	}
}

func TestResampleKeepsTheTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 1))
	m := randomColumns([]int{2, 3, 4}, 200, rng)
	r := m.Resample(5000, rng)
	err := r.Validate()
	must.Need(t, err == nil && r.Len() == 5000, "%v %v", r.Len(), err)
	must.Hold(t, slices.Min(r.Weights) == slices.Max(r.Weights), "weights differ")
	// Every record has its share of the 5000 to within 1, so a cell of n records is off by at most n.
	each := m.Total() / 5000
	got := r.Marginal(domain.Clique{0, 1, 2}, nil)
	for c, w := range m.Marginal(domain.Clique{0, 1, 2}, nil) {
		must.Hold(t, math.Abs(got[c]-w) <= 30*each, "cell %d: %g, want %g", c, got[c], w)
	}
}

// TestRejuvenateDrawsTheConditional starts 40,000 equal records, whose attributes 1 and 2 one Gibbs sweep
// redraws in some order. The pair (0, 1) is linked by a table, and attribute 2 is free: after the sweep
// its law is exact, and so is the law of attribute 0 or 1, whichever is drawn last, given the other. Each
// share has a standard deviation of at most .5/√(records of its condition); 6 of them are allowed.
func TestRejuvenateDrawsTheConditional(t *testing.T) {
	sizes := []int{2, 3, 4}
	const n = 40_000
	base := [][]float64{{.5, .5}, {.2, .3, .5}, {.1, .2, .3, .4}}
	theta := []float64{0, 1, -1, 2, 0, .5} // of the pair (0, 1)
	for seed := uint64(0); seed < 6; seed++ {
		rng := rand.New(rand.NewPCG(34, seed))
		table := NewTable(sizes, domain.Clique{0, 1}, make([]float64, 6), slices.Repeat([]float64{1}, 6))
		copy(table.Theta, theta)
		f := &Field{Base: base, Tables: []*Table{table}, Model: &Model{Sizes: sizes, Weights: slices.Repeat([]float64{2}, n),
			Columns: [][]domain.Code{make([]domain.Code, n), make([]domain.Code, n), make([]domain.Code, n)}}}
		f.Rejuvenate(rng)
		got := f.Model.Total()
		must.Need(t, math.Abs(got-2*n) <= 1e-6*n, "the weights sum to %g", got)
		for v, w := range f.Model.Marginal(domain.Clique{2}, nil) {
			p := w / (2 * n)
			must.Hold(t, math.Abs(p-base[2][v]) <= 3/math.Sqrt(n), "seed %d: attribute 2 is %d with share %g, want %g", seed, v, p, base[2][v])
		}
		pair := f.Model.Marginal(domain.Clique{0, 1}, nil)
		must.Hold(t, conditionalHolds(pair, base, theta, 0) || conditionalHolds(pair, base, theta, 1),
			"seed %d: neither conditional of the pair holds: %v", seed, pair)
	}
}

// conditionalHolds checks the law of attribute a of the pair given the other.
func conditionalHolds(pair []float64, base [][]float64, theta []float64, a int) bool {
	size := []int{2, 3}
	for other := 0; other < size[1-a]; other++ {
		var count, want []float64
		n, z := 0.0, 0.0
		for v := 0; v < size[a]; v++ {
			cell := v*3 + other
			if a == 1 {
				cell = other*3 + v
			}
			count = append(count, pair[cell]/2)
			want = append(want, base[a][v]*math.Exp(theta[cell]))
			n += count[v]
			z += want[v]
		}
		for v := range count {
			if n > 0 && math.Abs(count[v]/n-want[v]/z) > 3/math.Sqrt(n) {
				return false
			}
		}
	}
	return true
}

// TestRakeSampledCycle fits a cycle of strong pairs on a sample of the independent model, which needs
// rejuvenation, and compares the fitted tables with the fit on the universe.
func TestRakeSampledCycle(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 1))
	sizes := []int{6, 6, 6}
	truth := &Model{Sizes: sizes, Weights: make([]float64, 216)}
	for i := range truth.Weights { // neighbours on the diagonal
		x, y, z := i/36, i/6%6, i%6
		truth.Weights[i] = math.Exp(-4 * (math.Abs(float64(x-y)) + math.Abs(float64(y-z)) + math.Abs(float64(x-z))))
	}
	for i, s := 0, truth.Total(); i < 216; i++ {
		truth.Weights[i] *= 1000 / s
	}
	f := &Field{Model: &Model{Sizes: sizes, Weights: slices.Repeat([]float64{1000. / 216}, 216)}}
	for _, k := range sizes {
		f.Base = append(f.Base, slices.Repeat([]float64{1 / float64(k)}, k))
	}
	f.Model = f.Model.Resample(30_000, rng)
	for _, c := range []domain.Clique{{0, 1}, {1, 2}, {0, 2}} {
		f.Tables = append(f.Tables, NewTable(sizes, c, truth.Marginal(c, nil), slices.Repeat([]float64{.01}, 36)))
	}
	done := f.Rake(Stop{Sweeps: 40, Tolerance: .1, Rejuvenations: 40, Effective: .3, Least: .3}, rng)
	must.Hold(t, done.Rejuvenations != 0, "a sample of the independent model needed no renewal")
	sum, squares := 0.0, 0.0
	for _, w := range f.Model.Weights {
		sum, squares = sum+w, squares+w*w
	}
	share := sum * sum / squares / 30_000
	must.Hold(t, share >= .25, "the weights are worth %g of their number after %+v", share, done)
	for _, table := range f.Tables {
		distance := 0.0
		for c, w := range f.Model.Marginal(table.Clique, nil) {
			distance += math.Abs(w-table.Target[c]) / 2000
		}
		must.Hold(t, distance <= .01, "table %v: total variation %g after %+v", table.Clique, distance, done)
	}
	if once := f.Rake(Stop{Sweeps: 4, Rejuvenations: 40, Factors: 1, Effective: 1}, rng); once.Rejuvenations != 1 || once.Factors < 15_000*f.RenewalCost() || once.Factors > 30_000*f.RenewalCost() {
		t.Errorf("%d renewals of %g factors, want one, of %g for each of 15,000 to 30,000 copies", once.Rejuvenations, once.Factors, f.RenewalCost())
	}
	late := f.Rake(Stop{Sweeps: 1, Rejuvenations: 40, Effective: 1, Least: .1}, rng)
	must.Hold(t, late.Rejuvenations == 0, "%d renewals in the last half of the sweeps, want none above a tenth", late.Rejuvenations)
}
