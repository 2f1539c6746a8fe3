// Package rivals holds the algorithms that dapple is measured against, under one interface, one accountant
// and one workload: each reads private data through the curator alone, as the methods of dapple do.
//
//	for _, a := range rivals.All() {
//		result, err := a.Solve(problem, curator)
//	}
//
// A program that imports the package has them as methods, and those that the paper prints of DPAM and DPFW: command
// dapple below is such a program. Each file opens with the idea, the source, the privacy events and the cost of one algorithm. They run in their
// tight form: the published loop, with noise calibrated by zero-concentrated privacy, integer noise, and ranges
// that hold for the declared relation. That form is at least as accurate as the published calibration, so that a
// comparison does not flatter dapple's own methods.
//
// # What is not here
//
// RAP (Aydore, Brown, Kearns, Kenthapadi, Melis, Roth, Siva 2021, arXiv:2103.06641) measures the queries that are answered
// worst, round after round, and projects the noisy answers on a continuous relaxation of a table by gradient descent; rows
// are drawn from that at the end. The relaxed projection is claimed by US patent 11,487,765, so it is not built. Its
// abstract claims less error than the algorithms before it in many cases, especially for a small budget or many queries;
// the figures are pictures of other tables and workloads than those here (noted on 2026-11-23).
package rivals
