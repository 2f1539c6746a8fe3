package synth

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// Prism lets the steps behind a bundle that failed begin without its records, until it has stopped the job. A worker
// therefore notes that a bundle of it failed, before the runner hears of it, and draws no noise for a part of a table.
const failedHook = "dapple:failed"

// failedKey finds the *failures of a worker in its context and in those of its bundles.
type failedKey struct{}

// failures is what a worker knows of failed bundles.
type failures struct {
	any     atomic.Bool
	refused sync.Map // RunID of each solve that was refused once
}

func init() {
	hooks.RegisterHook(failedHook, func([]string) hooks.Hook {
		return hooks.Hook{
			Init: func(ctx context.Context) (context.Context, error) {
				return context.WithValue(ctx, failedKey{}, new(failures)), nil
			},
			Resp: func(ctx context.Context, req *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
				if f, ok := ctx.Value(failedKey{}).(*failures); ok && req.GetProcessBundle() != nil && resp.GetError() != "" {
					f.any.Store(true)
				}
				return nil
			},
		}
	})
	if err := hooks.EnableHook(failedHook); err != nil {
		panic(err) // it is registered above
	}
}

// complete returns an error if a bundle of this worker has failed. A later attempt at the same solve shows that the runner
// tries again; such a runner begins it with all records, so the second attempt draws. On prism there is none. Without a
// store there may be no second release, and so no later attempt either.
func (f *solveFn) complete(ctx context.Context) error {
	w, ok := ctx.Value(failedKey{}).(*failures)
	if !ok || !w.any.Load() {
		return nil
	}
	if _, again := w.refused.LoadOrStore(f.Params.RunID, true); again && f.Params.Store.Kind != "" {
		return nil
	}
	return errors.New("synth: no release is made, since an earlier step of the job failed: see its error")
}
