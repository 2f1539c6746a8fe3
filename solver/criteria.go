package solver

import (
	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// CriteriaStage is the stage of the ledger at which criteria are checked.
const CriteriaStage = "criteria"

// Criteria say how close a model has to be. Only whether it is gets released. The zero value asks for nothing.
type Criteria struct {
	Limits []Limit  `json:",omitempty"`
	Share  dp.Share `json:",omitzero"` // of the budget, for the check; the method has the rest
}

// Limit is the largest error that a cell of a marginal may have, as a part of the released number of units.
type Limit struct {
	Clique  domain.Clique
	Largest float64
}

// Ask returns the arguments of the check: the marginals, the model's answers and the limits, in counts.
func (c Criteria) Ask(r *Result) (w query.Workload, model query.Answers, limits []float64) {
	w.Sizes = r.Model.Sizes
	var cliques []domain.Clique
	units := max(0, r.Total.Units)
	for _, l := range c.Limits {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: l.Clique, Weight: 1})
		cliques, limits = append(cliques, l.Clique), append(limits, l.Largest*units)
	}
	return w, r.counts(cliques), limits
}
