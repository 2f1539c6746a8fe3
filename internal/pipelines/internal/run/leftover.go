package run

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Leftover is a staging that its run has left.
type Leftover struct {
	Staging
	Note
	Drawn  bool
	Unread bool            // it could not be found out what it has drawn or released
	Model  *synth.ModelRef // nil: there is no release
	Job    Job             // the newest; of no ID: there was none
	AtWork bool            // its job may go on
}

// inspect reads what is in a staging. ok is false if its run may be at work in a process, or if no run made it.
func inspect(ctx context.Context, dir string) (f Leftover, ok bool) {
	if files.Remote(dir) {
		if _, kept, err := archive.Open(dir).Get(ctx, keptName); err != nil {
			return f, false
		} else if !kept { // only its job can tell
			f, ok = inspectAbandoned(ctx, dir)
			return f, ok && f.AtWork
		}
	}
	return inspectAbandoned(ctx, dir)
}

// inspectAbandoned is inspect for a staging whose run is known to have ended.
func inspectAbandoned(ctx context.Context, dir string) (f Leftover, ok bool) {
	f.Dir = dir
	if !files.Remote(dir) {
		if f.unlock, ok = files.Take(dir); !ok {
			return f, false
		}
	}
	b, isNoted, err := archive.Open(dir).Get(ctx, noteName)
	if err != nil || isNoted && json.Unmarshal(b, &f.Note) != nil {
		f.Unlock()
		return f, false
	}
	if f.RunID == "" {
		return f, true // of a sampling, or of a run that was killed as it began
	}
	if f.Job, f.AtWork = f.Newest(ctx); f.AtWork {
		f.AtWork = f.Job.ID == Unlaunched || f.Job.MayGoOn(ctx)
	}
	_, drawn, drawnErr := f.Has(ctx, f.RunID+synth.DrawnSuffix)
	data, released, err := f.Has(ctx, f.RunID+synth.ReleaseSuffix)
	f.Drawn, f.Unread = drawn, drawnErr != nil || err != nil
	if released && err == nil {
		if a, err := synth.DecodeArtifact(data); err == nil && a.RunID == f.RunID {
			f.Model = &synth.ModelRef{Path: f.RunID + synth.ReleaseSuffix, SHA256: wire.Hash(data), Bytes: int64(len(data))}
		}
	}
	return f, true
}

