// Package dpampaper is DPAM as published, for comparison: a noisy histogram of the whole universe in
// each of T rounds, with only the corrections without which the method moves away from the data.
// Package dpam is the one to use.
//
//	result, err := dpampaper.Solve(problem, curator)
//
// Corrections: the subgradient of the largest error at the model is −q for the query q that the data
// answer higher, and the mirror step is divided by the regularisation α. The text has +q and no 1/α.
//
// Events: T Gaussian histograms, and the total. The arg-max over the workload is
// post-processing. The printed noise is enough for ε ≤ 8·ln(1/δ); beyond that, and for δ = 0, the
// method refuses.
//
// Cost: an exact Gaussian draw for each cell of the universe, and an evaluation of it, in every round.
//
// Not promised: accuracy, which package dpam buys with the same noise drawn once.
//
// # Design
//
// n in the formulas is the public planning number of units, so that rounds and steps are public. The
// printed noise σ of a cell in fractions is σ·n = 4·√(T·ln(1/δ))/ε counts, in which n cancels. Counts
// become fractions by the total: public under Replace; under AddRemove, which the paper does not treat,
// bought for 2 % of the budget; the printed noise leaves more than that unspent. The
// Gaussian width that sets T is estimated without data, from a fixed seed.
//
// Source: Micali, Lezane, Betken, arXiv:2411.00921, Algorithm DPAM and Theorem 5.
package dpampaper
