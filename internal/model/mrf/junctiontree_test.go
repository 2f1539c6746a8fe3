package mrf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// build returns a tree over the shape and the joint table, both multiplied by the same random factors.
func build(s shape, rng *rand.Rand) (*JunctionTree, *universe) {
	maximal, _ := triangulated(s.sizes, s.cliques, 4, rng)
	tree, joint := NewJunctionTree(s.sizes, maximal), newUniverse(s.sizes)
	for _, c := range s.cliques {
		f := randomFactor(s.sizes, c, rng)
		tree.Multiply(c, f)
		joint.multiply(c, f)
	}
	return tree, joint
}

func TestCalibrateAgainstBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	for _, s := range shapes() {
		for trial := 0; trial < 20; trial++ {
			tree, joint := build(s, rng)
			for again := 0; again < 2; again++ { // a calibrated tree takes further factors
				tree.Calibrate(1000)
				joint.normalise(1000)
				checkMarginals(t, s, tree, joint)
				for _, c := range s.cliques {
					f := randomFactor(s.sizes, c, rng)
					tree.Multiply(c, f)
					joint.multiply(c, f)
				}
			}
		}
	}
}

// checkMarginals compares the marginals on all subsets of the tree's cliques, and the separators.
func checkMarginals(t *testing.T, s shape, tree *JunctionTree, joint *universe) {
	t.Helper()
	for _, n := range tree.nodes {
		for _, c := range subsets(n.clique) {
			want := joint.marginal(c)
			closeTo(t, s.name+" "+c.Key(), tree.Marginal(c, make([]float64, len(want))), want, 1e-6)
		}
		for _, l := range n.links {
			closeTo(t, s.name+" separator", l.edge.belief, joint.marginal(l.edge.clique), 1e-6)
		}
	}
}

// TestCalibrateWideStar has products of 400 messages, which underflow unless they are rescaled.
func TestCalibrateWideStar(t *testing.T) {
	const leaves = 400
	sizes := []int{3}
	var cliques []domain.Clique
	for a := 1; a <= leaves; a++ {
		sizes = append(sizes, 2)
		cliques = append(cliques, domain.Clique{0, a})
	}
	tree := NewJunctionTree(sizes, cliques)
	for _, c := range cliques {
		tree.Multiply(c, []float64{1e-4, 1e-4, 2e-4, 0, 1e-4, 1e-4}) // all three rows sum to 2e-4
	}
	tree.Calibrate(30)
	closeTo(t, "hub", tree.Marginal(domain.Clique{0}, make([]float64, 3)), []float64{10, 10, 10}, 1e-9)
	closeTo(t, "leaf", tree.Marginal(cliques[leaves-1], make([]float64, 6)), []float64{5, 5, 10, 0, 5, 5}, 1e-9)
}

// randomTables returns a table for each distinct clique, with targets from another random model.
func randomTables(s shape, rng *rand.Rand) []*population.Table {
	_, truth := build(s, rng)
	truth.normalise(1000)
	var tables []*population.Table
	seen := map[string]bool{}
	for i, c := range s.cliques {
		if seen[c.Key()] {
			continue
		}
		seen[c.Key()] = true
		y := truth.marginal(c)
		if i%2 == 1 { // targets below 0, which no model meets
			y[0] -= 50
		}
		ridge := make([]float64, len(y))
		for j := range ridge {
			ridge[j] = 1 + 20*rng.Float64()
		}
		tables = append(tables, population.NewTable(s.sizes, c, y, ridge))
	}
	return tables
}

// TestRakeReachesTheOptimum holds the two conditions of the ridge fit, computed on the joint table: the
// model is base × exp(Σθ), and in every cell mass + ridge·θ = target.
func TestRakeReachesTheOptimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for _, s := range shapes() {
		maximal, _ := triangulated(s.sizes, s.cliques, 4, rng)
		tree, joint := NewJunctionTree(s.sizes, maximal), newUniverse(s.sizes)
		tree.Calibrate(1000)
		joint.normalise(1000)
		tables := randomTables(s, rng)
		sweeps, change := tree.Rake(tables, 3000, 1e-9)
		must.Hold(t, change < 1e-9, "%s: change %g after %d sweeps", s.name, change, sweeps)
		for _, table := range tables {
			f := make([]float64, len(table.Theta))
			for i, x := range table.Theta {
				f[i] = math.Exp(x)
			}
			joint.multiply(table.Clique, f)
		}
		checkMarginals(t, s, tree, joint)
		for _, table := range tables {
			checkOptimal(t, s, table, joint.marginal(table.Clique))
		}
	}
}

func checkOptimal(t *testing.T, s shape, table *population.Table, mass []float64) {
	t.Helper()
	got := make([]float64, len(mass))
	for i, m := range mass {
		got[i] = m + table.Ridge[i]*table.Theta[i]
	}
	closeTo(t, s.name+" optimum "+table.Clique.Key(), got, table.Target, 1e-4)
}

// TestSampleCounts checks the law of a sample: the root's counts are exact to within 1, and the counts of any
// clique within 1 for each clique on its path from the root and cell of the separators: loosely, within
// the clique's number of cells; and its mean over many samples is the marginal.
func TestSampleCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	for _, s := range shapes() {
		tree, _ := build(s, rng)
		tree.Calibrate(500)
		m := tree.Sample(2000, rng)
		err := m.Validate()
		must.Need(t, err == nil, "%v %v", s.name, err)
		if math.Abs(m.Total()-500) > 1e-6 {
			t.Errorf("%s: weights sum to %g", s.name, m.Total())
		}
		for i, n := range tree.nodes {
			tolerance := 1.0
			if i > 0 {
				tolerance = 1 + float64(len(n.belief))
			}
			closeTo(t, s.name, m.Marginal(n.clique, nil), n.belief, .25*tolerance+1e-9)
		}
	}
}

// TestSampleIsUnbiased averages 2000 samples of 30 records: also over pairs of attributes that no clique
// holds, so that an order of the records that repeats itself shows. A count of a cell has a standard
// deviation of at most √30/2, its mean of .061; 6 of them make .37, a false alarm rate below 1e-6 in all
// cells together.
func TestSampleIsUnbiased(t *testing.T) {
	s := shape{"chain", []int{3, 2, 3}, []domain.Clique{{0, 1}, {1, 2}}}
	rng := rand.New(rand.NewPCG(10, 1))
	tree, joint := build(s, rng)
	tree.Calibrate(30)
	joint.normalise(30)
	full := domain.Clique{0, 1, 2}
	mean := make([]float64, 18)
	for range 2000 {
		for c, x := range tree.Sample(30, rng).Marginal(full, nil) {
			mean[c] += x / 2000
		}
	}
	closeTo(t, "mean", mean, joint.marginal(full), .37)
}

func ExampleJunctionTree() {
	sizes := []int{2, 2, 2}
	maximal, _ := triangulated(sizes, []domain.Clique{{0, 1}, {1, 2}}, 1, rand.New(rand.NewPCG(1, 1)))
	tree := NewJunctionTree(sizes, maximal)
	tree.Multiply(domain.Clique{0, 1}, []float64{3, 1, 1, 3})
	tree.Multiply(domain.Clique{1, 2}, []float64{1, 0, 0, 1}) // the last two attributes are equal
	tree.Calibrate(80)
	fmt.Println(maximal, tree.Marginal(domain.Clique{1, 2}, make([]float64, 4)))
	// Output: [[0 1] [1 2]] [40 0 0 40]
}
