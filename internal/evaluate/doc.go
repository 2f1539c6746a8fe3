// Package evaluate measures how far a synthetic table is from the true one. It reads private data and
// pays nothing for it: its figures are covered by no privacy guarantee, and every form of its output
// says so.
//
//	truth, err := evaluate.ReadTrue(ctx, "people.csv", file, table.Options{})
//	synthetic, err := evaluate.ReadSynthetic(ctx, "out/", file, table.Options{})
//	report, err := evaluate.Compare(ctx, evaluate.Tables{Real: truth, Synthetic: synthetic}, w, file.Domain, evaluate.Options{})
//	err = report.WriteText(os.Stdout)
//
// # What is compared
//
// Tables are compared in the cells of the domain, as shares of rows. Of a true table with a privacy ID
// one row of each privacy unit counts, the one that the synthesis counted: a person with many rows
// weighs as much as a person with one.
//
// For k = 1, 2, 3 the k-way marginals are the workload's own and those that its wider marginals
// contain; wider marginals of the workload are compared as well. TV is total variation,
// ½ Σ |real share − synthetic share| over the cells of a marginal. Averages over marginals are not
// weighted.
//
// The k-marginal score is NIST's, 1000·(1 − average TV): SDNist, sdnist/metrics/kmarginal.py, which
// takes a random selection of marginals, while this package takes all. It is reported together with the number of
// rows of the smallest simple random subsample of the true table whose expected score is at least as
// good; the expectation is exact (see subsample.go).
//
// Column shapes and column pair trends are those of SDMetrics' quality report
// (https://docs.sdv.dev/sdmetrics/data-metrics/quality/quality-report), on the domain's cells:
//
//   - A column with bins is numeric: KSComplement, 1 − the largest distance of the two distribution
//     functions. Any other column is categorical: TVComplement, 1 − TV. Both leave NULLs out.
//   - A pair of numeric columns: CorrelationSimilarity, 1 − |r − r'|/2 with Pearson's r on the middles
//     of the cells, rows with a NULL in either column left out. Any other pair: ContingencySimilarity,
//     1 − TV of the two-way table, where NULL is a category. SDMetrics cuts a numeric column of a mixed
//     pair into ten bins; here it has the domain's.
//   - The score of a property is the mean over columns or pairs; if a score is not defined (no value
//     but NULL, a constant column in a correlation) the item is left out of the mean.
//
// # Population error
//
// With a holdout, rows of the same population that the synthesis never saw, the synthetic table is
// compared with those too, and so is the real table: what the real table itself misses by is the floor
// that no synthesis can be expected to pass.
//
// # The JSON form
//
//	not_private                   the banner, always first
//	format                        1
//	columns                       column names in the domain's order
//	real                          synthetic table against the true table: a comparison
//	holdout.synthetic             synthetic table against the holdout: a comparison
//	holdout.real                  true table against the holdout: a list of widths
//
// A comparison:
//
//	true_rows, synthetic_rows     rows of the two tables
//	widths[]                      by k, ascending:
//	  k, marginals, cells         attributes in a marginal; number of marginals; sum of their cells
//	  average_tv, largest_tv      over the marginals
//	  largest_cell_error, mean_cell_error, rms_cell_error   |difference of shares| over all cells
//	  k_marginal_score            1000·(1 − average_tv)
//	  subsample_rows              only against the true table
//	shapes, trends                average (null if nothing is defined), and
//	  items[]                     columns (one or two), metric, score (null if not defined)
//	quality                       mean of the two averages
//	worst[]                       the marginals of largest TV, largest first:
//	  columns, cells, tv
//	  largest[]                   the cells that differ most: labels, real and synthetic share
//	violations                    only if the domain declares impossible combinations:
//	  real, synthetic             rows that any of them holds for
//	  each[]                      columns, cells (labels by column), real, synthetic: one combination
package evaluate
