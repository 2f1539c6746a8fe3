package solvertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Mixed returns a workload of every kind of query over six columns of the given sizes, at least 3 and 2 codes in the
// first two: a marginal, a conjunction, prefixes, a half-space, a parity, and two queries on the universe with values
// drawn from [−1, 1].
func Mixed(t testing.TB, sizes []int) query.Workload {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	w := query.Workload{Sizes: sizes, Marginals: []query.Marginal{{Clique: domain.Clique{1, 2}, Weight: 1}}}
	add := func(m query.Marginal, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		w.Marginals = append(w.Marginals, m)
	}
	whole, position := make(domain.Clique, len(sizes)), make([][]float64, len(sizes))
	for a, n := range sizes {
		whole[a] = a
		for v := range n {
			position[a] = append(position[a], float64(v))
		}
	}
	add(query.Conjunction(sizes, domain.Clique{0, 1}, [][]domain.Code{{0, 2}, {1}}))
	add(query.Prefixes(sizes, 0, sizes[0]))
	add(query.HalfSpace(sizes, domain.Clique{0, 1, 3}, []float64{1, -2, .5}, [][]float64{position[0], position[1], position[3]}, .5))
	add(query.Parity(sizes, domain.Clique{1, 2, 3, 4}))
	any := func([]domain.Code) float64 { return 2*rng.Float64() - 1 }
	add(query.Functions(sizes, whole, []func([]domain.Code) float64{any, any}))
	return w
}

// TestLinear checks on a mixed workload of linear queries what TestSolver checks on marginals, and that the largest error
// is at most the given part of the units; the uniform table's is twice that at least.
func TestLinear(t *testing.T, m Method, most float64) {
	table := RandomTable(rand.New(rand.NewPCG(3, 4)), 50_000, 3, 2, 2, 3, 2, 2)
	for z := range table.Counts { // the sum of columns 1 to 4 becomes even for most records
		if (z/24%2+z/12%2+z/4%3+z/2%2)%2 == 1 {
			moved := math.Floor(.8 * table.Counts[z])
			table.Counts[z] -= moved
			table.Counts[z^2] += moved
		}
	}
	w := Mixed(t, table.Sizes)
	uniform := make([]float64, len(table.Counts))
	for z := range uniform {
		uniform[z] = table.Units() / float64(len(uniform))
	}
	if e := LargestError(table, w, uniform); e < 2*most {
		t.Fatalf("the uniform table's largest error is %g of the units: too easy", e)
	}
	for _, r := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		for _, pure := range []bool{false, true} {
			if pure && m.NoPure {
				continue
			}
			t.Run(fmt.Sprintf("%v/pure=%t", r, pure), func(t *testing.T) {
				p := Problem(table, 1, r, max(m.Epsilon, 2), pure)
				p.Workload = w
				got := m.conforms(t, table, p)
				if e := LargestError(table, w, Explicit(got.Model).Weights); !(e <= most) {
					t.Errorf("largest error %.4f of the units, want at most %g", e, most)
				}
			})
		}
	}
}

// Explicit returns the model with a weight for every record of the universe.
func Explicit(m *population.Model) *population.Model {
	if m.Columns == nil {
		return m
	}
	all := make(domain.Clique, len(m.Sizes))
	k := 1
	for a, n := range m.Sizes {
		all[a] = a
		k *= n
	}
	out := &population.Model{Sizes: m.Sizes, Weights: make([]float64, k)}
	record := make([]domain.Code, len(m.Sizes))
	for i, w := range m.Weights {
		out.Weights[all.Cell(m.Sizes, m.Record(i, record))] += w
	}
	return out
}

// LargestError returns the largest error of the weights' answers to a workload, as a part of the units.
func LargestError(t *Table, w query.Workload, weights []float64) float64 {
	plan := dense.PlanOf(w)
	o := dense.NewOracle(plan)
	answers, truth := plan.NewAnswers()
	o.Eval(t.Counts, answers)
	answers, got := plan.NewAnswers()
	o.Eval(weights, answers)
	worst := 0.0
	for i, x := range truth {
		worst = max(worst, math.Abs(x-got[i])/t.Units())
	}
	return worst
}
