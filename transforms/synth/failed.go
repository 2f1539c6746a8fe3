package synth

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

// Prism lets the steps behind a bundle that failed begin without its records, until it has stopped the job. A worker
// therefore notes that a bundle of it failed, before the runner hears of it, and draws no noise for a part of a table.
const failedHook = "dapple:failed"

// failedKey finds the note, an *atomic.Bool, in the context of a worker and of its bundles.
type failedKey struct{}

func init() {
	hooks.RegisterHook(failedHook, func([]string) hooks.Hook {
		return hooks.Hook{
			Init: func(ctx context.Context) (context.Context, error) {
				return context.WithValue(ctx, failedKey{}, new(atomic.Bool)), nil
			},
			Resp: func(ctx context.Context, req *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
				if failed, ok := ctx.Value(failedKey{}).(*atomic.Bool); ok && req.GetProcessBundle() != nil && resp.GetError() != "" {
					failed.Store(true)
				}
				return nil
			},
		}
	})
	if err := hooks.EnableHook(failedHook); err != nil {
		panic(err) // it is registered above
	}
}

// complete returns an error if a bundle of this worker has failed and no later attempt can be waited for: the runner
// makes none, or there is no store and so may be no second release.
func (f *solveFn) complete(ctx context.Context) error {
	once := f.Params.NoRetries || f.Params.Store.Kind == ""
	if failed, ok := ctx.Value(failedKey{}).(*atomic.Bool); ok && once && failed.Load() {
		return errors.New("synth: nothing is drawn, since an earlier step of the job failed")
	}
	return nil
}
