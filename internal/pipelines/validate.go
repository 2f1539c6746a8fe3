package pipelines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/model/condition"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// ValidateRun finds every fault of a request that is about to run and that shows without reading the private table. It reads the
// header lines or the Parquet footers of the input, and no line or page after them: names and types of columns are no private data.
func ValidateRun(ctx context.Context, c Config) (*Request, error) {
	r, faults := validateRun(ctx, c)
	return r, faults.Err()
}

func validateRun(ctx context.Context, c Config) (*Request, Faults) {
	faults := checkService(ctx, c.withDefaults())
	r, more := validate(ctx, c)
	faults = append(faults, more...)
	checkColumns(ctx, r, false, &faults)
	if len(faults) == 0 {
		checkSpace(r, &faults)
	}
	return r, faults
}

// validate finds what shows without opening the private table: in the domain file, in the metadata of tables of BigQuery, and
// where input and output are to be.
func validate(ctx context.Context, c Config) (*Request, Faults) {
	c = c.withDefaults()
	var faults Faults
	checkFigures(c, &faults)
	r := &Request{Config: c}
	c.checkPlaces(&faults)
	if c.Input != "" || !c.planning {
		checkInput(ctx, r, &faults)
	}
	if c.Output != "" || !c.planning {
		c.to.check(ctx, &faults)
	}
	checkStore(c.Store, &faults)
	r.about = checkAbout(ctx, c.About, &faults)
	if checkDomain(ctx, r, &faults); r.File != nil {
		checkPeopleInput(ctx, r, &faults)
		checkProblem(r, &faults)
		r.Tables = r.Tables || noRows(r.File.Domain)
		checkLayout(ctx, c.to, r.File.Domain, r.Tables, &faults)
		checkEvents(r.File.Domain, c.Rows, "leave it out", &faults)
		checkColumns(ctx, r, true, &faults)
	}
	r.checkBefore(&faults)
	checkLedger(ctx, r, &faults)
	return r, faults
}

// checkService finds out whether the job service of a request answers, unless flags of it have faults, which validate says.
func checkService(ctx context.Context, c Config) (f Faults) {
	if checkEngine(c.Runner, c.Engine, &f); !c.Engine.runner.Service || c.Engine.Cloud.DryRun || len(f) > 0 {
		return nil
	}
	c.Engine.checkEndpoint(ctx, &f)
	return f
}

// checkPlaces refuses places that workers elsewhere cannot see.
func (c Config) checkPlaces(f *Faults) {
	c.Engine.checkPlaces(f, map[string]string{"--input": c.Input, "--people_input": c.People, "--output": c.Output, "--release": c.Release, "--store": c.Store})
	if c.Output != "" {
		c.Engine.checkStaging(c.to.area, f)
	}
}

func checkFigures(c Config, f *Faults) {
	if c.Epsilon == 0 {
		f.add("--epsilon", "is required: there is no safe default", "1 is a common choice, smaller is more private")
	} else if err := c.Epsilon.Validate(); err != nil {
		f.add("--epsilon", strings.TrimPrefix(err.Error(), "dp: "), "1 is a common choice, smaller is more private")
	}
	if err := c.Delta.Validate(); err != nil {
		f.add("--delta", strings.TrimPrefix(err.Error(), "dp: "), "choose one far below 1/(number of people)")
	}
	if c.Rows < 0 {
		f.add("--rows", fmt.Sprintf("got %d; want at least 1", c.Rows), "leave it out for the released number of units")
	}
	if c.ExpectedRows < 0 {
		f.add("--expected_rows", fmt.Sprintf("got %d; want at least 1", c.ExpectedRows), "")
	}
	if x := c.ErrorShare; x != 0 && !(x < 0 || x >= .0001 && x <= .5) {
		f.add("--error_share", fmt.Sprintf("got %g; want .0001 to .5 of the budget, or 0", x), fmt.Sprintf("leave it out for %g; 0 measures no error", solver.DefaultErrorShare))
	}
	if c.Marginals < 0 || c.Marginals > 8 {
		f.add("--marginals", fmt.Sprintf("got %d; want 1 to 8", c.Marginals), "")
	}
	if c.MaxCells < 1 {
		f.add("--max_cells", fmt.Sprintf("got %d; want at least 1", c.MaxCells), "")
	}
	checkFiles(c.Shards, c.Format, f)
	if _, err := methods.Lookup(c.Method); err != nil && c.Method != "auto" {
		f.add("--method", fmt.Sprintf("got %q; want auto or one of %s", c.Method, strings.Join(methods.Names(), ", ")), "")
	}
	checkEngine(c.Runner, c.Engine, f)
	checkRunID(c.RunID, f)
	if c.Again && (c.RunID == "" || c.Ledger == "") {
		f.add("--again", "pays again for a run that a book has charged", "name that run by --run_id, and the book by --ledger")
	}
}

