package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

// A domain is found by a pipeline of its own, on the runner of the request: a job of a service, if there is one. What it
// finds is kept next to the output, so that any later process of the same command adopts it, or waits for the job.

// finding is a domain that was found within the budget of a request.
type finding struct {
	*discover.Found
	text []byte   // the whole domain file
	left []string // columns that are left out, with the reason
}

// prior is what finding the domain has had of the request's budget; nil: nothing.
func (r *Request) prior() *accountant.Prior {
	if r.found == nil {
		return nil
	}
	return &r.found.Prior
}

// hold keeps dapple clean away from what is found, until leave is called.
func (r *FindRequest) hold() (err error) {
	if files.Remote(r.dir) {
		return nil
	}
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return Faults{{Where: r.to.flag(r.at()), What: errtext.PathText(err)}}
	}
	if r.unlock, err = files.Hold(r.dir); err != nil {
		return fmt.Errorf("pipelines: %s: %w", r.dir, err)
	}
	return nil
}

// leave ends the mark that the finding is at work. What holds neither noise nor a charge goes, if nobody else is at it.
func (r *FindRequest) leave(ctx context.Context) {
	defer func() { r.unlock() }()
	if !r.idle || !r.only() {
		return
	}
	ctx, cancel := run.Afterwards(ctx)
	defer cancel()
	if left := settle(ctx, r.dir); !left.spent && left.foreign == "" {
		_ = files.RemoveAll(ctx, r.dir) // what stays takes up space
	}
}

// only reports whether nobody else is at the finding, and keeps others away then. Nobody can tell of a store of objects.
func (r *FindRequest) only() bool {
	if files.Remote(r.dir) {
		return false
	}
	r.unlock()
	unlock, free := files.Take(r.dir)
	if !free {
		unlock, _ = files.Hold(r.dir) // they hold it too
	}
	r.unlock = unlock
	return free
}

// again returns the result of a run that has an ID and has finished before; nil if it has not.
func (r *FindRequest) again(ctx context.Context) (*Result, error) {
	c := r.Config
	if !c.to.finished(ctx) {
		return nil, nil
	}
	c.asked = r.declared()
	c.Domain, c.parsed = files.Join(c.to.beside, publish.DomainFile), nil
	c.PrivacyID, c.DomainShare, c.Rows, c.Ledger, c.Again = "", 0, 0, "", false // what the domain was found with
	req, err := ValidateRun(ctx, c)
	if err != nil {
		return nil, err
	}
	return req.again(ctx)
}

// RunFound finds the domain of a table and synthesizes with it, within one ε and δ: Infer with a share of the budget, and Run
// with the rest, each with an entry of its own in the budget book.
func RunFound(ctx context.Context, r *FindRequest) (*Result, error) {
	if res, err := r.again(ctx); res != nil || err != nil {
		return res, err
	}
	if err := r.hold(); err != nil {
		return nil, err
	}
	defer r.leave(ctx)
	if len(r.unread) > 0 && r.Progress != nil && !r.LogJSON { // the last lines say it too
		fmt.Fprintf(r.Progress, "left out: %s\n", strings.Join(r.unread, "; "))
	}
	found, err := r.find(ctx)
	if IsRequest(err) { // if it is charged, another launch of this run has finished since, or nothing of it is found
		if res, againErr := r.again(ctx); res != nil {
			return res, againErr
		}
	}
	if err != nil {
		return nil, err
	}
	if err := r.nothing(found); err != nil {
		return nil, err
	}
	if out := r.leftOut(found); r.AllColumns && len(out) > 0 {
		return nil, fmt.Errorf("pipelines: --columns=all: too little was found of %s; what was found is kept in %s, for %s of the budget: the same command without --columns=all goes on with it", strings.Join(out, "; "), r.dir, shareText(r.params.Share))
	}
	r.writable(found)
	res, err := r.runWith(ctx, found)
	if err != nil {
		again := "the same command goes on with it and finds it no more"
		if r.open() != nil {
			again += ", also with a domain file that declares the rest otherwise"
		}
		if IsRequest(err) { // the table was read
			err = errors.New(err.Error())
		}
		return nil, fmt.Errorf("%w\nbefore that, %s of the budget found the domain, which is kept in %s: %s", err, shareText(r.params.Share), r.dir, again)
	}
	res.Written.Notes = append(res.Written.Notes, r.foundNotes(found, shareText(r.params.Share)+" of the budget", publish.DomainFile)...)
	for _, text := range r.leftOut(found) {
		res.Written.Notes = append(res.Written.Notes, "left out: "+text)
	}
	res.Written.Notes = append(res.Written.Notes, found.Misfits()...) // all: the last lines name the first of both at once
	if res.Submitted == "" {
		_ = files.RemoveAll(ctx, r.dir) // it is published
	}
	return res, nil
}

