package failed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/internal/beamrun/failed"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func init() { register.DoFn2x1[context.Context, []byte, error](&failingFn{}) }

func TestMain(m *testing.M) { transformtest.Main(m) }

// workers has the worker that ran failingFn.
var workers = make(chan *failed.Worker, 1)

type failingFn struct{}

func (*failingFn) ProcessElement(ctx context.Context, _ []byte) error {
	w := failed.Of(ctx)
	if w.Failed() {
		return errors.New("before it failed")
	}
	workers <- w
	return errors.New("as it should")
}

func run(t *testing.T) *failed.Worker {
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
	failed.Watch()
	failed.Watch() // as by two stages
	w := run(t)
	if w == nil || !w.Failed() {
		t.Fatal("the worker does not know that its bundle failed")
	}
	if w.Again("one") || w.Again("two") || !w.Again("one") {
		t.Error("names are mixed up")
	}
}
