package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Request is a comparison that can be made: tables that were found and fit the domain. No row of them has
// been read.
type Request struct {
	domain           *domain.Domain // of a record
	events           *domain.Events
	workload         query.Workload
	truth, synthetic *source
	holdout          *source // nil: none
	json, html       string  // files; empty: none
}

// FieldError is what is wrong with one field of a Config.
type FieldError struct {
	Field string // its name, such as "Input"
	Err   error
}

// FieldErrors is everything that is wrong with a Config.
type FieldErrors []FieldError

func (e FieldErrors) Error() string {
	lines := lists.Of(e, func(f FieldError) string { return fmt.Sprintf("evaluate: %s: %v", f.Field, f.Err) })
	return strings.Join(lines, "\n")
}

// add adds err, unless it is nil.
func (e *FieldErrors) add(field string, err error) {
	if err != nil {
		*e = append(*e, FieldError{field, err})
	}
}

// ErrMissing says that a required field is empty.
var ErrMissing = errors.New("is required")

// Open reads the domain file, finds the tables and compares their columns with the domain's. It returns
// everything that is wrong, as FieldErrors; columns are compared if the domain file is right.
func Open(ctx context.Context, c Config) (*Request, error) {
	r, errs := &Request{json: c.JSON, html: c.HTML}, &FieldErrors{}
	file := r.openDomain(ctx, c, errs)
	r.truth = find(ctx, "Input", c.Input, true, file, c, errs)
	if file != nil && file.Domain.Events != nil {
		checkPeople(file.Domain.Events, c.People, errs)
	}
	r.synthetic = find(ctx, "Synthetic", c.Synthetic, false, file, c, errs)
	if c.Holdout != "" {
		r.holdout = find(ctx, "Holdout", c.Holdout, true, file, c, errs)
	}
	if len(*errs) > 0 {
		return nil, *errs
	}
	shareDerived(ctx, r.domain.Derived, r.truth, r.synthetic, r.holdout)
	return r, nil
}

// checkPeople refuses a table of people that nobody asked for, and misses one.
func checkPeople(e *domain.Events, people string, errs *FieldErrors) {
	switch {
	case e.NoRows && people == "":
		errs.add("People", errors.New("is required because the domain file declares rows: {min: 0}"))
	case !e.NoRows && people != "":
		errs.add("People", errors.New("is for a domain file that declares events with rows: {min: 0, …}; leave it out"))
	}
}

// openDomain reads the domain file and finds the marginals to compare; nil if the file is wrong.
func (r *Request) openDomain(ctx context.Context, c Config, errs *FieldErrors) *schema.File {
	file := readDomain(ctx, c.Domain, errs)
	if file == nil {
		return nil
	}
	file.Domain = binned(file.Domain.WithoutGaps(), c.Released)
	r.domain, r.events = file.Domain.Recorded(), file.Domain.Events
	records := *file
	records.Domain = r.domain
	records.Workload = slices.DeleteFunc(slices.Clone(file.Workload), func(e schema.WorkloadEntry) bool { // of what is made of all rows of a person
		return slices.ContainsFunc(e.Columns, func(name string) bool { return r.domain.Index(name) < 0 })
	})
	var err error
	r.workload, err = toCompare(&records, cmp.Or(c.Marginals, 3), cmp.Or(c.MaxCells, 10_000))
	errs.add("Marginals", err)
	return file
}

// binned returns d with its learned bins: the bins of a release that has learned them, of which it predicts its error, else equal
// ones.
func binned(d, released *domain.Domain) *domain.Domain {
	out := d.EqualBins()
	if released == nil || released.Learns() {
		return out
	}
	for a := range out.Attributes {
		x := &out.Attributes[a]
		i := released.Index(x.Name)
		if len(x.Runs) == 0 || released.GapNames(x.Name) != nil {
			continue
		}
		if i < 0 {
			return d.EqualBins()
		}
		y := released.Attributes[i]
		if len(y.Runs) == 0 || y.Type != x.Type || y.Scale != x.Scale || y.Null != x.Null {
			return d.EqualBins()
		}
		y.Coupling = nil
		*x = y
	}
	return out
}

// find finds a table, and compares its columns with the columns of the file, unless that is nil.
func find(ctx context.Context, field, input string, real bool, file *schema.File, c Config, errs *FieldErrors) *source {
	if input == "" {
		errs.add(field, ErrMissing)
		return nil
	}
	s, err := findSource(ctx, input, c.Services)
	if err == nil && real && c.People != "" {
		s.parents, err = table.Find(ctx, c.People, c.Services)
		if err != nil {
			errs.add("People", err)
			return nil
		}
	}
	if err == nil && file != nil {
		err = s.check(ctx, file, real)
	}
	errs.add(field, err)
	return s
}
