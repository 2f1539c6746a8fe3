package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/beamrun/progress"
	"github.com/dapple-dp/dapple/internal/release/keep"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/discover"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// A domain is found by a pipeline of its own, on the runner of the request: a job of a service, if there is one. What it
// finds is kept next to the output, so that any later process of the same command adopts it, or waits for the job.

// hold keeps dapple clean away from what is found, until release is called. A directory that is still empty then goes.
func (r *FindRequest) hold() (release func(), err error) {
	if files.Remote(r.dir) {
		return func() {}, nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return nil, Faults{{Where: r.target().flag(r.at()), What: cause.PathText(err)}}
	}
	unlock, err := files.Hold(r.dir)
	if err != nil {
		return nil, fmt.Errorf("pipelines: %s: %w", r.dir, err)
	}
	return func() {
		_ = os.Remove(r.dir) // it fails if anything is in it
		unlock()
	}, nil
}

// again returns the result of a run that has an ID and has finished before; nil if it has not.
func (r *FindRequest) again(ctx context.Context) (*Result, error) {
	c := r.Config
	if !c.target().finished(ctx) {
		return nil, nil
	}
	c.Domain, c.parsed = files.Join(c.target().beside(), publish.DomainFile), nil
	c.PrivacyID, c.DomainShare, c.Rows, c.Ledger = "", 0, 0, "" // what the domain was found with
	req, err := ValidateRun(ctx, c)
	if err != nil {
		return nil, err
	}
	return req.again(ctx, run.AreaOf(req.TempLocation, req.target().beside(), req.scratch))
}

// RunFound finds the domain of a table and synthesizes with it, within one ε and δ.
func RunFound(ctx context.Context, r *FindRequest) (*Result, error) {
	if res, err := r.again(ctx); res != nil || err != nil {
		return res, err
	}
	release, err := r.hold()
	if err != nil {
		return nil, err
	}
	defer release()
	if len(r.unread) > 0 && r.Progress != nil && !r.LogJSON { // the last lines say it too
		fmt.Fprintf(r.Progress, "left out: %s\n", strings.Join(r.unread, "; "))
	}
	entry, notes, err := r.charge(ctx)
	if err != nil {
		return nil, err
	}
	found, err := r.find(ctx)
	if err != nil {
		return nil, err
	}
	if r.wholly() && len(found.LeftOut()) == len(found.Columns) {
		return nil, fmt.Errorf("pipelines: no column could be found at this budget, of which %s is spent; take a larger --epsilon or --domain_share, more people, or a --domain file", shareText(r.params.Share))
	}
	res, err := r.runWith(ctx, found, entry)
	if err != nil {
		again := "the same command goes on with it and finds it no more"
		if r.open() != nil {
			again += ", also with a domain file that declares the rest otherwise"
		}
		return nil, fmt.Errorf("%w\nbefore that, %s of the budget found the domain, which is kept in %s: %s", err, shareText(r.params.Share), r.dir, again)
	}
	res.Written.Notes = append(append(res.Written.Notes, notes...), r.foundNotes(found, shareText(r.params.Share)+" of the budget", publish.DomainFile)...)
	if res.Submitted == "" {
		_ = files.RemoveAll(ctx, r.dir) // it is published
	}
	return res, nil
}

// runWith runs the request with the domain that was found.
func (r *FindRequest) runWith(ctx context.Context, found *discover.Found, entry string) (*Result, error) {
	c, err := r.Config, error(nil)
	if c.foundFile, err = r.complete(found, nil); err != nil {
		return nil, err
	}
	file, err := r.checkCompleted(ctx, c.foundFile)
	if err != nil {
		return nil, err
	}
	if file.Domain.Events != nil {
		c.Rows = 0 // the budget is spent, and nobody could know
	}
	c.found, c.foundEntry, c.parsed, c.leftOut = found, entry, nil, r.leftOut(found)
	c.Domain = files.Join(c.target().beside(), publish.DomainFile)
	req, err := ValidateRun(ctx, c)
	if err != nil {
		return nil, err
	}
	res, err := Run(ctx, req)
	if err == nil && c.Rows != r.Rows {
		res.Written.Notes = append(res.Written.Notes, fmt.Sprintf("--rows=%d does not apply, since people have several rows: as many people are written as the release says; `dapple sample --people` draws more of its model", r.Rows))
	}
	return res, err
}

