// Package families makes tables on which fits are known to go wrong, and others of the same kinds:
// near-deterministic pairs, columns that follow from others, structural zeros, ties, constants. All of them are
// made up; equal names, units and seeds give equal tables.
//
// Other tables are made as people keep them, numbers, money, dates and times with atoms, zeros and long tails, to be
// read over the domain that dapple infer proposes.
//
// It also holds the one table of codes that benchmarks and tests count from, and their error figures. Those
// compare with the true table, so they are not private.
package families
