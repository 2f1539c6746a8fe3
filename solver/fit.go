package solver

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/miss"
)

// Fit says how far a model is from the noisy answers that it was fitted to. It follows from what was released.
type Fit struct {
	Tables   int        // with noisy answers
	TableFit            // of all of them: sums, and the mean of their Units
	Off      []TableFit `json:",omitempty"` // tables that are further off than noise explains, the worst first
	Misses   []*Miss    `json:",omitempty"` // of columns and pairs, if the answers are not in Result.Measurements
}

// Miss is by how much the fitted counts of a table exceed its noisy answers.
//
//	type Miss struct {
//		Clique   domain.Clique
//		Codes    [][]domain.Code // code in Counts of each value of each attribute; nil: the value itself
//		Unit     float64         // of Counts, in counts
//		Counts   []int32
//		Variance float64 // noise of an answer, each independent of others, counts²
//		Kept     float64 // part of that noise that the fit keeps, in variance, in the mean of people; 0: not known
//		Centred  bool    // the answers have no noise of sums along axes: only their part that sums to 0 along each has this noise
//	}
type Miss = miss.Table

// TableFit is the part that one table has in a Fit.
type TableFit struct {
	Clique  domain.Clique `json:",omitempty"`
	Square  float64       // Σ (answer − model)²/variance
	Freedom float64       // the mean of Square for the true table: as many answers can differ. A fit follows some of the noise
	Units   float64       `json:",omitempty"` // that are in wrong cells, beyond what noise explains, at most
}

// Rounding is the variance that whole rows add to a count: no release is further from its answers because these are finer.
const Rounding = .25

// NewFit sums up all tables with noisy answers.
func NewFit(tables []TableFit) *Fit {
	f := &Fit{Tables: len(tables)}
	for _, t := range tables {
		f.Square, f.Freedom, f.Units = f.Square+t.Square, f.Freedom+t.Freedom, f.Units+t.Units/float64(len(tables))
		if t.Square > explained(t.Freedom, len(tables)) {
			f.Off = append(f.Off, t)
		}
	}
	slices.SortStableFunc(f.Off, func(a, b TableFit) int { return cmp.Compare(b.Widening(), a.Widening()) })
	return f
}

// Holds reports whether noise explains how far the model is off, in each table and in all. It is true of nil: nothing was tested.
func (f *Fit) Holds() bool {
	return f == nil || len(f.Off) == 0 && f.Square <= explained(f.Freedom, 1)
}

// Widening is by how much larger the errors of the table are than the noise of its answers, 1 at least.
func (t TableFit) Widening() float64 { return math.Sqrt(max(1, t.Square/t.Freedom)) }

// explained returns the most that noise makes of a sum of squares with such a mean, for one of so many tables: in one of a
// thousand releases the true tables are further off. Half as much again is left to fits: few sweeps, and records in samples.
//
// Source: Laurent, Massart 2000, "Adaptive estimation of a quadratic functional by model selection", Lemma 1.
func explained(freedom float64, tables int) float64 {
	x := math.Log(1000 * float64(tables))
	return 1.5 * (freedom + 2*math.Sqrt(freedom*x) + 2*x)
}

// StatusOf returns how an algorithm ended that would otherwise have ended well.
func (f *Fit) StatusOf(s Status) Status {
	if f.Holds() {
		return s
	}
	return Unfit
}

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
