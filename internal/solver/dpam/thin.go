package dpam

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/cells"
	"github.com/dapple-dp/dapple/solver"
)

const (
	promising  = 2     // a start errs by so much more than a fit at most, else a fit from it errs by more than that fit
	thinSweeps = 20    // over the tables of a start
	thinRidge  = 1e-3  // counts²
	thinChange = .0005 // of the units, see population.Stop
)

// thin returns the fit from the likely counts of the tables, if most cells of these have a law of their own and it errs by less than f, or f.
// A fit from independent columns moves people from few full cells to many empty ones, each of which follows the noise above 0. The
// estimated error counts what the start follows of the noise: the companion's start is made of its own answers.
func thin(o *dense.Oracle, r *risk, ms []query.Measurement, start []float64, f *Fitted, s FitSettings) *Fitted {
	likely := likelyStart(o, ms, r.target, start, f.Weights, r.total)
	if likely == nil {
		return f
	}
	companion := likelyStart(o, ms, r.perturbed, start, f.companion, r.total)
	f.companion = nil // free memory
	if companion == nil {
		return f
	}
	of, err := fit(o, r, likely, companion, 0, promising*math.Abs(f.risk), s)
	if err != nil || of == nil || of.risk >= f.risk {
		return f
	}
	of.Thin = true
	return of
}

// likelyStart returns the distribution with the likely counts of the tables, given what a fit says of single columns; nil if most cells
// follow the usual prior, or if queries were measured.
func likelyStart(o *dense.Oracle, ms []query.Measurement, target, start, fitted []float64, total float64) []float64 {
	sizes := o.Plan().Sizes()
	of, m := &population.Model{Sizes: sizes, Weights: fitted}, &population.Model{Sizes: sizes, Weights: slices.Clone(start)}
	for z, p := range start {
		m.Weights[z] = math.Ceil(p) // 1 where a record is possible
	}
	for a := range sizes {
		population.NewProjection(sizes, domain.All(len(sizes)), domain.Clique{a}).Multiply(m.Weights, of.Marginal(domain.Clique{a}, nil))
	}
	sum := summation.Long(m.Weights)
	if !(sum > 0) {
		return nil
	}
	floats.Scale(total/sum, m.Weights)
	bases, flat := o.Plan().NewAnswers()
	o.Eval(m.Weights, bases)
	field, follow, at := population.Field{Model: m}, 0.0, 0
	for i, t := range ms {
		if t.Queries != nil {
			return nil
		}
		counts := slices.Clone(target[at : at+len(t.Values)])
		floats.Scale(total, counts)
		at += len(counts)
		if mean, share := cells.Likely(counts, bases[i], t.Variance); mean != nil {
			follow += share * float64(len(mean))
			field.Tables = append(field.Tables, population.NewTable(sizes, t.Clique, mean, slices.Repeat([]float64{thinRidge}, len(mean))))
		}
	}
	if 2*follow < float64(len(flat)) {
		return nil
	}
	field.Rake(population.Stop{Sweeps: thinSweeps, Tolerance: thinChange * total}, nil)
	floats.Scale(1/summation.Long(m.Weights), m.Weights)
	return m.Weights
}

const (
	settleSweeps = 100  // over the tables of a fit that has not settled
	settleChange = 1e-3 // counts, see population.Stop
)

// settled returns the fit and its test, or a fit that is raked from there to the same answers if it is nearer. A descent takes steps of one
// length for all cells: cells of a million people and of ten take it thousands of steps where noise is less than a person.
func (f *Fitted) settled(o *dense.Oracle, ms []query.Measurement, total float64) (*Fitted, *solver.Fit) {
	tested := f.test(ms)
	if tested.Holds() || slices.ContainsFunc(ms, func(m query.Measurement) bool { return m.Queries != nil }) {
		return f, tested
	}
	sizes, square := o.Plan().Sizes(), 0.0
	m := &population.Model{Sizes: sizes, Weights: slices.Clone(f.Weights)}
	floats.Scale(total, m.Weights)
	field := population.Field{Model: m}
	for _, t := range ms {
		variance := slices.Repeat([]float64{t.Variance + solver.Rounding}, len(t.Values))
		field.Tables = append(field.Tables, population.NewTable(sizes, t.Clique, slices.Clone(t.Values), variance))
		square += floats.Sum(variance)
	}
	field.Rake(population.Stop{Sweeps: settleSweeps, Tolerance: settleChange}, nil)
	floats.Scale(1/summation.Long(m.Weights), m.Weights)
	answers, flat := o.Plan().NewAnswers()
	o.Eval(m.Weights, answers)
	of := *f
	of.Weights, of.answers = m.Weights, flat
	for i, t := range ms {
		floats.Scale(total/math.Sqrt(t.Variance), answers[i])
	}
	of.RMSE = max(f.RMSE, math.Sqrt(square/float64(len(flat)))) // it follows the noise
	if again := of.test(ms); again.Square < tested.Square {
		return &of, again
	}
	return f, tested
}
