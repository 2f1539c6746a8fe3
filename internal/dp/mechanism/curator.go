package mechanism

import (
	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// Curator answers requests from private counts within a budget, or from a recording (see Replay). It
// is for one goroutine.
//
// Shares are parts of the ledger's capacity; noise is calibrated so that the exact charge is at most the share.
// Values of the wrong size for the domain and calls without a stage panic. Everything else that is wrong with a
// request is an error, and so are a second use of a (stage, round), a kind of event that the ledger does not admit,
// and accountant.ErrExhausted; nothing is charged or drawn then.
type Curator struct {
	budget dp.Budget
	answer func(Request) (Release, error)
}

// Budget returns the relation, the ledger's kind and its capacity: all public.
func (c *Curator) Budget() dp.Budget { return c.budget }

// Total returns the number of units: exact and free under Replace; under AddRemove with discrete Gaussian noise, or
// with discrete Laplace noise if the ledger is pure.
//
// Precondition (New): counts hold at most one record of each unit.
// Guarantee: Δ = 1 under AddRemove; rho = 1/(2σ²), or ε = 1/scale.
// Rounding: none of the count; noise is an integer on its grid, and its scale is rounded up.
// Source: Canonne, Kamath, Steinke 2020, arXiv:2004.00010, Theorem 14; Dwork et al. 2006 for Laplace noise.
func (c *Curator) Total(stage string, share dp.Share) (query.Total, error) {
	r, err := c.answer(Request{Method: Total, Stage: stage, Share: share})
	return r.Total, err
}

// Measure releases several marginals in one event: counts plus independent discrete Gaussian noise.
// Marginal i receives the part precision[i]/Σprecision of the event's precision 1/σ² and so of its
// charge; nil means equal parts. One unit changes a marginal by Δ² = 1 (AddRemove) or 2 (Replace)
// and the charge is ΣΔ²/(2σ_i²). If the ledger is pure, noise is discrete Laplace, parts are of
// 1/scale, and the charge is ΣΔ₁/scale_i with Δ₁ = 1 or 2.
//
// Precondition (caller): precisions above 0. (New): one record of each unit.
// Guarantee: rho = ΣΔ²/(2σ_i²), μ² = 2·rho in a GDP ledger, ε = ΣΔ₁/scale_i: cells of a marginal are disjoint.
// Rounding: none of the counts; noise is an integer on its grid, and its scales are rounded up.
// Source: Canonne, Kamath, Steinke 2020, Theorem 14; Dong, Roth, Su 2022, Corollary 3.3.
func (c *Curator) Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: Measure, Stage: stage, Round: round, Cliques: cliques, Precision: precision, Share: share})
	return r.Measurements, err
}

// MeasureQueries releases all answers to a workload of marginals and linear queries in one event: exact answers plus
// independent discrete Gaussian noise of one variance. If the ledger is pure, the request is refused.
//
// Precondition (New): one record of each unit.
// Guarantee: rho = μ²/2 = ΣΔ²/(2σ²), Δ² of a table of queries computed from their values (query.Linear.L2Squared).
// Rounding: answers are exact on the grid 2^-20; if the noise has a coarser grid, they are rounded to it and Δ²
// includes the rounding; σ² is rounded up.
// Source: Canonne, Kamath, Steinke 2020, Theorem 14; rounding derived in accountant.Centred.OnGrid.
func (c *Curator) MeasureQueries(stage string, round int, w query.Workload, share dp.Share) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: MeasureQueries, Stage: stage, Round: round, Workload: w, Share: share})
	return r.Measurements, err
}

// SelectBlock selects a marginal of the workload and a sign for each of its cells, jointly with
// probability ∝ 2^−cells·exp(Σ sign·(count − model)/b). model is in counts. Marginals of more than
// noise.MaxBlockCells cells are refused.
//
// Precondition (caller): answers between −2^40 and 2^40 counts. (New): one record of each unit.
// Guarantee: bounded range r = R/b + 2^−29, R = 2 (AddRemove) or 4 (Replace), or what linear queries have
// (query.Workload.BlockRange): ε = r, rho = r²/8.
// Rounding: scores are exact on the grid 2^−20; the weights of marginals are off by 2^−31 at most, which r pays for;
// signs are exact given the marginal; b is rounded up.
// Source: Durfee, Rogers 2019; Cesar, Rogers 2021, Lemma 3.2; derived in noise.BlockScore.
func (c *Curator) SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error) {
	r, err := c.answer(Request{Method: SelectBlock, Stage: stage, Round: round, Workload: w, Model: model, Share: share})
	return r.Block, err
}

