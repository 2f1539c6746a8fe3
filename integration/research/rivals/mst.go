package rivals

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/mrf"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// MST measures all columns, merges the values of each that noise hides, chooses pairs until they span a tree, and measures
// those. The model is the tree whose marginals are nearest to all measurements.
//
// Source: McKenna, Miklau, Sheldon 2021, "Winning the NIST Contest: A scalable and general approach to differentially private
// synthetic data", arXiv 2108.04978, section 4.
// Events: noisy one-way marginals, a selection of a pair for each edge of the tree, and their noisy marginals, a third each.
// A pair is selected by its L1 distance from independence, jointly with the signs of its cells.
// Cost: at most 2,000 passes over the cells of the tree.
var mst = Algorithm{
	Name: "mst", Summary: "one-ways, then a spanning tree of the pairs that are furthest from independence",
	Measures: true, Merges: true,
	schedule: func(s *setup) []solver.Access {
		t := s.spanningTree()
		ones := solver.Access{Stage: stageOnes, Kind: dp.DiscreteGaussian, Count: 1, Share: t.ones, Marginals: len(t.columns), Cliques: t.columns}
		for _, c := range t.columns {
			ones.Coordinates += cellsOf(s.workload.Sizes, c)
		}
		if t.edges == 0 {
			return []solver.Access{ones}
		}
		cells := make([]int64, len(t.pairs))
		for i, c := range t.pairs {
			cells[i] = cellsOf(s.workload.Sizes, c)
		}
		slices.Sort(cells)
		most := int64(0)
		for _, n := range cells[len(cells)-t.edges:] {
			most += n
		}
		return []solver.Access{
			ones,
			{Stage: stageSelect, Kind: dp.BlockExponential, Count: t.edges, Share: t.choose},
			{Stage: stageMeasure, Kind: dp.DiscreteGaussian, Count: 1, Share: t.measure, Marginals: t.edges, Coordinates: most, Adaptive: true},
		}
	},
	run: runMST,
}

const (
	stageOnes  = "one-ways"
	stageMerge = "merge"

	mstRare  = 3    // standard deviations of noise: a value with fewer counts is merged with others
	mstSteps = 2000 // of descent, at most
	// mstShortest is the least step, as a part of the first: where none lowers the loss, the descent has ended.
	mstShortest = 1e-9
	// mstSlow is the fall of the loss in a step, as a part of it, that ends the descent.
	mstSlow = 1e-7
)

// spanningTree is the public side of the tree: what may be measured, and the shares.
type spanningTree struct {
	columns, pairs        []domain.Clique // inside marginals of the workload
	edges                 int             // of a forest that joins all that pairs can join
	ones, choose, measure dp.Share
}

func (s *setup) spanningTree() spanningTree {
	var t spanningTree
	seen := map[string]bool{}
	take := func(list *[]domain.Clique, c domain.Clique) {
		if !seen[c.Key()] {
			seen[c.Key()] = true
			*list = append(*list, c)
		}
	}
	for _, m := range s.workload.Marginals {
		for i, a := range m.Clique {
			take(&t.columns, domain.Clique{a})
			for _, b := range m.Clique[i+1:] {
				take(&t.pairs, domain.Clique{a, b})
			}
		}
	}
	f := forest(domain.All(len(s.workload.Sizes)))
	for _, c := range t.pairs {
		if f.separate(c) {
			f.join(c)
			t.edges++
		}
	}
	if t.ones = dp.ShareOf(s.percent, 100); t.edges > 0 {
		t.ones, t.measure = dp.ShareOf(s.percent, 300), dp.ShareOf(s.percent, 300)
		t.choose = dp.ShareOf(s.percent, 300*int64(t.edges))
	}
	return t
}

// forest holds the component of each column.
type forest []int

func (f forest) separate(c domain.Clique) bool { return f[c[0]] != f[c[1]] }

func (f forest) join(c domain.Clique) {
	into, from := f[c[0]], f[c[1]]
	for a := range f {
		if f[a] == from {
			f[a] = into
		}
	}
}

func cellsOf(sizes []int, c domain.Clique) int64 {
	n, err := c.Cells(sizes)
	if err != nil {
		panic("rivals: a clique whose cells cannot be counted")
	}
	return n
}

func runMST(s *session) (*population.Model, error) {
	t := s.spanningTree()
	ones, err := s.curator.Measure(stageOnes, 0, t.columns, nil, t.ones)
	if err != nil {
		return nil, err
	}
	s.measured = ones
	s.finished(1, t.edges+1)
	merge, known := mergeRare(s.workload.Sizes, ones)
	if err := s.curator.Coarsen(stageMerge, merge); err != nil {
		return nil, err
	}
	sizes := merge.Sizes(s.workload.Sizes)
	chosen, err := s.chooseTree(t, sizes, known)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 0 {
		pairs, err := s.curator.Measure(stageMeasure, 0, chosen, nil, t.measure)
		if err != nil {
			return nil, err
		}
		for _, m := range pairs {
			known = append(known, knownTable{m.Clique, m.Values, slices.Repeat([]float64{1 / m.Variance}, len(m.Values))})
		}
	}
	return s.drawn(nearest(sizes, known, s.released.Units), merge), nil
}

// knownTable is a marginal on merged codes with noise.
type knownTable struct {
	clique    domain.Clique
	values    []float64 // counts
	precision []float64 // of each, 1/counts²
}

