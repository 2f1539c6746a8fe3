// Package figures seeks counterexamples to the figures that dapple states, as other packages do to its promise.
//
// Tables are generated, not chosen. Each goes through the command as people run it; every figure that the last lines, the
// statement, the page, _marginals.parquet, _answers.parquet, query, plan and evaluate state is compared with the truth, which
// this package computes from the table by other code: sums over its rows.
//
// An interval states 95 %. Over all tables a kind of interval has to hold the truth in 90 to 99 % of cases: the test counts
// misses, and fails if the true coverage is below 90 %, with a false-alarm rate below 1 in a billion for each kind and family.
// Forecasts have to be within a factor of three, errors that were measured within a factor of two beyond their noise.
// No figure contradicts another of the same release.
package figures
