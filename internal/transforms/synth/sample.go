package synth

import (
	"context"
	"fmt"
	"reflect"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamgraph "github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
	"github.com/dapple-dp/dapple/internal/transforms/internal/pipeline"
)

// sourcePrefix begins the Source of sampled chunks; the hash of their model follows, as in ModelRef.
const sourcePrefix = "model "

// Sample returns rows of the released model: structs of type p.As, whose fields belong to columns as in
// private.Encode, or else chunks. It costs no privacy. The rows are the same for any number of shards. If the domain has
// events they are rows of people, each with the number of its person under the name of the privacy ID.
//
// Chunks name the release that they were sampled from in their Source, as sourcePrefix and the hash of the model. A
// program that writes rows without Write should refuse chunks of two releases: if Params.Store is not set, a runner
// that restarts a job can draw a second model, and their losses add up.
//
// It panics on invalid parameters, and if a column cannot be written to p.As: a column that can be NULL needs a
// pointer.
func Sample(s beam.Scope, r Release, p SampleParams) beam.PCollection {
	r.mustBe()
	return sample(s.Scope("dapple.Sample"), r, p, oneTable)
}

// sample returns the rows of one of the tables.
func sample(s beam.Scope, r Release, p SampleParams, table int) beam.PCollection {
	w := checked(r, p.write())
	if p.As != nil {
		if err := validateColumns(p.As, written(r.domain, table)); err != nil {
			panic(err.Error())
		}
	}
	maker := chunksFn{newSampleFn(r, w), table}
	return branches(s, r, w, func(s beam.Scope, shards beam.PCollection) beam.PCollection {
		if p.As == nil {
			return beam.ParDo(s, &maker, shards)
		}
		return beam.ParDo(s, &structsFn{maker, beam.EncodedType{T: p.As}, emptyColumn(p.As, r.domain, written(r.domain, table))}, shards, beam.TypeDefinition{Var: beam.XType, T: p.As})
	})
}

// ValidateStruct lists all columns of d that cannot be written to a field of t, a struct type or a
// pointer to one.
func ValidateStruct(t reflect.Type, d *domain.Domain) error { return validateColumns(t, d.Written()) }

// validateColumns is ValidateStruct for the columns of what is written.
func validateColumns(t reflect.Type, columns *domain.Domain) error {
	if _, err := fields.Output(t, columns); err != nil {
		return fmt.Errorf("synth: rows cannot be written as %v:\n%w", t, err)
	}
	return nil
}

// Write writes rows of the released model to p.Sink, each worker its own shards, and publishes them
// when all are there. It returns a PCollection of one Published. It panics on invalid parameters.
func Write(s beam.Scope, r Release, p WriteParams) beam.PCollection {
	s = s.Scope("dapple.Write")
	p = checked(r, p)
	if p.Sink.Kind == "" {
		panic("synth: Write needs a Sink; tables.Write has one for directories and tables")
	}
	if p.Tables && r.domain.Events == nil {
		panic("synth: two tables are of people and their rows, and the domain has no events")
	}
	maker := newSampleFn(r, p)
	files := branches(s, r, p, func(s beam.Scope, shards beam.PCollection) beam.PCollection {
		return beam.ParDo(s, &filesFn{maker}, shards)
	})
	s = s.Scope("dapple.Publish")
	grouped := beam.CoGroupByKey(s, beam.AddFixedKey(s, files), beam.AddFixedKey(s, r.refs))
	published := beam.Reshuffle(s, beam.ParDo(s, &publishFn{Store: r.store, Params: p, Columns: r.domain.Names()}, grouped))
	beam.ParDo0(s, ignore, published) // while a step that nothing reads from runs, prism asks without a pause whether it is done
	return published
}

func ignore(Published) {}

// checked returns p with its defaults. It panics on faults, and on a release that no transform returned.
func checked(r Release, p WriteParams) WriteParams {
	r.mustBe()
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	if err := whereFault(p.Where, r.domain); err != nil {
		panic(err.Error())
	}
	return p.withDefaults()
}

