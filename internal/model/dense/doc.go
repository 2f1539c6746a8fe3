// Package dense holds the kernels of algorithms that keep one number for every cell of the universe:
// all marginals of a distribution, the adjoint of that map, and the softmax.
//
//	plan := dense.NewPlan(sizes, workload.Cliques())
//	o := dense.NewOracle(plan)                  // all buffers, once
//	dense.Softmax(theta, d)                     // d: a distribution over the universe
//	o.Eval(d, answers)                          // its marginals
//	o.Adjoint(gradient, theta)                  // theta(z) += Σ_A gradient_A(z_A)
//
// A vector over the universe is row-major in the order of the domain's attributes, the last one
// fastest; answers hold one row-major table per clique. Cliques may have any widths, mixed, nested or
// repeated; attributes of size 1 cost nothing.
//
// # Design
//
// There are no index tables. The plan is a tree: each node sums one run of adjacent axes out of its
// parent's table, and marginals that miss the same axes share the sums. The largest axis that some
// marginal lacks is split first, so few passes see the whole universe: four of them for all 3-way
// marginals. The adjoint walks the same tree backwards. A node's table lives only while its subtree is
// visited, so all tables together are smaller than the universe.
//
// Every sum has one fixed order on one goroutine: equal inputs give equal bits on one architecture,
// whatever GOMAXPROCS. Sums of more than 10⁴ terms are pairwise.
package dense
