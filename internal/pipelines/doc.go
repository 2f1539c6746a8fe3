// Package pipelines runs the dapple command's requests: it reads a table, spends a budget, and publishes rows.
//
//	req, err := pipelines.Validate(ctx, pipelines.Config{…})
//	res, err := pipelines.Run(ctx, req)
//
// Validate finds every fault of a request at once, before anything private is opened. Run builds one Beam graph of
// the request, executes it with progress, and returns the figures of the last lines. For an existing pipeline use
// synth.Synthesize.
//
// # Design
//
// A run has four parts, a file each. claim finds what has begun of the request, or begins it. build makes the graph. execute
// runs it in this process or as a job. settle, in run.go, says how it ended. What a run leaves behind, and who may still do
// what, is in internal/pipelines/internal/run.
//
// The released files are written by the pipeline's publishing step and not by the launching process,
// so that a run whose launcher has gone (a template, an asynchronous job) still ends with a complete
// directory.
package pipelines

import _ "github.com/dapple-dp/dapple/internal/pipelines/internal/anyuser" // before Beam
