package synth

import (
	"context"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"

	"github.com/dapple-dp/dapple/solver"
)

// Work is reported in public figures only: rounds planned and done, rows requested and written. Beam counters carry
// it from any worker; within a process an Observer receives it too.

// solving reports the work of one solve. Counters of what is done only rise: they show the furthest that it got. Counters of
// totals follow the forecasts of a fit.
func solving(ctx context.Context) solver.Progress {
	furthest, totals := map[string]int{}, map[string]int{}
	return func(stage string, done, total int) {
		observed(stage, done, total)
		if total = max(total, furthest[stage]); total != totals[stage] {
			beam.NewCounter("dapple.solve", stage+".total").Inc(ctx, int64(total-totals[stage]))
			totals[stage] = total
		}
		if done > furthest[stage] {
			beam.NewCounter("dapple.solve", stage+".done").Inc(ctx, int64(done-furthest[stage]))
			furthest[stage] = done
		}
	}
}

// tell counts and logs where the release of the run came from. Both are public: they follow from the store.
func (f *solveFn) tell(ctx context.Context, adopted bool) {
	what := "drawn"
	if adopted {
		what = "adopted"
	}
	beam.NewCounter("dapple.release", what).Inc(ctx, 1)
	log.Infof(ctx, "dapple: release %s %s, ε = %g, δ = %g", f.Params.RunID, what, float64(f.Params.Epsilon), float64(f.Params.Delta))
}

// writing reports rows of one sampling, whose shards share done.
func writing(ctx context.Context, done *atomic.Int64, rows int, total int64) {
	beam.NewCounter("dapple.sample", "rows").Inc(ctx, int64(rows))
	observed("writing", int(min(done.Add(int64(rows)), total)), int(total))
}

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
