package pipelines

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/request/progress"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

func TestMain(m *testing.M) {
	beam.Init()
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // failures that are meant would be logged at length
	os.Exit(inOwnPlace(m))
}

// inOwnPlace runs the tests in a temporary directory of their own: what a killed test leaves is nobody's run.
func inOwnPlace(m *testing.M) int {
	dir, err := os.MkdirTemp("", "dapple-pipelines-")
	if err == nil {
		err = os.Setenv("TMPDIR", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

const shopDomain = `privacy_id: customer
columns:
  - {name: plan, type: STRING, values: [basic, plus, pro], other: true}
  - {name: age, type: INT64, min: 18, max: 98, bins: 4, null: true}
  - {name: active, type: BOOL, fallback: false}
`

// shop makes a domain file and a table of n customers, and returns a request for them.
func shop(t testing.TB, n int) Config {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("customer,plan,age,active\n")
	for i := range n {
		fmt.Fprintf(&b, "c%d,%s,%d,%v\n", i, []string{"basic", "plus", "pro", "trial"}[i%4], 18+i*i%80, i%3 == 0)
	}
	c := Config{
		Domain: filepath.Join(dir, "shop.yaml"), Input: filepath.Join(dir, "shop.csv"), Output: filepath.Join(dir, "out"),
		Epsilon: 1, Delta: 1e-6, Method: "dpam", Runner: "direct", Shards: 2,
	}
	for path, content := range map[string]string{c.Domain: shopDomain, c.Input: b.String()} {
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	return c
}

func mustValidate(t testing.TB, c Config) *Request {
	t.Helper()
	r := must.Value(ValidateRun(context.Background(), c))(t)
	return r
}

func mustRun(t testing.TB, c Config) *Result {
	t.Helper()
	res := must.Value(Run(context.Background(), mustValidate(t, c)))(t)
	return res
}

// What plan says will be charged is what the run charges, event for event.
func TestLedgerIsAsPlanned(t *testing.T) {
	for _, tt := range []struct {
		name, method string
		relation     dp.Neighbouring
		delta        dp.Delta
	}{
		{"dpam", "dpam", dp.AddRemove, 1e-6},
		{"dpam, replace", "dpam", dp.Replace, 1e-6},
		{"dpam, pure", "dpam", dp.AddRemove, 0},
		{"dpfw", "dpfw", dp.AddRemove, 1e-6},
		{"dpfw, replace", "dpfw", dp.Replace, 1e-6},
		{"dpfw, pure", "dpfw", dp.AddRemove, 0},
		{"dpfw, pure, replace", "dpfw", dp.Replace, 0},
		{"auto, pure", "auto", dp.AddRemove, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := shop(t, 300)
			c.Method, c.Neighbouring, c.Delta = tt.method, tt.relation, tt.delta
			plan := must.Value(mustValidate(t, c).Plan())(t)
			got := mustRun(t, c).Privacy.Statement
			must.Hold(t, len(got.Ledger) != 0 && reflect.DeepEqual(got, plan.Charges), "charged %+v\nplanned %+v", got, plan.Charges)
		})
	}
}

// A schedule that follows noisy figures is known by its budget only, which the run does not pass.
func TestAdaptiveLedgerKeepsItsBudget(t *testing.T) {
	c := shop(t, 300)
	c.Method = "rake"
	plan := must.Value(mustValidate(t, c).Plan())(t)
	got := mustRun(t, c).Privacy.Statement
	must.Hold(t, got.Schedule == plan.Charges.Schedule && got.Capacity == plan.Charges.Capacity && len(got.Ledger) != 0,
		"charged %+v\nplanned %+v", got, plan.Charges)
	must.Hold(t, float64(got.AchievedEpsilon) > 0 && float64(got.AchievedEpsilon) <= float64(c.Epsilon), "achieved ε = %v of %v", got.AchievedEpsilon, c.Epsilon)
}

// Two formats, two directories, two runners; the manifest names what is there.
func TestRunWrites(t *testing.T) {
	for _, tt := range []struct{ format, runner string }{{"parquet", "prism"}, {"csv", "direct"}} {
		c := shop(t, 300)
		c.Format, c.Runner, c.Release, c.Rows = tt.format, tt.runner, filepath.Join(filepath.Dir(c.Domain), "release"), 40
		res := mustRun(t, c)
		m := must.Value(dirsink.Open(context.Background(), c.Release))(t)
		if err := m.Verify(context.Background()); err != nil || len(m.Parts) != 2 || m.Rows != 40 || res.Written.Rows != 40 || len(m.Released) != 5 {
			t.Errorf("%s: %d parts, %d rows, %d released files, %v", tt.format, len(m.Parts), m.Rows, len(m.Released), err)
		}
		names, err := files.Names(context.Background(), c.Output)
		must.Hold(t, err == nil && len(names) == 2, "%s: %v are with the rows, %v", tt.format, names, err)
		must.Hold(t, res.Privacy.RowsFrom == "request" && res.Privacy.Rows == 40, "%s: rows %d from %s", tt.format, res.Privacy.Rows, res.Privacy.RowsFrom)
		var text strings.Builder
		// A fit that was stopped early and a large error, as the noise has it, have lines of their own.
		if err := res.WriteText(&text); err != nil || strings.Count(text.String(), "\n")-strings.Count(text.String(), "\nfit ")-strings.Count(text.String(), "\nnote ") != 7 {
			t.Errorf("%s: last lines %q, %v", tt.format, text.String(), err)
		}
	}
}

func TestOverwriteReplacesAnEarlierRun(t *testing.T) {
	c := shop(t, 100)
	mustRun(t, c)
	_, err := ValidateRun(context.Background(), c)
	must.Need(t, err != nil, "a directory that is not empty was accepted")
	c.Overwrite, c.Shards = true, 1
	mustRun(t, c)
	parts, err := filepath.Glob(filepath.Join(c.Output, "part-*"))
	must.Hold(t, err == nil && len(parts) == 1, "parts %v, %v", parts, err)
}

// A run whose context is over before it begins, and one whose table is broken, leave nothing.
func TestFailedRunLeavesNothing(t *testing.T) {
	c := shop(t, 10)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := Run(ctx, mustValidate(t, c))
	must.Fail(t, err, "interrupted\nnothing was written and no privacy budget was spent")
	must.Do(t, os.WriteFile(c.Input, []byte("customer,plan,age,active\nc1,\"basic\n"), 0o666))
	_, err = Run(context.Background(), mustValidate(t, c))
	must.Hold(t, err != nil && !IsRequest(err) && !errors.Is(err, ErrRunner), "error %v", err)
	_, err = os.Stat(c.Output)
	must.Hold(t, errors.Is(err, os.ErrNotExist), "the output directory is there: %v", err)
}

// A run whose gate is shut neither releases nor publishes, however long its functions go on.
func TestStoppedRunDoesNotPublish(t *testing.T) {
	r := mustValidate(t, shop(t, 10))
	sink := r.output("stopped", run.Staging{}, time.Time{})
	end := must.Value(sink.begin(context.Background()))(t)
	_, _, err := sink.abandon(context.Background())
	must.Do(t, err)
	end() // a shard that waited for its turn comes later still
	_, err = sink.Create(context.Background(), 0, 2)
	must.Hold(t, errors.Is(err, run.ErrStopped), "Create: %v", err)
	_, err = sink.Publish(context.Background(), nil, nil)
	must.Hold(t, errors.Is(err, run.ErrStopped), "Publish: %v", err)
	s := run.Open(t.TempDir())
	_, _, err = s.CreateIfAbsent(context.Background(), "stopped.release", nil)
	must.Hold(t, errors.Is(err, run.ErrStopped), "CreateIfAbsent: %v", err)
	_, err = os.Stat(r.Output)
	must.Hold(t, errors.Is(err, os.ErrNotExist), "the output directory is there: %v", err)
}

// Without a place to write to nothing listens.
func TestQuiet(t *testing.T) {
	heard := 0
	defer synth.Observe(func(string, int, int) { heard++ })()
	stop := progress.New(0, progress.Form{Terminal: true}).Start()
	stop()
	mustRun(t, shop(t, 10))
	must.Hold(t, heard != 0, "a quiet run took the place of another listener")
}
