// Package solver defines the interfaces of the algorithms that turn private counts into a public model.
//
// An algorithm sees private data only through a Curator, which charges a ledger before it draws. It passes public
// values to the curator and receives released ones; everything it does with them is post-processing and costs
// nothing. Imports enforce this: no method reaches the packages that draw noise or hold the ledger.
//
// A method of one's own is registered by name, and is then known to synth.Solve, to synth.Synthesize and to every
// command that it is compiled into:
//
//	solver.Register(solver.Method{Name: "mine", …})          // in an init function
//	synth.Synthesize(s, people, synth.Params{Method: "mine", …})
//
// A method with settings has its field With, and a function that puts them behind its name, as dpfw.Method does.
package solver
