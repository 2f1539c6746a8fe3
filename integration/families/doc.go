// Package families makes tables on which fits are known to go wrong, and others of the same kinds:
// near-deterministic pairs, columns that follow from others, structural zeros, ties, constants. All of them are
// made up; equal names, units and seeds give equal tables.
//
// It also holds the one table of codes that benchmarks and tests count from, and their error figures. Those
// compare with the true table, so they are not private.
package families
