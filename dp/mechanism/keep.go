package mechanism

import (
	"errors"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
)

var (
	// leastRefusal is λ: an answer is kept with probability exp(−λ) at most, so that no refusal is too rare to hide a record.
	leastRefusal = big.NewRat(1, 20)
	// keepStretch is at least 1/(1 − exp(−λ)) = 20.5042.
	keepStretch = big.NewRat(2051, 100)
)

// keep releases whether an answer's score comes near a threshold: yes with probability exp(−max(0, threshold − score)/b − λ).
//
// Scores are those of SelectCell; a neighbour changes one by Δ = query.Workload.LargestChange at most. With r = Δ/b,
// ln P(yes) changes by at most r, and ln P(no), the other way, by at most r·p/(1 − p) ≤ r/(exp(λ) − 1), as p = P(yes) ≤
// exp(−λ). So the loss has the range r/(1 − exp(−λ)) over both outcomes: that of the exponential mechanism for scores of
// range Δ and scale b·(1 − exp(−λ)), which is the event.
func (g *gate) keep(r Request) (plan, error) {
	if !inRange(r.Noise) {
		return plan{}, errors.New("the threshold is not between -2^40 and 2^40 counts")
	}
	if c := r.Cell; c.Marginal < 0 || c.Marginal >= len(r.Model) || c.Cell < 0 || c.Cell >= len(r.Model[c.Marginal]) || c.Sign*c.Sign != 1 {
		panic("mechanism: a keep test of no answer of its workload")
	}
	event, err := g.ledger.Select(dp.Exponential, r.Workload.LargestChange(g.relation), r.Share)
	if err != nil {
		return plan{}, err
	}
	scale, refusal, err := keepScale(event)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		short := g.shortfall(r)
		in := selectionInputs(r, event).Int64s(g.errors).Int64s([]int64{g.shift(r.Total), bits(r.Noise)})
		in.Int64s([]int64{int64(r.Cell.Marginal), int64(r.Cell.Cell), int64(r.Cell.Sign)})
		return Release{Accepted: g.open(r.Stage, r.Round, in.Sum()).BernExp(uint64(short)+refusal, scale)}
	}}, nil
}

// keepScale returns b and λ·b in steps of 2^-20 counts, both rounded up.
func keepScale(e accountant.Event) (scale, refusal uint64, err error) {
	b := wholeUp(new(big.Rat).Mul(e.Steps(0), keepStretch))
	if b.BitLen() > 61 {
		return 0, 0, errors.New("the share is too small: it would need noise of more than 2^40 counts; raise epsilon, or use fewer releases")
	}
	return b.Uint64(), wholeUp(new(big.Rat).Mul(new(big.Rat).SetInt(b), leastRefusal)).Uint64(), nil
}

func wholeUp(x *big.Rat) *big.Int {
	n := new(big.Int).Add(x.Num(), x.Denom())
	return n.Quo(n.Sub(n, big.NewInt(1)), x.Denom())
}

// shortfall returns max(0, threshold − score) in steps of 2^-20 counts. Thresholds are at most 2^40 counts and scores less
// than 2^43 − 2^41, so that it stays in an int64.
func (g *gate) shortfall(r Request) int64 {
	at := 2 * r.Cell.Cell
	for _, m := range r.Model[:r.Cell.Marginal] {
		at += 2 * len(m)
	}
	if r.Cell.Sign < 0 {
		at++
	}
	g.scores = cellScores(g.scores[:0], r.Workload, r.Model, g.workloadErrors(r.Workload, r.Model), g.shift(r.Total))
	return max(0, onGrid(r.Noise)-int64(g.scores[at].Lo))
}
