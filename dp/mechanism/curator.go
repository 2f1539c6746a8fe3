package mechanism

import (
	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// Curator answers requests from private counts within a budget, or from a recording (see Replay). It
// is for one goroutine.
//
// Shares are parts of the ledger's capacity; noise is calibrated so that the exact charge is at most
// the share. Values of the wrong size for the domain and calls without a stage panic. Everything else
// that is wrong with a request is an error, and so is a second use of a (stage, round), a kind of
// event that the ledger does not admit, and accountant.ErrExhausted; then nothing is charged or drawn.
type Curator struct {
	budget dp.Budget
	answer func(Request) (Release, error)
}

// Budget returns the relation, the ledger's kind and its capacity: all public.
func (c *Curator) Budget() dp.Budget { return c.budget }

// Total returns the number of units: exact and free under Replace; under AddRemove with discrete
// Gaussian noise, or discrete Laplace noise where the ledger is pure.
func (c *Curator) Total(stage string, share dp.Share) (query.Total, error) {
	r, err := c.answer(Request{Method: Total, Stage: stage, Share: share})
	return r.Total, err
}

// Measure releases several marginals in one event: counts plus independent discrete Gaussian noise.
// Marginal i receives the part precision[i]/Σprecision of the event's precision 1/σ² and so of its
// charge; nil means equal parts. One unit changes a marginal by Δ² = 1 (AddRemove) or 2 (Replace)
// and the charge is ΣΔ²/(2σ_i²). Where the ledger is pure, noise is discrete Laplace, parts are of
// 1/scale, and the charge is ΣΔ₁/scale_i with Δ₁ = 1 or 2.
func (c *Curator) Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: Measure, Stage: stage, Round: round, Cliques: cliques, Precision: precision, Share: share})
	return r.Measurements, err
}

// MeasureVariance is Measure with a given noise variance (counts²) in place of a share.
func (c *Curator) MeasureVariance(stage string, round int, cliques []domain.Clique, variance float64) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: MeasureVariance, Stage: stage, Round: round, Cliques: cliques, Noise: variance})
	return r.Measurements, err
}

// SelectBlock selects a marginal of the workload and a sign for each of its cells, jointly with
// probability ∝ 2^−cells·exp(Σ sign·(count − model)/b). model is in counts. Marginals of more than
// noise.MaxBlockCells cells are refused.
func (c *Curator) SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error) {
	r, err := c.answer(Request{Method: SelectBlock, Stage: stage, Round: round, Workload: w, Model: model, Share: share})
	return r.Block, err
}

// SelectCell selects a cell and a sign with probability ∝ exp(score/b). The score of a cell with sign
// +1 is count − model; with sign −1 it is the complement (n − count) − (total − model) under AddRemove,
// where every score then counts records, and the negation under Replace. total is the model's number
// of units; n stays private.
func (c *Curator) SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error) {
	r, err := c.answer(Request{Method: SelectCell, Stage: stage, Round: round, Workload: w, Model: model, Total: total, Share: share})
	return r.Cell, err
}

// LaplaceMaxCell selects the largest of ±(count − model) with discrete Laplace noise of the given
// scale, in counts, on each. It costs more than SelectCell for the same accuracy.
func (c *Curator) LaplaceMaxCell(stage string, round int, w query.Workload, model query.Answers, scale float64) (query.Cell, error) {
	r, err := c.answer(Request{Method: LaplaceMaxCell, Stage: stage, Round: round, Workload: w, Model: model, Noise: scale})
	return r.Cell, err
}

// MaxError releases the largest |count − model| over all cells, rounded up to the grid of the noise
// (whole counts, unless the ledger is GDP), plus noise. One unit changes it by at most one count under
// either relation.
func (c *Curator) MaxError(stage string, w query.Workload, model query.Answers, share dp.Share) (query.MaxError, error) {
	r, err := c.answer(Request{Method: MaxError, Stage: stage, Workload: w, Model: model, Share: share})
	return r.MaxError, err
}

// Residuals releases, for each clique A, the marginal h_A on codes merged by merge plus independent discrete
// Gaussian noise Z of variance σ_A², centred along every axis: Values = P(h_A + Z), in counts. With c =
// query.ResidualShare of the merged sizes of A, a cell has Variance c·σ_A² and the charge is
// ΣΔ_A²/(2σ_A²), where Δ_A² is query.ResidualL2Squared and the rounding of the centred counts to the
// noise's grid. 1/Variance is proportional to precision, above 0, and scaled so that the charge is the
// share. Where the ledger is pure, a clique has no attribute, one with a single merged code or more than
// 2^20 merged cells, the request is refused.
func (c *Curator) Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error) {
	r, err := c.answer(Request{Method: Residuals, Stage: stage, Round: round, Cliques: cliques, Merge: merge, Precision: precision, Share: share})
	return r.Measurements, err
}

// Scores releases, for each clique A, the distance Σ|count − bases[A]| between its marginal on merged codes
// and public counts, plus independent discrete Gaussian noise of one variance. One unit moves each distance
// by at most one count (AddRemove) or two (Replace), so that m cliques cost m·Δ²/(2σ²) with Δ² = 1 or 4.
// Bases are rounded to the noise's grid. Where the ledger is pure or a clique has more than 2^20 merged
// cells, the request is refused.
func (c *Curator) Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error) {
	r, err := c.answer(Request{Method: Scores, Stage: stage, Round: round, Cliques: cliques, Merge: merge, Model: bases, Share: share})
	return r.Scores, err
}
