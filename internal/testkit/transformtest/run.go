package transformtest

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/vet"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"
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
