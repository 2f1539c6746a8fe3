package pipelines

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Several runs replace one output at once: each has published, and says so with its own figures, and the output is of one.
func TestSeveralRunsReplaceAnOutput(t *testing.T) {
	c := shop(t, 60)
	c.Overwrite = true
	const runs = 4
	var results [runs]*Result
	var errs [runs]error
	var wg sync.WaitGroup
	for i := range runs {
		r := mustValidate(t, c)
		r.scratch = t.TempDir() // none takes up what another is about to publish
		wg.Go(func() { results[i], errs[i] = Run(context.Background(), r) })
	}
	wg.Wait()
	o, err := dirsink.Open(t.Context(), c.Output)
	if err != nil || o.Verify(t.Context()) != nil {
		t.Fatal(err)
	}
	last := 0
	digests := map[string]bool{}
	for i, res := range results {
		if errs[i] != nil {
			t.Errorf("run %d: %v", i, errs[i])
			continue
		}
		digests[res.Written.Digest] = true
		replaced := strings.Contains(strings.Join(res.Written.Notes, "\n"), "another run has replaced this output since")
		if res.Written.Digest == o.SHA256 {
			last++
		}
		if replaced && res.Written.Digest == o.SHA256 || res.Privacy.Rows != res.Written.Rows || res.Written.Files == 0 {
			t.Errorf("run %d of %d: %+v", i, runs, res.Written)
		}
	}
	if last != 1 || len(digests) != runs {
		t.Errorf("%d runs say that the output is theirs, and %d digests", last, len(digests))
	}
}

// slowSink publishes after some time.
type slowSink struct {
	table.Sink
	begun chan struct{}
	wait  time.Duration
}

func (s slowSink) Publish(context.Context, []table.FileRef, table.Release) (table.Published, error) {
	close(s.begun)
	time.Sleep(s.wait)
	return table.Published{Rows: 7}, nil
}

// The figures of a run are those of its own publication, also if another run has replaced the output before they are read.
func TestFiguresAreOfTheRunItself(t *testing.T) {
	c := shop(t, 60)
	if _, err := Run(t.Context(), mustValidate(t, c)); err != nil {
		t.Fatal(err)
	}
	c.Overwrite = true
	out := mustValidate(t, c).output("replaced", staging{}, time.Time{})
	a, err := startExecution(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	defer a.finish()
	out.Sink, out.Describe = slowSink{out.Sink, make(chan struct{}), 0}, false
	if _, err := out.Publish(t.Context(), nil, &synth.Artifact{Result: &solver.Result{Model: &population.Model{}}}); err != nil {
		t.Fatal(err)
	}
	w, err := out.written(t.Context())
	if err != nil || w.Rows != 7 || !strings.Contains(strings.Join(w.Notes, "\n"), "another run has replaced this output since") {
		t.Errorf("%+v, %v; want the 7 rows of the run itself, and a note that they are replaced", w, err)
	}
}

// A run that is told to stop while it publishes waits for the end, and says that it is published.
func TestStoppedWhilePublishing(t *testing.T) {
	for _, wait := range []time.Duration{0, waitForTable + 200*time.Millisecond} {
		r := mustValidate(t, shop(t, 10))
		out := r.output("slow", staging{}, time.Time{})
		a, err := startExecution(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		s := slowSink{out.Sink, make(chan struct{}), wait}
		out.Sink, out.Describe = s, false
		go func() {
			_, _ = out.Publish(context.Background(), nil, &synth.Artifact{Result: &solver.Result{Model: &population.Model{}}})
		}()
		<-s.begun
		if left, published, err := a.abandon(t.Context()); left != "" || !published || err != nil {
			t.Errorf("after %v: left %q, published %v, %v", wait, left, published, err)
		}
		a.finish()
	}
}
