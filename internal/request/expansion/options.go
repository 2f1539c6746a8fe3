package expansion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx/schema"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	domainfile "github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/solver"
)

// options are what a caller configures. A pointer and a slice may be left out.
type options struct {
	Domain       string     `beam:"domain" about:"The text of a domain file: columns with their types, values and ranges, the privacy ID, and perhaps a workload. dapple help domain explains it."`
	Epsilon      float64    `beam:"epsilon" about:"ε, the privacy budget; there is no safe default. 1 is a common choice, smaller is more private."`
	Delta        float64    `beam:"delta" about:"δ; there is no safe default: far below 1/(number of people), or 0 for pure differential privacy."`
	Neighbouring *string    `beam:"neighbouring" about:"add_remove (default) or replace."`
	Rows         *int64     `beam:"rows" about:"Rows to make; default: the released number of privacy units."`
	Workload     [][]string `beam:"workload" about:"Marginals to keep, each a list of columns; default: the marginals of the domain file, else all of up to {width} columns."`
	Units        *float64   `beam:"units" about:"Public planning number of privacy units, default {units}; never the true one."`
	Method       *string    `beam:"method" about:"auto (default) or a method that dapple plan lists."`
	MemoryLimit  *int64     `beam:"memory_limit" about:"Bytes of memory for the fit."`
	ErrorShare   *float64   `beam:"error_share" about:"Part of the budget with which the error of the result is measured, default {error_share}; 0: it is not measured."`
	Shards       *int64     `beam:"shards" about:"Blocks of rows that workers make side by side, default {shards}; the rows do not depend on it."`
	SampleSeed   *int64     `beam:"sample_seed" about:"Repeats the drawing of rows from a model, never the noise; default: random."`
	Store        *string    `beam:"store" about:"Directory, local or gs:// or s3://, that all workers see. It keeps the release, so that a job that is started again draws no second noise. Required unless the runner is known not to retry. It is private until the rows are written; remove it then."`
	RunID        *string    `beam:"run_id" about:"Names the release in store, and is required with it: the same for every attempt at one release, which then adopts it and spends nothing; another for the next, such as orders-2026-11-24. A pipeline that is kept and launched again has the same one, and adopts: expand it anew with another to release again."`
	NoRetries    *bool      `beam:"no_retries" about:"true: you know that the runner starts no step of this job twice, and no store is needed."`
	Ledger       *string    `beam:"ledger" about:"Budget book that is charged before noise is drawn, under run_id, which is required: a directory that all workers see, or gs:// or s3://. dapple ledger makes one. A release that does not fit is refused."`
	Budget       *string    `beam:"budget" about:"Name of a budget that several releases share, whose losses count together. They say the same budget_epsilon and budget_delta."`
	BudgetE      *float64   `beam:"budget_epsilon" about:"ε of the budget: what its releases may spend together."`
	BudgetD      *float64   `beam:"budget_delta" about:"δ of the budget."`
}

// defaults puts the numbers that stand for options left out into what is said about them.
var defaults = strings.NewReplacer("{width}", fmt.Sprint(query.DefaultWidth), "{units}", fmt.Sprint(solver.DefaultUnits),
	"{error_share}", fmt.Sprint(solver.DefaultErrorShare), "{shards}", fmt.Sprint(publish.DefaultShards))

// about returns what is said about an option.
func about(f reflect.StructField) string { return defaults.Replace(f.Tag.Get("about")) }

// configSchema is the schema of options of a type, with a description of each.
func configSchema(t reflect.Type) (*pipepb.Schema, error) {
	s, err := schema.FromType(t)
	if err != nil {
		return nil, fmt.Errorf("expansion: %w", err)
	}
	for i, f := range s.GetFields() {
		f.Description = about(t.Field(i))
		f.Type.Nullable = f.Type.Nullable || t.Field(i).Type.Kind() == reflect.Slice
	}
	return s, nil
}