// Left lists the stagings of an area that ended runs have left, locked.
func (a Area) Left(ctx context.Context) (list []Leftover) {
	names, err := files.Names(ctx, a.Dir)
	if err != nil {
		return nil // nothing of ours can be found if nothing can be listed
	}
	for _, name := range names {
		if strings.HasPrefix(name, a.Prefix) && strings.HasSuffix(name, a.Suffix) {
			if f, ok := inspect(ctx, files.Join(a.Dir, name)); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// Find returns the staging of the run of an ID, locked.
func (a Area) Find(ctx context.Context, runID string) (f Leftover, ok bool) {
	if files.Remote(a.Dir) {
		f, ok = inspectAbandoned(ctx, a.Name(runID))
		return f, ok && f.RunID == runID
	}
	for _, left := range a.Left(ctx) {
		if left.RunID == runID && !ok {
			f, ok = left, true
		} else {
			left.Unlock()
		}
	}
	return f, ok
}

// Wait waits until no launch of the run of an ID is at work on this machine, and reports whether one was.
func (a Area) Wait(ctx context.Context, runID string) (waited bool) {
	if files.Remote(a.Dir) {
		return false
	}
	names, err := files.Names(ctx, a.Dir)
	if err != nil {
		return false
	}
	for _, name := range names {
		dir := files.Join(a.Dir, name)
		if n, err := (Staging{Dir: dir}).Note(ctx); !strings.HasPrefix(name, a.Prefix) || err != nil || n.RunID != runID {
			continue
		}
		if unlock, free := files.Take(dir); free {
			unlock()
			continue
		}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			unlock, _ := files.Lock(dir) // where there are no locks nobody can wait
			unlock()
		}()
		select {
		case <-ended:
		case <-ctx.Done():
		}
		waited = true
	}
	return waited
}

// Resume returns the staging of an earlier run of the same request whose release was not published, and lines
// about what other runs have left of the same input or output. It refuses a request whose job may go on: that would
// be paid for twice.
func (a Area) Resume(ctx context.Context, n Note) (resumable *Leftover, notes []string, err error) {
	for _, f := range a.Left(ctx) {
		same := f.Request != "" && f.Request == n.Request
		if same && f.AtWork {
			err = &Refusal{"--run_id", fmt.Errorf("a job of this request may go on: run %s, begun %s, job %s at %s", f.RunID, f.Begun(), f.Job.ID, f.Job.Endpoint),
				fmt.Sprintf("--run_id=%s waits for it and pays nothing twice; an ID of your own begins another run, which is paid for too", f.RunID)}
		}
		if same && resumable == nil && !f.AtWork && f.Model != nil {
			resumable = &f
			continue
		}
		back := f.GiveBack(ctx)
		f.Unlock()
		if f.RunID != "" && (f.Input == n.Input || f.Output == n.Output) {
			notes = append(notes, f.Describe()+back)
		}
	}
	if err != nil && resumable != nil {
		resumable.Unlock()
	}
	return resumable, notes, err
}

// Describe says what a run has left, whether its budget is spent, and how the staging is removed.
func (f Leftover) Describe() string {
	if f.AtWork {
		return f.Summary()
	}
	return f.Summary() + "; " + removal(f.Dir, f.Output, f.Model != nil)
}

// Summary says what a run has left, and whether its budget is spent.
func (f Leftover) Summary() string {
	what := "it had spent nothing"
	switch {
	case f.AtWork:
		return fmt.Sprintf("%s is of a run whose job may go on (input %s, output %s, begun %s; job %s at %s): count its budget as spent; `--run_id=%s` with its flags finishes it",
			f.Dir, f.Input, f.Output, f.Begun(), f.Job.ID, f.Job.Endpoint, f.RunID)
	case f.Model != nil:
		what = "it holds a release, whose budget counts as spent"
	case f.Drawn:
		what = "noise had been drawn: its budget counts as spent"
	case f.Unread:
		what = "it could not be found out whether noise had been drawn: count its budget as spent"
	}
	if by := buildinfo.Written(f.Version); by != "" {
		what += " (" + by + ")"
	}
	return fmt.Sprintf("%s was left by an unfinished run (input %s, output %s, begun %s): %s", f.Dir, f.Input, f.Output, f.Begun(), what)
}

// removal says how the staging of a run is removed.
func removal(dir, output string, paid bool) string {
	if files.Remote(dir) {
		return fmt.Sprintf("`gcloud storage rm -r %s` removes it", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, jobName(1))); err == nil { // next to an output
		return "removing that directory discards it"
	}
	command := "dapple clean"
	if output != "" {
		command += " " + output
	}
	if paid || output == "" {
		command += " --releases"
	}
	return "`" + command + "` removes it"
}

// GiveBack returns the charge of an abandoned run that drew no noise, and says so.
func (f Leftover) GiveBack(ctx context.Context) string {
	if f.RunID == "" || f.Ledger == "" || f.AtWork || f.Drawn || f.Model != nil {
		return ""
	}
	if unspent, err := f.never(ctx, f.RunID); !unspent || err != nil {
		return ""
	}
	return f.Note.GiveBack(ctx)
}

// Ends keeps a run that has not drawn from ever doing so, and reports whether that is certain.
func (f Leftover) Ends(ctx context.Context) bool {
	unspent, err := f.never(ctx, f.RunID)
	return unspent && err == nil && !f.Unread
}

// Publisher returns the ID under which a resumed run publishes: its own while its job is running.
func (f Leftover) Publisher(runID string) string {
	if f.AtWork {
		return f.Job.Run
	}
	return Again(cmp.Or(runID, f.RunID))
}

// Again returns an ID for a run that publishes what the run of an ID has released.
func Again(runID string) string { return runID + againMark + rand.Text()[:8] }

// againMark separates the ID of a run from the ID of a run that publishes its release after it has failed.
const againMark = "-again-"

// FinishedAs reports whether a directory holds what the run of an ID has published, itself or through a run that
// resumed it.
func FinishedAs(ctx context.Context, dir, id string) (runID string, ok bool) {
	if id == "" || dir == "" {
		return "", false
	}
	o, err := dirsink.Open(ctx, dir)
	if err != nil {
		return "", false
	}
	return o.RunID, o.RunID == id || strings.HasPrefix(o.RunID, id+againMark)
}

// keep leaves a release to the next run of the same request, without the records that it was made of: they are
// encrypted, and take up space.
func (s Staging) keep(ctx context.Context, runID string) error {
	_ = files.RemoveAll(ctx, files.Join(s.Dir, runID+synth.PartsSuffix)) // the staging is removed in the end
	if !files.Remote(s.Dir) {
		return nil // that nobody holds the lock any more says it
	}
	_, _, err := archive.Open(s.Dir).CreateIfAbsent(ctx, keptName, []byte("the next run of the same request publishes this release\n"))
	return err
}

// ErrKept is in the error of a run from which the next run of the same request goes on.
var ErrKept = errors.New("pipelines: what was paid for is kept")

// ErrUnspent is in the error of a run that has drawn no noise and never will.
var ErrUnspent = errors.New("pipelines: nothing was spent")

// outcome is the error of a run with what has become of its budget: ErrKept or ErrUnspent.
type outcome struct {
	error
	is error
}

func (o outcome) Is(target error) bool { return target == o.is }

func (o outcome) Unwrap() error { return o.error }

// GoesOn reports whether another attempt goes on where a run has ended in an error: prism has failed, and nothing is lost.
func GoesOn(err error) bool {
	return errors.Is(err, errtext.ErrPrism) && (errors.Is(err, ErrKept) || errors.Is(err, ErrUnspent))
}

// Ending says of a run that has failed whether its privacy budget is gone: it is once noise has been drawn,
// even if nobody has seen it. kept tells that the staging has to stay. Call it when no function of the run can
// draw or release any more.
func (s Staging) Ending(ctx context.Context, n Note, err error) (kept bool, ended error) {
	ctx, cancel := Afterwards(ctx)
	defer cancel()
	unspent, drawnErr := s.never(ctx, n.RunID)
	_, released, releasedErr := s.Has(ctx, n.RunID+synth.ReleaseSuffix)
	switch {
	case released && n.Request != "":
		if keepErr := s.keep(ctx, n.RunID); keepErr != nil {
			err = errors.Join(err, keepErr)
		}
		return true, outcome{fmt.Errorf("%w\nthe privacy budget of this run is spent, and its release is kept: the same command, also with another --output, publishes it and spends nothing more\n"+
			"until then it is private, in %s; %s, and the budget stays spent", err, s.Dir, removal(s.Dir, n.Output, true)), ErrKept}
	case released:
		return false, fmt.Errorf("%w\na model had been released and is discarded, since no later run could tell whether its input is the same: count the privacy budget of this run as spent", err)
	case !unspent && drawnErr == nil:
		return false, fmt.Errorf("%w\nnothing was written, but noise had been drawn: count the privacy budget of this run as spent", err)
	case drawnErr != nil || releasedErr != nil:
		return false, fmt.Errorf("%w\nit could not be found out whether noise had been drawn: count the privacy budget of this run as spent", err)
	}
	return false, outcome{fmt.Errorf("%w\nnothing was written and no privacy budget was spent%s", err, n.GiveBack(ctx)), ErrUnspent}
}
