package mechanism

import (
	"errors"
	"math"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// distances plans the release of Σ|count − base| of each marginal. On the grid a distance is the integer Σ|count·2^j
// − round(base·2^j)|: the data part is exact and the base a function of public values, so that a record changes it by
// at most 2^j, and a replaced record, which changes two counts, by at most 2·2^j.
func (g *gate) distances(r Request) (plan, error) {
	tables, err := g.merged(r)
	if err != nil {
		return plan{}, err
	}
	if err := tables.checkBases(r.Model); err != nil {
		return plan{}, err
	}
	event, err := g.ledger.Scores(len(r.Cliques), r.Share)
	if err != nil {
		return plan{}, err
	}
	return tables.distancePlan(r, event)
}

// checkBases checks the shape of bases by panic and their values by error.
func (t *mergedTables) checkBases(bases query.Answers) error {
	if len(bases) != len(t.cliques) {
		panic("mechanism: as many bases as marginals are needed")
	}
	for i, base := range bases {
		if len(base) != t.cells[i] {
			panic("mechanism: a base of another size than its marginal")
		}
		for _, x := range base {
			if !inRange(x) {
				return errors.New("bases are not all between -2^40 and 2^40 counts")
			}
		}
	}
	return nil
}

// distancePlan returns the draw that belongs to an event of one scale.
func (t *mergedTables) distancePlan(r Request, event accountant.Event) (plan, error) {
	sampler, err := samplerFor(event, 0)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		in := noise.NewInputs().Text(string(r.Method)).Int64(int64(event.GridBits)).Rat(event.Scales[0])
		addRecoding(in, r.Merge)
		list := make([]distance, len(t.cliques))
		for i, c := range t.cliques {
			counts := t.counts(i)
			list[i] = distanceOf(counts, t.gate.weightBits, r.Model[i], event.GridBits)
			in.Text(c.Key()).Int64s(counts).Int64s([]int64{list[i].counts, list[i].steps})
		}
		src := t.gate.open(r.Stage, r.Round, in.Sum())
		scores := query.Scores{Values: make([]float64, len(list)), Variance: event.Variance(0)}
		for i, d := range list {
			scores.Values[i] = inCounts(d.counts, 0, d.steps+sampler.Draw(src), event.GridBits)
		}
		return Release{Scores: scores}
	}}, nil
}

// distance is an integer number of steps, counts·2^gridBits + steps.
type distance struct{ counts, steps int64 }

// distanceOf returns Σ|count·2^bits − round(base·2^bits)|, halves to even, exactly, for counts in steps of 2^-weightBits.
//
// Precondition (caller): at most 2^20 cells, counts of at most 2^40, |base| ≤ 2^40, weightBits ≤ bits ≤ 36. The parts are
// then below 2^62 and 2^57.
func distanceOf(counts []int64, weightBits int, bases []float64, bits int) distance {
	d, weights := distance{}, int64(1)<<weightBits-1
	for c, count := range counts {
		steps := math.RoundToEven(math.Ldexp(bases[c], bits)) // an integer below 2^77
		whole := math.Floor(math.Ldexp(steps, -bits))
		rest := int64(steps - math.Ldexp(whole, bits)) // in [0, 2^bits): all three lines are exact
		more, finer := count>>weightBits-int64(whole), count&weights<<(bits-weightBits)-rest
		if more > 0 || more == 0 && finer > 0 { // finer is less than a count
			d.counts += more
			d.steps += finer
		} else {
			d.counts -= more
			d.steps -= finer
		}
	}
	return d
}
