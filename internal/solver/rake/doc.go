// Package rake is the method for tables whose universe is too large to write down: 10 to 100 columns.
//
//	result, err := rake.Solve(problem, curator)
//
// Raking is the survey statistician's word for iterative proportional fitting (Deming, Stephan 1940), by which the model
// is fitted.
//
// The private counts are queried in these stages, with Gaussian noise, in fixed shares of the budget:
//
//	total          the number of units (not under Replace, where it is public)
//	one-ways       residuals of all attributes; trees of differences of those whose bins are learned
//	first scores   how far each pair is from independence
//	pairs          residuals of the pairs selected by the scores
//	second scores  how far each pair, triple and wider table of few cells is from the model fitted so far
//	final          residuals of the tables selected by those scores
//
// A residual is a table centred along every axis: what it adds to its sub-tables, which are measured themselves. An entry
// costs Π(1 − 1/k)² of what it costs in the raw table: 1/64 in a 2×2×2 table (Xiao et al. 2023, residual planner). Two
// rounds of noisy scores replace the rounds of selection of AIM and MST (McKenna et al. 2021, 2022): Gaussian noise alone
// composes exactly.
//
// With δ = 0 noise is discrete Laplace, and losses of tables add up, not their squares. Pairs are then the last stage; more rounds, and
// triples, cost more than they tell. A table starts with as much precision as gains most for its cost, or gets none (package choose).
//
// Each stage asks the curator, and passes what was released to packages that know no curator, each of values that the ones before
// return: oneway (one-ways, bins, tails, smoothing), choose (scores, priors, budgets, predictions), fit (tree, raking, descent) and
// place (values inside bins, numbers of rows, gaps).
//
// # Four ideas
//
// A tree starts the sample. The model is the one of maximum entropy. It is a population of weighted records, drawn from a
// junction tree over the strongest pairs (package mrf; Lauritzen, Spiegelhalter 1988) and moved to all measured tables in
// turn, so that these may overlap in any way. Gibbs sampling renews records when their weights degenerate.
//
// Water-filling. The precision of every table in a release minimises the predicted error of the workload: the table with the
// largest gain for its cost gets more until all gains are alike.
//
// A prior for each interaction. A cell's deviation from what the model says without the table has a variance of κ·base^1.5,
// and κ follows from the score. Scores are shrunk under a heavy-tailed prior (Stephens 2017), so that few strong pairs among
// many weak ones stand out. The prior is a ridge on every potential of the fit. Cells that are likely to be empty
// have a prior of their own; pairs that are not released are held near independence as far as their scores say so.
//
// One-ways first. They get a quarter of the budget, more where noise hides all else, and are smoothed in the order of their
// values (Coifman, Donoho 1995). Values with fewer counts than a few standard deviations of their noise are merged with
// their neighbours, and split again in the rows by the one-way marginal.
//
// # Small universes
//
// If the whole universe fits in memory, the population is the universe, and the releases are fitted by accelerated entropic
// descent stopped at the least estimated risk (package dpam). Unless tables have few cells, the model is a mean of that
// fit and of the raked one.
//
// In a universe of at most 65,536 cells, marginals of the workload with four and more columns and at most 64 cells are scored too, as
// far as noise allows. They are measured if they stand out of the noise by themselves, as a parity does. The descent then starts from
// a model that has them.
//
// # Structural zeros
//
// Combinations that the domain excludes start at weight 0, and multiplying by factors keeps it. They enter the junction
// tree first. Structural zeros that the tree cannot express are filtered from the sample, and Gibbs sampling never
// proposes them. Values are merged only with values of the same exclusions, so that each can be stated on merged codes.
//
// # Ordered columns without bins
//
// For each such column a tree of differences is released in place of a one-way table (package query). Where noise hides
// single differences, tails have a generalised Pareto distribution that is fitted to all of them (Pickands 1975). Bins are
// chosen from the tree. The part of a pair of such columns that a normal copula does not explain is smoothed in blocks of
// neighbouring bins, and values inside bins follow the values of other columns. Days of the week and hours of the day are
// released too, as tables of 7 and 24 cells.
//
// # Numbers of rows
//
// The tail of people's numbers of rows follows laws of few parameters, weighed by how well they fit the noisy counts: noise
// among the few people who have most would make or hide a good part of all rows. If rows have an order, gaps of people with many
// rows follow a trend in the number of rows, for the same reason, if their bins are learned.
//
// # Not promised
//
// Other marginals of four or more attributes are answered by the model and never measured. Nearly deterministic pairs of large
// attributes are fitted slowly. Constants were chosen on two census tables and on made-up ones; integration/research/ablate has what
// each heuristic earns.
package rake
