package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Structs are rows of other steps: structs, or pointers to them. Every exported field is a column, but for those tagged
// dapple:"-", by the name in its first tag, else by its own; a pointer can be NULL. The privacy ID is no column of rows that come
// from the stage without another step between, if the stage leaves it empty. Nothing else is published beside the rows: see
// WriteStatement.
//
// The target's RunID is required, as for synth.Params. Shards are 8 by default.
type Structs struct {
	Rows beam.PCollection // required
	// PartitionBy names the column whose values are directories, such as country=FR, below the output; its values are in their
	// names alone, as Hive has it. Each directory is published by itself, with one file, and its manifest goes to
	// the release directory, below the same name. Default: there is one directory.
	PartitionBy string
}

func (from Structs) write(s beam.Scope, to table.Target) (beam.PCollection, error) {
	if !from.Rows.IsValid() {
		return beam.PCollection{}, errors.New("the field Rows is empty; give a PCollection of structs")
	}
	t := from.Rows.Type().Type()
	to, d, err := structsTarget(t, synth.EmptyColumn(s, from.Rows), to, from.PartitionBy)
	if err == nil && from.PartitionBy == "" {
		err = ready(to)
	}
	if err != nil {
		return beam.PCollection{}, err
	}
	s = s.Scope("tables.Write")
	keyed := beam.ParDo(s, &chunkFn{Type: beam.EncodedType{T: t}, Domain: *d, PartitionBy: from.PartitionBy, Shards: to.Shards}, from.Rows)
	if from.PartitionBy != "" {
		return beam.ParDo(s, &partitionFn{PartitionBy: from.PartitionBy, Target: plain(to)}, beam.GroupByKey(s, keyed)), nil
	}
	var every []string // shards without rows are written too
	for k := range to.Shards {
		every = append(every, strconv.Itoa(k))
	}
	all := beam.Flatten(s, keyed, beam.ParDo(s, noRows, beam.CreateList(s, every)))
	refs := beam.ParDo(s, &shardFn{Target: plain(to)}, beam.GroupByKey(s, all))
	return beam.ParDo(s, &publishFn{Target: plain(to)}, beam.GroupByKey(s, beam.AddFixedKey(s, refs))), nil
}

// structsTarget completes a target for structs of type t, whose columns it returns, without the empty one.
func structsTarget(t reflect.Type, empty string, to table.Target, partitionBy string) (table.Target, *domain.Domain, error) {
	d, err := fields.Written(t)
	if err != nil {
		return to, d, err
	}
	d.Attributes = slices.DeleteFunc(d.Attributes, func(a domain.Attribute) bool { return a.Name == empty })
	to.Format = cmp.Or(to.Format, "parquet")
	to.Shards = cmp.Or(to.Shards, 8)
	var errs []error
	if to.Output == "" {
		errs = append(errs, errors.New("the field Output is empty; name a directory or a table"))
	}
	if !plainRuns.MatchString(to.RunID) {
		errs = append(errs, fmt.Errorf("RunID: got %q; want 1 to 64 letters, digits, _ and -, another for each run", to.RunID))
	}
	if partitionBy != "" {
		to.Shards = 1
		if d.Index(partitionBy) < 0 {
			errs = append(errs, fmt.Errorf("PartitionBy: got %q; the columns are %q", partitionBy, d.Names()))
		}
		if isPlaced(to) {
			errs = append(errs, errors.New("PartitionBy is for directories"))
		}
	}
	to.Domain = d
	return to, d, errors.Join(append(errs, formatOf(to, d))...)
}

func formatOf(to table.Target, d *domain.Domain) error {
	if isPlaced(to) {
		return nil
	}
	return formatFault(to, d)
}

// plain returns a target as the text from which workers read it.
func plain(to table.Target) string { return string(wire.JSON(to)) }

func unplain(text string) (to table.Target, err error) {
	err = json.Unmarshal([]byte(text), &to)
	return to, err
}

func init() {
	dofn.Register[chunkFn](
		dofn.Method0x1("Setup", (*chunkFn).Setup),
		dofn.Method1x1("StartBundle", (*chunkFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*chunkFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*chunkFn).FinishBundle),
	)
	dofn.Register[partitionFn](dofn.Method4x1("ProcessElement", (*partitionFn).ProcessElement))
	dofn.Register[shardFn](dofn.Method4x1("ProcessElement", (*shardFn).ProcessElement))
	dofn.Register[publishFn](dofn.Method4x1("ProcessElement", (*publishFn).ProcessElement))
	register.Function1x2(noRows)
	register.Emitter2[string, *domain.Chunk]()
	register.Emitter1[synth.FileRef]()
	register.Iter1[*domain.Chunk]()
	register.Iter1[synth.FileRef]()
}

func noRows(shard string) (string, *domain.Chunk) { return shard, &domain.Chunk{} }

// chunkRows is how many structs of one file go on together.
const chunkRows = 4096

// chunkFn makes chunks of structs, by the partition or the shard that they belong to.
type chunkFn struct {
	Type        beam.EncodedType
	Domain      domain.Domain
	PartitionBy string
	Shards      int

	of    map[string]*growing
	next  int
	probe *fields.Appender // of the partition that one row belongs to
}

// growing is a chunk that more structs are appended to.
type growing struct {
	appender *fields.Appender
	chunk    *domain.Chunk
}

func (f *chunkFn) Setup() (err error) {
	f.probe, err = fields.NewAppender(f.Type.T, &f.Domain)
	return err
}

