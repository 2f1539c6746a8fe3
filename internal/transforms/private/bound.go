package private

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/background"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
)

// Units is a collection with exactly one coded record for each privacy unit, or with several whose weights add up to that
// of one. Only Bound makes one.
type Units struct {
	records sensitive.Collection
	domain  *domain.Domain
}

// Domain returns the domain that the records are coded in.
func (u Units) Domain() *domain.Domain { return u.domain }

// Collection returns the records for the next transform. Its elements are *records.Batch, without IDs.
func (u Units) Collection() sensitive.Collection { return u.records }

// BoundParams configures Bound. Zero fields mean their defaults.
type BoundParams struct {
	// Shards is the number of hash shards of the privacy ID; default 256; 1..65536. A worker holds the records of a few
	// shards at a time.
	Shards int
	// MaxEntries is the number of records that a worker holds. At that number it merges equal rows of a unit, and
	// passes rows on early if merging saves little; default 1<<20; at least 1. The result does not depend on it.
	MaxEntries int
	// MaxBundle is the number of bytes that a bundle passes on to the runner; default 2 GiB less 16 MiB. Above it the
	// run fails, before anything is drawn: prism sends the input of a step in one message, and a job whose message exceeds
	// 2 GiB hangs. Negative: no limit, for runners without such messages. A record of people who have few takes its width,
	// the length of the ID and two or three bytes. The limit is not for what a Spill keeps.
	MaxBundle int64
	// Spill keeps the records of persons who are not complete in a file, in place of the runner. It is for pipelines
	// whose workers are all in this process, and best for these: prism copies what it keeps several times in memory.
	// Default: the runner keeps them.
	Spill *Spill
	// RunKey is public and decides which record of a unit is kept. Any value will do, and the same value keeps the
	// same records. It must not be the seed of the noise.
	RunKey [contribution.RunKeySize]byte
}

const (
	maxShards = 1 << 16
	// maxBundle is what one message of prism holds, less room for what surrounds each element.
	maxBundle = 2<<30 - 16<<20
)

// Validate lists all faults of p.
func (p BoundParams) Validate() error {
	p = p.withDefaults()
	var faults []error
	if p.Shards < 1 || p.Shards > maxShards {
		faults = append(faults, fmt.Errorf("private: %d shards: want 1 to %d", p.Shards, maxShards))
	}
	if p.MaxEntries < 1 {
		faults = append(faults, fmt.Errorf("private: at most %d entries: want at least 1", p.MaxEntries))
	}
	return errors.Join(faults...)
}

func (p BoundParams) withDefaults() BoundParams {
	if p.Shards == 0 {
		p.Shards = 256
	}
	if p.MaxEntries == 0 {
		p.MaxEntries = 1 << 20
	}
	if p.MaxBundle == 0 {
		p.MaxBundle = maxBundle
	}
	return p
}

// Bound keeps one record of each privacy unit: the one of least rank under a hash with the run key among all coded
// records of the unit, so that over random run keys each is equally likely. Records without an ID are dropped. If the
// domain has no privacy ID every record is a unit, and Bound does nothing.
//
// In a domain with Events all records of a unit are kept. Each says also how many the unit has, and what is usual among
// them, and ends with a weight in steps of 2^-Domain.WeightBits. The weights of a unit add up to 1 exactly. If people
// without rows exist, the units are the people of the table of people: records of other IDs belong to nobody and are dropped.
//
// It panics on invalid parameters.
func Bound(s beam.Scope, in Coded, p BoundParams) Units {
	if in.domain == nil {
		panic("private: Bound was given the zero Coded; Encode makes one")
	}
	s = s.Scope("dapple.Bound")
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	p = p.withDefaults()
	if in.domain.PrivacyID == "" {
		return Units(in)
	}
	carrier := carry.Carrier{At: p.Spill.Ref()}
	bundles := beam.ParDo(s, &boundFn{
		Width:      contribution.NewRecordLayout(in.domain).Width(),
		Shards:     p.Shards,
		MaxEntries: p.MaxEntries,
		MaxBundle:  p.MaxBundle,
		Carrier:    carrier,
	}, sensitive.Reveal(in.records))
	merge := &mergeFn{RunKey: p.RunKey[:], Summary: contribution.NewSummary(in.domain), Carrier: carrier}
	merged := beam.ParDo(s, merge, beam.GroupByKey(s, bundles))
	return Units{records: sensitive.Derive(in.records, merged), domain: in.domain}
}

func init() {
	dofn.Register[boundFn](
		dofn.Method1x1("StartBundle", (*boundFn).StartBundle),
		dofn.Method3x1("ProcessElement", (*boundFn).ProcessElement),
		dofn.Method2x1("FinishBundle", (*boundFn).FinishBundle),
	)
	register.Emitter2[int, []byte]()
	register.Iter1[[]byte]()
	dofn.Register[mergeFn](
		dofn.Method1x1("StartBundle", (*mergeFn).StartBundle),
		dofn.Method4x1("ProcessElement", (*mergeFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*mergeFn).FinishBundle),
	)
}

// boundFn counts the different rows of the units in its bundle, and emits them by shard, encoded and carried.
type boundFn struct {
	Width, Shards, MaxEntries int
	MaxBundle                 int64
	Carrier                   carry.Carrier

	set  *records.Set
	sent int64

	work background.Work // on what stands above and below
	full []shardOf       // to be emitted
	err  error
}

