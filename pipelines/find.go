package pipelines

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/kit/cellkind"
	"github.com/dapple-dp/dapple/internal/methods"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/discover"
)

// DefaultDomainShare is the part of the budget that finds the domain.
const DefaultDomainShare = .1

// FindRequest is a request whose domain is found first, without fault.
type FindRequest struct {
	Config
	source table.Source
	form   schema.CSV
	text   bool // cells are text
	params discover.Params
	unread []string // columns that are not looked at, with the public reason
	dir    string   // where what was found is kept until the run has published
	alone  bool     // no rows are asked for: the domain alone, with the whole budget
	book   *book.Book
}

// ValidateFind finds every fault of a request to find a domain that shows before the table is read.
func ValidateFind(ctx context.Context, c Config) (*FindRequest, error) {
	r := &FindRequest{Config: c.withDefaults()}
	var f Faults
	if r.wholly() { // else validateRun says it
		f = checkService(ctx, r.Config)
		r.checkPlaces(&f)
	}
	if !r.wholly() { // every fault but those of what is found shows with what stands for that
		var req *Request
		req, f = validateRun(ctx, c)
		r.source = req.source
	} else {
		r.checkUnit(&f)
		r.takeDeclared(&f)
		checkFigures(r.Config, &f)
	}
	if t := r.target(); r.wholly() {
		if t.check(ctx, &f); len(f) == 0 {
			t.checkTable(ctx, nil, nil, &f) // its columns show when the domain is known
		}
		if c.Write == "append" && c.PrivacyID != schema.NoPrivacyID {
			f.add("--write", "append would mix up people, who may turn out to have several rows: every run numbers them from 1", "find the domain first by `dapple infer --epsilon`, or take --write=truncate")
		}
	}
	r.check(ctx, &f)
	return r, f.Err()
}

// check finds every fault of a request whose domain is found, with or without rows.
func (r *FindRequest) check(ctx context.Context, f *Faults) {
	r.checkBudget(f)
	r.checkJob(f)
	switch {
	case !r.wholly():
		r.setOpen(ctx, f)
	default:
		if r.People != "" {
			f.add("--people_input", "needs a --domain file with columns", "")
		}
		r.setParams(r.findColumns(ctx, f))
	}
	r.openBook(ctx, f)
	if len(*f) == 0 {
		*f = append(*f, ErrorFaults("--epsilon", r.params.Validate())...)
	}
	if len(*f) == 0 {
		r.checkRoom(f)
	}
	if len(*f) == 0 {
		r.checkPeople(f)
	}
	if len(*f) == 0 {
		*f = append(*f, r.keepAt()...)
	}
}

// checkBudget finds every fault of the figures.
func (r *FindRequest) checkBudget(f *Faults) {
	if r.Delta == 0 {
		f.add("--delta", "is required where the domain is found: values are released at the price of it", "take one far below 1/(number of people), such as 1e-9")
	}
	if r.DomainShare = orDefault(r.DomainShare, DefaultDomainShare); !r.alone && !(r.DomainShare >= .001 && r.DomainShare <= .5) {
		f.add("--domain_share", fmt.Sprintf("got %g; want .001 to .5 of the budget", r.DomainShare), "leave it out for .1")
	}
}

// setParams sets what is asked of the columns.
func (r *FindRequest) setParams(columns []discover.Column) {
	c := r.Config
	r.params = discover.Params{
		Columns: columns, Epsilon: c.Epsilon, Delta: c.Delta, Neighbouring: c.Neighbouring,
		Share: dp.ShareOf(int64(math.Round(c.DomainShare*1000)), 1000), Rows: publish.OpenRows(r.open()),
	}
	r.params.PrivacyID = unitColumn(c.PrivacyID)
	if m, err := methods.Lookup(c.Method); !r.alone && err == nil && c.Epsilon.Validate() == nil {
		r.params.Mixed = m.Accounting(c.Epsilon, c.Delta) != dp.GaussianOnly
	}
}

