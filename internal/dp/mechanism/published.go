package mechanism

import (
	"errors"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// The mechanisms below serve methods as they were published; solver.Published lists them.

// MeasureVariance is Measure with a given noise variance (counts²) in place of a share.
//
// Precondition, guarantee, rounding and source are the same as for Measure; the variance is rounded up.
func (c *Curator) MeasureVariance(stage string, round int, cliques []domain.Clique, variance float64) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: MeasureVariance, Stage: stage, Round: round, Cliques: cliques, Noise: variance})
	return r.Measurements, err
}

// LaplaceMaxCell selects the largest of ±(count − model) with discrete Laplace noise of the given
// scale, in counts, on each. It costs more than SelectCell for the same accuracy.
//
// Precondition (caller): answers between −2^40 and 2^40 counts, scale above 0. (New): one record of each unit.
// Guarantee: ε = r = 2/scale under either relation, rho = r·tanh(r/2): it has no bounded range.
// Rounding: scores are exact on the grid 2^−20; ties go to the first; the scale is rounded up.
// Source: derived in laplaceMaxCell; Steinke 2024, differentialprivacy.org/pdp-to-zcdp.
func (c *Curator) LaplaceMaxCell(stage string, round int, w query.Workload, model query.Answers, scale float64) (query.Cell, error) {
	r, err := c.answer(Request{Method: LaplaceMaxCell, Stage: stage, Round: round, Workload: w, Model: model, Noise: scale})
	return r.Cell, err
}

// FirstAbove returns the first cell or query whose |count − model| is above a threshold, in counts, with discrete
// Laplace noise on each and on the threshold. It starts at answer number from of the workload and wraps around once;
// Marginal is −1 if none is above. The sign of the error is not released.
//
// Precondition (caller): answers and threshold between −2^40 and 2^40 counts. (New): one record of each unit.
// Guarantee: ε = Δ/b, rho = ε·tanh(ε/2), Δ = query.Workload.LargestChange, however many were below.
// Rounding: errors are exact on the grid 2^−20, on which answers and the threshold are rounded first; b is rounded up.
// Source: derived in firstAbove; Dwork, Roth 2014, Algorithm 1.
func (c *Curator) FirstAbove(stage string, round int, w query.Workload, model query.Answers, from int, threshold float64, share dp.Share) (query.Cell, error) {
	r, err := c.answer(Request{Method: FirstAbove, Stage: stage, Round: round, Workload: w, Model: model, From: from, Noise: threshold, Share: share})
	return r.Cell, err
}

// Keep returns true with probability exp(−max(0, threshold − score)/b − λ), λ = 1/20, for the score of one answer of the
// workload, as SelectCell has it, with the answer's sign.
//
// Precondition (caller): answers, total and threshold between −2^40 and 2^40 counts. (New): one record of each unit.
// Guarantee: bounded range r = Δ/(b·(1 − exp(−λ))), Δ = query.Workload.LargestChange: ε = r, rho = r²/8.
// Rounding: scores are exact on the grid 2^−20, on which answers and the threshold are rounded first; b and λ·b are rounded up.
// Source: derived in keep; Cesar, Rogers 2021, Lemma 3.2.
func (c *Curator) Keep(stage string, round int, w query.Workload, model query.Answers, cell query.Cell, total, threshold float64, share dp.Share) (bool, error) {
	r, err := c.answer(Request{Method: Keep, Stage: stage, Round: round, Workload: w, Model: model, Cell: cell, Total: total, Noise: threshold, Share: share})
	return r.Accepted, err
}

// Votes releases how many records vote for each of the candidates, if a record votes for the choice of its cell: choice has
// an entry for each cell of the universe, row-major, the number of a candidate. The clique of the result holds all
// attributes.
//
// Precondition (caller): the choices are public. (New): one record of each unit; its counts hold the universe.
// Guarantee: as Measure for one marginal, since each record has one vote: rho = Δ²/(2σ²), Δ² = 1 (AddRemove) or 2
// (Replace), μ² = 2·rho in a GDP ledger, ε = Δ₁/scale, Δ₁ = 1 or 2.
// Rounding: none of the votes; noise is an integer on its grid, and its scale is rounded up.
// Source: Lin, Gopi, Kulkarni, Nori, Yekhanin 2024, "Differentially Private Synthetic Data via Foundation Model APIs 1",
// Algorithm 2; Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) Votes(stage string, round int, choice []int32, candidates int, share dp.Share) (query.Measurement, error) {
	r, err := c.answer(Request{Method: Votes, Stage: stage, Round: round, Choice: choice, Candidates: candidates, Share: share})
	if err != nil {
		return query.Measurement{}, err
	}
	return r.Measurements[0], nil
}

