package pipelines

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/buildinfo"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// A release is paid for once it is drawn. If its publication fails it is kept in the staging, and the next run
// of the same request on the same table publishes it, without a look at the table. That costs no privacy,
// whatever has become of the table; the request and the state of the input are compared so that nobody gets
// rows of another table than was asked for.

// noteName is the file of a staging that says whose it is, and keptName is there once its run has ended and
// left its release to the next one: on gs:// no lock could tell.
const (
	noteName = "run.json"
	keptName = "kept"
)

// note says whose a staging is.
type note struct {
	Version string // of dapple
	RunID   string
	Request string // hash of what the release depends on; empty: it cannot be taken up
	Input   string
	Output  string
	Began   time.Time
	Ledger  string // budget book; empty: none
	Key     string // of its charge there
}

// note returns that of a run of this request.
func (r *Request) note(runID string) note {
	return note{Version: buildinfo.Version(), RunID: runID, Request: r.fingerprint(), Input: absolute(r.Input), Output: absolute(r.Output), Began: time.Now().UTC().Truncate(time.Second),
		Ledger: absolute(r.Ledger), Key: rand.Text()}
}

// absolute returns a name that means the same in every working directory.
func absolute(name string) string {
	if name == "" || files.Remote(name) {
		return name
	}
	if abs, err := filepath.Abs(name); err == nil {
		return abs
	}
	return name
}

