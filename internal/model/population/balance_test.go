package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// objectiveOfRidges is the part of the fit's objective that balancing may change.
func objectiveOfRidges(tables []*Table) float64 {
	sum := 0.0
	for _, t := range tables {
		for c, x := range t.Theta {
			sum += x * (t.Ridge[c]*x/2 - t.Target[c])
		}
	}
	return sum
}

// logWeight is the sum of a record's potentials.
func logWeight(sizes []int, tables []*Table, record []domain.Code) float64 {
	sum := 0.0
	for _, t := range tables {
		sum += t.Theta[t.Clique.Cell(sizes, record)]
	}
	return sum
}

// Balancing keeps the log-weight of every record, ends at the least of the objective along its way, and leaves cells
// without mass alone.
func TestBalance(t *testing.T) {
	sizes := []int{4, 3, 5}
	rng := rand.New(rand.NewPCG(1, 7))
	table := func(c domain.Clique) *Table {
		n, _ := c.Cells(sizes)
		x := NewTable(sizes, c, make([]float64, n), make([]float64, n))
		for i := range x.Theta {
			x.Target[i], x.Ridge[i], x.Theta[i] = 10*rng.NormFloat64(), .1+rng.Float64(), rng.NormFloat64()
		}
		return x
	}
	tables := []*Table{table(domain.Clique{0}), table(domain.Clique{2}), table(domain.Clique{0, 1}), table(domain.Clique{1, 2}), table(domain.Clique{0, 1, 2})}
	tables[4].Theta[7] = 0
	overlaps := newOverlaps(sizes, tables)
	if len(overlaps) != 4 { // {0} in {0 1}, {2} in {1 2}, and the two pairs in the triple, which needs no one-ways
		t.Fatalf("%d overlaps, want 4", len(overlaps))
	}
	var before []float64
	each := func(visit func(record []domain.Code)) {
		for c := range 4 * 3 * 5 {
			visit([]domain.Code{domain.Code(c / 15), domain.Code(c / 5 % 3), domain.Code(c % 5)})
		}
	}
	each(func(r []domain.Code) { before = append(before, logWeight(sizes, tables, r)) })
	for i := range overlaps {
		o := &overlaps[i]
		was := objectiveOfRidges(tables)
		o.balance()
		now := objectiveOfRidges(tables)
		must.Hold(t, now < was, "%v and %v: objective %g, was %g", o.wide.Clique, o.inside.Clique, now, was)
		for c, x := range o.inside.Theta { // both tables miss their targets by as much
			off := o.inside.Target[c] - o.inside.Ridge[c]*x
			for d, y := range o.wide.Theta {
				if o.onto.Cell(d) == c && y != 0 {
					off -= o.wide.Target[d] - o.wide.Ridge[d]*y
				}
			}
			must.Hold(t, math.Abs(off) <= 1e-9, "%v and %v, cell %d: slope %g", o.wide.Clique, o.inside.Clique, c, off)
		}
	}
	must.Hold(t, tables[4].Theta[7] == 0, "a cell without mass was moved")
	i := 0
	each(func(r []domain.Code) {
		got := logWeight(sizes, tables, r)
		must.Hold(t, i == 7 || math.Abs(got-before[i]) <= 1e-9, "record %v: log-weight %g, was %g", r, got, before[i])
		i++
	})
}

// Where one column follows from another, balanced potentials meet the pair within a few sweeps; without balancing the
// largest change is still fifty times as much after ten.
func TestBalanceConverges(t *testing.T) {
	const k, units = 12, 1000.
	sizes := []int{k, k}
	one, pair := make([]float64, k), make([]float64, k*k)
	for v := range one {
		one[v] = units / k
		pair[v*k+v] = units / k
	}
	ridge := func(n int, x float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = x
		}
		return out
	}
	f := &Field{Model: &Model{Sizes: sizes, Weights: ridge(k*k, units/(k*k))}, Base: [][]float64{ridge(k, 1./k), ridge(k, 1./k)},
		Tables: []*Table{NewTable(sizes, domain.Clique{0}, one, ridge(k, .01)), NewTable(sizes, domain.Clique{1}, one, ridge(k, .01)),
			NewTable(sizes, domain.Clique{0, 1}, pair, ridge(k*k, 2))}}
	done := f.Rake(Stop{Sweeps: 10, Effective: .3}, rand.New(rand.NewPCG(1, 1)))
	t.Logf("change %.3g", done.Change)
	must.Hold(t, done.Change <= 1, "change of %.3g counts in sweep %d", done.Change, done.Sweeps)
}
