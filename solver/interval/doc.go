// Package interval predicts the error of a fitted model's cells from what was released, at no privacy cost.
//
//	iv := interval.New(result)
//	se := iv.StandardErrors(clique, fitted, nil) // counts; NaN where no interval is valid
//	worst := iv.Largest(…)                       // what the worst of many cells is likely to miss by
//
// # Models fitted to residuals
//
// The error of a cell of a table T is made of one part for each of its sub-tables A, the error of the
// interaction of A, of which T's cell holds the share b_T/b_A of the fitted counts. With v = κ·(b+10)^1.5
// the prior variance of a cell of the interaction and u the precision it was measured with,
//
//	se² = 1.3²·( ¼ + Σ_A (b_T/b_A)²·v_A/(1 + v_A·u_A) + Σ_a (b_T/b_a)²·σ_a² ),
//
// A over pairs and triples in T, a over attributes, σ_a² the noise of the one-way table. The + 10 and the
// factor 1.3 were chosen such that ± 2 standard errors hold about 95 % of the cells.
//
// # Models fitted to whole marginals
//
// The fit's predicted squared error, plus one standard deviation of that estimate, is spread over the cells:
// se² = 1.2²·v/(1 + v·u) with v = κ·(b+10) and one κ for all measured cells. A marginal inside measured
// ones counts as measured with the sum of their precisions, each divided by the cells that one of its cells
// is a sum of.
//
// # Measured coverage
//
// Cells within ± 2 standard errors, per cent, of one-, two- and three-way marginals:
//
//	residual fits, adult14 (14 columns), ε = .3, 1, 3    96–99  96–97  98
//	residual fits, adult7 (7 columns), ε = .3, 1, 3      98–100 85–89  93–98
//	whole marginals, adult7, two noise levels            89     93–94  97–98
//	whole marginals, tree10 (binary), ε = .1, 1, 10      99     97–100 92–96
//
// Up to 3 % of the pair cells of adult7 and .6 % elsewhere lie beyond 4. The largest error of any cell was
// .31 to .75 of Largest.Median, since errors are linked.
//
// # What it does not promise
//
// These are predictions with a measured coverage, not bounds. Values pooled for their rarity, marginals
// of four or more attributes and tables that were never looked at have none.
package interval
