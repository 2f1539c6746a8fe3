package synth

import "sync/atomic"

// Observer is told of work done in this process: done of total parts of a stage, as a solver.Progress is. All of it is public.
type Observer func(stage string, done, total int)

var observer atomic.Pointer[Observer]

// Observe sends the progress of this process's runs to f until the returned function is called. Workers in other
// processes report through Beam's counters only. f is called from several goroutines.
func Observe(f Observer) (stop func()) {
	before := observer.Swap(&f)
	return func() { observer.Store(before) }
}

func observed(stage string, done, total int) {
	if f := observer.Load(); f != nil {
		(*f)(stage, done, total)
	}
}