// branches sends shard numbers through one or several parallel branches. The grouping on the shard
// number keeps a runner from fusing all shards onto one worker.
func branches(s beam.Scope, r Release, p WriteParams, sample func(beam.Scope, beam.PCollection) beam.PCollection) beam.PCollection {
	out := make([]beam.PCollection, p.Branches)
	for b := range out {
		shards := beam.ParDo(s, &shardsFn{Branch: b, Branches: p.Branches, Shards: p.Shards * p.tables(), Pipeline: launchedOf(s).id}, r.refs)
		out[b] = sample(s, beam.GroupByKey(s, shards))
	}
	if len(out) == 1 {
		return out[0]
	}
	return beam.Flatten(s, out...)
}

func init() {
	register.Function1x0(ignore)
	dofn.Register[shardsFn](dofn.Method2x1("ProcessElement", (*shardsFn).ProcessElement))
	dofn.Register[chunksFn](dofn.Method4x1("ProcessElement", (*chunksFn).ProcessElement))
	dofn.Register[filesFn](dofn.Method4x1("ProcessElement", (*filesFn).ProcessElement))
	dofn.Register[structsFn](dofn.Method4x1("ProcessElement", (*structsFn).ProcessElement))
	register.Emitter1[*domain.Chunk]()
	register.Emitter1[beam.X]()
}

// shardsFn emits the shard numbers of one branch.
type shardsFn struct {
	Branch, Branches, Shards int
	Pipeline                 string // its launched.id
}

func (f *shardsFn) ProcessElement(ref ModelRef, emit func(int, ModelRef)) error {
	ref = ref.local(f.Pipeline) // a saved release is inline
	for shard := f.Branch; shard < f.Shards; shard += f.Branches {
		emit(shard, ref)
	}
	return nil
}

// sampleFn is shared by the DoFns that make rows.
type sampleFn struct {
	Params  WriteParams
	Columns []string // of the domain that was given
	Store   StoreRef
}

func newSampleFn(r Release, p WriteParams) sampleFn {
	return sampleFn{Params: p, Store: r.store, Columns: r.domain.Names()}
}

// source returns the rows of the one model that refs name, and the hash of that model.
func (f *sampleFn) source(ctx context.Context, refs func(*ModelRef) bool) (src *rowSource, model string, err error) {
	ref, err := onlyRef(refs)
	if err != nil {
		return nil, "", err
	}
	src, err = f.open(ctx, ref)
	return src, ref.SHA256, err
}

// shard makes the rows of one shard of a table, in the chunks that next returns. Each chunk has the hash of the model as
// its source.
func (f *sampleFn) shard(ctx context.Context, table, shard int, src *rowSource, model string, next func() *domain.Chunk, visit func(*domain.Chunk) error) error {
	from, to := src.block(shard, f.Params.shards(src.n))
	total := src.total()
	if f.Params.Tables {
		total += src.n
	}
	return src.each(ctx, table, from, to, next, func(c *domain.Chunk) error {
		c.Source = sourcePrefix + model
		writing(ctx, &src.done, c.Rows, total)
		return visit(c)
	})
}

// chunksFn emits the rows of a shard of a table as chunks.
type chunksFn struct {
	Sample sampleFn
	Table  int
}

func (f *chunksFn) ProcessElement(ctx context.Context, shard int, refs func(*ModelRef) bool, emit func(*domain.Chunk)) error {
	src, model, err := f.Sample.source(ctx, refs)
	if err != nil {
		return err
	}
	return f.Sample.shard(ctx, f.Table, shard, src, model, newChunk, func(c *domain.Chunk) error {
		emit(c)
		return nil
	})
}

// writers holds a token for each shard that the process is writing. A shard buffers what its file format collects
// before it writes, and more shards than processors are no faster.
var writers = make(chan struct{}, runtime.GOMAXPROCS(0))