// laplaceMaxCell adds independent noise to e and −e of each cell and takes the first of the largest.
//
// It is r-differentially private with r = R/scale, ties included. Candidate i wins iff its noise Z_i is
// at least τ = max(max_{j<i} (s_j + Z_j) + 1, max_{j>i} (s_j + Z_j)) − s_i, an integer. Between
// neighbours every s_j − s_i changes by at most R, so for fixed noise of the others τ moves by at most
// R, and P(Z ≥ τ + k) ≥ exp(−k/scale)·P(Z ≥ τ) for discrete Laplace noise and k ≥ 0, since
// |y + k| ≤ |y| + k. The fixed order of candidates puts ties into τ, where they change nothing.
// It has no bounded range, so the charge to zCDP is r·tanh(r/2) and not r²/8.
func (g *gate) laplaceMaxCell(r Request) (plan, error) {
	if r.Workload.Linear() > 0 {
		return plan{}, errors.New("noise on each score is for marginals; select linear queries with SelectCell")
	}
	event, err := g.ledger.LaplaceMax(query.SignedCellRange(), r.Noise)
	if err != nil {
		return plan{}, err
	}
	laplace, err := noise.NewLaplace(event.Steps(0))
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		gaps := g.workloadErrors(r.Workload, r.Model)
		src := g.open(r.Stage, r.Round, selectionInputs(r, event).Int64s(gaps).Sum())
		return Release{Cell: cellAt(r.Model, laplaceMax(gaps, laplace, src))}
	}}, nil
}

// laplaceMax returns the first candidate, in the order of cellScores with shift 0, of the largest
// score plus noise.
func laplaceMax(errors []int64, laplace noise.Laplace, src noise.Source) int {
	best, bestScore := -1, noise.Score{}
	for i, e := range errors {
		for sign, s := range [2]int64{e, -e} {
			score := noise.ScoreOf(s).Plus(laplace.Draw(src))
			if best < 0 || bestScore.Less(score) {
				best, bestScore = 2*i+sign, score
			}
		}
	}
	return best
}

// firstAbove releases the first answer whose error is above a threshold, with noise on both.
//
// It is ε-differentially private with ε = Δ/b, Δ being the largest change of an error between neighbours: the noise
// of the threshold has scale 2b and the noise of each error 4b. For a hit at i, shift the threshold's noise by Δ and the noise
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
// noise is at least the threshold plus noise; −1 if none is.
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

var (
	// leastRefusal is λ: an answer is kept with probability exp(−λ) at most, so that no refusal is too rare to hide a record.
	leastRefusal = big.NewRat(1, 20)
	// keepStretch is at least 1/(1 − exp(−λ)) = 20.5042.
	keepStretch = big.NewRat(2051, 100)
)

// keep releases whether an answer's score comes near a threshold: yes with probability exp(−max(0, threshold − score)/b − λ).
//
// Scores are the same as in SelectCell; a neighbour changes one by Δ = query.Workload.LargestChange at most. With r = Δ/b,
// ln P(yes) changes by at most r, and ln P(no), the other way, by at most r·p/(1 − p) ≤ r/(exp(λ) − 1), as p = P(yes) ≤
// exp(−λ). So the loss has the range r/(1 − exp(−λ)) over both outcomes: the range of the exponential mechanism for scores of
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

// votes releases how many records vote for each candidate, if a record votes for the choice of its cell in the universe.
// Each record has one vote, so that the counts change as a marginal's do: Δ² = Δ₁ = 1 under AddRemove, 2 under
// Replace, whatever the choices are.
func (g *gate) votes(r Request) (plan, error) {
	all := g.universe()
	if r.Candidates < 1 || len(r.Choice) != g.cells(all) {
		panic("mechanism: votes without candidates, or as many choices as the universe has cells are needed")
	}
	for _, c := range r.Choice {
		if c < 0 || int(c) >= r.Candidates {
			panic("mechanism: a vote for no candidate")
		}
	}
	event, err := g.ledger.Measure(accountant.Equal(1, int64(r.Candidates)), r.Share)
	if err != nil {
		return plan{}, err
	}
	sampler, err := samplerFor(event, 0)
	if err != nil {
		return plan{}, err
	}
	return plan{event: event, draw: func() Release {
		counts := ballots(r.Choice, r.Candidates, g.marginal(all))
		in := noise.NewInputs().Text(string(r.Method)).Int64(int64(event.GridBits))
		addChoice(in, r.Choice)
		src := g.open(r.Stage, r.Round, in.Int64s(counts).Rat(event.Scales[0]).Sum())
		return Release{Measurements: []query.Measurement{{
			Clique: all, Values: g.noisy(counts, sampler, src, event.GridBits), Variance: event.Variance(0),
		}}}
	}}, nil
}

// universe returns the clique of all attributes.
func (g *gate) universe() domain.Clique { return domain.All(len(g.sizes)) }

// ballots adds up the counts of the cells by their choice.
func ballots(choice []int32, candidates int, counts []int64) []int64 {
	sums := make([]int64, candidates)
	for z, n := range counts {
		sums[choice[z]] += n
	}
	return sums
}

func addChoice(in *noise.Inputs, choice []int32) {
	ints := lists.Of(choice, func(c int32) int64 { return int64(c) })
	in.Int64s(ints)
}
