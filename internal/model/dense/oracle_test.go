package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// universes are sizes on which every clique set is tried: axes of size 1, small and large inner rows,
// the largest axis first, last and in the middle, and one long enough for pairwise sums.
var universes = [][]int{
	{2, 3, 4},
	{1, 5, 1, 3, 2},
	{7, 2, 2, 9},
	{2, 2, 11, 3, 8},
	{3, 1, 1},
	{2, 9001, 7},
	{9001, 3, 2},
}

func random(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

func randomAnswers(rng *rand.Rand, p *dense.Plan) query.Answers {
	a, flat := p.NewAnswers()
	copy(flat, random(rng, len(flat)))
	return a
}

func dot(a, b []float64) float64 {
	s := 0.0
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// check compares Eval with brute force, and Adjoint and AddBlock with their definitions. Sums of n
// standard normal terms are off by less than 1e-15·n.
func check(t *testing.T, rng *rand.Rand, sizes []int, cliques []domain.Clique) {
	t.Helper()
	plan := dense.NewPlan(sizes, cliques)
	o := dense.NewOracle(plan)
	p := random(rng, plan.Len())
	dst, _ := plan.NewAnswers()
	tolerance := 1e-14 * float64(plan.Len()+10)
	want := solvertest.Marginals(sizes, cliques, p)
	for i, got := range o.Eval(p, dst) {
		for c := range got {
			must.Need(t, math.Abs(got[c]-want[i][c]) <= tolerance,
				"sizes %v cliques %v: marginal %d cell %d = %g, want %g", sizes, cliques, i, c, got[c], want[i][c])
		}
	}
	g, start := randomAnswers(rng, plan), random(rng, plan.Len())
	adjoint := o.Adjoint(g, append([]float64(nil), start...))
	blocks, cells := append([]float64(nil), start...), append([]float64(nil), start...)
	for i := range cliques {
		o.AddBlock(i, g[i], blocks)
		for c, x := range g[i] {
			o.AddCell(i, c, x, cells)
		}
	}
	for z := range start {
		want := start[z]
		for i, c := range cliques {
			want += g[i][solvertest.Cell(sizes, c, z)]
		}
		for name, got := range map[string]float64{"Adjoint": adjoint[z], "AddBlock": blocks[z], "AddCell": cells[z]} {
			must.Need(t, math.Abs(got-want) <= 1e-13*float64(1+len(cliques)), "sizes %v cliques %v: %s at %d = %g, want %g", sizes, cliques, name, z, got, want)
		}
	}
}

func TestOracleAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, sizes := range universes {
		for _, set := range cliqueSets(len(sizes)) {
			k := dense.Cells(sizes)
			if k > 1e5 || (k > 1e4 && (set.name == "full" || set.name == "nested")) {
				set.cliques = set.cliques[:min(2, len(set.cliques))]
			}
			t.Run(fmt.Sprint(sizes, " ", set.name), func(t *testing.T) { checkLarge(t, rng, sizes, set.cliques) })
		}
	}
	for range 200 {
		sizes := randomSizes(rng, 1+rng.IntN(6), 6)
		check(t, rng, sizes, randomCliques(rng, rng.IntN(8), len(sizes)))
	}
}

// checkLarge is check where the universe is small, and Eval and the inner product where it is not.
func checkLarge(t *testing.T, rng *rand.Rand, sizes []int, cliques []domain.Clique) {
	t.Helper()
	if dense.Cells(sizes) < 1e4 {
		check(t, rng, sizes, cliques)
		return
	}
	plan := dense.NewPlan(sizes, cliques)
	p := random(rng, plan.Len())
	dst, _ := plan.NewAnswers()
	want := solvertest.Marginals(sizes, cliques, p)
	for i, got := range dense.NewOracle(plan).Eval(p, dst) {
		for c := range got {
			must.Need(t, math.Abs(got[c]-want[i][c]) <= 1e-9, "marginal %d cell %d = %g, want %g", i, c, got[c], want[i][c])
		}
	}
	innerProduct(t, rng, sizes, cliques)
}

func innerProduct(t *testing.T, rng *rand.Rand, sizes []int, cliques []domain.Clique) {
	t.Helper()
	plan := dense.NewPlan(sizes, cliques)
	o := dense.NewOracle(plan)
	p, g := random(rng, plan.Len()), randomAnswers(rng, plan)
	dst, _ := plan.NewAnswers()
	left, scale := 0.0, 1.0
	for i, m := range o.Eval(p, dst) {
		left += dot(m, g[i])
		scale += math.Sqrt(dot(m, m) * dot(g[i], g[i]))
	}
	right := dot(p, o.Adjoint(g, make([]float64, plan.Len())))
	must.Need(t, math.Abs(left-right) <= 1e-12*scale, "sizes %v cliques %v: <Eval(p), g> = %g, <p, Adjoint(g)> = %g", sizes, cliques, left, right)
}

func TestAdjointIsTransposeOfEval(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 300 {
		sizes := randomSizes(rng, 1+rng.IntN(7), 9)
		innerProduct(t, rng, sizes, randomCliques(rng, rng.IntN(10), len(sizes)))
	}
}

// TestBuffersAreSmallerThanTheUniverse covers the tree of a binary universe, which has many tables.
func TestBuffersAreSmallerThanTheUniverse(t *testing.T) {
	sizes := make([]int, 12)
	for i := range sizes {
		sizes[i] = 2
	}
	plan := dense.NewPlan(sizes, query.AllMarginals(sizes, 3, 8).Maximal().Cliques())
	got := dense.NewOracle(plan).BufferCells()
	must.Hold(t, got < plan.Len(), "buffers of %d cells for a universe of %d", got, plan.Len())
}

func TestKernelsDoNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	sizes := []int{4, 3, 1, 5, 2}
	plan := dense.NewPlan(sizes, query.AllMarginals(sizes, 3, 1000).Cliques())
	o := dense.NewOracle(plan)
	theta, p := random(rng, plan.Len()), make([]float64, plan.Len())
	g := randomAnswers(rng, plan)
	n := testing.AllocsPerRun(100, func() {
		dense.Softmax(theta, p)
		o.Eval(p, g)
		o.Adjoint(g, theta)
		o.AddBlock(3, g[3], theta)
		o.AddCell(3, 1, .5, theta)
	})
	must.Hold(t, n == 0, "%g allocations per iteration, want 0", n)
}

