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
// Selections work on integers: the score of a cell is count·2^20 − round(model·2^20). Its data part is
// an exact integer and its model part a function of public values, so the ranges of package query hold
// exactly and nothing is charged for rounding. Block selections round log-weights too, which their
// event pays for.
//
// # Residuals
//
// A marginal that is centred along every axis moves less between neighbours than its counts do, and is
// charged for that: what is released is C(x + Z) for integer counts x, integer noise Z and the integer
// matrix C = Πk·P, so that shifts which C does not see are free. Nothing but these integers may reach a
// release: see limbs.settle. Distances Σ|count − base| are exact integers too.
//
// # What it relies on
//
// Counts hold at most one record of each privacy unit and at most 2^40 units, which New checks. Nothing
// after New fails, panics or logs because of what the counts are.
//
// # Replays
//
// A Recorder keeps each request with its event and release. Replay makes a Curator that knows no data
// and gives the recorded releases to equal requests: whatever reaches the output of a run by another
// way than through a Curator shows as a difference between a run and its replay on other data.
//
// # Design
//
// Requests are values and all kinds of them go through one function, so that charging cannot be left
// out of one mechanism. The draw is a closure that the function receives with the event it belongs to:
// a mechanism and its price are one object.
package mechanism
