// Package mechanism is the only door between private counts and everything else: a Curator charges the
// ledger, then draws.
//
//	c, err := mechanism.New(counts, mechanism.Params{Sizes: sizes, Ledger: ledger, Root: root})
//	total, err := c.Total("total", dp.ShareOf(1, 50))
//	block, err := c.SelectBlock("select", 1, workload, model, dp.ShareOf(49, 50*30))
//
// Every call takes the same four steps. Its arguments, all public, are checked. Its event is computed
// by the ledger's calibration, and its samplers are made. The ledger is charged; a request beyond what
// remains ends here. Only then are the counts read and noise is drawn, from a stream that is bound to
// the call's stage and round and to all integers that enter it. Each (stage, round) is used once.
//
// # Scores
//
// Selections work on integers: the score of a cell is count·2^20 − round(model·2^20). Its data part is an exact
// integer and its model part a function of public values, so the ranges of package query hold exactly and nothing is
// charged for rounding. Block selections also round log-weights, and their event includes that rounding.
//
// # Residuals
//
// A marginal that is centred along every axis changes less between neighbours than its counts do, and is charged
// accordingly: what is released is C(x + Z) for integer counts x, integer noise Z and the integer matrix C = Πk·P,
// which maps some shifts of x to zero, so that those are free. Only these integers may reach a release: see
// limbs.settle. Distances Σ|count − base| are exact integers too.
//
// # Values
//
// Columns whose values nobody has listed are read by Values alone, through ValueCounts: see accountant.Ledger.Values.
//
// # Assumptions
//
// Counts hold at most one record of each privacy unit, or records of it whose weights add up to 1 at most, and at most
// 2^40 steps of weights, which New checks. Nothing
// after New fails, panics or logs because of what the counts are.
//
// # Replays
//
// A Recorder keeps each request with its event and release. Replay makes a Curator that has no data and gives the
// recorded releases to equal requests. If anything reaches the output of a run without passing through a Curator, the
// run differs from its replay on other data.
//
// # Design
//
// Requests are values, and all kinds of them go through one function, so that no mechanism can skip the charge. The
// draw is a closure that the function receives together with its event: a mechanism and its price are one object.
package mechanism
