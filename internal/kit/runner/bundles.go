package runner

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/util/hooks"
	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
)

const hook = "dapple:failed"

// key finds the worker in the contexts of a worker and of its bundles.
type key struct{}

// worker is what a worker knows of its bundles. Prism lets the steps behind a failed bundle begin without its records, until
// it has stopped the job; a step that may not do that asks Partial.
type worker struct {
	failed atomic.Bool
	asked  sync.Map // by step
}

func init() {
	hooks.RegisterHook(hook, func([]string) hooks.Hook {
		return hooks.Hook{
			Init: func(ctx context.Context) (context.Context, error) {
				begun.note()
				return context.WithValue(ctx, key{}, new(worker)), nil
			},
			Resp: func(ctx context.Context, req *fnpb.InstructionRequest, resp *fnpb.InstructionResponse) error {
				if w, ok := ctx.Value(key{}).(*worker); ok && req.GetProcessBundle() != nil && resp.GetError() != "" {
					w.failed.Store(true)
				}
				return nil
			},
		}
	})
}

// Watch makes the workers of this process, and of jobs that it submits from now on, note failed bundles. A worker that
// is started for a job of another process calls it before it begins.
func Watch() {
	if err := hooks.EnableHook(hook); err != nil {
		panic(err) // it is registered above
	}
}

// Started returns a context for a run on prism, which ends with ctx, but not while the run starts its worker: prism panics
// then, in a goroutine of its own, and ends the process. release frees what it holds.
func Started(ctx context.Context) (held context.Context, release func()) {
	Watch()
	started := begun.next()
	held, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-started:
		case <-held.Done():
		case <-time.After(patience):
		}
		end()
	})
	return held, func() { stop(); end() }
}

// patience is how long a worker may take to start.
const patience = 10 * time.Second

// begun tells of the next worker that starts in this process.
var begun starts

type starts struct {
	mu   sync.Mutex
	wait []chan struct{}
}

func (s *starts) next() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := make(chan struct{})
	s.wait = append(s.wait, c)
	return c
}

func (s *starts) note() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.wait {
		close(c)
	}
	s.wait = nil
}

// Partial reports whether what the worker of a context reads may be a part, since a bundle of the worker has failed; step names the
// step that asks, and kept says that a second attempt finds what the first one drew. A later attempt shows that the runner tries
// again; such a runner begins it with all records, so the second attempt may draw. Prism makes no later attempt. What is not kept may
// not be drawn twice, and so has no later attempt either.
func Partial(ctx context.Context, step string, kept bool) bool {
	w, _ := ctx.Value(key{}).(*worker)
	if w == nil || !w.failed.Load() {
		return false
	}
	_, again := w.asked.LoadOrStore(step, true)
	return !again || !kept
}