// complete returns the text of the domain of a request once it is found.
func (r *FindRequest) complete(found *discover.Found, charge *schema.Charge) ([]byte, error) {
	csv := ""
	if r.wholly() {
		csv = r.csvKeys()
	}
	return publish.Complete(r.open(), found, csv, charge)
}

// completedName is the name, in the directory of what was found, of a completed domain file that has faults.
const completedName = "domain.yaml"

// checkCompleted reads a completed domain file. It refuses one with faults, and keeps it, so that their places can be looked up.
func (r *FindRequest) checkCompleted(ctx context.Context, text []byte) (*schema.File, error) {
	file, faults := parseDomain(r.dir+"/"+completedName, text)
	if len(faults) == 0 {
		return file, nil
	}
	_, _, err := keep.Open(r.dir).CreateIfAbsent(ctx, completedName, text)
	return nil, errors.Join(faults, err)
}

// attempt is one try of a request to find its domain.
type attempt struct {
	name   string // under which it keeps what it finds
	found  []byte // nil: nothing yet
	drawn  bool
	job    run.Job // of no ID: it had none
	atWork bool
}

// attempt returns the newest try. One that was stopped before it has drawn never will, and another one follows it.
func (r *FindRequest) attempt(ctx context.Context) (a attempt, err error) {
	store := keep.Open(r.dir)
	newest, known := run.Staging{Dir: r.dir}.Newest(ctx)
	atWork := known && newest.MayGoOn(ctx) // before the store is read: a job that has ended changes it no more
	for n := 0; ; n++ {
		if a = (attempt{name: r.params.RunID}); n > 0 {
			a.name = fmt.Sprintf("%s-%d", r.params.RunID, n)
		}
		if known && newest.Run == a.name {
			a.job, a.atWork = newest, atWork
		}
		data, found, err := store.Get(ctx, a.name+discover.FoundSuffix)
		if found && err == nil {
			a.found = data
		}
		mark, drawn, markErr := store.Get(ctx, a.name+discover.FoundSuffix+synth.DrawnSuffix)
		a.drawn = drawn
		if err = errors.Join(err, markErr); err != nil || found || !run.Stopped(mark) {
			return a, err
		}
	}
}

// end keeps an attempt that has not drawn from ever doing so, whatever becomes of its workers.
func (r *FindRequest) end(ctx context.Context, a attempt) error {
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	return run.Staging{Dir: r.dir}.StopStep(ctx, a.name+discover.FoundSuffix+synth.DrawnSuffix)
}

// find reads the table and releases its domain, or adopts what an earlier run of the same command has found.
func (r *FindRequest) find(ctx context.Context) (*discover.Found, error) {
	a, err := r.attempt(ctx)
	if err == nil && a.job.ID != "" && !a.atWork && !a.drawn && a.found == nil {
		if err = r.end(ctx, a); err == nil {
			a, err = r.attempt(ctx)
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("pipelines: looking for what an earlier run has found: %w", err)
	case a.found != nil:
		return discover.Decode(a.found)
	case a.drawn && !a.atWork: // the way it ended may depend on noisy answers
		return nil, fmt.Errorf("pipelines: an earlier run of this command drew noise to find the domain and ended without it: count %s of the budget as spent; remove %s to spend it once more, or name a --domain file", shareText(r.params.Share), r.dir)
	}
	if err := r.look(ctx, a); err != nil {
		return nil, r.unfound(ctx, a, err)
	}
	switch b, err := r.attempt(ctx); {
	case err == nil && b.found != nil:
		return discover.Decode(b.found)
	case err == nil && r.Engine.runner.Service:
		return nil, r.unfound(ctx, a, errors.New("the job is done, and what it has found is not to be seen here: do its workers see the same directories?"))
	default:
		return nil, errors.Join(errors.New("pipelines: what was found of the table is gone; count its part of the budget as spent"), err)
	}
}

// look runs the pipeline of an attempt to its end, or waits for its job.
func (r *FindRequest) look(ctx context.Context, a attempt) error {
	m := progress.New(r.source.Bytes(), progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})
	st := run.Staging{Dir: r.dir}
	x := pipelineRun{
		engine: r.Engine, labels: r.Labels, run: a.name, submitted: st.Remember, dir: r.dir,
		stop: func(ctx context.Context) error { return r.end(ctx, a) },
	}
	x.engine.Detach = false // the job of the rows follows it
	if x.engine.JobName != "" {
		x.engine.JobName += "-domain"
	}
	if a.atWork {
		return x.attach(ctx, a.job, m)
	}
	p := r.params
	p.RunID, p.Store = a.name, keep.In(r.dir)
	if r.Engine.runner.Service {
		if err := st.Sign(ctx, run.Note{RunID: p.RunID, Input: absolute(r.Input), Output: absolute(r.Output)}); err != nil {
			return err
		}
		p.Store = st.Ref() // which an attempt that was stopped cannot write to
	}
	pipe, s := beam.NewPipelineWithRoot()
	discover.Discover(s, readTable(s, r.source, p.Records(), r.form, r.Engine.runner.Java), p)
	return x.execute(ctx, pipe, m)
}

