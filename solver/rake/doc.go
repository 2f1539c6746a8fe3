// Package rake is the method for tables whose universe is too large to write down: 10 to 100 columns.
//
//	result, err := rake.Solve(problem, curator)
//
// The private counts are queried in these stages, always with Gaussian noise, in fixed shares of the budget:
//
//	total          the number of units (not under Replace, where it is public)
//	one-ways       residuals of all attributes
//	first scores   how far each pair is from independence
//	pairs          residuals of the pairs selected by the scores
//	second scores  how far each pair and triple is from the model fitted so far
//	final          residuals of the pairs and triples selected by those scores
//
// A residual is a table centred along every axis: what it adds to its sub-tables, which are measured
// themselves. Its sensitivity and its noise are smaller than those of the table by c = Π(1 − 1/k), so
// an entry costs c² of what it costs in the raw table: 1/64 in a 2×2×2 table.
//
// The shares inside one release are set by water-filling: they minimise the predicted error of the
// workload, given noisy scores. The model is the one of maximum entropy, with a ridge on every
// potential that shrinks the interaction to 0 the more, the smaller its score. It is fitted by iterative
// scaling of a population of weighted records, drawn from a junction tree over the strongest pairs and
// renewed by Gibbs sampling when its weights degenerate, so that measured tables may overlap in any way.
// The number of records of a wide table is limited so that all of them can be renewed several times. A fit that
// ends further from the one-way marginals than half their noise is raked to those alone.
//
// The method is named for that fit: raking is the survey statistician's word for iterative proportional fitting.
//
// # Small universes
//
// If the whole universe fits in memory, the population is the universe, and the releases are
// fitted by accelerated entropic descent stopped at the least estimated risk. Unless tables have few cells, the
// model is a mean of that fit and of the raked one.
//
// # Structural zeros
//
// Combinations that the domain excludes start at weight 0, and multiplying by factors keeps it. They enter
// the junction tree first; records of an exclusion that the tree does not cover are removed from the
// sample, and Gibbs sweeps draw none. Rare values are merged only with values that take part in the same
// exclusions, so that every exclusion can still be stated exactly on the merged codes.
//
// # Rare values
//
// One-way tables are smoothed in the order of the domain. Values with fewer counts than a few standard deviations of
// their noise (3; 12 if the order means something) are merged with their neighbours. In the rows a merged value is split
// again by the one-way marginal: within a group the values are independent of all other attributes.
//
// # Empty cells
//
// Pairs of columns that follow from each other have many cells without records. How many is estimated from the released
// residual of a pair, and the target of each cell falls by the probability that it is one of them.
//
// # Nearly independent columns
//
// Two columns that a third one follows from depend on each other in a fit of their pairs with it alone. Pairs that are not
// released, as their scores are low, are therefore held near independence in a sampled fit, as far as those scores say.
// If they are released later, that prior loosens as far as that release is precise.
//
// # Numbers of rows
//
// The tail of people's numbers of rows follows laws of few parameters, weighed by how well they fit the noisy counts:
// noise among the few people who have most would make or hide a good part of all rows.
//
// What pairs of columns are row by row is a sum over tables with the number of rows. They have no larger weight for that:
// twice or four times the weight left such pairs of five made-up tables where they were (1.00 and 1.02 of the error in the
// mean), and all triples with the number of rows beside a workload of pairs cost 6 % on three.
//
// # Ordered columns without bins
//
// For each such column a tree of differences is released in place of a one-way table (package query). In tails,
// where noise hides single differences, values have a generalised Pareto distribution that is fitted to all of them. Bins
// are chosen from the tree: a frequent value has its own bin, and the others have so many records each that none is
// merged. The part of a pair of such columns that a normal copula does not explain is smoothed in blocks of neighbouring
// bins at several resolutions, and values inside bins are coupled to those of one other column.
//
// Halving the range of dates and times does not show their rhythm: the numbers of records on each day of the week and in
// each hour of the day are released too, as tables of 7 and 24 cells, and values inside bins follow them.
//
// # Design
//
// Two rounds of noisy scores replace rounds of selection with the exponential mechanism (AIM, MST): Gaussian
// noise alone composes exactly. Scores are shrunk under a heavy-tailed prior, so that few strong pairs among many weak
// ones are bought; they get 1 % of the budget a round, and up to 5 % where pairs are many and units few. Every other
// constant was chosen on two tables (7 and 14 columns of the Adult census extract, ε = 1) and is within
// 2 to 3 % of its best there over a wide range. Shares at high noise and the size of a sampled population were
// chosen on synthetic tables of 50 to 5,000,000 people and 8 to 30 columns, ε = .01 to 10.
//
// # Not promised
//
// Marginals of four or more attributes are answered by the model and never measured. Nearly deterministic pairs of
// large attributes are fitted slowly.
package rake
