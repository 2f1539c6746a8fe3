// Package dp is the privacy model: the vocabulary that every promise of dapple is written in.
//
// Promise. M is one whole run: model, rows, row count, report, schema, exit status. For all
// neighbouring inputs X, X' and all sets S of outputs (claim P1 of CLAIMS.md):
//
//	P[M(X) ∈ S] ≤ exp(ε)·P[M(X') ∈ S] + δ,
//
// with ε, δ and the neighbouring relation as written in the report. The reader of the outputs may
// know the code, the configuration and every record except the records of one privacy unit.
//
// Unit: all records carrying one privacy ID; one of them is used, or all with weights that add up to 1
// (claims P5, P6, P7).
//
// Public, and not to be derived from the data: domain, workload, plan (ε, δ, rounds, scales),
// number of rows to emit; under Replace also the number of units n.
//
// Trusted: operator, runner, workers, shuffle and staging storage, job UI and logs, calling code.
//
// Not covered: running time, memory, rejection-trial counts, autoscaling, resource exhaustion;
// wrong privacy IDs; facts about groups; several runs (their losses add); whatever is computed from the
// true table and says so (evaluate, infer, strict reading); the form of the input, which is that it could
// be read: no record ends a run, but for a quote in a CSV file that opens a cell and never closes. One that
// closes in a later record takes the records between into its cell.
//
// Retries (claims P28, P29): one release of one table is seen, provided that all workers share the store that keeps it. A
// runner that starts whole jobs again can release twice without one; shards of two models are never
// published together.
//
// Computational part (claims P11, P12): noise is exact given uniform bits; the bits come from a cipher keyed by
// 32 secret bytes. Anyone who has the seed or the raw table has the data.
//
// # Reading order
//
// This package holds value types only. domain says what the table may contain, query what is asked
// of it. noise draws, accountant charges, mechanism does both in that order and is the only door
// between private counts and everything else. PRIVACY.md, in this directory, says the same to a privacy
// office: whom to trust, the limits, and by which command each claim is checked.
package dp
