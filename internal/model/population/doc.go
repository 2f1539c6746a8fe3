// Package population represents a model as a list of weighted records, with its tables, and the rows that are written
// for it.
//
//	rows := population.NewRows(model, cliques, 1_000_000, seed)
//	buf := make([]domain.Code, 4096*len(model.Sizes))
//	for p := from; p < to; p += int64(rows.Read(p, buf)) { … }
//
// # Rows
//
// The weights are not multiples of 1/N, so that N rows can only approximate them. Independent draws would add an
// error of the order √(count) to every cell. Instead the records are put in lexicographic order and sampled
// systematically: row r is the record at the point (r+U)/N of the cumulative weight, with one uniform U for the whole
// output. Neighbours in that order share most of their codes, so the errors of low-order marginals are far smaller.
// Refine then improves the tables of a workload by a local search over single rows.
//
// The position of each row in the output is given by a public permutation, so that the sorted order is not visible.
// Every position can be computed on its own: any number of shards, each reading its own block of positions, together
// write exactly the rows that one shard would write.
//
// # Privacy
//
// A Model is public, so everything here is post-processing. The random numbers need no secrecy.
package population
