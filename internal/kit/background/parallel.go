package background

import (
	"cmp"
	"context"
	"runtime"
	"sync/atomic"
)

// OnAllCores runs work on all cores; next hands out 0..n−1, each once, until ctx ends. What is computed must not depend on who
// computes it. A panic of work is one of OnAllCores, once no work runs.
func OnAllCores(ctx context.Context, n int, work func(next func() (int, bool))) error {
	var taken atomic.Int64
	next := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < n && ctx.Err() == nil
	}
	workers := make([]Work, min(runtime.GOMAXPROCS(0), n))
	for i := range workers {
		workers[i].Start(func() { work(next) })
	}
	var fault any
	for i := range workers {
		fault = cmp.Or(fault, workers[i].ended())
	}
	if fault != nil {
		panic(fault)
	}
	return ctx.Err()
}
