package expansion

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	domainfile "github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
)

// DiscoverIdentifier names the transform that finds a domain.
const DiscoverIdentifier = "beam:schematransform:dapple:discover:v1"

// domainTag is its output.
const domainTag = "domain"

const discoverDescription = "Finds what private rows can contain, with differential privacy. The output domain has one row: the text of a domain file, " +
	"which carries what it has cost. A pipeline that synthesizes with it is another pipeline, and adds the cost to its statement."

// findOptions are what a caller of discover configures.
type findOptions struct {
	PrivacyID    string  `beam:"privacy_id" about:"The field that names the people, or none if every row is another person."`
	Domain       *string `beam:"domain" about:"The text of a domain file that leaves parts to be found. They alone are, and the rest of it costs nothing. Default: all fields are found."`
	Epsilon      float64 `beam:"epsilon" about:"ε, what the finding may spend; there is no safe default. A tenth of what the rows are to spend is common."`
	Delta        float64 `beam:"delta" about:"δ of that, above 0: values are found at the price of it. Far below 1/(number of people)."`
	Neighbouring *string `beam:"neighbouring" about:"add_remove (default) or replace: the relation of the releases that use the domain."`
	Store        *string `beam:"store" about:"Directory, local or gs:// or s3://, that all workers see. It keeps what was found, so that a job that is started again draws no second noise. Required unless the runner is known not to retry."`
	RunID        *string `beam:"run_id" about:"Names the finding in store, and is required with it: the same for every attempt, another for the next."`
	NoRetries    *bool   `beam:"no_retries" about:"true: you know that the runner starts no step of this job twice, and no store is needed."`
	Ledger       *string `beam:"ledger" about:"Budget book that is charged before noise is drawn: a directory that all workers see, or gs:// or s3://. run_id is required with it. A release that uses the domain does not charge the finding again."`
}

// FoundDomain is the one row of the output called domain. It is public.
type FoundDomain struct {
	Domain  string   `beam:"domain"` // the text of a domain file
	Epsilon float64  `beam:"epsilon"`
	Delta   float64  `beam:"delta"`
	LeftOut []string `beam:"left_out"` // columns with too little found, with the reason
}

func init() {
	beam.RegisterType(reflect.TypeFor[FoundDomain]())
	beam.RegisterDoFn(reflect.TypeFor[fileFn]())
	register.Emitter1[FoundDomain]()
}

// expandDiscover makes the stage that finds a domain.
func (s *Server) expandDiscover(payload *pipepb.SchemaTransformPayload, rows *pipepb.Schema, pipeline *structpb.Struct) (*graph, error) {
	var o findOptions
	if err := readOptions(payload, "discover", &o); err != nil {
		return nil, err
	}
	in, columns, err := findable(rows, o.unit())
	open, unopened := o.open(rows)
	if open != nil && !open.Whole {
		columns = publish.OpenColumns(open.Columns)
		for i := range columns {
			if columns[i].Type == domain.Numeric {
				columns[i].Scale = cellkind.MaxPlaces // its cells are texts in rows of others
			}
		}
	}
	p, faults := o.params(columns)
	p.Rows = publish.OpenRows(open)
	if err := errors.Join(err, unopened, faults, retries(o.Store, o.NoRetries, pipeline)); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return build(in, s.Environment, func(scope beam.Scope, col beam.PCollection) map[string]beam.PCollection {
		found := discover.Discover(scope, col, p)
		file := beam.ParDo(scope.Scope("dapple.File"), &fileFn{Domain: value(o.Domain)}, found)
		return map[string]beam.PCollection{domainTag: file}
	})
}

