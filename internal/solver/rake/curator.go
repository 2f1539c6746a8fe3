package rake

import (
	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// Curator is what rake asks of private data. Every method charges, then draws; each (stage, round) may be
// used once. Shares are parts of the ledger's capacity, and the exact charge is at most the share.
// All cliques lie inside marginals of the workload.
type Curator interface {
	// Budget returns the relation, the ledger's kind and its capacity.
	Budget() dp.Budget

	// Total returns the number of units: exact and free under Replace, noisy and charged under AddRemove.
	Total(stage string, share dp.Share) (query.Total, error)

	// Residuals releases, for each clique A, the marginal on codes merged by merge plus independent
	// Gaussian noise of variance σ_A² on every cell, centred along every axis: with P the centring,
	// Values = P(h_A + Z). With c = query.ResidualShare and Δ² = query.ResidualL2Squared of the merged
	// sizes of A,
	//
	//	Variance  = c·σ_A²        the variance of a cell of Values, 1/u_A
	//	charge    = Σ_A Δ²_A/(2σ_A²) = ½ Σ_A Δ²_A·c_A·u_A,
	//
	// in the ledger's unit (μ²/2 or rho). u_A is proportional to precision[i], which is above 0 and scaled
	// so that the charge is the share. No clique has an attribute of one merged cell.
	//
	// Exact noise: counts and Z are integers on a grid, the centring is the integer matrix Π k_i · P, so
	// that the release is a function of h + Z; a shift of the counts may be replaced by its projection,
	// which is why ‖PΔ‖² is charged (plus the rounding of that projection to the grid).
	//
	// If the ledger is Pure, noise here and below is discrete Laplace of variance 2·b² or less, and the charge is ΣΔ₁/b with
	// the L1 sensitivity Δ₁: 1 or 2 counts of a table or a distance, by the relation.
	Residuals(stage string, round int, cliques []domain.Clique, merge query.Recoding, precision []float64, share dp.Share) ([]query.Measurement, error)

	// Scores releases, for each clique A, the distance Σ_c |h_A(c) − bases[A][c]| between the marginal on
	// merged codes and the given public counts, plus Gaussian noise of one variance σ² on each. With m
	// cliques and Δ² = query.DistanceL2Squared, which is m under AddRemove and 4m under Replace,
	//
	//	charge = Δ²/(2σ²) = the share.
	//
	// Exact noise: on a grid of 2^-j counts the distance is Σ |h·2^j − round(bases·2^j)|, an integer that a
	// record changes by at most 2^j.
	Scores(stage string, round int, cliques []domain.Clique, merge query.Recoding, bases query.Answers, share dp.Share) (query.Scores, error)

	// Trees releases, for each attribute whose bins are learned, a tree of differences over the codes of its records
	// with one noise variance σ². With Δ² = query.TreeShape.L2Squared, the charge is Σ Δ²/(2σ²); 1/σ² is proportional
	// to precision[i] and scaled so that the charge is the share. Of each tree it returns the differences that
	// query.TreeShape.Descend visits from total.
	Trees(stage string, round int, cliques []domain.Clique, shapes []query.TreeShape, total float64, precision []float64, share dp.Share) ([]query.Tree, error)

	// Coarsen makes later requests speak of coarser codes: the codes of bins. It is free.
	Coarsen(stage string, codes query.Recoding) error
}
