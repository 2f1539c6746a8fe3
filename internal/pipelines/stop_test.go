package pipelines

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver"
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
		r.to.area.Dir = t.TempDir() // none takes up what another is about to publish
		wg.Go(func() { results[i], errs[i] = Run(context.Background(), r) })
	}
	wg.Wait()
	o, err := dirsink.Open(t.Context(), c.Output)
	must.Need(t, err == nil && o.Verify(t.Context()) == nil, "%v", err)
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
		must.Hold(t, (!replaced || res.Written.Digest != o.SHA256) && res.Privacy.Rows == res.Written.Rows && res.Written.Files != 0,
			"run %d of %d: %+v", i, runs, res.Written)
	}
	must.Hold(t, last == 1 && len(digests) == runs, "%d runs say that the output is theirs, and %d digests", last, len(digests))
}

// slowSink publishes once it is told to, unless its context ends before, as a load of a table does.
type slowSink struct {
	table.Sink
	begun, end chan struct{}
	there      *atomic.Bool
}

func newSlowSink(to table.Sink) slowSink {
	return slowSink{to, make(chan struct{}), make(chan struct{}), new(atomic.Bool)}
}

func (s slowSink) Publish(ctx context.Context, _ []table.FileRef, _ table.Release) (table.Published, error) {
	close(s.begun)
	select {
	case <-s.end:
		s.there.Store(true)
		return table.Published{Rows: 7}, nil
	case <-ctx.Done():
		return table.Published{}, ctx.Err()
	}
}

func (s slowSink) Find(context.Context, string) (table.Written, bool, error) {
	return table.Written{}, s.there.Load(), nil
}

// The figures of a run are about its own publication, also if another run has replaced the output before they are read.
func TestFiguresAreOfTheRunItself(t *testing.T) {
	c := shop(t, 60)
	must.Value(Run(t.Context(), mustValidate(t, c)))(t)
	c.Overwrite = true
	out := mustValidate(t, c).output("replaced", run.Staging{}, time.Time{})
	defer must.Value(out.begin(t.Context()))(t)()
	s := newSlowSink(out.Sink)
	close(s.end)
	out.Sink, out.Describe = ownRows{s, out.Sink}, false
	must.Value(out.Publish(t.Context(), nil, &synth.Artifact{Result: &solver.Result{Model: &population.Model{}}}))(t)
	w, err := out.written(t.Context())
	must.Hold(t, err == nil && w.Rows == 7 && strings.Contains(strings.Join(w.Notes, "\n"), "another run has replaced this output since"),
		"%+v, %v; want the 7 rows of the run itself, and a note that they are replaced", w, err)
}

// ownRows is a slowSink that finds what is there.
type ownRows struct {
	slowSink
	rows table.Sink
}

func (o ownRows) Find(ctx context.Context, model string) (table.Written, bool, error) {
	return o.rows.Find(ctx, model)
}

// A run that is told to stop while it publishes, in a directory or to a table, waits for the end and says that it is
// published.
func TestStoppedWhilePublishing(t *testing.T) {
	for _, to := range []string{"", "bq://project.set.table"} {
		r := mustValidate(t, shop(t, 10))
		out := r.output("slow", run.Staging{}, time.Time{})
		end := must.Value(out.begin(t.Context()))(t)
		if to != "" {
			out.Target.Output, out.model = to, "model"
		}
		s := newSlowSink(out.Sink)
		out.Sink, out.Describe = s, false
		ctx, stop := context.WithCancel(t.Context())
		go func() {
			_, _ = out.Publish(ctx, nil, &synth.Artifact{Result: &solver.Result{Model: &population.Model{}}})
		}()
		<-s.begun
		stop()
		time.AfterFunc(20*time.Millisecond, func() { close(s.end) }) // the run waits by then, or will at once
		left, published, err := out.abandon(ctx)
		must.Hold(t, left == "" && published && err == nil, "to %q: left %q, published %v, %v", to, left, published, err)
		end()
	}
}

// heldSink makes a shard, or fails to publish, once it is told to.
type heldSink struct {
	table.Sink
	begun, end chan struct{}
}

func newHeldSink(to table.Sink) heldSink {
	return heldSink{to, make(chan struct{}), make(chan struct{})}
}

func (s heldSink) Create(ctx context.Context, shard, shards int) (table.Shard, error) {
	close(s.begun)
	<-s.end
	return s.Sink.Create(ctx, shard, shards)
}

func (s heldSink) Publish(context.Context, []table.FileRef, table.Release) (table.Published, error) {
	close(s.begun)
	<-s.end
	return table.Published{}, errors.New("the disk is full")
}

// A run that is told to stop while a part of its rows is being made waits for that, and leaves nothing of it.
func TestStoppedWhileMakingAPart(t *testing.T) {
	r := mustValidate(t, shop(t, 10))
	st := must.Value(run.AreaOf("", "", t.TempDir()).Stage(t.Context(), "held"))(t)
	defer st.Remove(t.Context())
	out := r.output("held", st, time.Time{})
	defer must.Value(out.begin(t.Context()))(t)()
	s := newHeldSink(out.Sink)
	out.Sink = s
	made := make(chan struct{})
	go func() {
		defer close(made)
		must.Passes(out.Create(t.Context(), 0, 1))(t, "a part that had been begun")
	}()
	<-s.begun
	time.AfterFunc(20*time.Millisecond, func() { close(s.end) }) // the run waits by then, or will at once
	left, published, err := out.abandon(t.Context())
	must.Hold(t, left == "" && !published && err == nil, "left %q, published %v, %v", left, published, err)
	<-made
	if names, err := filepath.Glob(filepath.Join(filepath.Dir(r.Output), "dapple-*.tmp", "*")); len(names) > 0 || err != nil {
		t.Errorf("left are %v, %v", names, err)
	}
	_, err = out.Create(t.Context(), 0, 1)
	must.Hold(t, errors.Is(err, run.ErrStopped), "a part after the stop: %v", err)
}

// A publication that fails is waited for as long as it takes, and not longer.
func TestStoppedWhilePublishingFails(t *testing.T) {
	r := mustValidate(t, shop(t, 10))
	out := r.output("fails", run.Staging{}, time.Time{})
	defer must.Value(out.begin(t.Context()))(t)()
	s := newHeldSink(out.Sink)
	out.Sink, out.Describe = s, false
	go func() {
		_, _ = out.Publish(t.Context(), nil, &synth.Artifact{Result: &solver.Result{Model: &population.Model{}}})
	}()
	<-s.begun
	time.AfterFunc(20*time.Millisecond, func() { close(s.end) })
	began := time.Now()
	left, published, err := out.abandon(t.Context())
	must.Hold(t, left == "" && !published && err == nil, "left %q, published %v, %v", left, published, err)
	took := time.Since(began)
	must.Hold(t, took <= waitForPublication/2, "it was waited for %v", took)
}