// open returns what the domain file leaves to be found of rows of a schema, or all that is wrong with it; nil: there is no file.
func (o *findOptions) open(s *pipepb.Schema) (*domainfile.Open, error) {
	if o.Domain == nil {
		return nil, nil
	}
	file, open, err := domainfile.ParseOpen("domain", []byte(*o.Domain))
	switch {
	case err != nil:
		return nil, err
	case open == nil:
		return nil, errors.New("domain: nothing in it is to be found; write find in place of a value, or leave out what a field can contain")
	case file.Charge != nil:
		return nil, errors.New("domain: found: it carries what an earlier finding has cost, and a file carries one; find all parts at once")
	case file.Domain.PrivacyID != o.unit():
		return nil, fmt.Errorf("privacy_id %q differs from the domain's; give the same", o.PrivacyID)
	}
	errs := columnFaults(s, file.Domain)
	for _, c := range open.Columns {
		for _, f := range s.GetFields() {
			if own := heldBy(f.GetType()); f.GetName() == c.Name && own.fits != nil && own.fits[0] != c.Type {
				errs = append(errs, fmt.Errorf("column %q is %v in the domain and %s in the rows; to find what it can contain, declare it as %v, or make it a str", c.Name, c.Type, own.name, own.fits[0]))
			}
		}
	}
	return open, errors.Join(errs...)
}

// unit is the privacy ID; empty: every row is a unit.
func (o *findOptions) unit() string {
	if o.PrivacyID == domainfile.NoPrivacyID {
		return ""
	}
	return o.PrivacyID
}

// params are the parameters of Discover, which may spend all of its budget.
func (o *findOptions) params(columns []discover.Column) (p discover.Params, err error) {
	p = discover.Params{Columns: columns, PrivacyID: o.unit(), Epsilon: dp.Epsilon(o.Epsilon), Delta: dp.Delta(o.Delta), Share: dp.ShareOf(1, 1), RunID: value(o.RunID), Book: value(o.Ledger)}
	var errs []error
	if o.PrivacyID == "" {
		errs = append(errs, errors.New("privacy_id is required, since it says who is protected: a field, or none if every row is another person"))
	}
	if p.Neighbouring, err = neighbouring(o.Neighbouring); err != nil {
		errs = append(errs, err)
	}
	p.Store, err = storeOf(o.Store, o.RunID, o.Ledger)
	return p, errors.Join(append(errs, err)...)
}

// findable returns the Go type of rows, and their columns but the privacy ID, or all that is wrong with them.
func findable(s *pipepb.Schema, id string) (in reflect.Type, columns []discover.Column, err error) {
	if err := errors.Join(schemaFaults(s)...); err != nil {
		return nil, nil, err
	}
	var errs []error
	known := id == ""
	for _, f := range s.GetFields() {
		held := heldBy(f.GetType())
		if f.GetName() == id {
			known, errs = true, append(errs, held.idFault(id))
			continue
		}
		c := discover.Column{Name: f.GetName(), Type: domain.String}
		if held.fits != nil {
			c.Type = held.fits[0]
		}
		columns = append(columns, c)
	}
	if !known {
		errs = append(errs, fmt.Errorf("privacy_id %q is no field of the rows", id))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, nil, err
	}
	in, err = typeOf(s)
	return in, columns, err
}

// fileFn makes a domain file of what was found.
type fileFn struct {
	Domain string // the file with open parts; empty: no file
}

func (f *fileFn) ProcessElement(text string, emit func(FoundDomain)) error {
	found, err := discover.Decode([]byte(text))
	if err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	var open *domainfile.Open
	if f.Domain != "" {
		if _, open, err = domainfile.ParseOpen("domain", []byte(f.Domain)); err != nil {
			return fmt.Errorf("expansion: %w", err)
		}
	}
	charge, err := publish.ChargeOf(found)
	if err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	file, err := publish.Complete(open, found, "", &charge)
	if err != nil {
		return fmt.Errorf("expansion: %w", err)
	}
	out := FoundDomain{Domain: string(file), Epsilon: charge.Epsilon, Delta: charge.Delta, LeftOut: append([]string{}, found.LeftOut()...)}
	emit(out)
	return nil
}
