package bigqueryio

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	tables "github.com/dapple-dp/dapple/internal/io/table"
)

// Options are the settings of this place: how it is reached, and how it is read.
type Options struct {
	Client // Project: who pays for queries and jobs; default: the table's own project
	Read   ReadOptions
}

// Configure changes BigQuery's among the settings of all places.
func Configure(all *tables.Options, change func(*Options)) {
	var o Options
	_ = all.Get(scheme, &o) // what cannot be read is replaced
	change(&o)
	all.Set(scheme, o)
}

const scheme = "bq"

func init() {
	tables.RegisterPlace(tables.Place{Scheme: scheme, Source: findPlaced, Target: targetFaults, Sink: openLoaded})
}

// placed is a table or a view as a source of rows.
type placed struct {
	Options
	table  Table
	source *Source // as it was at the last Check
}

func findPlaced(_ context.Context, name string, o tables.Options) (tables.Source, error) {
	t, err := ParseTable(name)
	if err != nil {
		return nil, err
	}
	p := &placed{table: t}
	if err := o.Get(scheme, &p.Options); err != nil {
		return nil, err
	}
	p.Project = cmp.Or(p.Project, t.Project)
	return p, nil
}

// Check reads the table's metadata. From then on reading gives the rows of this moment, if BigQuery keeps their
// history.
func (t *placed) Check(ctx context.Context, d *domain.Domain, _ schema.CSV) error {
	source, err := Check(ctx, t.Client, t.table, d, t.Options.Read)
	if err != nil {
		return err
	}
	t.source = &source
	return nil
}

// Identity names the table and the time of its last change. A view has no identity, since its tables can change.
func (t *placed) Identity() (id string, known bool) {
	s := t.checked()
	return fmt.Sprintf("%s %d", s.Table, s.Modified), s.Modified != 0
}

func (t *placed) ByMetadata() bool { return true }

func (t *placed) Form(schema.CSV) schema.CSV { return schema.CSV{} }

func (t *placed) Columns(ctx context.Context, _ schema.CSV) ([]string, error) {
	columns, err := Describe(ctx, t.Client, t.table)
	return tables.Names(columns), err
}

func (t *placed) Describe(ctx context.Context, _ schema.CSV) ([]tables.Column, schema.CSV, error) {
	columns, err := Describe(ctx, t.Client, t.table)
	return columns, schema.CSV{}, err
}

func (t *placed) Read(s beam.Scope, _ *domain.Domain, _ schema.CSV) beam.PCollection {
	return Read(s, t.checked())
}

func (t *placed) Each(ctx context.Context, _ *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	return Each(ctx, t.checked(), yield)
}

func (t *placed) checked() Source {
	if t.source == nil {
		panic("bigquery: a table is read after Check")
	}
	return *t.source
}

// Bytes returns 0: what is read is not known before.
func (t *placed) Bytes() int64 { return 0 }

// Note states the time at which the table is read, once it has been checked.
func (t *placed) Note() string {
	if t.source == nil {
		return ""
	}
	return t.source.Note()
}
