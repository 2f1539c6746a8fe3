package runner_test

import (
	"context"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func init() {
	register.DoFn2x1[context.Context, []byte, error](&waitingFn{})
}

func TestMain(m *testing.M) { transformtest.Main(m) }

// A program that links the package and watches no job has workers that know nothing; after Watch they know what failed. A step
// that is asked for again has all records, if what it drew first would be found.
func TestWatch(t *testing.T) {
	if worker, _ := transformtest.FailedBundle(t); runner.Partial(worker, "one", true) {
		t.Error("a worker is watched that nobody asked for")
	}
	runner.Watch()
	runner.Watch() // as by two stages
	worker, _ := transformtest.FailedBundle(t)
	for i, c := range []struct {
		step       string
		kept, want bool
	}{
		{"one", true, true}, {"two", true, true}, {"one", true, false}, {"one", true, false},
		{"three", false, true}, {"three", false, true},
	} {
		must.Equal(t, runner.Partial(worker, c.step, c.kept), c.want, "question %d, of step %s", i, c.step)
	}
	must.Hold(t, !runner.Partial(t.Context(), "one", false), "a step that no worker runs reads a part")
}

// TestStoppedAtTheStart: a run that is stopped at any moment of its start ends with an error. Prism would end the process.
func TestStoppedAtTheStart(t *testing.T) {
	for i := range 40 {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(i)*400*time.Microsecond, stop)
		p, s := beam.NewPipelineWithRoot()
		beam.ParDo0(s, &waitingFn{}, beam.Impulse(s))
		held, release := runner.Started(ctx)
		_, err := prism.Execute(held, p)
		must.Hold(t, err != nil || ctx.Err() != nil, "it is done before it was stopped")
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
