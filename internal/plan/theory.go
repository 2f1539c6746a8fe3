package plan

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/plan/theory"
)

// Theory is what is known of the largest error before anything is read, as parts of the units.
type Theory struct {
	Proved   float64 // bound on the mean of a cell's largest error; NaN if none is known of the method
	If       string  // what it is proved for
	Rate     float64 // at which the largest error is known to fall, without constants; NaN if none is known of the method
	Least    float64 // the rate that no method falls below on the hardest queries; NaN beside no rate
	Sampling float64 // between the table and the distribution that its units are drawn from, in one of the workload's cells, with 95 % confidence
}

// stated is what theory says of a request.
func (p *Plan) stated(measured []Noisy) Theory {
	w, r := p.Workload, p.Problem
	t := Theory{Proved: math.NaN(), Rate: math.NaN(), Least: math.NaN(),
		Sampling: float64(r.Workload.CellRange(dp.AddRemove)) * theory.Sampling(float64(w.Cells), r.Units, .05)}
	switch {
	case p.Method == "dpam" && len(measured) > 0 && r.Delta > 0: // the bound is of Gaussian noise
		worst := 0.0
		for _, m := range measured {
			worst = max(worst, m.Variance)
		}
		t.Proved, t.If = theory.Measured(math.Sqrt(worst), float64(w.MeasCells), r.Units), "if the fit meets its answers as closely as noise allows"
		return t
	case p.Method == "dpfw":
		t.Proved, t.If = p.selected(), "for equal steps and a plain mean of the models"
	case p.Method == "dpfw-paper":
		t.Proved, t.If = p.printed(), "in the paper, with its constants"
	}
	s := theory.Setting{Cells: p.Universe, Queries: 2 * float64(w.MeasCells), Units: r.Units, Epsilon: float64(r.Epsilon), Delta: float64(r.Delta)}
	if p.Method == "dpam-paper" && w.Linear == 0 && w.MeasCells <= mostForWidth {
		s.Width, _ = theory.Width(r.Workload.Sizes, r.Workload.Maximal().Cliques(), 20, 1)
	}
	if rate, ok := theory.Rate(p.Method, s); ok && rate > 0 && s.Delta > 0 {
		t.Rate, t.Least = rate, theory.LowerBound(s)
	}
	return t
}

// mostForWidth is the largest number of cells whose Gaussian width is estimated for a plan: less than a second.
const mostForWidth = 50_000

// selected is the bound of Frank-Wolfe with the choices that are planned. A block's score is the sum of the errors of a
// marginal's cells, of which one cell has at most half.
func (p *Plan) selected() float64 {
	for _, l := range p.Charges.Ledger {
		scale, ok := new(big.Rat).SetString(strings.TrimPrefix(l.Scale, "b="))
		if !ok {
			continue
		}
		b, _ := scale.Float64()
		switch l.Kind {
		case dp.Exponential.String():
			return theory.Selecting(p.Universe, float64(p.Problem.Workload.CellRange(dp.AddRemove)), b, math.Log(2*float64(p.Workload.MeasCells)), p.Problem.Units, float64(l.Count))
		case dp.BlockExponential.String():
			each, _, _ := p.Problem.Workload.Maximal().Cells() // summarise has counted them
			widest := int64(0)
			for _, n := range each {
				widest = max(widest, n)
			}
			return theory.Selecting(p.Universe, 2, b, math.Log(float64(len(each)))+float64(widest)*math.Ln2, p.Problem.Units, float64(l.Count)) / 2
		}
	}
	return math.NaN()
}

// printed is the bound that the paper prints for DPFW, at the rounds and the noise that are planned.
func (p *Plan) printed() float64 {
	for _, l := range p.Charges.Ledger {
		scale, ok := new(big.Rat).SetString(strings.TrimPrefix(l.Scale, "b="))
		if l.Kind == dp.LaplaceMax.String() && ok {
			b, _ := scale.Float64()
			queries := 2 * float64(p.Workload.MeasCells)
			alpha := theory.Regulariser(p.Universe, queries, p.Problem.Units*float64(p.Problem.Epsilon), float64(p.Problem.Delta))
			return theory.Printed(float64(l.Count), alpha, b/p.Problem.Units, p.Universe, queries)
		}
	}
	return math.NaN()
}

func writeTheory(b *strings.Builder, p *Plan) {
	if x := p.Proved; !math.IsNaN(x) {
		fmt.Fprintf(b, "theory    proved %s: no cell off by more than %s of the units in the mean over the noise%s\n", p.If, tv(x), vacuous(x))
	}
	if x := p.Rate; !math.IsNaN(x) {
		fmt.Fprintf(b, "rate      its largest error is of the order %s at most, constants unknown%s; no method's order is below %s on the hardest queries, which marginals are not\n",
			tv(x), vacuous(x), tv(p.Least))
	}
	if x := p.Theory.Sampling; x < 1 {
		fmt.Fprintf(b, "sampling  seen as drawn from a larger population, the table itself is off by up to %s in one of %d cells; no ε changes that\n", tv(x), p.Workload.Cells)
	}
}

// vacuous says that a bound of 1 or more says nothing.
func vacuous(x float64) string {
	if x >= 1 {
		return " (vacuous: no error is above 1)"
	}
	return ""
}
