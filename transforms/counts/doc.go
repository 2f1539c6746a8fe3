// Package counts turns bounded units into exact integer tables. Still private: what comes out is what
// a mechanism adds noise to.
//
//	stats := counts.Count(s, units, workload, counts.Params{})   // 0 or 1 element: none on empty input
//
// A Table answers marginals of the cliques it was counted for and of all their subsets, as integers,
// and has one canonical encoding. Additions are exact, so that neither bundles nor order show in the
// result.
//
// # Design
//
// A table is one accumulator per bundle and never a key per cell, which would cost prism 50 µs each.
// Three public rules choose what is kept, in this order: one table of the whole universe if it is
// small; a table for every clique asked for if those fit Params.MaxCells; else the coded records
// themselves, counted on demand. Tables take the same memory for any number of units; kept records end at
// the 2 GiB of one element, some 35 million units of 60 attributes.
package counts
