package pipelines

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

// FindRequest is a request whose domain is found first, without fault.
type FindRequest struct {
	Config
	source table.Source
	form   schema.CSV
	text   bool // cells are text
	params discover.Params
	unread []string // columns that are not looked at, with the public reason
	few    string   // what few people mean for the finding; empty: there are enough, or nobody has said how many
	dir    string   // where what was found is kept until the run has published
	alone  bool     // no rows are asked for: the domain alone, with the whole budget
	book   *book.Book

	unlock func()   // ends the mark that the finding is at work
	idle   bool     // nothing was drawn or charged, or it is taken back: nothing has to be kept
	faulty bool     // prism has failed once
	notes  []string // on the budget book
}

// A domain file may leave parts open. They are found as a whole domain is, from the columns that have open parts alone, and
// the file is completed with them: what it declares stays, and costs nothing.

// parsedDomain is a domain file that was read once for a command that can find open parts.
type parsedDomain struct {
	file   *schema.File // with what stands for open parts
	open   *schema.Open // nil: none
	faults Faults
}

// Finds reads the domain file of a request, and reports whether all of its domain or parts of it are to be found.
func Finds(ctx context.Context, c *Config) bool {
	if c.Domain == "" {
		return true
	}
	p := &parsedDomain{}
	data, err := readDomainText(ctx, c.Domain)
	if err == nil {
		p.file, p.open, err = schema.ParseOpen(c.Domain, data)
	}
	p.faults, c.parsed = fileFaults("--domain", err), p
	return p.open != nil
}

// open is what the domain file of a request leaves open; nil: nothing.
func (c Config) open() *schema.Open {
	if c.parsed == nil {
		return nil
	}
	return c.parsed.open
}

// wholly reports whether all columns are to be found.
func (c Config) wholly() bool { return c.open() == nil || c.open().Whole }

// ValidateFind finds every fault of a request to find a domain that shows before the table is read.
func ValidateFind(ctx context.Context, c Config) (*FindRequest, error) {
	r := &FindRequest{Config: c.withDefaults()}
	var f Faults
	if r.wholly() { // else validateRun says it
		f = checkService(ctx, r.Config)
		r.checkPlaces(&f)
	}
	if !r.wholly() { // every fault outside what is found shows with what stands for that
		var req *Request
		req, f = validateRun(ctx, c)
		r.source = req.source
	} else {
		r.checkUnit(&f)
		r.takeDeclared(&f)
		checkFigures(r.Config, &f)
	}
	if t := r.to; r.wholly() {
		if t.check(ctx, &f); len(f) == 0 {
			t.checkTable(ctx, nil, nil, &f) // its columns show when the domain is known
		}
		if c.Write == "append" && c.PrivacyID != schema.NoPrivacyID {
			f.add("--write", "append would mix up people, who may turn out to have several rows: every run numbers them from 1", "find the domain first by `dapple infer --epsilon`, or take --write=truncate")
		}
	}
	if r.check(ctx, &f); r.AllColumns && len(r.unread) > 0 {
		f.add("--columns", "all are wanted, and these cannot be read: "+strings.Join(r.unread, "; "), "rename or convert them, or leave --columns out")
	}
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
	if !r.alone && r.DomainShare != 0 && !(r.DomainShare >= .001 && r.DomainShare <= .5) {
		f.add("--domain_share", fmt.Sprintf("got %g; want .001 to .5 of the budget", r.DomainShare), "leave it out for .1, and up to .3 of more than 20 columns")
	}
}

