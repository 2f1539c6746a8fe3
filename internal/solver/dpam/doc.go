// Package dpam is DPAM in its tight form: all marginals of the workload are released once, with one
// charge, and a distribution over the explicit universe is fitted to them by accelerated mirror descent.
//
//	result, err := dpam.Solve(problem, curator)
//
// The published algorithm queries a noisy arg-max oracle T times with Gaussian noise of variance σ².
// That is exactly as private as one release with variance σ²/T, so T is a matter of computing time
// and any fit of one Gaussian release is DPAM.
//
// Events: one measurement of all marginals; the fit is post-processing. Under AddRemove the number
// of units is estimated from the same release and costs nothing; under Replace it is public.
//
// Cost: some 40 to 200 evaluations of the universe, each twice, and 96 bytes for each of its cells.
//
// Not promised: answers outside the workload, beyond what maximum entropy gives; a universe beyond
// memory (*dense.ErrUniverse). With δ = 0 the noise is discrete Laplace, for which the stopping rule is
// a heuristic.
//
// Source: Micali, Lezane, Betken, arXiv:2411.00921; Tseng 2008 for the accelerated scheme; Stein
// 1981 and Ramani, Blu, Unser 2008 for the risk estimate and its Monte Carlo divergence.
//
// # Design
//
// Noise is fitted if the descent runs on for long, so it must be stopped. The discrepancy principle
// needs the effective number of parameters; Stein's unbiased risk estimate measures it from a second
// run on slightly perturbed data ("companion"), at the price of twice the time, and comes within a few
// per cent of the best iterate.
//
// A fit from independent columns moves people from few full cells to many empty ones, each of which follows the noise above 0. Package
// cells tells the likely counts of such tables. A fit from these is kept if its estimated risk is less.
package dpam