// nothing is the error of a table without a column that could be found.
func (r *FindRequest) nothing(found *discover.Found) error {
	if !r.wholly() || len(found.LeftOut()) < len(found.Columns) {
		return nil
	}
	if r.alone {
		return errors.New("pipelines: no column could be found at this budget, which is spent; take a larger --epsilon, more people, or a domain file")
	}
	return fmt.Errorf("pipelines: no column could be found at this budget, and %s of it is spent; take a larger --epsilon or --domain_share, more people, or a --domain file", shareText(r.params.Share))
}

// runWith runs the request with the domain that was found.
func (r *FindRequest) runWith(ctx context.Context, found *discover.Found) (*Result, error) {
	c := r.Config
	text, err := r.complete(found, nil)
	if err != nil {
		return nil, err
	}
	file, err := r.checkCompleted(ctx, text)
	if err != nil {
		return nil, err
	}
	if file.Domain.Events != nil {
		c.Rows = 0 // the budget is spent, and nobody could know
	}
	c.asked, c.parsed, c.found = r.declared(), nil, &finding{found, text, r.leftOut(found)}
	c.Domain = files.Join(c.to.beside, publish.DomainFile)
	req, err := ValidateRun(ctx, c)
	if err != nil {
		return nil, err
	}
	res, err := Run(ctx, req)
	if err == nil && c.Rows != r.Rows {
		res.Written.Notes = append(res.Written.Notes, fmt.Sprintf("--rows=%d does not apply, since people have several rows: all people are written; `dapple sample --people` draws more", r.Rows))
	}
	return res, err
}

// writable takes off what was found the values that files of the rows' format cannot hold. They become other.
func (r *FindRequest) writable(found *discover.Found) {
	format, known := table.FormatOf(r.Format)
	if r.to.table || !known || format.CheckOutput == nil {
		return
	}
	for i := range found.Columns {
		c := &found.Columns[i]
		n := len(c.Values)
		c.Values = slices.DeleteFunc(c.Values, func(v string) bool {
			one := domain.Attribute{Name: c.Name, Type: c.Type, Scale: c.Scale, Values: []string{v}, Null: true}
			return format.CheckOutput(&domain.Domain{Attributes: []domain.Attribute{one}}, r.Null) != nil
		})
		switch cut := n - len(c.Values); {
		case cut > 0 && len(c.Values) == 0:
			c.Left = fmt.Sprintf("files of %s cannot hold its values; --format=parquet writes them", r.Format)
		case cut > 0:
			c.Note, c.Part = fmt.Sprintf("%d of its values became other, which files of %s cannot hold; --format=parquet writes them", cut, r.Format), 1
		}
	}
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
	_, _, err := archive.Open(r.dir).CreateIfAbsent(ctx, completedName, text)
	return nil, errors.Join(faults, err)
}

func shareText(s dp.Share) string { return fmt.Sprintf("%g %%", 100*s.Float()) }

// foundNotes say what was found, and whether people are few.
func (r *FindRequest) foundNotes(f *discover.Found, budget, file string) []string {
	notes := []string{r.openNote(budget)}
	if notes[0] == "" {
		notes[0] = fmt.Sprintf("the domain was found with %s: %d of %d columns, in %s", budget, len(f.Columns)-len(f.LeftOut()), len(f.Columns)+len(r.unread), file)
	}
	if r.few != "" {
		notes = append(notes, r.few)
	}
	return notes
}

// firstOf returns the first lines of a list, and one line for more than one other.
func firstOf(list []string, most int, head, more string) (lines []string) {
	for i, text := range list {
		if i == most && len(list) > most+1 {
			return append(lines, fmt.Sprint(len(list)-i, more))
		}
		lines = append(lines, head+text)
	}
	return lines
}

// leftOut are the columns with too little found, and those that are not looked at, with the reason.
func (r *FindRequest) leftOut(f *discover.Found) []string { return append(f.LeftOut(), r.unread...) }

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

// checkJob finds every fault of a request whose domain is found by a job of a service, before the job of its rows.
func (r *FindRequest) checkJob(f *Faults) {
	e := r.Engine
	if !e.runner.Service {
		return
	}
	f.refuse("is for one job, and a domain is found by a job before the job of the rows", "find it first by `dapple infer --epsilon`, or leave this out",
		setFlag{"template_location", e.Cloud.Template != ""}, setFlag{"dry_run", e.Cloud.DryRun})
	if at := r.at(); e.runner.Dataflow && at != "" && files.Scheme(at) != "gs" {
		f.add(r.to.flag(at), fmt.Sprintf("got %q; the program of the workers that find the domain is put next to it", at), "name gs://bucket/path, or a --domain file")
	}
}
