// Package dofn registers struct DoFns and CombineFns so that Beam calls them without reflection.
//
// Beam's own register.DoFnNxM does the same, but instantiates every lifecycle signature for every
// DoFn: some seconds of compile time and megabytes of binary each. Here a DoFn names the methods that
// it has, and only those are instantiated:
//
//	func init() {
//		dofn.Register[boundFn](
//			dofn.Method2x1("ProcessElement", (*boundFn).ProcessElement),
//			dofn.Method1x1("FinishBundle", (*boundFn).FinishBundle),
//		)
//		register.Emitter2[int, *records.Units]()
//	}
//
// Emitters and iterators are still registered with Beam's register package, which is cheap for them.
// Call Register from init functions only: Beam refuses registrations once it runs.
package dofn