// findColumns finds the table and what is public of its columns.
func (r *FindRequest) findColumns(ctx context.Context, f *Faults) (columns []discover.Column) {
	if r.Input == "" {
		f.add("--input", "is required: the private table", "")
		return nil
	}
	var err error
	if r.source, err = table.Find(ctx, r.Input, r.Services); err != nil {
		f.add("--input", cause.Text(err), "")
		return nil
	}
	if t, ok := r.source.(*table.Files); ok && t.Unnamed() {
		f.add("--input", "the names of its fields are in its records alone, and are private", "name a --domain file: its columns may be a name and a type alone")
		return nil
	}
	described, form, err := r.source.Describe(ctx, r.form)
	if err != nil {
		*f = append(*f, ErrorFaults("--input", err)...)
		return nil
	}
	var names []string
	for i, d := range described {
		names = append(names, d.Name)
		switch {
		case d.Name == r.PrivacyID:
		case d.Name == "":
			r.unread = append(r.unread, fmt.Sprintf("column %d: it has no name", i+1))
		case d.Fault != "":
			r.unread = append(r.unread, d.Name+": "+d.Fault)
		case slices.ContainsFunc(columns, func(c discover.Column) bool { return c.Name == d.Name }):
			f.add("--input", "two columns have one name", "rename one")
		default:
			r.text = r.text || d.Untyped
			columns = append(columns, discover.Column{Name: d.Name, Untyped: d.Untyped, Type: d.Type, Scale: min(d.Scale, 4)})
		}
	}
	switch {
	case r.PrivacyID == "":
		f.add("--privacy_id", "is required, since it says who is protected", "name the column that names the people"+schema.Suggested(names)+", or "+schema.NoPrivacyID+" if every record is another person")
	case r.PrivacyID != schema.NoPrivacyID && !slices.Contains(names, r.PrivacyID):
		f.add("--privacy_id", fmt.Sprintf("the table has no column %q", r.PrivacyID), "")
	}
	if r.form = form; r.text {
		r.form.Trim = true // a rule for all tables: no record decides how one is read
		if r.wholly() && r.form.Null == nil {
			r.form.Null = slices.Clone(cellkind.Nulls)
		}
	}
	if len(*f) == 0 {
		d := discover.Params{Columns: columns, PrivacyID: strings.TrimSuffix(r.PrivacyID, schema.NoPrivacyID)}.Records()
		*f = append(*f, ErrorFaults("--input", r.source.Check(ctx, d, r.form))...)
	}
	return columns
}

// csvKeys are the keys under csv: of the domain file that is found.
func (r *FindRequest) csvKeys() string {
	if !r.text {
		return ""
	}
	return strings.Join(r.form.Keys(), ", ")
}

// checkPeople refuses a request for so few people that most of the table would not be seen.
func (r *FindRequest) checkPeople(f *Faults) {
	o, err := foundOutlook(r.params, r.ExpectedRows)
	switch {
	case err != nil:
		*f = append(*f, ErrorFaults("--epsilon", err)...)
	case r.ExpectedRows > 0 && !o.Enough && o.Category == 0:
		f.add("--expected_rows", fmt.Sprintf("got %d; with %d columns at this budget an end of a range needs about %.0f people to be seen", r.ExpectedRows, o.Columns, o.RangeEnd), o.wouldDo())
	case r.ExpectedRows > 0 && !o.Enough:
		f.add("--expected_rows", fmt.Sprintf("got %d; with %d columns at this budget a category needs about %.0f people to be named", r.ExpectedRows, o.Columns, o.Category), o.wouldDo())
	}
}

// keepAt sets where what is found is kept, and under which name: that of a request on a state of the table, so that the
// same command goes on with it.
func (r *FindRequest) keepAt() (f Faults) {
	id, known := r.source.Identity()
	if !known {
		f.add("--input", "has no state that a second reading can be compared with, as a pipe or a view has none, and a table is read twice where its domain is found", "write it to a file or a table first, or declare all of its domain")
		return f
	}
	p := r.params
	b, err := json.Marshal(struct {
		Version, Input string
		Params         discover.Params
		Form           schema.CSV
	}{"dapple discovery 1", id, p, r.form})
	if err != nil {
		panic("pipelines: a request is plain data and always marshals")
	}
	sum := sha256.Sum256(b)
	r.dir = foundDir(r.at())
	r.params.RunID = "found-" + hex.EncodeToString(sum[:16])
	return nil
}

// at is the file or directory next to which is kept what is found: of a table, that of all but the rows.
func (r *FindRequest) at() string {
	if isTable(r.Output) {
		return r.Release
	}
	return r.Output
}

// foundDir is where what was found for a file or directory is kept.
func foundDir(output string) string { return strings.TrimRight(output, "/\\") + ".found" }

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

// prior is what finding the domain has charged to the budget of the request; nil: nothing.
func (c Config) prior() *accountant.Prior {
	if c.found == nil {
		return nil
	}
	return &c.found.Prior
}
