package dirsink

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/layout"
	"github.com/dapple-dp/dapple/internal/io/dirsink/internal/objects"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// publisher is a run that publishes into a store, and pauses once.
type publisher struct {
	Dir
	refs   []FileRef
	paused chan struct{} // closed where it pauses, or has ended
	passed bool          // it pauses: it has so many operations
	resume chan struct{}
	ended  chan error
}

// start publishes up to operation n, counted from 1. Runs have parts of different names, and released
// files of different contents.
func start(t *testing.T, store memory, d Dir, n int) *publisher {
	t.Helper()
	p := &publisher{paused: make(chan struct{}), resume: make(chan struct{}), ended: make(chan error, 1)}
	p.Dir = d
	p.Path, p.Extension, p.Disk = "gs://bucket/out", "csv", objects.Disk(ctx, store)
	p.refs = stage(t, p.Dir)
	slow := p.Dir
	slow.Disk = objects.Disk(ctx, faultyService{store, faulty{n: &n, pause: func() {
		p.passed = true
		close(p.paused)
		<-p.resume
	}}})
	go func() {
		_, err := slow.Publish(ctx, p.refs, releasedFiles(d.RunID), nil)
		if !p.passed {
			close(p.paused)
		}
		p.ended <- err
	}()
	<-p.paused
	return p
}

// Two runs publish into one directory, however their operations follow each other: at most one succeeds,
// and then what its manifest names is there as it wrote it, and no other run's files. Where their released
// files go to different directories, one that fails has to take its parts back.
func TestTwoRunsInEveryOrder(t *testing.T) {
	t.Run("one place", func(t *testing.T) { inEveryOrder(t, Dir{RunID: "a", Shards: 1}, Dir{RunID: "b", Shards: 2}, false) })
	t.Run("rows of one name meet", func(t *testing.T) {
		inEveryOrder(t, Dir{RunID: "a", Shards: 1, Release: "gs://bucket/a"}, Dir{RunID: "b", Shards: 1, Release: "gs://bucket/b"}, true)
	})
	t.Run("rows meet", func(t *testing.T) {
		inEveryOrder(t, Dir{RunID: "a", Shards: 1, Release: "gs://bucket/a"}, Dir{RunID: "b", Shards: 2, Release: "gs://bucket/b"}, true)
	})
}

func inEveryOrder(t *testing.T, dirA, dirB Dir, takesBack bool) {
	finished := map[string]int{}
	for i, moreA := 1, true; moreA; i++ {
		for j, moreB := 1, true; moreB; j++ {
			store := newMemory()
			a := start(t, store, dirA, i)
			b := start(t, store, dirB, j)
			moreA, moreB = a.passed, b.passed
			close(a.resume)
			errA := <-a.ended
			close(b.resume)
			errB := <-b.ended
			must.Need(t, errA != nil || errB != nil, "paused at %d and %d: both runs have published", i, j)
			won, lost := a, b
			if errA != nil {
				won, lost = b, a
			}
			m, err := won.in(ctx).Manifest()
			if err != nil {
				must.Need(t, errA != nil && errB != nil, "paused at %d and %d: success without a manifest", i, j)
				continue
			}
			finished[m.RunID]++
			if takesBack {
				err := lost.Abandon(ctx, "_privacy.json", "_report.html")
				must.Need(t, err == nil, "paused at %d and %d: %v", i, j, err)
			}
			err = verify(won.Dir)
			must.Need(t, err == nil, "paused at %d and %d: the output of run %s: %v", i, j, m.RunID, err)
			rows, others, err := won.in(ctx).Names()
			if i := slices.Index(others, layout.TempName); i >= 0 {
				others = slices.Delete(others, i, i+1) // the other one's staging
			}
			must.Need(t, err == nil && len(rows) == len(m.Parts) && len(others) == len(m.Released)+1,
				"paused at %d and %d: %v and %v in the output of run %s", i, j, rows, others, m.RunID)
		}
	}
	must.Hold(t, finished["a"] != 0 && finished["b"] != 0, "runs that have published: %v", finished)
}

// A lock tells that a run is dead: what it staged is in nobody's way, and can be removed. Files of a run at work, and
// of another output, cannot.
func TestWhatDeadRunsLeave(t *testing.T) {
	d := Dir{Path: filepath.Join(t.TempDir(), "out"), Shards: 2, Extension: "csv"}
	dead, next, living, other := d, d, d, d
	dead.RunID, next.RunID, living.RunID, other.RunID = "dead", "next", "living", "other"
	other.Path = filepath.Join(filepath.Dir(d.Path), "elsewhere")
	for _, d := range []Dir{dead, living, other} {
		check(t, d.Prepare(ctx))
	}
	release, err := living.Hold()
	check(t, err)
	defer release()
	check(t, next.Check(ctx))
	must.Value(next.Publish(ctx, stage(t, next), releasedFiles("next"), nil))(t)
	finished(t, next)
	removed, err := next.RemoveLeftovers(ctx)
	must.Hold(t, err == nil && len(removed) == 1 && removed[0].RunID == "dead", "removed %+v, %v", removed, err)
	left, err := next.Leftovers(ctx)
	must.Hold(t, err == nil && len(left) == 1 && left[0].RunID == "living" && !left[0].Dead, "left of %+v, %v", left, err)
	if left, err := other.Leftovers(ctx); err != nil || len(left) != 0 {
		t.Errorf("beside the other output %+v, %v", left, err)
	}
	_, err = os.Stat(staging(other))
	must.Hold(t, err == nil, "what belongs to another output was removed: %v", err)
}

// What is staged is not published: nobody else can read it. What is published follows the umask.
func TestStagingIsPrivate(t *testing.T) {
	d := Dir{Path: t.TempDir(), RunID: "r", Shards: 1, Extension: "csv"}
	must.Value(d.Create(ctx, 0))(t)
	s, err := os.Stat(staging(d))
	must.Hold(t, err == nil && s.Mode().Perm() == 0o700, "the staging has mode %v, %v", s.Mode(), err)
}

// A claim that a dead run has left is found at launch, and taken over on request.
func TestClaimOfADeadRun(t *testing.T) {
	d := Dir{Path: "gs://bucket/out", Shards: 2, Extension: "csv", Disk: objects.Disk(ctx, newMemory())}
	dead, next := d, d
	dead.RunID, next.RunID = "dead", "next"
	check(t, errors.Join(dead.Prepare(ctx), objects.Of(dead.in(ctx)).Claim()))
	refs := stage(t, next)
	err := next.Check(ctx)
	must.Hold(t, errors.Is(err, ErrClaimed), "%v", err)
	_, err = next.Publish(ctx, refs, releasedFiles("next"), nil)
	must.Hold(t, errors.Is(err, ErrClaimed), "%v", err)
	next.Overwrite = true
	must.Passes(next.Publish(ctx, refs, releasedFiles("next"), nil))(t)
	m, err := next.in(ctx).Manifest()
	must.Hold(t, err == nil && m.RunID == "next" && verify(next) == nil, "%+v, %v", m, err)
}

// A run that is abandoned lets others publish.
func TestAbandonedClaim(t *testing.T) {
	d := Dir{Release: "gs://bucket/out", RunID: "r", Disk: objects.Disk(ctx, newMemory())}
	must.Do(t, errors.Join(d.Prepare(ctx), objects.Of(d.in(ctx)).Claim(), d.Abandon(ctx)))
	d.RunID = "next"
	must.Passes(d.Publish(ctx, nil, releasedFiles("next"), nil))(t)
}
