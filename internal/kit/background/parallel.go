package background

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// OnAllCores runs work on all cores; next hands out 0..n−1, each once, until ctx ends. What is computed must not depend on who
// computes it.
func OnAllCores(ctx context.Context, n int, work func(next func() (int, bool))) error {
	var taken atomic.Int64
	next := func() (int, bool) {
		i := int(taken.Add(1)) - 1
		return i, i < n && ctx.Err() == nil
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() { work(next) })
	}
	wg.Wait()
	return ctx.Err()
}
