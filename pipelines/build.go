package pipelines

import (
	"path/filepath"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/pipelines/plan"
	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// prismBranches is how many stages prism runs side by side.
const prismBranches = 8

// launch is what one run of a request adds to it.
type launch struct {
	runID string // random and public
	seed  uint64 // of the sampling
	store synth.StoreRef
}

// Build lays a request out as one graph: records, codes, one record for each privacy unit, counts,
// model, rows. Everything before Solve is private and cannot leave these types; everything after it is
// public.
func Build(s beam.Scope, r *Request, l launch) {
	dom := r.File.Domain

	records := private.EncodeWith(s, r.source(s), dom, encodeParams(r))
	units := private.Bound(s, records, private.BoundParams{})
	stats := counts.CountWith(s, units, r.Problem.Workload, countParams(r))

	model := synth.Solve(s, stats, synth.Params{
		Epsilon: r.Epsilon, Delta: r.Delta, Neighbouring: r.Neighbouring,
		Method: r.Chosen.Name, Units: r.Problem.Units, MemoryLimit: r.MemoryLimit,
		SolverSeed: l.seed, Store: l.store, RunID: l.runID,
	})

	synth.Write(s, model, synth.SampleParams{
		Rows: r.Rows, Shards: r.Shards, Branches: prismBranches, Seed: l.seed, Sink: r.sink(l.runID).ref(),
	})
}

func encodeParams(r *Request) private.EncodeParams {
	if r.Strict {
		return private.EncodeParams{Unreadable: private.FailWithPosition}
	}
	return private.EncodeParams{}
}

// countParams asks for the universe's own counts where the method measures them.
func countParams(r *Request) counts.Params {
	return counts.Params{MaxCells: plan.CountedCells, Cliques: r.Chosen.Cliques(r.Problem)}
}

// sink returns where the run's rows and released files go.
func (r *Request) sink(runID string) *directory {
	d := &directory{
		Rows:   dirsink.Dir{Path: r.Output, RunID: runID, Shards: r.Shards, Extension: r.Format, Overwrite: r.Overwrite},
		Format: r.Format, Domain: *r.File.Domain, Workload: r.Problem.Workload, RowsAsked: r.Rows, Describe: true,
	}
	if filepath.Clean(r.Release) != filepath.Clean(r.Output) {
		d.Release = dirsink.Dir{Path: r.Release, RunID: runID, Overwrite: r.Overwrite}
	}
	return d
}

// sampled returns where the rows of a sampling go.
func sampled(c SampleConfig, d *domain.Domain, runID string) *directory {
	return &directory{
		Rows:   dirsink.Dir{Path: c.Output, RunID: runID, Shards: c.Shards, Extension: c.Format, Overwrite: c.Overwrite},
		Format: c.Format, Domain: *d, RowsAsked: c.Rows,
	}
}
