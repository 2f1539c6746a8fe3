// Package pipelines tells the whole story: what is read, promised, solved and written.
//
//	req, err := pipelines.Validate(ctx, pipelines.Config{…})
//	res, err := pipelines.Run(ctx, req)
//
// Validate finds every fault of a request at once, before anything private is opened. Build lays the
// request out as one Beam graph. Run executes it, shows progress and returns the figures of the last
// lines. Synthesize is the same for a pipeline that exists already.
//
// # Design
//
// The released files are written by the pipeline's publishing step and not by the launching process,
// so that a run whose launcher has gone (a template, an asynchronous job) still ends with a complete
// directory.
package pipelines
