// Package oneway is a method of one's own: it measures every column alone and keeps nothing between
// columns. Importing it is enough for synth.Solve, synth.Synthesize and a command to know its name.
package oneway

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

func init() {
	solver.Register(solver.Method{
		Name: "oneway", Summary: "every column alone",
		Accounting: accounting, Accesses: accesses, Solve: solve,
	})
}

// The number of units gets a twentieth of the budget, all columns together the rest.
var totalShare, columnShare = dp.ShareOf(1, 20), dp.ShareOf(19, 20)

// records is how many records stand for the population.
const records = 50_000

func accounting(_ dp.Epsilon, d dp.Delta) dp.Accounting {
	if d == 0 {
		return dp.Pure
	}
	return dp.GaussianOnly
}

// columns returns the marginals of one column each, and their cells.
func columns(p solver.Problem) (cliques []domain.Clique, cells int64) {
	for a, k := range p.Domain.Sizes() {
		cliques = append(cliques, domain.Clique{a})
		cells += int64(k)
	}
	return cliques, cells
}

// accesses is all that solve asks of private data, known before anything is read.
func accesses(p solver.Problem) ([]solver.Access, error) {
	cliques, cells := columns(p)
	kind := dp.DiscreteGaussian
	if p.Delta == 0 {
		kind = dp.DiscreteLaplace
	}
	var list []solver.Access
	if p.Neighbouring == dp.AddRemove { // under Replace the number of units is public
		list = append(list, solver.Access{Stage: "total", Kind: kind, Count: 1, Share: totalShare, Coordinates: 1})
	}
	return append(list, solver.Access{
		Stage: "columns", Kind: kind, Count: 1, Share: columnShare,
		Marginals: len(cliques), Cliques: cliques, Coordinates: cells,
	}), nil
}

// solve measures, and draws records whose columns are independent.
func solve(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
	total, err := c.Total("total", totalShare)
	if err != nil {
		return nil, err
	}
	total.Units = max(1, total.Units)
	cliques, _ := columns(p)
	measured, err := c.Measure("columns", 1, cliques, nil, columnShare)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(p.Seed, 1)) // of what is public already
	m := &solver.Model{Sizes: p.Domain.Sizes(), Weights: slices.Repeat([]float64{total.Units / records}, records)}
	for a := range measured {
		m.Columns = append(m.Columns, draw(rng, measured[a].Values))
	}
	return &solver.Result{Model: m, Total: total, Measurements: measured, RMSE: math.NaN(), Status: solver.RoundsDone}, nil
}

// draw returns codes with probabilities in proportion to noisy counts.
func draw(rng *rand.Rand, counts []float64) []domain.Code {
	sums := make([]float64, len(counts))
	sum := 0.0
	for i, n := range counts {
		sum += max(n, 1e-9) // noise makes counts below 0
		sums[i] = sum
	}
	codes := make([]domain.Code, records)
	for i := range codes {
		at, _ := slices.BinarySearch(sums, rng.Float64()*sum)
		codes[i] = domain.Code(at)
	}
	return codes
}
