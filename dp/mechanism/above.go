package mechanism

import (
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/noise"
	"github.com/dapple-dp/dapple/dp/query"
)

// firstAbove looks for the first answer whose error is above a threshold, with noise on both.
//
// It is ε-differentially private with ε = Δ/b, Δ the most that an error changes by between neighbours: noise on the
// threshold has the scale 2b and that on each error 4b. For a hit at i, move the threshold's noise by Δ and that of i by
// 2Δ: whatever was below the threshold stays there, as errors have changed by Δ at most, and i, which fell by Δ at most
// while the threshold rose by Δ, stays above. That costs Δ/(2b) + 2Δ/(4b). Without a hit the first half suffices. All
// are integers on one grid, ties count as hits on either side, and a sum over the noise takes the place of an integral.
// It has no bounded range, so the charge to zCDP is ε·tanh(ε/2).
//
// Source: Dwork, Roth 2014, Algorithm 1; Lyu, Su, Li 2017, Algorithm 1.
func (g *gate) firstAbove(r Request) (plan, error) {
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

// search returns the first index from the given one on, and round to it, of an absolute value plus noise that is at
// least the threshold plus noise; −1 if there is none.
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