func TestPanics(t *testing.T) {
	plan := dense.NewPlan([]int{2, 3}, []domain.Clique{{0}})
	o := dense.NewOracle(plan)
	a, _ := plan.NewAnswers()
	for name, f := range map[string]func(){
		"descending clique": func() { dense.NewPlan([]int{2, 2}, []domain.Clique{{1, 0}}) },
		"unknown attribute": func() { dense.NewPlan([]int{2, 2}, []domain.Clique{{2}}) },
		"size 0":            func() { dense.NewPlan([]int{2, 0}, nil) },
		"short universe":    func() { o.Eval(make([]float64, 5), a) },
		"missing answer":    func() { o.Adjoint(nil, make([]float64, 6)) },
		"short answer":      func() { o.Adjoint(query.Answers{{1}}, make([]float64, 6)) },
		"short block":       func() { o.AddBlock(0, []float64{1}, make([]float64, 6)) },
		"unknown cell":      func() { o.AddCell(0, 2, 1, make([]float64, 6)) },
		"softmax lengths":   func() { dense.Softmax(make([]float64, 2), make([]float64, 3)) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				must.Hold(t, recover() != nil, "no panic")
			}()
			f()
		})
	}
}

func ExampleOracle() {
	plan := dense.NewPlan([]int{2, 3}, []domain.Clique{{0}, {1}})
	o := dense.NewOracle(plan)
	answers, _ := plan.NewAnswers()
	fmt.Println(o.Eval([]float64{1, 2, 3, 4, 5, 6}, answers))
	fmt.Println(o.Adjoint(query.Answers{{10, 20}, {1, 2, 3}}, make([]float64, 6)))
	// Output:
	// [[6 15] [5 7 9]]
	// [11 12 13 21 22 23]
}
