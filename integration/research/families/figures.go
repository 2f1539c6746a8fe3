package families

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/solver"
)

// Coverage says how standard errors fit the errors of cells of one width, as parts of the units: the number of units is
// released with noise too, so that counts are further off.
type Coverage struct {
	Cells   int
	Within  float64 // part of the cells whose error is at most 1.96 standard errors
	Wide    float64 // 0.8 times the mean standard error over the mean error; 1 of normal errors with those standard errors
	Beyond5 float64 // part of the cells whose error is more than 5 standard errors
}

// Coverage compares the standard errors of all cells of at most most of the cliques, spread over the list.
func (s *Solved) Coverage(t *Table, cliques []domain.Clique, most int) (c Coverage) {
	iv, n, units := interval.New(s.Result), float64(t.rows), s.Total.Units
	scale, off, sum := units/s.Model.Total(), 0.0, 0.0
	step := max(1, (len(cliques)+most-1)/most)
	for i := 0; i < len(cliques); i += step {
		fitted := s.Model.Marginal(cliques[i], nil)
		for j := range fitted {
			fitted[j] *= scale
		}
		truth := t.Marginal(cliques[i])
		for j, se := range iv.StandardErrors(cliques[i], fitted, nil) {
			e := math.Abs(fitted[j]/units - float64(truth[j])/n)
			se /= units
			off, sum = off+e, sum+.8*se
			c.Cells++
			if e <= 1.96*se {
				c.Within++
			}
			if e > 5*se {
				c.Beyond5++
			}
		}
	}
	c.Within /= float64(c.Cells)
	c.Beyond5 /= float64(c.Cells)
	c.Wide = sum / max(off, 1e-9)
	return c
}

// AverageTV returns the average total variation between the model and the table over the maximal marginals of the workload
// that rake looks at, which are what Result.TV speaks of.
func (s *Solved) AverageTV(t *Table) float64 {
	tv, _ := t.Errors(s.Problem.Workload.Maximal().Cliques(), func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
	return tv
}

// Foretold returns the plan of the run, for a table like the pattern, or a typical one if that is nil.
func (s *Solved) Foretold(like *solver.Pattern) (*plan.Plan, error) {
	return plan.Make(s.Problem, s.Method.Name, 0, true, 0, like)
}

// Pattern returns what a plan takes a table to be like that is like this run's.
func (s *Solved) Pattern() *solver.Pattern {
	out := &solver.Pattern{Model: s.Model, Runs: make([][]domain.Run, len(s.Model.Sizes))}
	for _, b := range s.Bins {
		out.Runs[b.Attribute] = b.Runs
	}
	if m := s.Measured; m != nil {
		tv, sd := m.TV(s.Total.Units)
		p := s.Problem
		p.Units = s.Total.Units
		plan.Scale(p, s.Method, out, tv, math.Hypot(sd, m.SamplingSD(m.Estimate(s.TV, s.Total.Units))))
	}
	return out
}