// mergeRare gives the values of each column that have fewer counts than mstRare standard deviations one code, after all others.
func mergeRare(sizes []int, ones []query.Measurement) (query.Recoding, []knownTable) {
	merge, known := make(query.Recoding, len(sizes)), make([]knownTable, len(ones))
	for a, k := range sizes {
		for v := range k {
			merge[a] = append(merge[a], domain.Code(v))
		}
	}
	for i, m := range ones {
		least, t := mstRare*math.Sqrt(m.Variance), knownTable{clique: m.Clique}
		for _, y := range m.Values {
			if y >= least {
				t.values, t.precision = append(t.values, y), append(t.precision, 1/m.Variance)
			}
		}
		kept, rest, rare := 0, 0., 0.
		for v, y := range m.Values {
			code := &merge[m.Clique[0]][v]
			if y >= least {
				*code = domain.Code(kept)
				kept++
				continue
			}
			*code = domain.Code(len(t.values))
			rest, rare = rest+y, rare+1
		}
		if rare > 0 {
			t.values, t.precision = append(t.values, rest), append(t.precision, 1/(m.Variance*rare))
		}
		known[i] = t
	}
	return merge, known
}

// chooseTree selects an edge at a time among the pairs that join two components, by their distance from independence.
func (s *session) chooseTree(t spanningTree, sizes []int, ones []knownTable) (chosen []domain.Clique, err error) {
	independent, f := nearest(sizes, ones, s.released.Units), forest(domain.All(len(sizes)))
	shares := map[int][]float64{}
	for _, o := range ones {
		shares[o.clique[0]] = independent.Marginal(o.clique, make([]float64, len(o.values)))
	}
	for round := 1; round <= t.edges; round++ {
		w, model := query.Workload{Sizes: sizes}, query.Answers(nil)
		for _, c := range t.pairs {
			if !f.separate(c) {
				continue
			}
			var product []float64
			for _, x := range shares[c[0]] {
				for _, y := range shares[c[1]] {
					product = append(product, x*y/s.released.Units)
				}
			}
			w.Marginals, model = append(w.Marginals, query.Marginal{Clique: c, Weight: 1}), append(model, product)
		}
		block, err := s.curator.SelectBlock(stageSelect, round, w, model, t.choose)
		if err != nil {
			return nil, err
		}
		c := w.Marginals[block.Marginal].Clique
		f.join(c)
		chosen = append(chosen, c)
		s.finished(round+1, t.edges+1)
	}
	return chosen, nil
}

// nearest returns the calibrated tree with the least Σ precision·(marginal − value)², by entropic descent whose steps are kept
// if they lower it. Tables of two columns form a forest; it has the tables of one column beside it.
func nearest(sizes []int, known []knownTable, units float64) *mrf.JunctionTree {
	var nodes []domain.Clique
	for a := range sizes {
		if single := (domain.Clique{a}); !slices.ContainsFunc(known, func(t knownTable) bool { return len(t.clique) == 2 && t.clique.Contains(single) }) {
			nodes = append(nodes, single)
		}
	}
	theta, gradient, step := make([][]float64, len(known)), make([][]float64, len(known)), math.Inf(1)
	for i, t := range known {
		if len(t.clique) == 2 {
			nodes = append(nodes, t.clique)
		}
		theta[i], gradient[i] = make([]float64, len(t.values)), make([]float64, len(t.values))
		step = min(step, 1/(slices.Max(t.precision)*units))
	}
	// at returns the tree a step away, its loss, and the gradient there.
	at := func(step float64) (*mrf.JunctionTree, float64, [][]float64) {
		tree, loss, next := mrf.NewJunctionTree(sizes, nodes), 0., make([][]float64, len(known))
		for i, t := range known {
			next[i] = make([]float64, len(t.values))
			for c := range t.values {
				next[i][c] = theta[i][c] - step*gradient[i][c]
			}
			most := slices.Max(next[i])
			for c, x := range next[i] {
				next[i][c] = math.Exp(x - most)
			}
			tree.Multiply(t.clique, next[i])
		}
		tree.Calibrate(units)
		for i, t := range known {
			for c, x := range tree.Marginal(t.clique, next[i]) {
				off := x - t.values[c]
				loss += t.precision[c] * off * off
				next[i][c] = t.precision[c] * off
			}
		}
		return tree, loss, next
	}
	best, least, slope := at(0)
	gradient = slope
	shortest := step * mstShortest
	for range mstSteps {
		tree, loss, slope := at(step)
		if loss >= least {
			if step /= 2; step < shortest {
				break
			}
			continue
		}
		for i := range theta {
			for c := range theta[i] {
				theta[i][c] -= step * gradient[i][c]
			}
		}
		fell := least - loss
		best, least, gradient, step = tree, loss, slope, 1.3*step
		if fell < mstSlow*least {
			break
		}
	}
	return best
}

// drawn writes the tree down as a sample of records. A merged code becomes one of its values, each as often.
func (s *session) drawn(tree *mrf.JunctionTree, merge query.Recoding) *population.Model {
	sample, values := tree.Sample(sampled, s.rng), make([][][]domain.Code, len(merge))
	for a, codes := range merge {
		values[a] = make([][]domain.Code, sample.Sizes[a])
		for v, code := range codes {
			values[a][code] = append(values[a][code], domain.Code(v))
		}
	}
	next := 0
	return s.collected(sampled, func(record []domain.Code) {
		for a := range record {
			of := values[a][sample.Columns[a][next]]
			record[a] = of[s.rng.IntN(len(of))]
		}
		next++
	})
}