// readOptions decodes the configuration of a request of a transform by its own schema, and sets options, a pointer to a
// struct, by name: a caller may have discovered the options or written them as it likes.
func readOptions(p *pipepb.SchemaTransformPayload, transform string, options any) error {
	names := p.GetConfigurationSchema().GetFields()
	var errs []error
	for _, f := range names {
		errs = append(errs, nameFault("option", f.GetName()))
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	t, err := schema.ToType(p.GetConfigurationSchema())
	if err != nil {
		return fmt.Errorf("the options have types that are not known here (%w)", err)
	}
	decode, err := coder.RowDecoderForStruct(t)
	if err != nil {
		return fmt.Errorf("the options have types that are not known here (%w)", err)
	}
	row, err := decode(bytes.NewReader(p.GetConfigurationRow()))
	if err != nil {
		return errors.New("the options are no row of their schema")
	}
	values := map[string]reflect.Value{}
	for i, f := range names {
		values[f.GetName()] = reflect.ValueOf(row).Field(i)
	}
	return take(reflect.ValueOf(options).Elem(), transform, values)
}

// take sets options by name, and lists all faults.
func take(out reflect.Value, transform string, values map[string]reflect.Value) error {
	var errs []error
	var known []string
	for i := range out.NumField() {
		field := out.Type().Field(i)
		name := field.Tag.Get("beam")
		known = append(known, name)
		v, given := values[name]
		given = given && !(v.Kind() == reflect.Pointer && v.IsNil())
		switch {
		case given && !assign(out.Field(i), v):
			errs = append(errs, fmt.Errorf("%s: want %s", name, wanted(field.Type)))
		case !given && field.Type.Kind() != reflect.Pointer && field.Type.Kind() != reflect.Slice:
			errs = append(errs, fmt.Errorf("%s is required: %s", name, about(field)))
		}
		delete(values, name)
	}
	for name := range values {
		fix := "see dapple help expand"
		if near := errtext.Nearest(name, known); near != "" {
			fix = "did you mean " + near + "?"
		}
		errs = append(errs, fmt.Errorf("%s is no option of %s; %s", name, transform, fix))
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

// assign sets dst to a value of another type that holds no more: a whole number is a float too.
func assign(dst, src reflect.Value) bool {
	if src.Kind() == reflect.Pointer {
		src = src.Elem()
	}
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	switch {
	case src.Type() == dst.Type():
		dst.Set(src)
	case dst.Kind() == reflect.Float64 && src.CanInt():
		dst.SetFloat(float64(src.Int()))
	case dst.Kind() == reflect.Int64 && src.CanInt():
		dst.SetInt(src.Int())
	case dst.Kind() == reflect.Float64 && src.CanFloat():
		dst.SetFloat(src.Float())
	default:
		return false
	}
	return true
}

// wanted names a type of options as people do who have no Go.
func wanted(t reflect.Type) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a list of lists of columns"
}

// params are the parameters of Synthesize for a domain file, but for the type of its rows.
func (o *options) params(f *domainfile.File) (p synth.Params, err error) {
	p = synth.Params{
		Domain: f.Domain, Epsilon: dp.Epsilon(o.Epsilon), Delta: dp.Delta(o.Delta), Rows: value(o.Rows),
		Units: value(o.Units), Method: value(o.Method), MemoryLimit: value(o.MemoryLimit),
		Shards: int(value(o.Shards)), SampleSeed: uint64(value(o.SampleSeed)),
	}
	if o.ErrorShare != nil {
		if p.ErrorShare = *o.ErrorShare; p.ErrorShare == 0 {
			p.ErrorShare = -1
		}
	}
	var errs []error
	errs = append(errs, p.Epsilon.Validate(), p.Delta.Validate())
	if p.Neighbouring, err = neighbouring(o.Neighbouring); err != nil {
		errs = append(errs, err)
	}
	p.RunID, p.Book = value(o.RunID), value(o.Ledger)
	if p.Store, err = storeOf(o.Store, o.RunID, o.Ledger); err != nil {
		errs = append(errs, err)
	}
	if err = nil; value(o.Store) == "" {
		p.NoStore = "the caller's runner starts no job again, or its option no_retries says so"
	}
	switch {
	case len(o.Workload) > 0:
		p.Workload, err = marginals(f.Domain, o.Workload)
	case len(f.Workload) > 0:
		p.Workload, err = workload.Listed(f)
	case f.Target != "":
		p.Workload = query.WithOrder(f.Domain, query.Default(f.Domain.Sizes())).Toward(f.Domain.Index(f.Target))
	}
	if err == nil && len(o.Workload)+len(f.Workload) > 0 { // a list of the columns of a table
		p.Workload = query.WithRows(f.Domain, p.Workload, query.DefaultCells)
	}
	return p, errors.Join(append(errs, err)...)
}

// neighbouring is a relation by its name; nil: add_remove.
func neighbouring(name *string) (dp.Neighbouring, error) {
	if name == nil {
		return dp.AddRemove, nil
	}
	n, err := dp.ParseNeighbouring(*name)
	if err != nil {
		return n, fmt.Errorf("option neighbouring: got %q; want add_remove or replace", *name)
	}
	return n, nil
}

// storeOf is the store of a release that has a name in it, and in a budget book.
func storeOf(dir, runID, ledger *string) (ref synth.StoreRef, err error) {
	switch {
	case value(dir) == "" && (value(runID) == "") == (value(ledger) == ""):
		return ref, nil
	case value(runID) == "" && value(ledger) != "":
		return ref, errors.New("run_id is required with ledger, which charges each release once: the same for every attempt at one release, another for the next, such as orders-2026-11-24")
	case value(runID) == "":
		return ref, errors.New("run_id is required with store, where it names the release: the same for every attempt at one release, another for the next, such as orders-2026-11-24")
	case value(dir) == "":
		return ref, errors.New("run_id names a release in store; name a store too, or leave run_id out")
	}
	return archive.In(*dir), nil
}

// described returns what a statement says that no release knows.
func described(ctx context.Context, f *domainfile.File, p synth.Params) (d publish.Description, err error) {
	d.Began = time.Now().UTC().Format(time.RFC3339)
	for _, x := range f.Derived {
		d.Derived = append(d.Derived, x.String())
	}
	d.Found, err = before(ctx, f, p)
	return d, err
}

// before returns what has found the domain with a budget of its own, and enters it in the budget book: that was spent, whatever
// becomes of the pipeline. nil: the domain was declared.
func before(ctx context.Context, f *domainfile.File, p synth.Params) (*report.Found, error) {
	if f.Charge == nil {
		return nil, nil
	}
	run, err := publish.RunOf(f.Charge)
	if err != nil {
		return nil, err
	}
	if run.Neighbouring != p.Neighbouring {
		return nil, fmt.Errorf("neighbouring is %s, and the domain was found for %s: add-remove and replace guarantees cannot be combined", p.Neighbouring.Flag(), run.Neighbouring.Flag())
	}
	if p.Book != "" {
		step := book.Step{Dir: p.Book, Neighbouring: p.Neighbouring, PrivacyID: p.Domain.PrivacyID, Epsilon: p.Epsilon}
		if err := step.Before(ctx, f.Charge.ID, run); err != nil {
			return nil, fmt.Errorf("ledger: %w", err)
		}
	}
	release := accountant.Run{Neighbouring: p.Neighbouring, Accounting: dp.Pure, Epsilon: p.Epsilon, Delta: p.Delta, Loss: new(big.Rat)} // what it draws is planned later: ε and δ add
	return publish.FoundBefore(f.Charge.ID, run, release), nil
}

// budget returns the budget of a name, which all requests of this service share.
func (s *Server) budget(o *options) (*synth.Budget, error) {
	name, total := value(o.Budget), synth.Budget{Epsilon: dp.Epsilon(value(o.BudgetE)), Delta: dp.Delta(value(o.BudgetD))}
	if name == "" {
		if o.BudgetE != nil || o.BudgetD != nil {
			return nil, errors.New("budget_epsilon and budget_delta are of a budget; name it by budget")
		}
		return nil, nil
	}
	b := s.budgets[name]
	if b == nil {
		b = &total
		if err := b.Validate(); err != nil {
			return nil, err
		}
		if s.budgets == nil {
			s.budgets = map[string]*synth.Budget{}
		}
		s.budgets[name] = b
	}
	if b.Epsilon != total.Epsilon || b.Delta != total.Delta {
		return nil, fmt.Errorf("budget %s has ε = %g and δ = %g, and this release says %g and %g; say the same", name, float64(b.Epsilon), float64(b.Delta), float64(total.Epsilon), float64(total.Delta))
	}
	return b, nil
}

// marginals is the workload of lists of columns.
func marginals(d *domain.Domain, lists [][]string) (query.Workload, error) {
	w := query.Workload{Sizes: d.Sizes()}
	var errs []error
	for _, columns := range lists {
		attrs := make([]int, len(columns))
		for i, name := range columns {
			if attrs[i] = d.Index(name); attrs[i] < 0 {
				errs = append(errs, fmt.Errorf("%q of the option workload is no column of the domain", name))
			}
		}
		w.Marginals = append(w.Marginals, query.Marginal{Clique: domain.NewClique(attrs...), Weight: 1})
	}
	slices.SortStableFunc(w.Marginals, func(a, b query.Marginal) int { return a.Clique.Compare(b.Clique) })
	return w, errors.Join(errs...)
}

// value is what p points to; zero if to nothing.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