// SelectCell selects a cell and a sign with probability ∝ exp(score/b). The score of a cell with sign
// +1 is count − model; with sign −1 it is the complement (n − count) − (total − model) under AddRemove,
// where every score then counts records, and the negation under Replace. total is the model's number
// of units; n stays private.
//
// Precondition (caller): answers and total between −2^40 and 2^40 counts. (New): one record of each unit.
// Guarantee: bounded range r = R/b, R = 1 (AddRemove) or 2 (Replace), or what linear queries have
// (query.Workload.CellRange): ε = r, rho = r²/8.
// Rounding: scores are exact on the grid 2^−20, on which answers are rounded first; b is rounded up.
// Source: Durfee, Rogers 2019; Dong, Durfee, Rogers 2020, Proposition 2.
func (c *Curator) SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error) {
	r, err := c.answer(Request{Method: SelectCell, Stage: stage, Round: round, Workload: w, Model: model, Total: total, Share: share})
	return r.Cell, err
}

// MaxError releases the largest |count − model| over all cells, rounded up to the grid of the noise
// (whole counts, unless the ledger is GDP), plus noise. One unit changes it by at most one count under
// either relation.
//
// Precondition (caller): answers between −2^40 and 2^40 counts. (New): one record of each unit.
// Guarantee: Δ = 1 under either relation, or what linear queries have (query.Workload.LargestChange); rho = Δ²/(2σ²),
// or ε = Δ/scale.
// Rounding: the statistic is rounded up to the noise's grid, which keeps Δ, as ⌈x + 1⌉ = ⌈x⌉ + 1; scales are rounded up.
// Source: Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) MaxError(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MaxError, error) {
	r, err := c.answer(Request{Method: MaxError, Stage: stage, Workload: w, Model: model, Share: share})
	return r.MaxError, err
}

// Accept releases whether a model is as close as required: whether the largest of |count − model| − limit over all
// cells, rounded up to the grid of the noise, is at most 0 with noise added. limits has an entry for each marginal,
// in counts. One unit changes the largest value by at most one count under either relation, however many marginals
// there are. Only the answer is released.
//
// Precondition (caller): answers between −2^40 and 2^40 counts, limits from 0 to 2^40, the model and the limits public.
// (New): one record of each unit.
// Guarantee: as MaxError, Δ = 1, or what linear queries have: rho = Δ²/(2σ²), or ε = Δ/scale.
// Rounding: as of MaxError; limits are rounded to the grid 2^−20.
// Source: post-processing of one noisy number; Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) Accept(stage string, w query.Workload, model query.Answers, limits []float64, share dp.Share) (bool, error) {
	r, err := c.answer(Request{Method: Accept, Stage: stage, Workload: w, Model: model, Limits: limits, Share: share})
	return r.Accepted, err
}

// MeanDistance releases the mean over the marginals of a workload of Σ|count − model|, plus noise. The sum over the
// marginals, rounded up to a whole count, is what noise is added to; it is divided publicly by their number. Half of the
// result, divided by the number of units, is the average total variation between table and model.
//
// Precondition (caller): answers between −2^40 and 2^40 counts, and public; at most 2^21 cells together; no linear queries.
// (New): one record of each unit, or weights that add up to 1.
// Guarantee: the sum over m marginals changes by at most Δ = m (AddRemove) or 2m (Replace): rho = Δ²/(2σ²), or ε = Δ/scale.
// Rounding: answers to the grid 2^−20; the exact sum is rounded up, which keeps Δ, as ⌈x + m⌉ = ⌈x⌉ + m; scales are rounded
// up.
// Source: triangle inequality; Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) MeanDistance(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MeanDistance, error) {
	r, err := c.answer(Request{Method: MeanDistance, Stage: stage, Workload: w, Model: model, Share: share})
	return r.MeanDistance, err
}

