package mechanism

import (
	"errors"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// residuals plans the release of centred marginals. Values depend on counts and noise through the integers
// C(x + Z) alone, x the counts on the grid: the event's sensitivity covers any function of C(x + Z).
func (g *gate) residuals(r Request) (plan, error) {
	tables, err := g.merged(r)
	if err != nil {
		return plan{}, err
	}
	if err := checkPrecision(r.Cliques, r.Precision); err != nil {
		return plan{}, err
	}
	centred := make([]accountant.Centred, len(r.Cliques))
	for i, shape := range tables.shapes {
		if len(shape) == 0 || slices.Min(shape) < 2 {
			return plan{}, errors.New("a marginal without attributes, or of an attribute with a single code, has no residual")
		}
		centred[i] = accountant.Centred{
			Precision: r.Precision[i], Left: query.ResidualShare(shape),
			L2Squared: query.ResidualL2Squared(g.relation, shape), L1: dp.L1(g.relation.UnitChanges()), Axes: len(shape), Cells: int64(tables.cells[i]),
		}
	}
	event, err := g.ledger.Residuals(centred, r.Share)
	if err != nil {
		return plan{}, err
	}
	return tables.residualPlan(r, event)
}

// residualPlan returns the draw that belongs to an event with a scale for each table.
func (t *mergedTables) residualPlan(r Request, event accountant.Event) (plan, error) {
	samplers, err := samplersFor(event)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		counts := make([][]int64, len(t.cliques))
		in := noise.NewInputs().Text(string(r.Method)).Int64(int64(event.GridBits))
		addRecoding(in, r.Merge)
		for i, c := range t.cliques {
			counts[i] = t.counts(i)
			in.Text(c.Key()).Int64s(counts[i]).Rat(event.Scales[i])
		}
		src := t.gate.open(r.Stage, r.Round, in.Sum())
		release := Release{Measurements: make([]query.Measurement, len(t.cliques))}
		for i, c := range t.cliques {
			release.Measurements[i] = query.Measurement{
				Clique:   slices.Clone(c),
				Values:   centredNoisy(counts[i], t.gate.weightBits, t.shapes[i], samplers[i], src, event.GridBits),
				Variance: event.Variance(i) * left(t.shapes[i]),
			}
		}
		return release
	}}, nil
}

// left returns Π(1 − 1/k).
func left(shape []int) float64 {
	f, _ := query.ResidualShare(shape).Float64()
	return f
}

// centredNoisy returns P(counts + Z), in counts, for counts in steps of 2^-weightBits.
func centredNoisy(counts []int64, weightBits int, shape []int, z sampler, src noise.Source, gridBits int) []float64 {
	x := newLimbs(len(counts))
	for i, count := range counts {
		x.set(i, count, z.Draw(src), gridBits-weightBits)
	}
	x.centre(shape)
	return x.over(math.Ldexp(float64(len(counts)), gridBits)) // C = Πk·P, and Πk is the number of cells
}
