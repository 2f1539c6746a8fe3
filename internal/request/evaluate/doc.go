// Package evaluate measures how far a synthetic table is from the true one. It reads private data and
// pays nothing for it: its figures are covered by no privacy guarantee, and every form of its output
// says so.
//
//	err := evaluate.Run(ctx, evaluate.Config{Domain: "people.yaml", Input: "people.csv", Synthetic: "out/"}, os.Stdout)
//
// # What is compared
//
// If the true table has a privacy ID, one row of each privacy unit is compared, the one that the synthesis used:
// every person has the same weight.
//
// # Values as they are written
//
// Column Shapes and Column Pair Trends are computed as in SDMetrics' QualityReport
// (https://docs.sdv.dev/sdmetrics/data-metrics/quality/quality-report), release 0.32.0, to 1e-6 on the same
// tables: INT64, FLOAT64, NUMERIC and TIME (as microseconds) are numerical, DATE, DATETIME and TIMESTAMP are
// datetime, BOOL is boolean, STRING and INT64 with declared values are categorical. Values that
// a column's type cannot hold, including NaN and infinities, are NULL.
//
//   - KSComplement is 1 − the largest distance of the two distribution functions, TVComplement 1 − TV of the
//     categories. Both leave NULLs out.
//   - CorrelationSimilarity, of two numbers, dates or times, is 1 − |r − r'|/2 with Pearson's r over the rows
//     without NULL in either; it counts if |r| > 0.5 in the true table. ContingencySimilarity, of other pairs,
//     is 1 − TV of the two-way table, where NULL is a category and numbers are cut into ten equal bins; it counts
//     if Cramér's V > 0.3 in the true table. QualityReport bins each table by its own range, so that one
//     outlier moves all bins; the total variation of a pair's cells stands beside its score.
//   - The score of a property is the mean over the columns or pairs that have one.
//
// Derived columns are compared here too, after the others, if every table has them and people have no table of their
// own. They have no cells and appear in no other part of the comparison.
//
// QualityReport draws 50,000 rows at random from larger tables for ContingencySimilarity; this package uses all rows.
//
// Values take at most 8 bytes each. Whole numbers beyond 2^53 are compared by how far they are from the least one of the
// domain's range, since float64 holds no such number exactly; SDMetrics rounds them.
//
// # Marginals
//
// Tables are compared on the domain's cells, as shares of rows: bins to be learned come from the release
// if the synthetic table is a released directory, else they are equal. For k = 1, 2, 3 the k-way
// marginals are the workload's own and those that its wider marginals contain; wider marginals of the workload are
// compared as well. TV is total variation, ½ Σ |real share − synthetic share| over the cells of a marginal. Averages
// over marginals are not weighted.
//
// # Population error
//
// With a holdout, rows of the same population that the synthesis never saw, the synthetic table is
// compared with those too, and so is the real table: its own error is a floor that no synthesis can be
// expected to beat.
//
// # The JSON form
//
//	not_private                   the banner, always first
//	format                        1
//	columns                       column names in the domain's order
//	real                          synthetic table against the true table: a comparison
//	holdout.synthetic             synthetic table against the holdout: a comparison
//	holdout.real                  true table against the holdout: a list of widths
//	follows[]                     entry, records: a column that follows from another one, and in how many records of the true table
//
// A comparison:
//
//	true_rows, synthetic_rows     rows of the two tables
//	widths[]                      by k, ascending:
//	  k, marginals, cells         attributes in a marginal; number of marginals; sum of their cells
//	  average_tv, largest_tv      over the marginals
//	  largest_cell_error          the largest |difference of shares| of all cells
//	values                        on values as they are written:
//	  sdmetrics                   the release of SDMetrics that has the same figures
//	  column_shapes, column_pair_trends   properties
//	  overall                     mean of their averages
//	  columns[]                   name, type, sdtype; frequent[] (value, real and synthetic share); and
//	    real, synthetic           rows, null_share, distinct; of numbers, dates and times mean, sd, zero_share,
//	                              quantiles[] (p, value, text), in days for DATE, microseconds for other times
//	    histogram                 of numbers, dates and times: origin of the edges, edges, real and synthetic shares
//	worst[]                       the marginals of largest TV, largest first:
//	  columns, cells, tv
//	  largest[]                   the cells that differ most: labels, real and synthetic share
//	queries                       only if the workload has linear queries; answers are means over the rows:
//	  number, average_error, largest_error
//	  worst[]                     columns, index (from 0, among the queries over them), real, synthetic
//	people.sequences              only if rows have an order: total variations, and the same dealt at random, of
//	  transitions[], gaps, start  the row before and the row, first rows, gaps, and the first value of the order
//	  sequence_length_similarity, inter_row_msas, statistic_msas   SDMetrics' scores, properties the last two
//	violations                    only if the domain declares impossible combinations:
//	  real, synthetic             rows with any of them
//	  each[]                      columns, cells (labels by column), real, synthetic: one combination
//
// A property:
//
//	average                       null if no item has a score
//	items[]                       columns (one or two), metric, tv of the domain's cells, score (null if not defined), reason why not;
//	                              of pairs of values also association: real, synthetic (Pearson's r, Cramér's V)
package evaluate
