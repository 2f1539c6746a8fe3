package mechanism

import (
	"math/big"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// measureQueries plans the release of all answers to a workload with noise of one variance. Answers to linear queries
// are exact integers on the grid 2^-20, and their squared sensitivity follows from the queries' values. If the noise
// has a coarser grid, answers are rounded to it, which changes the difference between neighbours by half a step at
// each end; the event includes that.
func (g *gate) measureQueries(r Request) (plan, error) {
	event, err := g.ledger.Residuals(g.tables(r.Workload), r.Share)
	if err != nil {
		return plan{}, err
	}
	samplers, err := samplersFor(event)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		in := noise.NewInputs().Text(string(r.Method)).Int64(int64(event.GridBits))
		exact := make([][]int64, len(samplers))
		for i, m := range r.Workload.Marginals {
			exact[i] = g.count(nil, m)
			in.Text(m.Clique.Key()).Text(m.Queries.Fingerprint()).Int64s(exact[i]).Rat(event.Scales[i])
		}
		src := g.open(r.Stage, r.Round, in.Sum())
		release := Release{Measurements: make([]query.Measurement, len(samplers))}
		for i, m := range r.Workload.Marginals {
			values := make([]float64, len(exact[i]))
			for c, x := range exact[i] {
				value, bits := roundTo(x, accountant.ScoreGridBits, event.GridBits)
				values[c] = inCounts(value, bits, samplers[i].Draw(src), event.GridBits)
			}
			release.Measurements[i] = query.Measurement{Clique: m.Clique, Values: values, Variance: event.Variance(i), Queries: m.Queries}
		}
		return release
	}}, nil
}

// tables returns the description of each marginal or table of queries for the ledger: nothing is centred, and the
// rounding of answers that are not whole counts costs as much as for a table with two axes.
func (g *gate) tables(w query.Workload) []accountant.Centred {
	list := make([]accountant.Centred, len(w.Marginals))
	for i, m := range w.Marginals {
		n, _ := m.Answers(g.sizes) // checked before
		list[i] = accountant.Centred{Precision: 1, Left: big.NewRat(1, 1), L2Squared: big.NewRat(g.relation.UnitChanges(), 1), Cells: n}
		if m.Queries != nil {
			list[i].L2Squared = m.Queries.L2Squared(g.relation)
			if !m.Queries.Whole() {
				list[i].Axes = 2
			}
		}
	}
	return list
}

// roundTo rounds x·2^-from to a multiple of 2^-to, halves up, and returns it as ceilTo does.
func roundTo(x int64, from, to int) (value int64, gridBits int) {
	if to >= from {
		return x, from
	}
	return (x + 1<<(from-to-1)) >> (from - to), to
}