// checkRunID refuses IDs that cannot be part of a name on every system.
func checkRunID(id string, f *Faults) {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
	if len(id) > 64 || strings.Trim(id, allowed) != "" || strings.HasPrefix(id, "-") || strings.HasPrefix(id, "_") {
		f.add("--run_id", fmt.Sprintf("got %q; want at most 64 letters, digits, - and _, a letter or a digit first", id), "leave it out for a random one")
	}
}

// checkStore refuses a name of the store, and makes its directory. Engine.checkPlaces looks at workers elsewhere.
func checkStore(dir string, f *Faults) {
	if dir == "" {
		return
	}
	err := files.CheckName(dir)
	if err == nil && !files.Remote(dir) {
		if err = os.MkdirAll(dir, 0o700); err != nil {
			err = errors.New(errtext.PathText(err))
		}
	}
	if err != nil {
		f.add("--store", err.Error(), "name a directory that outlives this machine, or leave it out to use TMPDIR")
	}
}

func checkDomain(ctx context.Context, r *Request, f *Faults) {
	if r.Domain == "" {
		f.add("--domain", "is required: the domain file", "")
		return
	}
	if r.found == nil && (r.PrivacyID != "" || r.DomainShare != 0 && r.open() == nil) {
		f.add("--domain", "says who is protected, and what a column may contain", "leave out --privacy_id and --domain_share, or leave out --domain: then the domain is found")
	}
	var file *schema.File
	var faults Faults
	switch {
	case r.found != nil:
		file, faults = parseDomain(r.Domain, r.found.text)
	case r.parsed != nil:
		file, faults = r.parsed.file, r.parsed.faults
	default:
		file, faults = readDomain(ctx, r.Domain)
	}
	if file != nil {
		file.CSV.Strict = r.Strict
	}
	r.File = file
	if file != nil && r.ExpectedRows == 0 {
		r.ExpectedRows = file.ExpectedRows
	}
	*f = append(*f, faults...)
}

// checkAbout reads the file of what only the curator knows.
func checkAbout(ctx context.Context, path string, f *Faults) map[string]string {
	if path == "" {
		return nil
	}
	data, err := files.ReadStart(ctx, path, maxAbout+1)
	if err == nil && len(data) > maxAbout {
		err = fmt.Errorf("%s: larger than %d kB; write what a reader needs", path, maxAbout>>10)
	}
	var about map[string]string
	if err == nil {
		about, err = schema.ParseAbout(path, data)
	}
	*f = append(*f, fileFaults("--about", err)...)
	return about
}

// maxAbout is the largest such file, in bytes: it is in the statement.
const maxAbout = 64 << 10

// fileFaults lists what is wrong with a file of YAML, or that it cannot be read.
func fileFaults(flag string, err error) (faults Faults) {
	var bad schema.Faults
	switch {
	case errors.As(err, &bad):
		for _, b := range bad {
			faults.add(strings.TrimSuffix(b.Error(), ": "+b.Text), b.Text, "")
		}
	case err != nil:
		faults.add(flag, errtext.PathText(err), "check the path")
	}
	return faults
}

// DomainFaults lists all that is wrong with a domain file.
func DomainFaults(ctx context.Context, path string) Faults {
	_, faults := readDomain(ctx, path)
	return faults
}

// parseDomain is readDomain for a domain that was found.
func parseDomain(name string, data []byte) (*schema.File, Faults) {
	file, err := schema.Parse(name, data)
	return file, fileFaults("--domain", err)
}

func readDomainText(ctx context.Context, path string) ([]byte, error) {
	return files.ReadStart(ctx, path, schema.MaxBytes+1) // Parse says that it is too large
}

