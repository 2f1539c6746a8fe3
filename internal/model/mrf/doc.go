// Package mrf holds a Markov random field over a junction tree: a log-linear model whose potentials are
// tables over small sets of attributes, with exact marginals.
//
//	kept, maximal := mrf.Skeleton(sizes, pairs, 1e5, rng)
//	tree := mrf.NewJunctionTree(sizes, maximal)
//	tree.Multiply(clique, factor) // any factor inside one clique of the tree
//	tree.Calibrate(units)
//	tree.Rake(tables, 20, .002*units)
//	population := tree.Sample(100_000, rng)
//
// Skeleton turns a set of cliques into the maximal cliques of a chordal graph by greedy
// elimination; the junction tree is a largest spanning tree over them. Beliefs are dense arrays in
// linear space, row-major, the last attribute fastest; messages are the Hugin kind: a separator keeps
// the marginal that both sides last agreed on, and a message multiplies the receiver by new/old.
//
// What fits is bounded by the number of cells of the maximal cliques, which grows exponentially with
// the number of attributes that depend on each other. For models without that bound see population.
//
// Sources: Jensen, Lauritzen, Olesen 1990 (Hugin propagation); Kjærulff 1990 (greedy triangulation by
// weight and fill); Jiroušek, Přeučil 1995 (iterative scaling inside a junction tree).
package mrf