// fingerprint is a hash of everything that a release of this request depends on: the state of the input and how
// it is read, the domain, what is measured, and at what price. Where rows go and how many are no part of it.
// It is empty if a later run could not tell whether the input is the same.
func (r *Request) fingerprint() string {
	input, known := r.source.Identity()
	if r.people != nil && known {
		var people string
		people, known = r.people.Identity()
		input += "\n" + people
	}
	if !known {
		return ""
	}
	b, err := json.Marshal(struct {
		Version      string
		Input        string
		CSV          schema.CSV
		Domain       *domain.Domain
		Workload     query.Workload
		Neighbouring dp.Neighbouring
		Epsilon      dp.Epsilon
		Delta        dp.Delta
		Method       string
		Units        float64
		MemoryLimit  int64
		Strict       bool
		Criteria     solver.Criteria
		ErrorShare   dp.Share
		Public       *solver.Public    `json:",omitempty"`
		Prior        *accountant.Prior `json:",omitempty"`
	}{
		"dapple request 1", input, r.File.CSV, r.File.Domain, r.Problem.Workload, r.Neighbouring,
		r.Epsilon, r.Delta, r.Chosen.Name, r.Problem.Units, r.MemoryLimit, r.Strict, r.Problem.Criteria, r.Problem.ErrorShare, r.Problem.Public, r.prior(),
	})
	if err != nil {
		panic("pipelines: a request is plain data and always marshals")
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// leftover is a staging that its run has left.
type leftover struct {
	staging
	note
	drawn  bool
	unread bool            // it could not be found out what it has drawn or released
	model  *synth.ModelRef // nil: there is no release
	job    job             // the newest; of no ID: there was none
	atWork bool            // its job may go on
}

// inspect reads what is in a staging. ok is false if its run may be at work in a process, or if no run made it.
func inspect(ctx context.Context, dir string) (f leftover, ok bool) {
	if files.Remote(dir) {
		if _, kept, err := keep.Open(dir).Get(ctx, keptName); err != nil {
			return f, false
		} else if !kept { // only its job can tell
			f, ok = inspectAbandoned(ctx, dir)
			return f, ok && f.atWork
		}
	}
	return inspectAbandoned(ctx, dir)
}

// inspectAbandoned is inspect for a staging whose run is known to have ended.
func inspectAbandoned(ctx context.Context, dir string) (f leftover, ok bool) {
	f.dir, f.unlock = dir, func() {}
	s := keep.Open(dir)
	if !files.Remote(dir) {
		if f.unlock, ok = files.Take(dir); !ok {
			return f, false
		}
	}
	b, isNoted, err := s.Get(ctx, noteName)
	if err != nil || isNoted && json.Unmarshal(b, &f.note) != nil {
		f.unlock()
		return f, false
	}
	if f.RunID == "" {
		return f, true // of a sampling, or of a run that was killed as it began
	}
	if f.job, _, f.atWork = f.newest(ctx); f.atWork {
		f.atWork = f.job.ID == unlaunched || f.job.mayGoOn(ctx)
	}
	_, drawn, drawnErr := has(ctx, s, f.RunID+synth.DrawnSuffix)
	data, released, err := has(ctx, s, f.RunID+synth.ReleaseSuffix)
	f.drawn, f.unread = drawn, drawnErr != nil || err != nil
	if released && err == nil {
		if a, err := synth.DecodeArtifact(data); err == nil && a.RunID == f.RunID {
			sum := sha256.Sum256(data)
			f.model = &synth.ModelRef{Path: f.RunID + synth.ReleaseSuffix, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}
		}
	}
	return f, true
}

// left lists the stagings of an area that ended runs have left, locked.
func (a stagingArea) left(ctx context.Context) (list []leftover) {
	names, err := files.Names(ctx, a.dir)
	if err != nil {
		return nil // nothing of ours can be found if nothing can be listed
	}
	for _, name := range names {
		if strings.HasPrefix(name, a.prefix) && strings.HasSuffix(name, a.suffix) {
			if f, ok := inspect(ctx, files.Join(a.dir, name)); ok {
				list = append(list, f)
			}
		}
	}
	return list
}

// resume returns the staging of an earlier run of the same request whose release was not published, and lines
// about what other runs have left of the same input or output. It refuses a request whose job may go on: that would
// be paid for twice.
func (a stagingArea) resume(ctx context.Context, n note) (resumable *leftover, notes []string, err error) {
	for _, f := range a.left(ctx) {
		same := f.Request != "" && f.Request == n.Request
		if same && f.atWork {
			err = Faults{{Where: "--run_id", What: fmt.Sprintf("a job of this request may go on: run %s, begun %s, job %s at %s", f.RunID, f.Began.Format("2006-01-02 15:04:05 UTC"), f.job.ID, f.job.Endpoint),
				Fix: fmt.Sprintf("--run_id=%s waits for it and pays nothing twice; an ID of your own begins another run, which is paid for too", f.RunID)}}
		}
		if same && resumable == nil && !f.atWork && f.model != nil {
			resumable = &f
			continue
		}
		back := f.giveBack(ctx)
		f.unlock()
		if f.RunID != "" && (f.Input == n.Input || f.Output == n.Output) {
			notes = append(notes, f.describe()+back)
		}
	}
	if err != nil && resumable != nil {
		resumable.unlock()
	}
	return resumable, notes, err
}

// describe says what a run has left, and whether its budget is spent.
func (f leftover) describe() string {
	what := "it had spent nothing"
	switch {
	case f.atWork:
		return fmt.Sprintf("%s is of a run whose job may go on (input %s, output %s, begun %s; job %s at %s): count its budget as spent; `--run_id=%s` with its flags finishes it",
			f.dir, f.Input, f.Output, f.Began.Format("2006-01-02 15:04:05 UTC"), f.job.ID, f.job.Endpoint, f.RunID)
	case f.model != nil:
		what = "it holds a release, whose budget counts as spent"
	case f.drawn:
		what = "noise had been drawn: its budget counts as spent"
	case f.unread:
		what = "it could not be found out whether noise had been drawn: count its budget as spent"
	}
	if by := buildinfo.Written(f.Version); by != "" {
		what += " (" + by + ")"
	}
	return fmt.Sprintf("%s was left by an unfinished run (input %s, output %s, begun %s): %s; %s", f.dir, f.Input, f.Output,
		f.Began.Format("2006-01-02 15:04:05 UTC"), what, removal(f.dir))
}

// removal says how a staging is removed.
func removal(dir string) string {
	if files.Remote(dir) {
		return fmt.Sprintf("`gcloud storage rm -r %s` removes it", dir)
	}
	if _, err := os.Stat(filepath.Join(dir, jobName(1))); err == nil { // next to an output
		return "removing that directory discards it"
	}
	return "`dapple clean` removes it"
}

// keep leaves a release to the next run of the same request, without the records that it was made of: they are
// encrypted, and take up space.
func (s staging) keep(ctx context.Context, runID string) error {
	_ = files.RemoveAll(ctx, files.Join(s.dir, runID+synth.PartsSuffix)) // the staging is removed in the end
	if !files.Remote(s.dir) {
		return nil // that nobody holds the lock any more says it
	}
	_, _, err := keep.Open(s.dir).CreateIfAbsent(ctx, keptName, []byte("the next run of the same request publishes this release\n"))
	return err
}

// ending says of a run that has failed whether its privacy budget is gone: it is once noise has been drawn,
// even if nobody has seen it. kept tells that the staging has to stay. Call it when no function of the run can
// draw or release any more.
func (s staging) ending(ctx context.Context, n note, err error) (kept bool, outcome error) {
	ctx, cancel := afterwards(ctx)
	defer cancel()
	store := keep.Open(s.dir)
	unspent, drawnErr := s.never(ctx, n.RunID)
	_, released, releasedErr := has(ctx, store, n.RunID+synth.ReleaseSuffix)
	switch {
	case released && n.Request != "":
		if keepErr := s.keep(ctx, n.RunID); keepErr != nil {
			err = errors.Join(err, keepErr)
		}
		return true, fmt.Errorf("%w\nthe privacy budget of this run is spent, and its release is kept: the same command, also with another --output, publishes it and spends nothing more\n"+
			"until then it is private, in %s; %s, and the budget stays spent", err, s.dir, removal(s.dir))
	case released:
		return false, fmt.Errorf("%w\na model had been released and is discarded, since no later run could tell whether its input is the same: count the privacy budget of this run as spent", err)
	case !unspent && drawnErr == nil:
		return false, fmt.Errorf("%w\nnothing was written, but noise had been drawn: count the privacy budget of this run as spent", err)
	case drawnErr != nil || releasedErr != nil:
		return false, fmt.Errorf("%w\nit could not be found out whether noise had been drawn: count the privacy budget of this run as spent", err)
	}
	return false, fmt.Errorf("%w\nnothing was written and no privacy budget was spent%s", err, n.giveBack(ctx))
}
