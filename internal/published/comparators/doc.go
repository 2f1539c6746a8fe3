// Package comparators holds the algorithms that dapple is measured against, under one interface, one accountant
// and one workload: each reads private data through the curator alone, as the methods of dapple do.
//
//	for _, a := range comparators.All() {
//		result, err := a.Solve(problem, curator)
//	}
//
// Each file opens with the idea, the source, the privacy events and the cost of one algorithm. They run in their
// tight form: the published loop, with noise calibrated by zero-concentrated privacy, integer noise, and ranges
// that hold for the declared relation. That form is at least as accurate as the published calibration, so that a
// comparison does not flatter dapple's own methods.
//
// # What is not here
//
// RAP (Aydore et al. 2021) projects noisy answers on a continuous relaxation of a table. The relaxed projection
// is claimed by US patent 11,487,765, so it is not built; its authors' published figures stand for it.
package comparators