// Residuals releases, for each clique A, the marginal h_A on codes merged by merge plus independent discrete
// Gaussian noise Z of variance σ_A², centred along every axis: Values = P(h_A + Z), in counts. With c =
// query.ResidualShare of the merged sizes of A, a cell has Variance c·σ_A² and the charge is
// ΣΔ_A²/(2σ_A²), where Δ_A² is query.ResidualL2Squared and the rounding of the centred counts to the
// noise's grid. If the ledger is pure, noise is discrete Laplace, and the charge is ΣΔ₁/scale_A with Δ₁ = 1
// (AddRemove) or 2 (Replace) of the counts before centring. 1/Variance is proportional to precision, above 0, and scaled
// so that the charge is the share. If a clique has no attribute, one with a single merged code or more than 2^20 merged
// cells, the request is refused.
//
// Precondition (caller): merge and precision are public. (New): one record of each unit.
// Guarantee: rho = μ²/2 = ΣΔ_A²/(2σ_A²), or ε = ΣΔ₁/scale_A, for what is released is a function of the integers C(x + Z).
// Rounding: none of the counts; Δ_A² includes the rounding of the centred change to the grid; σ_A² is rounded up.
// Source: derived in accountant.Centred.OnGrid; Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: Residuals, Stage: stage, Round: round, Cliques: cliques, Merge: merge, Precision: precision, Share: share})
	return r.Measurements, err
}

// Scores releases, for each clique A, the distance Σ|count − bases[A]| between its marginal on merged codes
// and public counts, plus independent discrete Gaussian noise of one variance. One unit moves each distance
// by at most one count (AddRemove) or two (Replace), so that m cliques cost m·Δ²/(2σ²) with Δ² = 1 or 4. If the ledger
// is pure, noise is discrete Laplace on the grid 2^−20, and they cost m·Δ/scale. Bases are rounded to the noise's grid.
// If a clique has more than 2^20 merged cells, the request is refused.
//
// Precondition (caller): bases between −2^40 and 2^40 counts, and public. (New): one record of each unit.
// Guarantee: rho = μ²/2 = m·Δ²/(2σ²), or ε = m·Δ/scale.
// Rounding: bases to the grid, before the exact sum of distances; σ² is rounded up.
// Source: triangle inequality; Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error) {
	r, err := c.answer(Request{Method: Scores, Stage: stage, Round: round, Cliques: cliques, Merge: merge, Model: bases, Share: share})
	return r.Scores, err
}

// Trees releases, for each attribute, a tree of differences between the counts of two halves of its codes, halved
// repeatedly, plus independent discrete Gaussian noise; see query.TreeShape. cliques name one attribute each. The
// charge is ΣΔ²/(2σ²) with Δ² of query.TreeShape.L2Squared, for all differences of each tree; the release holds those
// that Descend visits from total, a public number of records. If the ledger is pure, noise is discrete Laplace, and the
// charge is ΣΔ₁/scale, where Δ₁ is Δ² (AddRemove) or Δ² − 2 (Replace). 1/variance is proportional to precision, above 0,
// and scaled so that the charge is the share.
//
// Precondition (caller): shapes, precision and total are public. (New): one record of each unit.
// Guarantee: rho = μ²/2 = ΣΔ²/(2σ²). Which nodes are visited follows from differences with noise: it is
// post-processing of the whole tree, whose other differences might as well have been drawn.
// Rounding: none of the counts; noise is an integer on its grid, and σ² is rounded up.
// Source: derived in query.TreeShape.L2Squared; Canonne, Kamath, Steinke 2020, Theorem 14.
func (c *Curator) Trees(stage string, round int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, share dp.Share) ([]query.Tree, error) {
	r, err := c.answer(Request{Method: Trees, Stage: stage, Round: round, Cliques: cliques, Shapes: shapes, Total: total, Precision: precision, Share: share})
	return r.Trees, err
}

// Coarsen makes all later requests refer to coarser codes: code v of attribute a becomes codes[a][v]. It is a
// function of public values, reads nothing and costs nothing. Each stage has one.
//
// Precondition (caller): codes are public.
// Guarantee: none is needed.
// Rounding: none.
// Source: post-processing.
func (c *Curator) Coarsen(stage string, codes query.Recoding) error {
	_, err := c.answer(Request{Method: Coarsen, Stage: stage, Merge: codes})
	return err
}
