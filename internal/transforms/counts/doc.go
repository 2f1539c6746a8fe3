// Package counts turns bounded units into exact integer tables. Its results are still private: a mechanism adds noise
// to them.
//
//	stats := counts.Count(s, units, workload, counts.Params{})   // 0 or 1 element: none on empty input
//
// A Table answers the marginals of the cliques it was counted for and of all their subsets, as integers, and has one
// canonical encoding. Additions are exact, so that the result depends neither on bundles nor on their order.
//
// # Design
//
// A table is one accumulator per bundle, not a key per cell, which would take prism 50 µs each. Three public rules
// decide what is kept, in this order: one table of the whole universe if it is small; a table for every requested
// clique if those fit Params.MaxCells; otherwise the coded records themselves, counted on demand. Tables take the
// same memory for any number of units; kept records are limited by the 2 GiB of one element, some 35 million units of
// 60 attributes.
package counts
