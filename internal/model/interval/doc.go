// Package interval predicts the error of a fitted model's cells from what was released, at no privacy cost.
//
//	iv := interval.New(result)
//	se := iv.StandardErrors(clique, fitted, nil)                    // counts, of every cell of any marginal
//	from := iv.Sources(clique, make([]interval.Source, len(fitted))) // where each comes from
//	worst := iv.Largest(…)                                          // what the worst of many cells is likely to miss by
//
// # Models fitted to residuals
//
// The error of a cell of a table T is the sum of one part for each of its sub-tables A, the error of the interaction
// of A, where T's cell has the share b_T/b_A of the fitted counts:
//
//	se² = f²·( min(¼, b_T) + Σ_A (b_T/b_A)²·v_A + Σ_a (b_T/b_a)²·(σ_a²·(1 − 1/k_a) + σ_N²·(1/k_a − p_a)²) ),
//
// f = 1 of columns, .95 of pairs, .9 of triples and 1.05 of wider tables, A over pairs and triples in T, a over attributes, σ_a² the noise of the one-way table (for learned bins the noise of each, by the
// tree that they are cut from), or the square of the fit's deviation from its answer, and σ_N² the noise of the number of
// units, by which shares are off too. v_A follows from the releases on A: the first screening sets the prior κ·b^1.5 of
// cells that deviate each on its own; an interaction sums to 0 along every axis, so that a cell deviates with those beside it
// (see prior), and counts scatter by b on top; a release of precision u leaves v/(1 + v·u); a second screening multiplies the
// rest by one factor (½ to 4), and a second release divides it again. In a table of 2·2·… cells v_A is at most the square of
// what the smallest cells have room for.
//
// Where a table B of T with up to 1,000 cells was measured, the share b_T/b_A of what a sub-table A of B is off by is
// b_T/b_B·s at least. With t = u·v_B, how far the releases tell a cell, and n cells of B for each of A, s is (1 − t)·b_B/b_A + t/n, as a
// part of its sum in A's cell: a cell that is told keeps its distance from others, see evenShares.
//
// The prior of an interaction without a score is the prior of a table as far from the model as 9 of 10 of the 50 tables
// nearest in size. Interactions of four and more attributes together have the same prior.
//
// A value pooled for its rarity has a known count n_v, with variance σ², and is taken as independent of everything
// else. A cell that contains the share s of it has se² = min(¼, b) + s²·σ² + (.9·n_v + .1·(n_v² + σ²))·s·(1 − s): the cells
// of units with the same value are assumed to have a correlation of .1. Upwards the interval reaches to n_v + 1.96·σ: where a value tells
// what other columns have, all of its units are in one cell.
//
// Numbers of rows that have one answer are taken as independent of other columns, too, and queries multiply people by them. What they
// could be off by at most is 1.96 standard errors where the other column differs between numbers of rows, see dealing.
//
// # Models fitted to whole marginals
//
// A fit keeps a part w of what its answers say beyond its prior. So a cell whose answer has the noise σ², and from whose answer the
// fit is m away, errs by se² = 1.05²·(w·(σ² + w·m²) + p²·σ_N² + min(¼, b)), p its share and σ_N² the noise of the number of people.
// w = v/(v + σ²) follows from the fit's predicted squared error, plus one standard deviation of that estimate: v = 1.3²·κ·(b+10) with
// one κ for all measured cells. Of a column of two values both cells of a line deviate alike: b is their mean if that is more, and v at
// most b². Without it 64 % of the pairs with a rare outcome held, and 96 % do. The answer of a marginal inside measured ones is a sum, and v that of its cells; w is at most the part of
// its noise that a fit without counts below 0 keeps, see miss.Kept. Where a fit follows
// the noise of cells of tables with people, as beside many empty ones, w is that part at least, see followed.
//
// The count of a column's value has the noise of its cells with more people than noise, or of as many as its people are spread over: a
// fit that gives no cell less than 0 loses the noise of empty ones. It also has the bias of such a fit: all cells are lowered by what
// noise adds to empty ones. Sums of many values keep all noise. Where nothing was measured there is no answer: se² = 1.3²·(v + b).
//
// # Models with a known largest error
//
// Selection alone (dpfw) releases one certificate, the largest error of any cell. Large cells get 1/2.7 of its upper
// 95 % limit, S, as standard error, small cells of columns the variance S²·b/(b + S/2). Those of tables err by .7 of what S²·b/(b + 2·S)
// says, and upwards by all of it. Its rounds also tell counts of columns, pairs and triples, with little more noise than answers have:
// cells err as above with w = b/(b + σ), values of columns as those of whole marginals, and by (p − 1/k)²·σ_N² at least, and
// sums by all of that noise and their distance from these counts, see certificate.go.
// Of a fit that is off the certificate alone tells.
//
// # What a fit misses
//
// A fit that prefers independent columns, or that stops early, is off by more than noise in sums of many cells. The answers that
// were released tell by how much: of a query on measured columns and pairs, its answer less theirs, m, whose noise s follows from
// the query. Linear adds m² − s² where that is above 0, and all of m² where the fit has too much; of a query on one measured table
// its variance is at most (1.15)²·(m² + s²), the error of those answers and the distance from them. A count of one cell errs as above,
// and by ¼ at least: noise is whole people. A fit to residuals gives no cell
// less than 0, so that in a sum of many cells .3·s² is added. Errors of a pair's cells that are the prior's have a correlation of .01
// besides. If only the largest error is known, as of linear queries, m is the largest part of
// the way from even cells that it allows. TestDiagonals of package answer has the coverage.
//
// # Skewed intervals
//
// A fit draws small counts towards 0. Of the cells with people beside a diagonal 9 % had more than 1.96 standard errors above the
// fitted count, by rake and dpam, and .2 % had less than as much below it. No variance of the prior tells them from empty cells: noise
// hides both. So an interval's upper end is at least the end of the noisy answer's own, whatever the prior is. Then 93 to 100 % of
// those cells hold, at ε = .3 to 10. Of a triple with a column and its copy 17 to 22 % of the cells missed, and 6 to 8 % if each cell's
// upper end is raised by its share of what its pairs' are. Intervals of empty cells begin at 0 and hold 99.7 % and more: only a lower end
// above 0 misses them. All that an interval from 0 leaves out is above: its upper end is 1.64 standard errors away, or as far as 0 is.
//
// # Two computations
//
// StandardErrors is of all cells of a table at once, some 10 ns for each and sub-table. Linear is of any query, by several passes
// over all cells for each: 4 ms of 10,000 cells, so that each cell of them would take 40 s, and _marginals.parquet has 2,000,000.
// Linear keeps to the sums along faces exactly, and has no factor f; StandardErrors are .98 to 1.1 of its on single cells of
// marginals. In interactions of more than 1,000 cells Linear puts codes together that a query does not tell apart. That makes
// standard errors 4 % larger in the median of 650 answers on six columns, and never smaller.
//
// # Draws
//
// For what is no sum, Draws gives models that the table may have, with other weights of the same records. Any query of all
// columns scatters over them as Linear says, times 1.2, see trends. In November 2026, of the 77 coefficients of logistic regressions
// of five tables, put together from 20 draws, 99, 95 and 97 % lay in their 95 % intervals at ε = .3, 1 and 3. On adult7 and dense8
// all did, with wide intervals. At ε = 1 there were 20 of 23 where two hidden numbers move 13 columns: the fit misses their correlations
// by two to three standard errors.
//
// # Measured coverage
//
// integration/research/bench/PREDICTIONS.md has, for made-up tables and tables of people, the part of the cells of one to three columns
// whose shares lie within ± 1.96 standard errors, and how wide those intervals are; TestPredictions in integration/research/families
// holds three of the tables. Of other methods, per cent, of the means over tables and noise levels ε = .1 … 10, in brackets the
// least of them; tables: adult7, adult14, synthetic tables of 6 to 60 columns:
//
//	                      1-way      2-way      3-way      4-, 5-way
//	whole marginals       97 (94)    98 (97)    99 (98)    100 (99)
//	certificate           94 (91)    99 (99)    100 (100)  100 (100)
//
// Standard errors are the widest where a column is all but constant, and of cells of four and more columns, which nothing
// was measured of. The largest error of any measured or scored cell was .35 to .75 of Largest.Median when standard errors were
// a few per cent wider, since errors are correlated.
//
// # Not promised
//
// These are predictions with a measured coverage, not bounds. Methods that release neither noisy marginals nor a
// certificate (the published forms, kept for comparison) get intervals that contain everything.
package interval
