// Package transformtest runs pipelines in tests: in process, through Beam's vet runner, and with each
// worker in a process of its own.
//
//	func TestMain(m *testing.M) { transformtest.Main(m) }
//
//	p, s := beam.NewPipelineWithRoot()
//	got := transformtest.Capture[*counts.Table](s, col)
//	transformtest.Performant(t, p)
//	transformtest.Run(t, p)
//	tables := got.Elements()
//
// It is imported by tests alone: it links Beam's runners, which library packages do not.
package transformtest
