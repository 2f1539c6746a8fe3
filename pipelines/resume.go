package pipelines

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/io/files"
)

// checkRunID refuses IDs that cannot be part of a name on every system.
func checkRunID(id string, f *Faults) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	if len(id) > 64 || strings.Trim(id, allowed) != "" || strings.HasPrefix(id, "-") || strings.HasPrefix(id, "_") {
		f.add("--run_id", fmt.Sprintf("got %q; want at most 64 letters, digits, - and _, a letter or a digit first", id), "leave it out for a random one")
	}
}

// finishedAs reports whether a directory holds what the run of an ID has published, itself or through a run that
// resumed it.
func finishedAs(ctx context.Context, dir, id string) (runID string, ok bool) {
	if id == "" || dir == "" {
		return "", false
	}
	o, err := dirsink.Open(ctx, dir)
	if err != nil {
		return "", false
	}
	return o.RunID, o.RunID == id || strings.HasPrefix(o.RunID, id+againMark)
}

// againMark separates the ID of a run from that of a run that publishes its release after it has failed.
const againMark = "-again-"

// again returns the result of a run that has an ID and has finished before; nil if it has not.
func (r *Request) again(ctx context.Context, where stagingArea) (*Result, error) {
	publisher, ok := finishedAs(ctx, r.target().beside(), r.RunID)
	if !ok {
		return nil, nil
	}
	out := r.output(publisher, staging{}, time.Time{})
	if !out.published(ctx) {
		return nil, nil
	}
	if f, ok := where.find(ctx, r.RunID); ok {
		if f.atWork && f.job.ID != unlaunched { // it has published, and ends
			f.unlock()
		} else {
			f.remove(ctx)
		}
	}
	res, err := finished(ctx, r, out)
	if res != nil {
		res.Written.Notes = append(res.Written.Notes, "run "+r.RunID+" had finished before: nothing was read, written or spent now")
	}
	return res, err
}

// alreadyPublished returns the result of a run that was killed after it had published, and before it had removed its
// staging; nil if it had not. The same request, which took up that staging, pays nothing more.
func (r *Request) alreadyPublished(ctx context.Context, f *leftover) (*Result, error) {
	publisher, ok := finishedAs(ctx, r.target().beside(), f.RunID)
	if !ok {
		return nil, nil
	}
	out := r.output(publisher, staging{}, time.Time{})
	if !out.published(ctx) {
		return nil, nil
	}
	f.remove(ctx)
	res, err := finished(ctx, r, out)
	if res != nil {
		res.Written.Notes = append(res.Written.Notes, fmt.Sprintf("the run begun %s had published this and was ended as it removed its files: nothing was read, written or spent now",
			f.Began.Format("2006-01-02 15:04:05 UTC")))
	}
	return res, err
}

// find returns the staging of the run of an ID, locked.
func (a stagingArea) find(ctx context.Context, runID string) (f leftover, ok bool) {
	if files.Remote(a.dir) {
		f, ok = inspectAbandoned(ctx, a.name(runID))
		return f, ok && f.RunID == runID
	}
	for _, left := range a.left(ctx) {
		if left.RunID == runID && !ok {
			f, ok = left, true
		} else {
			left.unlock()
		}
	}
	return f, ok
}

// resume returns an unfinished run of this request to resume: by its ID if there is one, otherwise a kept release.
func (r *Request) resume(ctx context.Context, where stagingArea, n note) (begun *leftover, notes []string, err error) {
	if r.RunID == "" {
		return where.resume(ctx, n)
	}
	f, ok := where.find(ctx, r.RunID)
	switch {
	case !ok:
		return nil, nil, nil
	case f.Request == "" || f.Request != n.Request:
		err = Faults{{Where: "--run_id", What: fmt.Sprintf("run %s, begun %s, is of another request or another state of the input", r.RunID, f.Began.Format("2006-01-02 15:04:05 UTC")), Fix: "name another run, or leave it out"}}
	case f.atWork || f.model != nil:
		return &f, nil, nil
	case f.drawn:
		err = errors.New("run " + r.RunID + " has ended without a release, and noise had been drawn: count its budget as spent; another --run_id begins anew and spends again")
	case !f.ends(ctx): // on an object store nothing tells that it is not at work
		err = errors.New("whether run " + r.RunID + " has drawn noise could not be found out, or it has just now: count its budget as spent; another --run_id begins anew and spends again")
	default: // it had spent nothing, and never will
		f.giveBack(ctx)
		f.remove(ctx)
		return nil, nil, nil
	}
	f.unlock()
	return nil, nil, err
}

// ends keeps a run that has not drawn from ever doing so, and reports whether that is certain.
func (f leftover) ends(ctx context.Context) bool {
	unspent, err := f.never(ctx, f.RunID)
	return unspent && err == nil && !f.unread
}

// publisher returns the ID under which a resumed run publishes: its own while its job is running.
func (f leftover) publisher(runID string) string {
	if f.atWork {
		return f.job.Run
	}
	return cmp.Or(runID, f.RunID) + againMark + rand.Text()[:8]
}

// submission tells what was submitted, and how to ask for its result.
func (r *Request) submission(n note, j job) string {
	if j.ID == unlaunched {
		return fmt.Sprintf("written    %s, the job of run %s; launch it once: a second job of it adds nothing\nthe same command with --run_id=%s looks for its result, and pays nothing twice; count its budget as spent",
			r.Engine.Cloud.Template, n.RunID, n.RunID)
	}
	return fmt.Sprintf("submitted  job %s at %s, run %s\nthe same command with --run_id=%s waits for its end, and pays nothing twice; count its budget as spent",
		j.ID, j.Endpoint, n.RunID, n.RunID)
}
