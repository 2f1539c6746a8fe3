package synth

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// A worker of prism knows that a bundle of it failed, and then nothing is drawn, and no mark says so. Prism attempts each
// solve once. A runner that attempts it again has tried the failed bundle again before, and what it keeps is drawn.
func TestNothingIsDrawnAfterAFailedBundle(t *testing.T) {
	runner.Watch() // as Solve does
	ctx, _ := transformtest.FailedBundle(t)
	dir := t.TempDir()
	for _, c := range []struct {
		run, store string
		draws      bool
	}{
		{"one", "dir", false},
		{"two", "dir", false}, // another release of the job
		{"three", "", false},
		{"three", "", false},
		{"one", "dir", true}, // the last: it leaves a mark
	} {
		f := newSolveFn(StoreRef{})
		f.Params.RunID = c.run
		if c.store != "" {
			f.Params.Store = StoreRef{Kind: c.store, Config: dir}
		}
		err := f.ProcessElement(ctx, 0, iterate(testSeed(t, 1)), iterate(table(t, 3)), func(ModelRef) {})
		files, _ := filepath.Glob(filepath.Join(dir, "*"+DrawnSuffix))
		must.Hold(t, (err == nil) == c.draws && len(files) > 0 == c.draws, "run %s, store %q: error %v, marks %v", c.run, c.store, err, files)
	}
}

// The error of a step stands once in what a runner returns to a program, without Beam's plan of the step. A step of others keeps what
// it has said as Beam tells it.
func TestAnErrorStandsOnce(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	Solve(s, stats(s, 3), SolveParams{Epsilon: 1, Delta: 1e-9, RunID: "run", Store: StoreRef{Kind: "refusing", Config: t.TempDir()}})
	_, err := prism.Execute(t.Context(), p)
	must.Hold(t, err != nil && strings.Count(err.Error(), "dapple: synth: ") == 1 && strings.Count(err.Error(), "synth: ") == 1 && !strings.Contains(err.Error(), "Plan[") && !strings.Contains(err.Error(), "DoFn["),
		"of dapple's step: %v", err)
	_, err = transformtest.FailedBundle(t)
	must.Hold(t, strings.Contains(err.Error(), "DoFn[") && strings.Contains(err.Error(), "as it should"), "of another's step: %v", err)
}
