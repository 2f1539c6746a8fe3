package pipelines

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/transforms/counts"
	"github.com/dapple-dp/dapple/transforms/private"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// launch holds the values that are new in every run of a request.
type launch struct {
	runID  string // random and public
	seed   uint64 // of the sampling
	store  synth.StoreRef
	output *output
	spill  *private.Spill // of a run in this process
}

// build makes one graph of a request: records, codes, one record for each privacy unit, counts, model, rows.
// Everything before Solve is private and cannot leave these types; everything after it is public.
func build(s beam.Scope, r *Request, l launch) {
	units := private.Bound(s, encode(s, r), boundParams(r, l))
	stats := counts.Count(s, units, r.Problem.Workload, countParams(r))

	model := synth.Solve(s, stats, synth.SolveParams{
		Epsilon: r.Epsilon, Delta: r.Delta, Neighbouring: r.Neighbouring,
		Method: r.Chosen.Name, Units: r.Problem.Units, MemoryLimit: r.MemoryLimit,
		SolverSeed: l.seed, Criteria: r.Problem.Criteria, Public: r.Problem.Public, Store: l.store, RunID: l.runID,
	})

	write(s, r, l, model)
}

// write is the part of build after the release, and depends on nothing else.
func write(s beam.Scope, r *Request, l launch, model synth.Release) {
	shards, minRows := shardsOf(r.Shards, r.File.Domain)
	synth.Write(s, model, synth.SampleParams{
		Rows: r.Rows, Shards: shards, MinRows: minRows, Branches: r.Engine.branches(r.Runner), Seed: l.seed, Sink: l.output.ref(),
		MinCount: r.MinCount, Tables: r.Tables,
	})
}

// encode reads the table, or people and their rows.
func encode(s beam.Scope, r *Request) private.Coded {
	dom := r.File.Domain
	if r.people == nil {
		return private.Encode(s, r.source.Read(s, dom.Recorded(), r.File.CSV), dom, encodeParams(r))
	}
	people, rows, _, _ := dom.Events.Split(dom.Recorded())
	return private.EncodePeople(s, r.people.Read(s.Scope("people"), people, r.File.CSV.WithHeader()), r.source.Read(s, rows, r.File.CSV), dom, encodeParams(r))
}

func encodeParams(r *Request) private.EncodeParams {
	if r.Strict {
		return private.EncodeParams{Unreadable: private.FailWithPosition}
	}
	return private.EncodeParams{}
}

// boundParams spreads a large input over more shards. Engines on clusters pass records on in small messages.
func boundParams(r *Request, l launch) private.BoundParams {
	bytes, _ := r.inputBytes()
	p := private.BoundParams{Shards: plan.Shards(bytes, r.Engine.java(r.Runner)), Spill: l.spill}
	if l.spill != nil {
		p.MaxEntries = 1 << 19 // some four bundles are in memory at a time, and what is written early costs little
	}
	if r.Engine.clustered(r.Runner) {
		p.MaxBundle = -1
	}
	return p
}

// countParams asks for the counts of the whole universe if the method measures them.
func countParams(r *Request) counts.Params {
	p := counts.Params{MaxCells: plan.CountedCells, Cliques: r.Chosen.Cliques(r.Problem)}
	if r.Engine.clustered(r.Runner) {
		p.MaxPart = plan.KeptPart
	}
	return p
}
