package pipelines

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// launch holds the values that are new in every run of a request.
type launch struct {
	runID  string // random and public
	seed   uint64 // of the sampling
	store  synth.StoreRef
	output *output
	spill  *private.Spill // of a run whose workers are all in this process
}

// build makes one graph of a request: records, codes, one record for each privacy unit, counts, model, rows.
// Everything before Solve is private and cannot leave these types; everything after it is public.
func build(s beam.Scope, r *Request, l launch) {
	units := private.Bound(s, encode(s, r), boundParams(r, l))
	stats := counts.Count(s, units, r.Problem.Workload, countParams(r))

	model := synth.Solve(s, stats, synth.SolveParams{
		Epsilon: r.Epsilon, Delta: r.Delta, Neighbouring: r.Neighbouring,
		Method: r.Chosen.Name, Units: r.Problem.Units, MemoryLimit: r.MemoryLimit,
		SolverSeed: l.seed, Criteria: r.Problem.Criteria, ErrorShare: r.ErrorShare, Prior: r.prior(), Store: l.store, Parts: l.spill.Ref(), RunID: l.runID,
	})

	write(s, r, l, model)
}

// write is the part of build after the release, and depends on nothing else.
func write(s beam.Scope, r *Request, l launch, model synth.Release) {
	shards, minRows := publish.Shards(r.Shards, r.File.Domain)
	synth.Write(s, model, synth.WriteParams{
		Rows: r.Rows, Shards: shards, MinRows: minRows, Branches: r.Engine.runner.Branches(), Seed: l.seed, Sink: l.output.ref(),
		Tables: r.Tables,
	})
}

// encode reads the table, or people and their rows.
func encode(s beam.Scope, r *Request) private.Coded {
	dom := r.File.Domain
	if r.people == nil {
		return private.Encode(s, read(s, r, r.source, dom.Recorded(), r.File.CSV), dom, encodeParams(r))
	}
	people, rows, _, _ := dom.Events.Split(dom.Recorded())
	return private.EncodePeople(s, read(s.Scope("people"), r, r.people, people, r.File.CSV.WithHeader()), read(s, r, r.source, rows, r.File.CSV), dom, encodeParams(r))
}

// read reads one table. Records of people go on as they are read, and Beam's runners in Java take only so many of a
// bundle.
func read(s beam.Scope, r *Request, from table.Source, d *domain.Domain, form schema.CSV) beam.PCollection {
	return readTable(s, from, d, form, r.File.Domain.PrivacyID != "" && r.Engine.runner.Java)
}

// readTable reads a table, with records apart from what is made of them if they are many messages of a bundle.
func readTable(s beam.Scope, from table.Source, d *domain.Domain, form schema.CSV, apart bool) beam.PCollection {
	t, ok := from.(interface {
		ReadApart(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection
	})
	if ok && apart {
		return t.ReadApart(s, d, form)
	}
	return from.Read(s, d, form)
}

func encodeParams(r *Request) private.EncodeParams {
	if r.Strict {
		return private.EncodeParams{Unreadable: private.FailWithPosition}
	}
	return private.EncodeParams{}
}

// boundParams spreads a large input over more shards. Engines on clusters pass records on in small messages, and in no
// message what waits in a spill.
func boundParams(r *Request, l launch) private.BoundParams {
	bytes, _ := r.inputBytes()
	small := r.Engine.runner.Java && l.spill == nil
	if small {
		bytes = max(bytes, decodedBytes(r.source)+decodedBytes(r.people))
	}
	p := private.BoundParams{Shards: plan.Shards(bytes, small), MaxBundle: r.Engine.runner.MaxBundle(), Spill: l.spill}
	if l.spill != nil {
		p.MaxEntries = 1 << 19 // some four bundles are in memory at a time, and what is written early costs little
	}
	return p
}

func decodedBytes(t table.Source) int64 {
	if f, ok := t.(interface{ DecodedBytes() int64 }); ok {
		return f.DecodedBytes()
	}
	return 0
}

// keepsRecords reports whether coded records are kept until they are counted.
func (r *Request) keepsRecords() bool {
	return counts.ShapeOf(r.File.Domain, r.Problem.Workload, countParams(r)).Records
}

// countParams asks for the counts of the whole universe if the method measures them.
func countParams(r *Request) counts.Params {
	return counts.Params{MaxCells: plan.CountedCells, Cliques: r.Chosen.Cliques(r.Problem), MaxPart: runner.KeptPart, Divide: r.Engine.runner.Restarts()}
}
