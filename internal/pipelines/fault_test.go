package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// faultyRunner does what a test says, and then has a fault as prism has them.
const faultyRunner = "faulty"

var beforeFault func(ctx context.Context, p *beam.Pipeline)

// sound is how many of its next jobs it runs as prism does.
var sound int

func init() {
	beam.RegisterRunner(faultyRunner, func(ctx context.Context, p *beam.Pipeline) (beam.PipelineResult, error) {
		if beforeFault(ctx, p); sound > 0 {
			sound--
			return prism.Execute(ctx, p)
		}
		return nil, errors.New("job job-001 failed:\npanic in stage.Execute bundle processing goroutine: runtime error: SECRET, stage: &{ID:stage-005},stackTrace:\ngoroutine 88 [running]:\n" +
			"\npanic({0x1c10000?, 0x23441b0?})\n\truntime/panic.go:860 +0x13a\nx.NextInst(...)\n\tgithub.com/apache/beam/sdks/v2@v2.77.0/go/pkg/beam/runners/prism/internal/worker/worker.go:153\n")
	})
}

// TestFaultOfTheRunner: a fault inside the runner ends in the message that every failed run has, whether it finds a domain or
// makes a release, and whether it strikes before or after the draw. Message and book agree.
func TestFaultOfTheRunner(t *testing.T) {
	const where = "prism, a runner of Apache Beam, has a fault at runners/prism/internal/worker/worker.go:153 "
	for name, tt := range map[string]struct {
		finds bool
		mark  string // made before the fault; empty: none
		says  string
		paid  int
	}{
		"a run before the draw":     {false, "", "nothing was written and no privacy budget was spent", 0},
		"a run after the draw":      {false, synth.DrawnSuffix, "noise had been drawn: count the privacy budget of this run as spent", 1},
		"a finding before the draw": {true, "", "nothing was written and no privacy budget was spent", 0},
		"a finding after the draw":  {true, discover.FoundSuffix + synth.DrawnSuffix, "noise had been drawn to find the domain: count", 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := shop(t, 60)
			c.Ledger = filepath.Join(t.TempDir(), "book")
			must.Do(t, Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: c.Ledger, Create: "shop", Epsilon: 8, Delta: 1e-4, PrivacyID: "customer", Input: c.Input}))
			temp := t.TempDir()
			t.Setenv("TMPDIR", temp)
			var err error
			draw := func(dir, id string) {
				if tt.mark == "" {
					return
				}
				_, _, err := run.Open(dir).CreateIfAbsent(t.Context(), id+tt.mark, []byte("drawn"))
				must.Pass(t, err)
			}
			if tt.finds {
				c.Domain, c.PrivacyID = "", "customer"
				r := mustFind(t, c)
				r.Engine.runner.Name = faultyRunner
				beforeFault = func(context.Context, *beam.Pipeline) { draw(r.dir, r.params.RunID) }
				_, err = RunFound(t.Context(), r)
			} else {
				c.RunID = "r"
				r := mustValidate(t, c)
				r.Engine.runner.Name = faultyRunner
				beforeFault = func(context.Context, *beam.Pipeline) {
					marks, _ := filepath.Glob(filepath.Join(r.to.scratch, "dapple-run-*"))
					must.Need(t, len(marks) == 1, "stagings %q", marks)
					draw(marks[0], "r")
				}
				_, err = Run(t.Context(), r)
			}
			must.Hold(t, err != nil && strings.Contains(err.Error(), where) && strings.Contains(err.Error(), tt.says) && !strings.Contains(err.Error(), "SECRET") && !errors.Is(err, ErrRunner),
				"it ends in %v", err)
			findings, runs := paid(t, c.Ledger)
			must.Hold(t, findings+runs == tt.paid, "the book has %d findings and %d runs", findings, runs)
			must.Fails(os.Stat(c.Output))(t, "", "there is an output")
		})
	}
}

// TestFaultByChance: a fault of prism that strikes once is met by another attempt, if no noise is lost: nothing was drawn, or what
// was drawn is kept. The book has one charge, and there is one output.
func TestFaultByChance(t *testing.T) {
	for name, kept := range map[string]bool{"before the draw": false, "with what was drawn kept": true} {
		for _, finds := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, finds %v", name, finds), func(t *testing.T) {
				c := shop(t, 3000)
				c.Ledger = filepath.Join(t.TempDir(), "book")
				must.Do(t, Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: c.Ledger, Create: "shop", Epsilon: 8, Delta: 1e-4, PrivacyID: "customer", Input: c.Input}))
				t.Setenv("TMPDIR", t.TempDir())
				jobs := 0
				beforeFault = func(ctx context.Context, p *beam.Pipeline) {
					if jobs++; jobs > 1 {
						sound = 1
					} else if kept { // nothing is published where another output is
						must.Do(t, os.MkdirAll(filepath.Join(c.Output, "another"), 0o700))
						_, err := prism.Execute(ctx, p)
						must.Hold(t, (err == nil) == finds, "the first job: %v", err)
						must.Do(t, os.RemoveAll(c.Output))
					}
				}
				want := 1
				if finds {
					c.Domain, c.PrivacyID, c.Method, want = "", "customer", "", 2
					r := mustFind(t, c)
					r.Engine.runner.Name = faultyRunner
					must.Value(RunFound(t.Context(), r))(t)
				} else {
					r := mustValidate(t, c)
					r.Engine.runner.Name = faultyRunner
					must.Value(Run(t.Context(), r))(t)
				}
				findings, runs := paid(t, c.Ledger)
				must.Hold(t, findings+runs == want, "the book has %d findings and %d runs", findings, runs)
				must.Value(os.Stat(c.Output))(t)
			})
		}
	}
}
