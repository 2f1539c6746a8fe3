// Package accountant keeps the privacy budget of a run. A Ledger is opened for (ε, δ), a neighbouring relation and a
// kind of accounting. Each draw from private data is first charged to it as an Event; an event that does not fit is
// refused.
//
//	l, err := accountant.NewLedger(accountant.Params{Epsilon: 1, Delta: 1e-9})
//	e, err := l.Measure(accountant.Equal(35, 14955), dp.ShareOf(9, 10)) // noise for 9/10 of the budget
//	err = l.Charge(e.At("measure", 1))                                  // before the draw
//	s := l.Statement(accountant.Planned)                                // for the report
//
// Calibrations (Measure, MeasureVariance, Residuals, Scores, MaxError, Select, LaplaceMax) are functions of public
// values and charge nothing. The curator and the planner call the same ones, so that a plan holds the very events
// that the run will charge. Gaussian is for plans that know a share and nothing else.
//
// # Guarantee
//
// If every draw has the law and the sensitivities of the event charged for it, the whole run is
// (ε, δ)-differentially private for the ledger's relation. This holds for adaptively chosen events too:
// the sums of rho, of ε and of μ² are valid stopping rules (Feldman, Zrnic 2021; Whitehouse et al. 2023; for
// μ², Smith, Thakurta 2022).
//
// Not promised: that sensitivities are right (mechanism's part), or anything about several runs.
//
// # Design
//
// Budgets are rationals: capacities are multiples of 2^-40 rounded down, losses of one marginal or one
// selection multiples of 2^-80 rounded up, shares exact fractions rounded down to 2^-80. Sums are then
// exact, independent of order, and short. Float64 appears in conversions only, which round outwards.
//
// An adaptive run is stated at the requested ε, or at the ε of the shares allocated to its stages (Allocate),
// whatever it left unspent: what it spent depends on what it released, and a promise has to be fixed before the run.
// Planned runs are stated at what they spent.
//
// Losses are computed from an event's parameters wherever they are needed and are not stored, so that a parameter and
// its loss cannot disagree.
//
// # References
//
// CKS: Canonne, Kamath, Steinke 2020, arXiv:2004.00010. Bun, Steinke 2016, arXiv:1605.02065.
// Dong, Roth, Su 2022, arXiv:1905.02383. Dong, Durfee, Rogers 2020. Balle, Wang 2018.
package accountant
