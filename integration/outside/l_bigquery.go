package outside

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/tables"
)

// warehouse: rows to a table of BigQuery, statement and model to a directory.
func warehouse(name, stage, statement string) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, records(2000)), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9})
	tables.Write(s, tables.Sample{Release: release}, table.Target{Output: name, Stage: stage, Release: statement})
	return p
}