// enterWriting waits until the process may write another shard. leave ends it.
func enterWriting(ctx context.Context) (leave func(), err error) {
	select {
	case writers <- struct{}{}:
		return func() { <-writers }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// filesFn writes the rows of a shard to the sink.
type filesFn struct{ Sample sampleFn }

func (f *filesFn) ProcessElement(ctx context.Context, shard int, refs func(*ModelRef) bool, emit func(FileRef)) error {
	leave, err := enterWriting(ctx)
	if err != nil {
		return err
	}
	defer leave()
	p := f.Sample.Params
	src, model, err := f.Sample.source(ctx, refs)
	if err != nil {
		return err
	}
	table, shards := oneTable, p.shards(src.n)
	if p.Tables {
		table, shard = ofPeople+shard/p.Shards, shard%p.Shards
	}
	if shard >= shards {
		return nil // the table is too small for this many
	}
	block := shard
	if table == ofRows {
		shard += shards
	}
	shards *= p.tables()
	sink, err := sinks.Open(p.Sink.Kind, p.Sink.Config)
	if err != nil {
		return err
	}
	w, err := sink.Create(ctx, shard, shards)
	if err != nil {
		return fmt.Errorf("synth: creating shard %d: %w", shard, err)
	}
	if err := f.Sample.shard(ctx, table, block, src, model, oneChunk(), w.Write); err != nil {
		w.Abort()
		return fmt.Errorf("synth: writing shard %d: %w", shard, err)
	}
	file, err := w.Commit()
	if err != nil {
		return fmt.Errorf("synth: closing shard %d: %w", shard, err)
	}
	file.Shard, file.Model = shard, model
	emit(file)
	return nil
}

// structsFn emits the rows of a shard of a table as users' structs. The model has the domain.
type structsFn struct {
	Rows  chunksFn
	Type  beam.EncodedType
	Empty string // see EmptyColumn
}

// EmptyColumn returns the column of structs that a stage has left empty, as the privacy ID of rows that are nobody's; "" if
// none is empty, or another step than the stage has made the structs.
func EmptyColumn(s beam.Scope, rows beam.PCollection) string {
	edges, _, err := pipeline.Graph(s).Build()
	if err != nil {
		return "" // Beam says why when the pipeline is run
	}
	maker := map[*beamgraph.Node]*beamgraph.MultiEdge{}
	for _, e := range edges {
		for _, out := range e.Output {
			maker[out.To] = e
		}
	}
	e := maker[pipeline.Node(rows)]
	for e != nil && e.Op == beamgraph.Flatten { // of branches that are alike
		e = maker[e.Input[0].From]
	}
	if e == nil || e.Op != beamgraph.ParDo {
		return ""
	}
	f, _ := e.DoFn.Recv.(*structsFn)
	if f == nil {
		return ""
	}
	return f.Empty
}

// emptyColumn returns the column of a struct type that rows of a table have no value for: of the privacy ID, if they have none.
func emptyColumn(t reflect.Type, d, columns *domain.Domain) string {
	if d.PrivacyID == "" || columns.Index(d.PrivacyID) >= 0 {
		return ""
	}
	return fields.ColumnOf(t, d.PrivacyID)
}

func (f *structsFn) ProcessElement(ctx context.Context, shard int, refs func(*ModelRef) bool, emit func(beam.X)) error {
	src, model, err := f.Rows.Sample.source(ctx, refs)
	if err != nil {
		return err
	}
	d := written(src.domain, f.Rows.Table)
	m, err := fields.Output(f.Type.T, d)
	if err != nil {
		return fmt.Errorf("synth: %w", err)
	}
	writer, pointer := m.NewWriter(d), f.Type.T.Kind() == reflect.Pointer
	return f.Rows.Sample.shard(ctx, f.Rows.Table, shard, src, model, oneChunk(), func(c *domain.Chunk) error {
		for i := range c.Rows {
			if v := writer.Write(c, i); pointer {
				emit(v.Addr().Interface())
			} else {
				emit(v.Interface())
			}
		}
		return nil
	})
}
