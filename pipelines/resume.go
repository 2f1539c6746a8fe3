package pipelines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// checkRunID refuses IDs that cannot be part of a name on every system.
func checkRunID(id string, f *Faults) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	if len(id) > 64 || strings.Trim(id, allowed) != "" || strings.HasPrefix(id, "-") || strings.HasPrefix(id, "_") {
		f.add("--run_id", fmt.Sprintf("got %q; want at most 64 letters, digits, - and _, a letter or a digit first", id), "leave it out for a random one")
	}
}

// again returns the result of a run that has an ID and has finished before; nil if it has not.
func (r *Request) again(ctx context.Context, where run.Area) (*Result, error) {
	publisher, ok := run.FinishedAs(ctx, r.target().beside(), r.RunID)
	if !ok {
		return nil, nil
	}
	out := r.output(publisher, run.Staging{}, time.Time{})
	if !out.published(ctx) {
		return nil, nil
	}
	if f, ok := where.Find(ctx, r.RunID); ok {
		if f.AtWork && f.Job.ID != run.Unlaunched { // it has published, and ends
			f.Unlock()
		} else {
			f.Remove(ctx)
		}
	}
	res, err := resultOf(ctx, r, out)
	if res != nil {
		res.Written.Notes = append(res.Written.Notes, "run "+r.RunID+" had finished before: nothing was read, written or spent now")
	}
	return res, err
}

// alreadyPublished returns the result of a run that was killed after it had published, and before it had removed its
// staging; nil if it had not. The same request, which took up that staging, pays nothing more.
func (r *Request) alreadyPublished(ctx context.Context, f *run.Leftover) (*Result, error) {
	publisher, ok := run.FinishedAs(ctx, r.target().beside(), f.RunID)
	if !ok {
		return nil, nil
	}
	out := r.output(publisher, run.Staging{}, time.Time{})
	if !out.published(ctx) {
		return nil, nil
	}
	f.Remove(ctx)
	res, err := resultOf(ctx, r, out)
	if res != nil {
		res.Written.Notes = append(res.Written.Notes, fmt.Sprintf("the run begun %s had published this and was ended as it removed its files: nothing was read, written or spent now",
			f.Begun()))
	}
	return res, err
}

// resume returns an unfinished run of this request to resume: by its ID if there is one, otherwise a kept release.
func (r *Request) resume(ctx context.Context, where run.Area, n run.Note) (begun *run.Leftover, notes []string, err error) {
	if r.RunID == "" {
		return where.Resume(ctx, n)
	}
	f, ok := where.Find(ctx, r.RunID)
	switch {
	case !ok:
		return nil, nil, nil
	case f.Request == "" || f.Request != n.Request:
		err = Faults{{Where: "--run_id", What: fmt.Sprintf("run %s, begun %s, is of another request or another state of the input", r.RunID, f.Begun()), Fix: "name another run, or leave it out"}}
	case f.AtWork || f.Model != nil:
		return &f, nil, nil
	case f.Drawn:
		err = errors.New("run " + r.RunID + " has ended without a release, and noise had been drawn: count its budget as spent; another --run_id begins anew and spends again")
	case !f.Ends(ctx): // on an object store nothing tells that it is not at work
		err = errors.New("whether run " + r.RunID + " has drawn noise could not be found out, or it has just now: count its budget as spent; another --run_id begins anew and spends again")
	default: // it had spent nothing, and never will
		f.GiveBack(ctx)
		f.Remove(ctx)
		return nil, nil, nil
	}
	f.Unlock()
	return nil, nil, err
}

// submission tells what was submitted, and how to ask for its result.
func (r *Request) submission(n run.Note, j run.Job) string {
	if j.ID == run.Unlaunched {
		return fmt.Sprintf("written    %s, the job of run %s; launch it once: a second job of it adds nothing\nthe same command with --run_id=%s looks for its result, and pays nothing twice; count its budget as spent",
			r.Engine.Cloud.Template, n.RunID, n.RunID)
	}
	return fmt.Sprintf("submitted  job %s at %s, run %s\nthe same command with --run_id=%s waits for its end, and pays nothing twice; count its budget as spent",
		j.ID, j.Endpoint, n.RunID, n.RunID)
}
