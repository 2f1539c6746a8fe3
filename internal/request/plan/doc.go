// Package plan predicts what a request would do, before anything private is opened: domain, workload, method and why,
// every privacy charge to come, predicted error, memory, CPU and file sizes.
//
// Charges are computed by the same ledger calibrations that the run uses, so that the ledger of a run
// equals its plan event for event.
package plan
