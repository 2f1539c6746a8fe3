package pipelines

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/methods"
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/report"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/solver"
)

// Request is a Config that has been found to be without fault, with what follows from it. Everything
// in it is public.
type Request struct {
	Config
	File     *schema.File
	scratch  string       // directory of this machine for temporary files
	source   table.Source // the table that Input names, as it was at launch
	people   table.Source // that of People; nil: none
	public   *solver.Public
	Problem  solver.Problem
	Chosen   solver.Method
	omitted  int64
	aimed    *plan.Aimed     // the ε for an error that a plan was asked for
	question *plan.Question  // what errors the plan states, where its ε was found; nil: those of its own bins
	like     *solver.Pattern // what a plan takes the table to be like; nil: typical
	about    map[string]string
	ledger   *book.Book // as it was when the request was checked; nil: none
	stated   bool       // the expected rows are those of the domain file
	within   float64    // units by which noise shifts the check of criteria, with 95 % confidence
	narrowed string     // why the workload is narrower than the default; empty if it is not
}

// Validate finds every fault of a request that shows without opening the private table: it reads the
// domain file and the metadata of tables of BigQuery, and looks whether input and output exist.
func Validate(ctx context.Context, c Config) (*Request, error) {
	r, faults := validate(ctx, c)
	return r, faults.Err()
}

// ValidateRun is Validate for a request that is about to run: it also reads the header lines or the
// Parquet footers of the input. The names and types of columns are no private data, and no line or page
// after them is looked at.
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

func validate(ctx context.Context, c Config) (*Request, Faults) {
	c = c.withDefaults()
	var faults Faults
	checkFigures(c, &faults)
	r := &Request{Config: c, scratch: c.Engine.scratch(c.TempLocation, c.target().beside())}
	c.checkPlaces(&faults)
	if c.Input != "" || !c.planning {
		checkInput(ctx, r, &faults)
	}
	if c.Output != "" || !c.planning {
		c.target().check(ctx, &faults)
	}
	checkTemp(c.TempLocation, c.Engine, &faults)
	r.about = checkAbout(ctx, c.About, &faults)
	if checkDomain(ctx, r, &faults); r.File != nil {
		checkPeopleInput(ctx, r, &faults)
		checkPublic(ctx, r, &faults)
		checkProblem(r, &faults)
		r.Tables = r.Tables || noRows(r.File.Domain)
		checkLayout(ctx, c.target(), r.File.Domain, r.Tables, &faults)
		checkMinCount(c.MinCount, c.Rows, r.ExpectedRows, r.File.Domain, &faults)
		checkEvents(r.File.Domain, c.Rows, "leave it out", &faults)
		checkColumns(ctx, r, true, &faults)
	}
	r.checkBefore(&faults)
	checkLedger(ctx, r, &faults)
	return r, faults
}

// checkService finds out whether the job service of a request answers, unless flags of it have faults, which validate says.
func checkService(ctx context.Context, c Config) (f Faults) {
	if checkEngine(c.Runner, c.Engine, &f); !c.Engine.remote() || c.Engine.Cloud.DryRun || len(f) > 0 {
		return nil
	}
	c.Engine.checkEndpoint(ctx, &f)
	return f
}

// checkPlaces refuses places that workers elsewhere cannot see.
func (c Config) checkPlaces(f *Faults) {
	c.Engine.checkPlaces(f, map[string]string{"--input": c.Input, "--people_input": c.People, "--output": c.Output, "--release": c.Release, "--temp_location": c.TempLocation})
	if c.Output != "" {
		beside := c.target().beside()
		c.Engine.checkStaging(run.AreaOf(c.TempLocation, beside, c.Engine.scratch(c.TempLocation, beside)), f)
	}
}

