package plan

import (
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver"
)

// priceOf holds how the error of a method follows from its rounds, if each selects what the model answers worst: a factor, and
// the powers of the two parts of its bound, of the mean cells of a marginal, and of the number of marginals.
// They were fitted to 278 runs of DPFW on made-up tables and Tree10. All but 2 % of the runs by blocks are within a factor of two,
// and all but 12 % of the runs by cells. DPAM's predicted error, which stood for it, was 2.7 times too small at δ = 0.
type priceOf struct{ factor, descent, noise, cells, marginals float64 }

var (
	blockPrice = map[dp.Accounting]priceOf{dp.Pure: {.081, 1.58, .26, .35, -.11}, dp.ZCDP: {.079, .86, .59, .53, -.10}}
	cellPrice  = map[dp.Accounting]priceOf{dp.Pure: {.078, 1.22, .17, .32, -.09}, dp.ZCDP: {.119, .63, .47, .48, -.22}}
)

// selected predicts the average total variation over marginals of a model that no measurement went into; NaN if the method
// selects nothing. Of T rounds the descent leaves 2·√(ln k/2)/√T on a universe of k cells, and a selection is off by as much as
// the exponential mechanism is among the signed cells of the workload.
func selected(p solver.Problem, m solver.Method, budget dp.Budget, cliques []domain.Clique) float64 {
	accesses, err := m.Accesses(p)
	if err != nil {
		return math.NaN()
	}
	for _, a := range accesses {
		prices := blockPrice
		switch a.Kind {
		case dp.Exponential:
			prices = cellPrice
		case dp.BlockExponential:
		default:
			continue
		}
		x, known := prices[budget.Accounting]
		if !known {
			return math.NaN()
		}
		asked := p.Workload.Maximal()
		_, cells, err := asked.Cells()
		if err != nil {
			return math.NaN()
		}
		_, universe, _ := p.Domain.Universe()
		changes := float64(max(p.Workload.CellRange(p.Neighbouring), dp.Range(p.Neighbouring.UnitChanges())))
		noise := changes * math.Log(2*float64(cells)) / p.Units
		if each := budget.Capacity * a.Share.Float(); budget.Accounting == dp.Pure {
			noise *= 2 / each
		} else {
			noise /= math.Sqrt(8 * each)
		}
		return min(1, x.factor*math.Pow(math.Sqrt(2*math.Log(universe)/float64(a.Count)), x.descent)*math.Pow(noise, x.noise)*
			math.Pow(meanCells(p, cliques), x.cells)*math.Pow(float64(len(asked.Marginals)), x.marginals))
	}
	return math.NaN()
}

// meanCells returns the mean number of cells of marginals.
func meanCells(p solver.Problem, cliques []domain.Clique) (mean float64) {
	for _, c := range cliques {
		n, err := c.Cells(p.Workload.Sizes)
		if err != nil {
			return math.Inf(1)
		}
		mean += float64(n) / float64(len(cliques))
	}
	return mean
}
