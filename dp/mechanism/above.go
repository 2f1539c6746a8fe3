package mechanism

import (
	"errors"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/internal/noise"
	"github.com/dapple-dp/dapple/dp/query"
)

// firstAbove releases the first answer whose error is above a threshold, with noise on both.
//
// It is ε-differentially private with ε = Δ/b, Δ being the largest change of an error between neighbours: the noise
// of the threshold has scale 2b and that of each error 4b. For a hit at i, shift the threshold's noise by Δ and that
// of i by 2Δ. Errors change by at most Δ, so whatever was below the threshold stays below, and i, which fell by at
// most Δ while the threshold rose by Δ, stays above. That costs Δ/(2b) + 2Δ/(4b). Without a hit the first half
// suffices. All numbers are integers on one grid, ties count as hits for both neighbours, and sums over the noise
// replace integrals. It has no bounded range, so the charge to zCDP is ε·tanh(ε/2).
//
// Source: Dwork, Roth 2014, Algorithm 1; Lyu, Su, Li 2017, Algorithm 1.
func (g *gate) firstAbove(r Request) (plan, error) {
	if !inRange(r.Noise) {
		return plan{}, errors.New("the threshold is not between -2^40 and 2^40 counts")
	}
	if r.From < 0 {
		panic("mechanism: a search that begins before the first answer")
	}
	event, err := g.ledger.Select(dp.AboveThreshold, r.Workload.LargestChange(g.relation), r.Share)
	if err != nil {
		return plan{}, err
	}
	line, err := noise.NewLaplace(new(big.Rat).Mul(event.Steps(0), big.NewRat(2, 1)))
	if err != nil {
		return plan{}, err
	}
	each, err := noise.NewLaplace(new(big.Rat).Mul(event.Steps(0), big.NewRat(4, 1)))
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		gaps := g.workloadErrors(r.Workload, r.Model)
		in := selectionInputs(r, event).Int64s([]int64{int64(r.From), bits(r.Noise)}).Int64s(gaps)
		src := g.open(r.Stage, r.Round, in.Sum())
		at := search(gaps, r.From, onGrid(r.Noise), line, each, src)
		if at < 0 {
			return Release{Cell: query.Cell{Marginal: -1}}
		}
		cell := cellAt(r.Model, 2*at)
		cell.Sign = 0
		return Release{Cell: cell}
	}}, nil
}

// search returns the first index, starting at the given one and wrapping around, at which an absolute value plus
// noise is at least the threshold plus noise; −1 if there is none.
func search(gaps []int64, from int, threshold int64, line, each noise.Laplace, src noise.Source) int {
	bar := noise.ScoreOf(threshold).Plus(line.Draw(src))
	for i := range gaps {
		at := (from + i) % len(gaps)
		if !noise.ScoreOf(max(gaps[at], -gaps[at])).Plus(each.Draw(src)).Less(bar) {
			return at
		}
	}
	return -1
}
