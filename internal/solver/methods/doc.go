// Package methods knows every algorithm by its name: this module's own and any that others register with
// solver.Register, and holds the public rule that chooses between them. Only here does a name become an algorithm.
//
// The rule depends on the domain, the workload, ε, δ and the planning number of units, never on data, so that a plan
// can state the choice before anything is read.
//
// # Design
//
// For δ > 0 and marginals of up to three columns the rule is rake for every domain: it measures the tables that noisy
// scores select, on the whole universe if that fits in memory. On two tables small enough for dpam (336,000 and
// 65,536 cells, 35 and 560 marginals, ε from 0.1 to 10) its total variation is from 21 % lower to 3 % higher than
// dpam's.
//
// For marginals of four and five columns rake measures the pairs and triples inside them, dpam the marginals
// themselves. Which is better depends on the noise of one release of all of them, cells·√M·σ as a part of the units.
// Total variation of dpam's rows as a multiple of rake's, on seven tables (the 7 columns of UCI Adult; 7 linked
// columns with 50,400 possible records and 12 binary ones, each of 5,000, 50,000 and 500,000 people), ε from 0.1 to
// 10, all marginals of up to 4 or 5 columns, one run each:
//
//	noise                up to .02     .02 to .25    .25 to 1      1 to 5        more
//	runs                 13            19            13            15            10
//	dpam/rake, median    .62           .90           1.00          1.31          1.62
//	least, most          .36, 1.07     .66, 1.16     .75, 1.38     .88, 1.90     .90, 2.31
//
// So the rule is dpam up to a noise of .25 if its explicit universe fits in memory, and rake otherwise. No method
// measures marginals of four columns on domains too large for dpam and dpfw. At a noise of .1 to 3 rake has since measured marginals
// of up to 32,768 cells itself, in at most 1,048,576 possible records without exclusions.
//
// Where rake scores and measures all marginals of four and five columns itself, of at most 64 cells in at most 65,536 possible records
// without exclusions, the rule is rake at any noise. Average total variation of tables of four columns by rake and dpam, two runs each
// (parity and 40 kinds at ε = .3 and 1: eight):
//
//	12 binary columns, 50,000 people        ε = .3           ε = 1            ε = 10
//	one the parity of three others          .0053, .0101     .0031, .0049     .00047, .00056
//	of 40 hidden kinds                      .0088, .0089     .0038, .0040     .00048, .00059
//	each follows the one before             .0083, .0088     .0035, .0036     .00046, .00051
//	10 columns, 10,000 people, 15 kinds     .0253, .0241     .0109, .0113     .0018, .0020
//
// Where columns follow from others but for 2 in 1,000 people, dpam errs by 6 to 9 % less (ε = 1 and 10, eight runs), in the largest
// cell by a fifth.
//
// Under pure differential privacy the rule is rake for domains that no other method holds, and for bins that are learned: one
// round of scores, and pairs, with Laplace noise. One release of M marginals has noise of scale proportional to M/ε, and not to √M as
// for δ > 0, so that for large M it is better to select. The errors of weights (worst cell / average total variation,
// Markov trees of binary columns, AddRemove) put the border near M = 6·(units·ε)^0.4:
//
//	columns, width, M, units, ε    border    dpam           dpfw
//	10, 3, 120, 10,000, 1          239       .0171/.0154    .0212/.0170
//	14, 3, 364, 20,000, 1          315       .0220/.0181    .0196/.0162
//	14, 3, 364, 20,000, 10         792       .0035/.0029    .0106/.0075
//	12, 4, 495, 20,000, 1          315       .0183/.0274    .0107/.0158
//	12, 4, 495, 20,000, 10         792       .0030/.0045    .0047/.0066
//	12, 5, 792, 20,000, 1          315       .0201/.0524    .0116/.0252
//	12, 5, 792, 20,000, 10         792       .0034/.0087    .0036/.0080
package methods