// unfound says of an attempt that has failed whether its part of the budget is spent.
func (r *FindRequest) unfound(ctx context.Context, a attempt, err error) error {
	if running := (*jobStillRunning)(nil); errors.As(err, &running) {
		return fmt.Errorf("%w\nit finds the domain: the same command waits for it, and pays nothing twice; until then %s is private", err, r.dir)
	}
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	if r.Engine.runner.Service {
		err = errors.Join(err, r.end(ctx, a))
	}
	switch b, lookErr := r.attempt(ctx); {
	case lookErr == nil && b.name == a.name && b.found != nil:
		return fmt.Errorf("%w\nthe domain has been found: count %s of the budget as spent; the same command goes on with it", err, shareText(r.params.Share))
	case lookErr != nil || b.name == a.name && b.drawn:
		return fmt.Errorf("%w\nnoise had been drawn to find the domain: count %s of the budget as spent", err, shareText(r.params.Share))
	}
	return fmt.Errorf("%w\nnothing was written and no privacy budget was spent", err)
}

func shareText(s dp.Share) string { return fmt.Sprintf("%g %%", 100*s.Float()) }

// foundNotes say what was found, and which columns were not.
func (r *FindRequest) foundNotes(f *discover.Found, budget, file string) []string {
	out := r.leftOut(f)
	notes := []string{r.openNote(budget)}
	if notes[0] == "" {
		notes[0] = fmt.Sprintf("the domain was found with %s: %d of %d columns, in %s", budget, len(f.Columns)-len(f.LeftOut()), len(f.Columns)+len(r.unread), file)
	}
	for i, c := range out {
		if i == 5 && len(out) > 6 {
			notes = append(notes, fmt.Sprintf("%d more columns are left out: %s says why", len(out)-i, file))
			break
		}
		notes = append(notes, "left out: "+c)
	}
	return notes
}

// leftOut are the columns of which too little was found, and those that are not looked at, with the reason.
func (r *FindRequest) leftOut(f *discover.Found) (list []string) {
	for _, c := range f.LeftOut() {
		list = append(list, c.Name+": "+c.Left)
	}
	return append(list, r.unread...)
}

// openNote says what of a file was found; empty: all of it.
func (r *FindRequest) openNote(budget string) string {
	if r.wholly() {
		return ""
	}
	parts := openParts(r.open())
	return fmt.Sprintf("what the domain file left open was found with %s: %s", budget, strings.Join(parts, ", "))
}

// openParts names the open parts of a file.
func openParts(o *schema.Open) (list []string) {
	if o == nil {
		return nil
	}
	for i := range o.Columns {
		list = append(list, o.Columns[i].String())
	}
	if o.Rows {
		list = append(list, "rows of a person (max)")
	}
	return slices.Clip(list)
}

// prior is what finding the domain has charged to the budget of the request; nil: nothing.
func (c Config) prior() *accountant.Prior {
	if c.found == nil {
		return nil
	}
	return &c.found.Prior
}

// checkJob finds every fault of a request whose domain is found by a job of a service, before that of its rows.
func (r *FindRequest) checkJob(f *Faults) {
	e := r.Engine
	if !e.runner.Service {
		return
	}
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--template_location", e.Cloud.Template != ""}, {"--dry_run", e.Cloud.DryRun}} {
		if flag.given {
			f.add(flag.name, "is for one job, and a domain is found by a job before that of the rows", "find it first by `dapple infer --epsilon`, or leave this out")
		}
	}
	if at := r.at(); e.runner.Dataflow && at != "" && files.Scheme(at) != "gs" {
		f.add(r.target().flag(at), fmt.Sprintf("got %q; the program of the workers that find the domain is put next to it", at), "name gs://bucket/path, or a --domain file")
	}
}