func (f *chunkFn) StartBundle(func(string, *domain.Chunk)) error {
	f.of = map[string]*growing{}
	return nil
}

func (f *chunkFn) ProcessElement(row beam.T, emit func(string, *domain.Chunk)) error {
	key := strconv.Itoa(f.next)
	if f.PartitionBy != "" {
		one := f.probe.NewChunk()
		f.probe.Append(one, row)
		key = directoryOf(one, &f.Domain, f.Domain.Index(f.PartitionBy))
	}
	g := f.of[key]
	if g == nil {
		var err error
		if g, err = f.start(); err != nil {
			return err
		}
		f.of[key] = g
	}
	g.appender.Append(g.chunk, row)
	if g.chunk.Rows == chunkRows {
		emit(key, g.chunk)
		delete(f.of, key)
		f.next = (f.next + 1) % f.Shards
	}
	return nil
}

func (f *chunkFn) start() (*growing, error) {
	a, err := fields.NewAppender(f.Type.T, &f.Domain)
	if err != nil {
		return nil, fmt.Errorf("tables: %w", err)
	}
	return &growing{a, a.NewChunk()}, nil
}

func (f *chunkFn) FinishBundle(emit func(string, *domain.Chunk)) error {
	for key, g := range f.of {
		emit(key, g.chunk)
	}
	f.next = (f.next + 1) % f.Shards
	return nil
}

// nullDirectory is Hive's name for NULL.
const nullDirectory = "__HIVE_DEFAULT_PARTITION__"

// directoryOf returns the name of the directory of the one row of a chunk.
func directoryOf(c *domain.Chunk, d *domain.Domain, a int) string {
	col, at := &c.Columns[a], &d.Attributes[a]
	text := ""
	switch {
	case col.Null(0):
		text = nullDirectory
	case col.Form == domain.Dictionary:
		text = url.PathEscape(col.Dict[col.Ints[0]])
	case col.Form == domain.Floats:
		text = string(domain.AppendFloat(nil, col.Floats[0]))
	default:
		text = url.PathEscape(string(at.AppendNative(nil, col.Ints[0])))
	}
	if text == "" {
		text = nullDirectory // as Hive has it
	}
	return at.Name + "=" + text
}

// partitionFn writes and publishes one directory.
type partitionFn struct{ PartitionBy, Target string }

func (f *partitionFn) ProcessElement(ctx context.Context, key string, chunks func(**domain.Chunk) bool, emit func(synth.Published)) error {
	to, err := unplain(f.Target)
	if err != nil {
		return err
	}
	a, release := to.Domain.Index(f.PartitionBy), cmp.Or(to.Release, files.Clean(to.Output)+".release")
	to.Output, to.Release = files.Join(to.Output, key), files.Join(release, key)
	to.RunID = runOf(to.RunID + "/" + key) // directories beside each other stage what they write under their run
	to.Domain = &domain.Domain{Attributes: slices.Delete(slices.Clone(to.Domain.Attributes), a, a+1)}
	sink := table.OpenSink(to)
	if err := sink.Prepare(ctx); err != nil {
		return fmt.Errorf("tables: a partition: %w", err)
	}
	ref, err := writeShard(ctx, sink, 0, 1, func(c **domain.Chunk) bool {
		if !chunks(c) {
			return false
		}
		less := **c
		less.Columns = slices.Delete(slices.Clone(less.Columns), a, a+1)
		*c = &less
		return true
	})
	if err != nil {
		return err
	}
	p, err := sink.Publish(ctx, []table.FileRef{ref}, table.Release{})
	if err == nil {
		emit(p)
	}
	return err
}

// writeShard writes chunks as one shard.
func writeShard(ctx context.Context, sink table.Sink, shard, shards int, chunks func(**domain.Chunk) bool) (table.FileRef, error) {
	w, err := sink.Create(ctx, shard, shards)
	if err != nil {
		return table.FileRef{}, fmt.Errorf("tables: creating a file: %w", err)
	}
	for c := (*domain.Chunk)(nil); chunks(&c); c = nil {
		if c.Rows == 0 {
			continue
		}
		if err := w.Write(c); err != nil {
			w.Abort()
			return table.FileRef{}, fmt.Errorf("tables: writing a file: %w", err)
		}
	}
	ref, err := w.Commit()
	ref.Shard = shard
	return ref, err
}

// shardFn writes one shard of the only directory.
type shardFn struct{ Target string }

func (f *shardFn) ProcessElement(ctx context.Context, key string, chunks func(**domain.Chunk) bool, emit func(synth.FileRef)) error {
	to, err := unplain(f.Target)
	if err != nil {
		return err
	}
	shard, err := strconv.Atoi(key)
	if err != nil {
		return fmt.Errorf("tables: a shard without a number: %w", err)
	}
	ref, err := writeShard(ctx, table.OpenSink(to), shard, to.Shards, chunks)
	if err == nil {
		emit(ref)
	}
	return err
}

// publishFn makes all shards visible.
type publishFn struct{ Target string }

func (f *publishFn) ProcessElement(ctx context.Context, _ int, refs func(*synth.FileRef) bool, emit func(synth.Published)) error {
	to, err := unplain(f.Target)
	if err != nil {
		return err
	}
	var all []synth.FileRef
	for r := (synth.FileRef{}); refs(&r); {
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b synth.FileRef) int { return cmp.Compare(a.Shard, b.Shard) })
	p, err := table.OpenSink(to).Publish(ctx, all, table.Release{})
	if err == nil {
		emit(p)
	}
	return err
}
