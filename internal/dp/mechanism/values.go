package mechanism

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// ValueCounts is implemented by Counts with columns whose values nobody has listed.
type ValueCounts interface {
	// Values returns the different texts of a column and how many units have each, in any order, each text once, and each unit
	// in one count at most: which one depends on the unit and on what is asked alone. It may leave out the values of at most drop
	// units.
	Values(of query.ValuesOf, drop int64) []query.Value
}

// Values releases, of each of several columns, the values, or the prefixes of values, whose count with discrete Gaussian noise exceeds a threshold,
// by falling noisy count. Values of at most first units, and of more than query.MaxValueBytes, are dropped before the
// draw. The columns share the charge and the delta equally; delta is a part of the ledger's ValuesDelta.
//
// What stands already was released before, so that a release by prefixes is like any other release that an earlier one has
// led to: the charges and the deltas of all levels add up.
//
// Precondition (New): one record of each unit, with one value at most in each column; counts are ValueCounts.
// Guarantee: rho = μ²/2 = ΣΔ²/(2σ²) over columns, Δ² = 1 (AddRemove) or 2 (Replace), and the event's Delta is added to δ.
// Rounding: none of the counts; σ² and the threshold are rounded up.
// Source: accountant.Ledger.Values has the proof.
func (c *Curator) Values(stage string, round int, of []query.ValuesOf, first int64, delta, share dp.Share) ([]query.FoundValues, error) {
	r, err := c.answer(Request{Method: Values, Stage: stage, Round: round, Of: of, From: int(first), Part: delta, Share: share})
	return r.Values, err
}

// values plans the release of values above a threshold.
func (g *gate) values(r Request) (plan, error) {
	counts, ok := g.counts.(ValueCounts)
	if !ok || len(r.Of) == 0 {
		panic("mechanism: values of no columns, or of counts that have none")
	}
	if g.weightBits > 0 {
		return plan{}, errors.New("values are found of records without weights only")
	}
	event, err := g.ledger.Values(accountant.Values{Columns: len(r.Of), First: int64(r.From), Delta: r.Part}, r.Share)
	if err != nil {
		return plan{}, err
	}
	sampler, err := noise.NewGaussian(event.Steps(0))
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		in := noise.NewInputs().Text(string(r.Method)).Int64s([]int64{int64(event.GridBits), event.First}).Rat(event.Scales[0]).Rat(event.Threshold)
		lists := make([][]query.Value, len(r.Of))
		for i, of := range r.Of {
			lists[i] = candidates(counts.Values(of, event.First), event.First)
			in.Int64s([]int64{int64(of.Column), int64(of.Prefix), int64(len(lists[i]))})
			for _, v := range lists[i] {
				in.Text(v.Text).Int64(v.Count)
			}
		}
		src := g.open(r.Stage, r.Round, in.Sum())
		threshold, _ := event.Threshold.Float64()
		release := Release{Values: make([]query.FoundValues, len(r.Of))}
		for i, of := range r.Of {
			found := query.FoundValues{Column: of.Column, Prefix: of.Prefix, Variance: event.Variance(i), Threshold: threshold}
			for _, v := range lists[i] {
				if y, ok := above(event, v.Count, sampler.Draw(src)); ok {
					found.Values = append(found.Values, query.FoundValue{Text: v.Text, Count: y})
				}
			}
			slices.SortFunc(found.Values, func(a, b query.FoundValue) int {
				return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Text, b.Text))
			})
			release.Values[i] = found
		}
		return release
	}}, nil
}

// candidates returns the values that noise is drawn for, in an order that no count decides.
func candidates(values []query.Value, first int64) []query.Value {
	values = slices.DeleteFunc(slices.Clone(values), func(v query.Value) bool {
		return v.Count <= first || len(v.Text) > query.MaxValueBytes
	})
	slices.SortFunc(values, func(a, b query.Value) int { return strings.Compare(a.Text, b.Text) })
	return values
}

// above returns a count with noise, in steps of the event's grid, and whether it exceeds the threshold. The comparison is
// one of exact numbers.
func above(e accountant.Event, count, z int64) (noisy float64, ok bool) {
	step := new(big.Rat).SetFrac(big.NewInt(z), new(big.Int).Lsh(big.NewInt(1), uint(e.GridBits)))
	return inCounts(count, 0, z, e.GridBits), step.Add(step, big.NewRat(count, 1)).Cmp(e.Threshold) > 0
}
