package runner_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func init() {
	register.DoFn2x1[context.Context, []byte, error](&failingFn{})
	register.DoFn2x1[context.Context, []byte, error](&waitingFn{})
}

func TestMain(m *testing.M) { transformtest.Main(m) }

// workers has the worker that ran failingFn.
var workers = make(chan *runner.Worker, 1)

type failingFn struct{}

func (*failingFn) ProcessElement(ctx context.Context, _ []byte) error {
	w := runner.WorkerOf(ctx)
	if w.Failed() {
		return errors.New("before it failed")
	}
	workers <- w
	return errors.New("as it should")
}

func run(t *testing.T) *runner.Worker {
	p, s := beam.NewPipelineWithRoot()
	beam.ParDo0(s, &failingFn{}, beam.Impulse(s))
	if _, err := prism.Execute(t.Context(), p); err == nil {
		t.Fatal("the job did not fail")
	}
	return <-workers
}

// A program that links the package and watches no job has workers without a note; after Watch they know what failed.
func TestWatch(t *testing.T) {
	if w := run(t); w != nil {
		t.Error("a worker is watched that nobody asked for")
	}
	runner.Watch()
	runner.Watch() // as by two stages
	w := run(t)
	if w == nil || !w.Failed() {
		t.Fatal("the worker does not know that its bundle failed")
	}
	if w.Again("one") || w.Again("two") || !w.Again("one") {
		t.Error("names are mixed up")
	}
}

// TestStoppedAtTheStart: a run that is stopped at any moment of its start ends with an error. Prism would end the process.
func TestStoppedAtTheStart(t *testing.T) {
	for i := range 40 {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*400*time.Microsecond, stop)
		p, s := beam.NewPipelineWithRoot()
		beam.ParDo0(s, &waitingFn{}, beam.Impulse(s))
		held, release := runner.Started(ctx)
		if _, err := prism.Execute(held, p); err == nil && ctx.Err() == nil {
			t.Error("it is done before it was stopped")
		}
		release()
		stop()
	}
}

// waitingFn waits for the end of its job.
type waitingFn struct{}

func (*waitingFn) ProcessElement(ctx context.Context, _ []byte) error {
	<-ctx.Done()
	return ctx.Err()
}
