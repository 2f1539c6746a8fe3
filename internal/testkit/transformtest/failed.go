package transformtest

import (
	"context"
	"errors"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
)

// FailedBundle runs a job on prism whose bundle fails, and returns a context of the job's worker, without its end, and the
// error of the job.
func FailedBundle(t testing.TB) (worker context.Context, err error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	beam.ParDo0(s, &failingFn{}, beam.Impulse(s))
	if _, err = prism.Execute(t.Context(), p); err == nil {
		t.Fatal("the job did not fail")
	}
	return context.WithoutCancel(<-failed), err
}

func init() { register.DoFn2x1[context.Context, []byte, error](&failingFn{}) }

// failed has the context of the bundle that failed.
var failed = make(chan context.Context, 1)

type failingFn struct{}

func (*failingFn) ProcessElement(ctx context.Context, _ []byte) error {
	failed <- ctx
	return errors.New("as it should")
}
