// Package dpfw is DPFW in its tight form: Frank-Wolfe on the regularised dual of "make the worst query
// right", where each step asks the data one thing only: which query the model answers worst.
//
//	result, err := dpfw.Solve(problem, curator)                                    // blocks
//	result, err := dpfw.Settings{Form: dpfw.Cell}.Solve(problem, curator)
//
// The model starts uniform. A round selects, by the exponential mechanism, a marginal and the sign of
// the error in each of its cells (Block), or one cell and its sign (Cell), and multiplies the weight of
// every record by exp(±step) accordingly. The answer is the average of the models, later ones weighing
// more. Nothing is measured, so the average holds no noise of its own. The selected signs tell the counts as noisy answers
// would: the fit is tested against them, at no charge. Where they tell that most cells are empty, the answer is a fit to these
// counts, as of package dpam.
//
// Events: up to 1,000 selections, the total (AddRemove) and a certificate, the largest error, at the end; how many
// depends on public figures alone.
//
// Cost: a softmax and an evaluation of the universe for each round.
//
// Not promised: accuracy beyond DPAM's, which is better on marginals unless δ = 0 and they are many.
//
// Source: Micali, Lezane, Betken, arXiv:2411.00921. With the dual variable started at 0 and the
// regularisation taken to 0 their algorithm is multiplicative weights with private selection, and its
// error falls with n^(−1/2) in place of n^(−2/5).
package dpfw