// shardOf is what a bundle has of a shard.
type shardOf struct {
	shard int
	units []byte
}

func (f *boundFn) StartBundle(func(int, []byte)) error {
	f.work.Wait()
	f.set, f.sent, f.full, f.err = records.NewSet(f.Width, f.MaxEntries), 0, nil, nil
	return nil
}

func (f *boundFn) ProcessElement(ctx context.Context, b *records.Batch, emit func(int, []byte)) error {
	if err := f.pass(emit); err != nil {
		return err
	}
	f.work.Start(func() {
		for i := 0; i < b.N && f.err == nil; {
			if i = f.set.AddBatch(b, i); f.set.Full() {
				f.err = f.flush(ctx)
			}
		}
	})
	return nil
}

func (f *boundFn) FinishBundle(ctx context.Context, emit func(int, []byte)) error {
	if err := f.pass(emit); err != nil {
		return err
	}
	f.err = f.flush(ctx)
	err := f.pass(emit)
	f.set = nil
	return err
}

// pass waits for the batch before, and emits what filled up with it.
func (f *boundFn) pass(emit func(int, []byte)) error {
	if f.work.Wait(); f.err != nil {
		return f.err
	}
	for _, s := range f.full {
		emit(s.shard, s.units)
	}
	clear(f.full)
	f.full = f.full[:0]
	return nil
}

// errBundle does not reveal the number of records.
var errBundle = errors.New("private: more records of people than a bundle may pass on to its runner; nothing was drawn. In one process, give Bound " +
	"a Spill; on a cluster, use more workers or bundles. `dapple synth` does so, or needs no limit, but for prism at an --endpoint, and on Flink, Spark and universal runners " +
	"for tables of BigQuery and files that are compressed beyond 1:16: give it more and smaller files")

// elementSize is what surrounds an element in a message, and its shard.
const elementSize = 40

func (f *boundFn) flush(ctx context.Context) (err error) {
	f.set.Flush(f.Shards, func(shard int, u *records.Units) {
		if err != nil {
			return
		}
		var b []byte
		if b, err = f.Carrier.Put(ctx, u.Encode(nil)); f.MaxBundle > 0 && f.Carrier == (carry.Carrier{}) {
			if f.sent += int64(len(b) + elementSize); f.sent > f.MaxBundle {
				err = errBundle
			}
		}
		if err == nil {
			f.full = append(f.full, shardOf{shard, b})
		}
	})
	return err
}

// mostMerges is the number of shards that a bundle merges at a time; each takes memory. Its records are counted
// by one core, and three more merge as fast.
const mostMerges = 4

// mergeFn merges the records of the units of one shard, and keeps one of each unit or gives them weights. It does so only
// once it has all of them, because that depends on how often a unit has a row.
type mergeFn struct {
	RunKey  []byte
	Summary *contribution.Summary
	Carrier carry.Carrier

	merges []*merging // in the order of their shards
}

// merging is the work on one shard.
type merging struct {
	background.Work
	batch *records.Batch
	err   error
}

func (f *mergeFn) StartBundle(func(*records.Batch)) error {
	f.merges = nil
	return nil
}

func (f *mergeFn) ProcessElement(ctx context.Context, _ int, parts func(*[]byte) bool, emit func(*records.Batch)) error {
	var all [][]byte
	for b := []byte(nil); parts(&b); b = nil {
		all = append(all, b)
	}
	if len(f.merges) >= min(runtime.GOMAXPROCS(0), mostMerges) {
		if err := f.pass(emit); err != nil {
			return err
		}
	}
	m := &merging{}
	f.merges = append(f.merges, m)
	m.Start(func() { m.batch, m.err = f.merge(ctx, all) })
	return nil
}

func (f *mergeFn) FinishBundle(emit func(*records.Batch)) error {
	for len(f.merges) > 0 {
		if err := f.pass(emit); err != nil {
			return err
		}
	}
	return nil
}

// pass waits for the first shard, and emits its records.
func (f *mergeFn) pass(emit func(*records.Batch)) error {
	m := f.merges[0]
	f.merges = f.merges[1:]
	if m.Wait(); m.err != nil {
		return m.err
	}
	emit(m.batch)
	return nil
}

func (f *mergeFn) merge(ctx context.Context, parts [][]byte) (*records.Batch, error) {
	lists := make([]*records.Units, len(parts))
	for i, b := range parts {
		b, err := f.Carrier.Get(ctx, b)
		if err == nil {
			lists[i], err = records.DecodeUnits(b)
		}
		if err != nil {
			return nil, err
		}
	}
	rank := contribution.NewRanker(f.RunKey)
	if f.Summary != nil {
		return records.Shared(lists, rank, f.Summary), nil
	}
	return records.One(lists, rank), nil
}

// Spill is a temporary file of records that wait for others of their persons, for pipelines whose workers are all in
// this process. The records are encrypted by keys that no one sees, and the file has no name where the system allows it:
// when the process ends, however it does, nothing of them is left. Its methods are safe for concurrent use.
type Spill = carry.Spill

// NewSpill returns a spill in a directory of this machine, which wants room for all records; empty means
// os.TempDir. Nothing is written before there are records. Close it once the pipeline has ended.
func NewSpill(dir string) *Spill { return carry.New(dir) }
