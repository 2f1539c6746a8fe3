package table

import (
	"cmp"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/bigqueryio"
	"github.com/dapple-dp/dapple/io/schema"
)

// BigQuery is a table or a view of BigQuery.
type BigQuery struct {
	Options
	Table bigqueryio.Table

	source *bigqueryio.Source // as it was at the last Check
}

func findBigQuery(input string, o Options) (*BigQuery, error) {
	t, err := bigqueryio.ParseTable(input)
	if err != nil {
		return nil, err
	}
	o.BigQuery.Project = cmp.Or(o.BigQuery.Project, t.Project)
	return &BigQuery{Options: o, Table: t}, nil
}

// Check reads the table's metadata. From then on reading gives the rows of this moment, where BigQuery
// can look back.
func (t *BigQuery) Check(ctx context.Context, d *domain.Domain, _ schema.CSV) error {
	source, err := bigqueryio.Check(ctx, t.Options.BigQuery, t.Table, d, t.Options.Read)
	if err != nil {
		return err
	}
	t.source = &source
	return nil
}

// Identity names the table and the time of its last change. Of views, whose tables can change, nothing is known.
func (t *BigQuery) Identity() (id string, known bool) {
	s := t.checked()
	return fmt.Sprintf("%s %d", s.Table, s.Modified), s.Modified != 0
}

// ByMetadata returns true.
func (t *BigQuery) ByMetadata() bool { return true }

// Read returns the records in a pipeline, as *domain.Chunk. It panics if Check has not succeeded.
func (t *BigQuery) Read(s beam.Scope, _ *domain.Domain, _ schema.CSV) beam.PCollection {
	return bigqueryio.Read(s, t.checked())
}

// Each hands all records to yield, chunk by chunk. It panics if Check has not succeeded.
func (t *BigQuery) Each(ctx context.Context, _ *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	return bigqueryio.Each(ctx, t.checked(), yield)
}

func (t *BigQuery) checked() bigqueryio.Source {
	if t.source == nil {
		panic("table: a table of BigQuery is read after Check")
	}
	return *t.source
}

// Bytes returns 0: what is read is not known before.
func (t *BigQuery) Bytes() int64 { return 0 }

// Note says as of when the table is read, once it has been checked.
func (t *BigQuery) Note() string {
	if t.source == nil {
		return ""
	}
	return t.source.Note()
}