func readDomain(ctx context.Context, path string) (*schema.File, Faults) {
	data, err := readDomainText(ctx, path)
	if err != nil {
		return nil, fileFaults("--domain", err)
	}
	return parseDomain(path, data)
}

// checkInput finds the table that the input names, and opens no part of it.
func checkInput(ctx context.Context, r *Request, f *Faults) {
	if r.Input == "" {
		f.add("--input", "is required: the private table", "")
		return
	}
	var err error
	if r.source, err = table.Find(ctx, r.Input, r.Services); err != nil {
		f.add("--input", errtext.Text(err), "")
	}
}

// inputBytes returns the number of bytes to read, of rows and of people; whole is false if one of the two is not known.
func (r *Request) inputBytes() (n int64, whole bool) {
	n, whole = r.source.Bytes(), r.source.Bytes() > 0
	if r.people != nil {
		n, whole = n+r.people.Bytes(), whole && r.people.Bytes() > 0
	}
	return n, whole
}

// checkColumns compares the input's columns with the domain's, if that needs, or does not need, the table
// to be opened.
func checkColumns(ctx context.Context, r *Request, byMetadata bool, f *Faults) {
	if r.people != nil && r.people.ByMetadata() == byMetadata {
		people, _, _, _ := r.File.Domain.Events.Split(r.File.Domain.Recorded())
		*f = append(*f, ErrorFaults("--people_input", r.people.Check(ctx, people, r.File.CSV.WithHeader()))...)
	}
	if r.source == nil || r.File == nil || r.source.ByMetadata() != byMetadata {
		return
	}
	whole := r.File.Domain.Recorded()
	if r.people != nil {
		_, rows, _, _ := r.File.Domain.Events.Split(whole)
		whole = rows
	}
	*f = append(*f, ErrorFaults("--input", r.source.Check(ctx, whole, r.File.CSV))...)
	r.layOut(ctx)
}

// layOut orders the columns of rows as the input has them, by its header or schema alone. If it has none, the
// domain file gives the order.
func (r *Request) layOut(ctx context.Context) {
	names, err := r.source.Columns(ctx, r.File.CSV)
	if err != nil {
		return // said by the check
	}
	if r.people != nil {
		people, err := r.people.Columns(ctx, r.File.CSV.WithHeader())
		if err != nil {
			return
		}
		r.File.Domain.LayOutTables(people, names)
		return
	}
	r.File.Domain.LayOut(names)
}

// checkEvents refuses what a table of many rows per person cannot be asked for.
func checkEvents(d *domain.Domain, rows int64, fix string, f *Faults) {
	if d.Events == nil {
		return
	}
	if rows > 0 {
		f.add("--rows", fmt.Sprintf("got %d, and the domain file declares events: people are written, as many as the release says, each with rows of its own", rows), fix)
	}
}

// noRows reports whether people without rows exist. They are only in a table of people, so that there are two tables.
func noRows(d *domain.Domain) bool { return d.Events != nil && d.Events.NoRows }

// checkPeopleInput finds the table of people, if people without rows exist.
func checkPeopleInput(ctx context.Context, r *Request, f *Faults) {
	switch d := r.File.Domain; {
	case r.People == "" && noRows(d) && !r.planning:
		f.add("--people_input", "is required because the domain file declares rows: {min: 0}", "name the table of all people, or leave min out")
	case r.People != "" && !noRows(d):
		f.add("--people_input", "is for a domain file that declares events with rows: {min: 0, …}, people without rows", "declare so, or leave it out")
	case r.People != "":
		var err error
		if r.people, err = table.Find(ctx, r.People, r.Services); err != nil {
			f.add("--people_input", errtext.Text(err), "")
		}
	}
}

// checkPeople refuses a condition on events.
func checkPeople(c *relation.Condition, d *domain.Domain, f *Faults) (ok bool) {
	names := condition.OfEvents(c, d)
	if len(names) > 0 {
		f.add("--where", fmt.Sprintf("names %s, which changes from row to row: people are chosen, with all of their rows", strings.Join(names, ", ")),
			"name columns of the person, or select rows of what is written")
	}
	return len(names) == 0
}