// setParams sets what is asked of the columns.
func (r *FindRequest) setParams(columns []discover.Column) {
	c := r.Config
	r.params = discover.Params{
		Columns: columns, Epsilon: c.Epsilon, Delta: c.Delta, Neighbouring: c.Neighbouring,
		Share: discover.DefaultShare(len(columns)), Rows: publish.OpenRows(r.open()),
	}
	if c.DomainShare != 0 {
		r.params.Share = dp.ShareOf(int64(math.Round(c.DomainShare*1000)), 1000)
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
		f.add("--input", errtext.Text(err), "")
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
		first := slices.Index(names, d.Name)
		names = append(names, d.Name)
		switch {
		case d.Name == "":
			r.unread = append(r.unread, fmt.Sprintf("column %d: it has no name", i+1))
		case first >= 0:
			f.add("--input", fmt.Sprintf("columns %d and %d have one name", first+1, i+1), "rename one")
		case d.Name == r.PrivacyID:
		case domain.NameFault(d.Name) != "":
			r.unread = append(r.unread, fmt.Sprintf("column %d: %s", i+1, domain.NameFault(d.Name)))
		case d.Fault != "":
			r.unread = append(r.unread, d.Name+": "+d.Fault)
		default:
			r.text = r.text || d.Untyped
			columns = append(columns, discover.Column{Name: d.Name, Untyped: d.Untyped, Type: d.Type, Scale: d.Places(4)})
		}
	}
	switch {
	case r.PrivacyID == "":
		f.add("--privacy_id", "is required, since it says who is protected", "name the column that names the people"+schema.Suggested(names)+", or "+schema.NoPrivacyID+" if every record is another person")
	case r.PrivacyID != schema.NoPrivacyID && !slices.Contains(names, r.PrivacyID):
		hint := ""
		if described[0].Untyped {
			hint = table.OneName(names)
		}
		f.add("--privacy_id", fmt.Sprintf("the table has no column %q%s", r.PrivacyID, hint), "")
	}
	if r.form = form; r.text {
		r.form.Trim = true // a rule for all tables: no record decides how one is read
		if r.wholly() && r.form.Null == nil {
			r.form.Null = slices.Clone(cellkind.Nulls)
		}
	}
	if len(*f) == 0 && len(columns) == 0 {
		f.add("--input", strings.Join(append([]string{"it has no column to find beside the privacy ID"}, r.unread...), "; "), "name a table with others")
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

// checkPeople refuses a request for so few people that nothing would be seen, and keeps a note on few people.
func (r *FindRequest) checkPeople(f *Faults) {
	o, err := foundOutlook(r.params, r.ExpectedRows)
	if err != nil {
		*f = append(*f, ErrorFaults("--epsilon", err)...)
		return
	}
	if r.ExpectedRows == 0 || o.Enough {
		return
	}
	least, what := o.Category, "a category needs about %.0f people to be named"
	if least == 0 {
		least, what = o.RangeEnd, "an end of a range needs about %.0f people to be seen"
	}
	what = fmt.Sprintf("with %d columns at this budget "+what, o.Columns, least)
	if least > hopeless*float64(r.ExpectedRows) {
		f.add("--expected_rows", fmt.Sprintf("got %d; %s", r.ExpectedRows, what), o.wouldDo())
		return
	}
	r.few = fmt.Sprintf("few people: %s; %s", what, o.wouldDo())
}

// hopeless is the part of the people that a category may need at most. If it needs more, next to nothing is found.
const hopeless = .5

// keepAt sets where what is found is kept, and under which name: a request's on a state of the table, so that the
// same command goes on with it.
func (r *FindRequest) keepAt() (f Faults) {
	id, known := r.source.Identity()
	if !known {
		f.add("--input", "has no state that a second reading can be compared with, as a pipe or a view has none, and a table is read twice where its domain is found", "write it to a file or a table first, or declare all of its domain")
		return f
	}
	p := r.params
	p.RunID = ""
	id = wire.Hash(wire.JSON(struct {
		Version, Input string
		Params         discover.Params
		Form           schema.CSV
	}{"dapple discovery 2", id, p, r.form}))
	r.dir, r.unlock = foundDir(r.at()), func() {}
	r.params.RunID = "found-" + id[:32]
	return nil
}

// at is the file or directory next to which is kept what is found: of a table, the directory of all but the rows.
func (r *FindRequest) at() string {
	if r.to.table {
		return r.Release
	}
	return r.Output
}

// foundDir is where what was found for a file or directory is kept.
func foundDir(output string) string { return strings.TrimRight(output, "/\\") + ".found" }

// takeDeclared takes over what a domain file declares whose columns are all to be found.
func (r *FindRequest) takeDeclared(f *Faults) {
	open := r.open()
	if open == nil {
		return
	}
	file := r.parsed.file
	r.PrivacyID, r.form = orDefault(file.Domain.PrivacyID, schema.NoPrivacyID), file.CSV
	r.ExpectedRows = orDefault(r.ExpectedRows, file.ExpectedRows)
	r.checkOpenRows(f)
}

// checkUnit refuses two words on who is protected.
func (r *FindRequest) checkUnit(f *Faults) {
	if r.Domain != "" && r.PrivacyID != "" {
		f.add("--privacy_id", "is given, and so is --domain, which says who is protected", "leave one of them out")
	}
}

// checkOpenRows refuses to find how many rows a person has where nobody is named.
func (r *FindRequest) checkOpenRows(f *Faults) {
	if r.open().Rows && unitColumn(r.PrivacyID) == "" {
		f.add("--domain", "events: rows: max: is to be found, and no privacy_id says whose rows they are", "declare privacy_id")
	}
}

// setOpen sets what is to be found of a file with open parts.
func (r *FindRequest) setOpen(ctx context.Context, f *Faults) {
	file, open := r.parsed.file, r.open()
	r.PrivacyID = file.Domain.PrivacyID
	r.ExpectedRows = orDefault(r.ExpectedRows, file.ExpectedRows)
	r.setParams(publish.OpenColumns(open.Columns))
	r.checkOpenRows(f)
	if r.People != "" {
		f.add("--people_input", "cannot be read where parts of the domain are to be found", "declare them in the domain file")
	}
	numeric := slices.ContainsFunc(open.Columns, func(c schema.OpenColumn) bool { return c.Type == domain.Numeric })
	if r.form = file.CSV; r.source != nil && numeric {
		r.scales(ctx, f)
	}
}

// scales sets the decimal places of NUMERIC columns, which a table may declare: at most as many as a NUMERIC has, and of these
// as many as are found.
func (r *FindRequest) scales(ctx context.Context, f *Faults) {
	var described []table.Column
	if t, ok := r.source.(*table.Files); !ok || t.Typed() { // else a record might be read
		var err error
		if described, _, err = r.source.Describe(ctx, r.form); err != nil {
			*f = append(*f, ErrorFaults("--input", err)...)
			return
		}
	}
	for i := range r.params.Columns {
		c := &r.params.Columns[i]
		if c.Type != domain.Numeric {
			continue
		}
		c.Scale = cellkind.MaxPlaces
		for _, d := range described {
			if d.Name == c.Name && !d.Untyped && d.Type == domain.Numeric {
				c.Scale = d.Places(4)
			}
		}
	}
}
