// Package figures seeks counterexamples to the figures that dapple states, as other packages do to its promise.
//
// Tables are generated, not chosen. Each goes through the command as people run it; every figure that the last lines, the
// statement, the page, _marginals.parquet, _answers.parquet, query, plan and evaluate state is compared with the truth, which
// this package computes from the table by other code: sums over its rows.
//
// An interval states 95 %, and has to hold the truth in 90 to 99 % of cases. The test counts misses, of each kind of figure by family, and of
// all families. It fails if the true coverage is below 90 %, or above 99 % where noise can miss. Forecasts have to be within a factor of three,
// and errors that were measured within a factor of two beyond their noise, in 90 % of the releases. If a coverage is just 90 or 99 %, an
// alarm is for chance in fewer than 1 in a million cases.
// No figure contradicts another of the same release.
package figures
