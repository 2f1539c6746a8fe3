package main

import (
	"bytes"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/rivals/bounds"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/model/theory"
)

// statement is what is known of the largest error before a run.
type statement struct {
	what, kind, method string // method: whose measured error stands beside it; "": nobody's
	value              float64
}

// The kinds of statements.
const (
	order  = "order only" // without constants, which nobody knows
	proved = "proved"     // with constants; in the mean over the noise, or with the probability that is named
)

// statements are those for a setting.
func statements(s setting) []statement {
	t := s.stated()
	m, rho := t.Queries/2, zCDP(s)
	lg, ne := math.Log(1/t.Delta), t.Units*t.Epsilon
	alpha := bounds.Regulariser(t.Cells, t.Queries, ne, t.Delta)
	rounds := math.Round(math.Pow(2, 1.5) * ne / (math.Sqrt(32*alpha*lg) * math.Log(2*t.Queries)))
	lambda := 4 * math.Sqrt(2*rounds*lg) / ne
	smooth := math.Pow(lg, .25) * math.Sqrt(t.Width) / (math.Pow(math.Log(t.Cells), .75) * math.Sqrt(ne))
	weights, best := bounds.Multiplicative(t.Cells, m, t.Units, 1, 1, .93*rho, 0)
	scale := math.Sqrt(float64(len(s.marginals())) / (2 * rho))
	theorem5 := "Theorem 5, DPAM"
	if !bounds.DPAMApplies(t) {
		theorem5 += "; its condition on n·ε fails here"
	}
	rate := func(method string) float64 { return bound(method, s) }
	return []statement{
		{"Theorem 2, Frank-Wolfe with the published regulariser", order, "", bounds.Gap(t, alpha) + alpha*math.Log(t.Cells)},
		{"Theorem 3, DPFW", order, "dpfw", rate("dpfw")},
		{"Theorem 4, the gap of the smoothed dual", order, "", bounds.SmoothedGap(t, smooth)},
		{theorem5, order, "dpam", rate("dpam")},
		{"lower bound, for one family of dense queries: no floor for marginals", order, "", bounds.LowerBound(t)},
		{"DPFW as published, with its constants", proved, "dpfw-paper", bounds.Printed(rounds, alpha, lambda, t.Cells, t.Queries)},
		{fmt.Sprintf("multiplicative weights with exact accounting, one cell a round, %.0f rounds", best), proved, "dpfw", weights},
		{"one measurement of all marginals, fitted to within its noise", proved, "dpam", bounds.Measured(scale, m, t.Units)},
		{"the same, least squares: root mean square over marginals, L2", proved, "", bounds.LeastSquares(scale, t.Cells, float64(len(s.marginals())), t.Units)},
		{"between table and law, with probability .95", proved, "", theory.Sampling(m, t.Units, .05)},
		{"the same for one cell that holds a hundredth", proved, "", bounds.SamplingOf(.01, m, t.Units, .05)},
	}
}

// zCDP is the budget of a setting.
func zCDP(s setting) float64 {
	l, err := accountant.NewLedger(accountant.Params{Neighbouring: dp.AddRemove, Accounting: dp.ZCDP, Epsilon: dp.Epsilon(s.epsilon), Delta: delta})
	if err != nil {
		panic(err)
	}
	rho, _ := l.Capacity().Float64()
	return rho
}

// writeStated writes the statements for the setting in the middle of all axes, beside what was measured there.
func writeStated(b *bytes.Buffer, runs []run) {
	s := settings()[2] // 16,000 units
	b.WriteString("## Stated before a run\n\nFor the table in the middle of all axes. \"Order only\" has no constants; \"proved\" has them. What is 1 or more says nothing.\n\n" +
		"| statement | kind | value | measured, against the table |\n|---|---|---|---|\n")
	for _, x := range statements(s) {
		value, measured := fmt.Sprintf("%.3g", x.value), ""
		if x.value >= 1 && x.kind == proved {
			value += ": vacuous"
		}
		of := s
		of.method = x.method
		sum, n := 0.0, 0.0
		for _, r := range runs {
			if r.setting == of {
				sum, n = sum+math.Log(max(r.sample, 1e-6)), n+1
			}
		}
		if n > 0 {
			measured = fmt.Sprintf("%.3g (%s)", math.Exp(sum/n), x.method)
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", x.what, x.kind, value, measured)
	}
	b.WriteString("\n")
}
