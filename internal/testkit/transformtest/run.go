package transformtest

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Main is the TestMain of a package with pipelines. A test binary that a job server starts as a worker
// becomes one here.
func Main(m *testing.M) {
	log.SetupLogging("error", "text")
	os.Exit(ptest.MainRet(m))
}

// timeout is far above what any test pipeline takes and below Go's own limit, so that a hanging job
// fails with its name.
const timeout = 8 * time.Minute

// Run runs p on prism, or on the runner named by --runner, and fails the test if the job fails.
func Run(t testing.TB, p *beam.Pipeline) {
	t.Helper()
	if err := RunOn(runner(), p); err != nil {
		t.Fatalf("pipeline failed: %v", err)
	}
}

func runner() string {
	if *ptest.Runner != "" {
		return *ptest.Runner
	}
	return ptest.DefaultRunner()
}

// RunOn runs p on the named runner ("prism", "direct") and returns the job's error.
func RunOn(runner string, p *beam.Pipeline) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	_, err := beam.Run(ctx, runner, p)
	return err
}

// Performant fails the test if a worker would need reflection to call some function of p, or could
// not find a function or type.
func Performant(t testing.TB, p *beam.Pipeline) {
	t.Helper()
	e, err := vet.Evaluate(context.Background(), p)
	if err != nil {
		t.Fatalf("vet runner: %v", err)
	}
	if !e.Performant() {
		e.Generate("missing")
		t.Errorf("the pipeline needs reflection or lacks registrations; Beam would generate:\n%s", e.Bytes())
	}
}

// Create returns a PCollection of the given values, which may be none at all.
func Create[T any](s beam.Scope, values ...T) beam.PCollection {
	return beam.CreateList(s, append(reflect.Zero(reflect.TypeFor[[]T]()).Interface().([]T), values...))
}

// Chunk returns a chunk of text cells: rows[i][a] is the cell of column a, and ids[i] the privacy ID of
// row i. ids is nil without privacy IDs.
func Chunk(rows [][]string, ids []string) *domain.Chunk {
	c := &domain.Chunk{Rows: len(rows)}
	if ids != nil {
		c.ID = Text(ids)
	}
	if len(rows) == 0 {
		return c
	}
	for a := range rows[0] {
		cells := make([]string, len(rows))
		for i := range rows {
			cells[i] = rows[i][a]
		}
		c.Columns = append(c.Columns, Text(cells))
	}
	return c
}

// Text returns a column of text cells.
func Text(cells []string) domain.Column {
	col := domain.Column{Form: domain.Text, Offsets: make([]uint32, 1, len(cells)+1)}
	for _, s := range cells {
		col.Bytes = append(col.Bytes, s...)
		col.Offsets = append(col.Offsets, uint32(len(col.Bytes)))
	}
	return col
}

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
