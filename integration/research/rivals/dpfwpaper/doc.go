// Package dpfwpaper is DPFW as published, for comparison: its constants, its noise, its random iterate,
// with only the corrections without which the text cannot be run. Package dpfw is the one to use.
//
//	result, err := dpfwpaper.Solve(problem, curator)
//
// Corrections: rounds, step and noise scale are computed in this order and the noise from the rounded
// number of rounds; the start does not depend on data; the gap of a step is the gap of the gradient at the
// current dual variable.
//
// Events: a selection by the Laplace noisy maximum over signed queries in each round, and the total.
// The printed noise has slack for the signs, which double the loss of a step, as long as
// ε ≤ 5.66·ln(1/δ); beyond that, and for δ = 0, the method refuses.
//
// Cost: an evaluation of the universe for each round.
//
// Not promised: accuracy. The literal sensitivity, 2·max_q ‖q‖₁ over the universe, leaves a handful of
// rounds with noise larger than the data. The one of the proof, for queries in {0, 1}, is 1.
//
// # Design
//
// n in the formulas is the public planning number of units, so that rounds and step are public. The
// printed noise λ of an answer in fractions is λ·n counts, in which n cancels. Answers are compared in
// counts with the total: public under Replace; under AddRemove, which the paper does not treat, bought
// for 2 % of the budget; the printed noise leaves more than that unspent.
//
// Source: Micali, Lezane, Betken, arXiv:2411.00921, Algorithm DPFW and Theorem 3.
package dpfwpaper