func checkFigures(c Config, f *Faults) {
	if err := c.Epsilon.Validate(); err != nil {
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
	if c.Shards < 0 || c.Shards > MaxShards {
		f.add("--shards", fmt.Sprintf("got %d; want 1 to %d", c.Shards, MaxShards), "")
	}
	checkFormatName(c.Format, f)
	if _, err := methods.Lookup(c.Method); err != nil && c.Method != "auto" {
		f.add("--method", fmt.Sprintf("got %q; want auto or one of %s", c.Method, strings.Join(methods.Names(), ", ")), "")
	}
	checkEngine(c.Runner, c.Engine, f)
	checkRunID(c.RunID, f)
}

// checkTemp refuses a directory for temporary files that is not one of all workers.
func checkTemp(dir string, e Engine, f *Faults) {
	if dir == "" {
		return
	}
	err := files.CheckName(dir)
	if err == nil && !files.Remote(dir) && !e.elsewhere() { // Engine.checkPlaces looks at those of other workers
		err = fmt.Errorf("got %q; want gs://bucket/path", dir)
	}
	if err != nil {
		f.add("--temp_location", err.Error(), "leave it out to use this machine's")
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
		file, faults = parseDomain(r.Domain, r.foundFile)
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
		r.ExpectedRows, r.stated = file.ExpectedRows, true
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
		faults.add(flag, cause.PathText(err), "check the path")
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
	var file *schema.File
	if err == nil {
		file, err = schema.Parse(path, data)
	}
	return file, fileFaults("--domain", err)
}

// checkDelta refuses a δ at which the promise is expected to fail for somebody, or fails too often, unless it is accepted.
func checkDelta(r *Request, f *Faults) {
	delta, units := float64(r.Delta), r.Problem.Units
	if r.AcceptDelta || r.Delta.Validate() != nil || delta <= report.LargeDelta && 2*delta*units < 1 {
		return
	}
	most := min(report.LargeDelta, 1/(2*units))
	f.add("--delta", fmt.Sprintf("got %g; with %.0f planned units it has to be below %.2g, for otherwise the promise may fail for somebody", delta, units, most),
		fmt.Sprintf("take one far below, such as %.0e, correct --expected_rows, or set --accept_delta", min(1e-9, most/100)))
}

// checkProblem derives workload, problem and method.
func checkProblem(r *Request, f *Faults) {
	w, ok := r.workload(f)
	if !ok {
		return
	}
	r.Problem = solver.Problem{
		Domain: r.File.Domain, Workload: w, Neighbouring: r.Neighbouring,
		Epsilon: r.Epsilon, Delta: r.Delta, MemoryLimit: r.MemoryLimit,
		Units: float64(orDefault(r.ExpectedRows, solver.DefaultUnits)), ErrorShare: solver.ErrorShare(r.ErrorShare), Public: r.public,
	}
	checkDelta(r, f)
	checkCriteria(r, f)
	_, unknown := methods.Lookup(r.Method)
	if r.Epsilon.Validate() != nil || r.Delta.Validate() != nil || unknown != nil && r.Method != "auto" {
		return // said already; no method can be judged
	}
	var err error
	if r.Chosen, _, err = methods.Choose(r.Problem, r.Method); err != nil {
		if r.Public != "" && r.public == nil && !plan.TooLarge(err) {
			return // the method may need the table, which cannot be read: said already
		}
		what, fix := plan.Refusal(r.Problem, r.Method, err)
		where := "--method"
		if plan.TooLarge(err) {
			where = "--domain"
		}
		f.add(where, what, fix)
		return
	}
	payCriteria(r, f)
	if most := plan.MostUnits(r.Problem); most > 0 && r.ExpectedRows > most && !r.Engine.clustered(r.Runner) {
		what, fix := "so large a workload", "lower --max_cells or --marginals, or drop columns"
		if r.Problem.Domain.Learns() {
			what, fix = "learned bins", "declare bins, edges or values, or take --runner=flink, spark or dataflow"
		}
		where, key := "--expected_rows", ""
		if r.stated {
			where, key = "--domain", "expected_rows: "
		}
		f.add(where, key+fmt.Sprintf("got %d; with %s at most %d units can be counted", r.ExpectedRows, what, most), fix)
	}
	if _, _, err := plan.ChargeAfter(r.Problem, r.Chosen, r.prior()); err != nil {
		_, rule, _ := strings.Cut(strings.TrimSuffix(err.Error(), "; use zCDP"), ": ") // no flag chooses the accounting
		f.add("--epsilon", fmt.Sprintf("got %g with --delta=%g; method %s: %s", float64(r.Epsilon), float64(r.Delta), r.Chosen.Name, rule),
			"change one of them, or --method")
	}
}
