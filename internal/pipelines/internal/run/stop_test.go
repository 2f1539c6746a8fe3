package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// signedStaging makes the staging of a run.
func signedStaging(t *testing.T, runID string) Staging {
	t.Helper()
	st, err := Area{t.TempDir(), Prefix, ""}.Stage(context.Background(), runID)
	if err == nil {
		err = st.Sign(context.Background(), Note{RunID: runID, Request: "request"})
	}
	must.Do(t, err)
	return st
}

// Each step of a run is done or stopped, and what is said of the budget is what was done. No lock of this process
// is in between: it is as if the workers were elsewhere.
func TestStopAfterEachStep(t *testing.T) {
	ctx := context.Background()
	const run = "s1"
	steps := []struct {
		said string // of a run that was stopped before this step
		do   func(Staging) error
	}{
		{"nothing was written and no privacy budget was spent", func(st Staging) error {
			_, _, err := Open(st.Dir).CreateIfAbsent(ctx, run+synth.DrawnSuffix, []byte("drawn"))
			return err
		}},
		{"nothing was written, but noise had been drawn", func(st Staging) error {
			_, _, err := Open(st.Dir).CreateIfAbsent(ctx, run+synth.ReleaseSuffix, []byte("release"))
			return err
		}},
		{"the privacy budget of this run is spent, and its release is kept", func(st Staging) error {
			done, err := BeginPublication(ctx, run, st.Dir)
			if err == nil {
				done()
			}
			return err
		}},
		{"the privacy budget of this run is spent, and its release is kept", nil},
	}
	for stopped, before := range steps {
		t.Run(fmt.Sprint(stopped), func(t *testing.T) {
			st := signedStaging(t, run)
			for _, step := range steps[:stopped] {
				must.Do(t, step.do(st))
			}
			must.Do(t, st.Stop(ctx, run, run))
			for k, step := range steps[:len(steps)-1] { // a retry of what is done is no new step
				err := step.do(st)
				must.Hold(t, (k >= stopped) == errors.Is(err, ErrStopped), "step %d after the stop: %v", k, err)
			}
			_, err := MayPublish(ctx, run, st.Dir)
			must.Hold(t, (stopped < 3) == errors.Is(err, ErrStopped), "a part after the stop: %v", err)
			_, err = st.Ending(ctx, Note{RunID: run, Request: "request"}, errors.New("interrupted"))
			must.Hold(t, bytes.Contains([]byte(err.Error()), []byte(before.said)), "said %v, want %s", err, before.said)
		})
	}
}

// However a stop and a step meet, one of them comes first for everybody.
func TestStopAndReleaseAtOnce(t *testing.T) {
	ctx := context.Background()
	const run = "s1"
	for range 50 {
		st := signedStaging(t, run)
		errs := make([]error, 4)
		var wg sync.WaitGroup
		for k := range errs {
			wg.Go(func() {
				if k == 0 {
					errs[k] = st.Stop(ctx, run, run)
					return
				}
				_, _, errs[k] = Open(st.Dir).CreateIfAbsent(ctx, run+synth.ReleaseSuffix, []byte("release"))
			})
		}
		wg.Wait()
		_, released, err := st.Has(ctx, run+synth.ReleaseSuffix)
		must.Need(t, err == nil && errs[0] == nil, "%v, %v", err, errs[0])
		for _, err := range errs[1:] {
			must.Hold(t, errors.Is(err, ErrStopped) != released && (err == nil || errors.Is(err, ErrStopped)),
				"released is %v, and a worker was told %v", released, err)
		}
	}
}

// A worker that outlives its run finds no staging, and draws nothing into a new one.
func TestNothingIsReleasedWithoutAStaging(t *testing.T) {
	ctx := context.Background()
	st := signedStaging(t, "s1")
	st.Remove(ctx)
	for _, suffix := range []string{synth.DrawnSuffix, synth.ReleaseSuffix} {
		_, _, err := (Open(st.Dir)).CreateIfAbsent(ctx, "s1"+suffix, []byte("x"))
		must.Hold(t, errors.Is(err, errGone), "%s: %v", suffix, err)
	}
	names, err := (Area{Dir: st.Dir}).Left(ctx), error(nil)
	must.Hold(t, len(names) <= 0 && err == nil, "the staging is there again: %v", names)
}

// Stopping waits for a publication that has begun, but not without limit.
func TestStoppingWaitsForAPublication(t *testing.T) {
	g := NewGate("busy")
	defer gates.Delete("busy")
	done := must.Value(enter("busy"))(t)
	must.Hold(t, !g.Shut(10*time.Millisecond), "the gate was shut while something was publishing")
	done()
	must.Hold(t, g.Shut(time.Minute), "the gate could not be shut")
	_, err := enter("busy")
	must.Hold(t, errors.Is(err, ErrStopped), "may publish after the gate is shut: %v", err)
}
