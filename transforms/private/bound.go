package private

import (
	"errors"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/bounding"
	"github.com/dapple-dp/dapple/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/transforms/internal/records"
	"github.com/dapple-dp/dapple/transforms/internal/sensitive"
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
	// Shards is the number of hash shards of the privacy ID; default 256; 1..1999. On a cluster raise
	// it so that units/Shards·(bytes of an ID and a record) stays below about 100 MB.
	Shards int
	// MaxEntries is the number of records that a worker holds. At that number it merges equal rows of a unit, and
	// passes rows on early if merging saves little; default 1<<20; at least 1. The result does not depend on it.
	MaxEntries int
	// RunKey is public and decides which record of a unit is kept. Any value will do, and the same value keeps the
	// same records. It must not be the seed of the noise.
	RunKey [bounding.RunKeySize]byte
}

// Validate lists all faults of p.
func (p BoundParams) Validate() error {
	p = p.withDefaults()
	var faults []error
	if p.Shards < 1 || p.Shards > 1999 {
		faults = append(faults, fmt.Errorf("private: %d shards: want 1 to 1999", p.Shards))
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
	return p
}

// Bound keeps one record of each privacy unit: the one of least rank under a hash with the run key among all coded
// records of the unit, so that over random run keys each is equally likely. Records without an ID are dropped. If the
// domain has no privacy ID every record is a unit, and Bound does nothing.
//
// In a domain with Events all records of a unit are kept. Each says also how many the unit has, and what is usual among
// them, and ends with a weight in steps of 2^-Domain.WeightBits. The weights of a unit add up to 1 exactly.
//
// It panics on invalid parameters.
func Bound(s beam.Scope, in Coded, p BoundParams) Units {
	s = s.Scope("dapple.Bound")
	if err := p.Validate(); err != nil {
		panic(err.Error())
	}
	p = p.withDefaults()
	if in.domain.PrivacyID == "" {
		return Units(in)
	}
	key := p.RunKey[:]
	bundles := beam.ParDo(s, &boundFn{
		Width:      bounding.NewLayout(in.domain.Recorded().RecordSizes()).Width(),
		Shards:     p.Shards,
		MaxEntries: p.MaxEntries,
	}, sensitive.Reveal(in.records))
	merged := beam.CombinePerKey(s, &mergeFn{RunKey: key, Summary: bounding.NewSummary(in.domain)}, bundles)
	return Units{records: sensitive.Derive(in.records, beam.DropKey(s, merged)), domain: in.domain}
}

func init() {
	dofn.Register[boundFn](
		dofn.Method1x1("StartBundle", (*boundFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*boundFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*boundFn).FinishBundle),
	)
	register.Emitter2[int, *records.Units]()
	dofn.Register[mergeFn](
		dofn.Method2x1("MergeAccumulators", (*mergeFn).MergeAccumulators),
		dofn.Method1x1("ExtractOutput", (*mergeFn).ExtractOutput),
	)
}

// boundFn bounds the records of its bundle and emits them by shard.
type boundFn struct {
	Width, Shards, MaxEntries int

	set *records.Set
}

func (f *boundFn) StartBundle(func(int, *records.Units)) error {
	f.set = records.NewSet(f.Width, f.MaxEntries)
	return nil
}

func (f *boundFn) ProcessElement(b *records.Batch, emit func(int, *records.Units)) error {
	for i := 0; i < b.N; {
		if i = f.set.AddBatch(b, i); f.set.Full() {
			f.set.Flush(f.Shards, emit)
		}
	}
	return nil
}

func (f *boundFn) FinishBundle(emit func(int, *records.Units)) error {
	f.set.Flush(f.Shards, emit)
	f.set = nil
	return nil
}

// mergeFn merges the records of the units of one shard, and keeps one of each unit or gives them weights. It does so only
// once it has all of them, because that depends on how often a unit has a row.
type mergeFn struct {
	RunKey  []byte
	Summary *bounding.Summary
}

func (f *mergeFn) MergeAccumulators(a, b *records.Units) *records.Units { return a.Merge(b) }

func (f *mergeFn) ExtractOutput(a *records.Units) *records.Batch {
	rank := bounding.NewRanker(f.RunKey)
	if f.Summary != nil {
		return a.Canonical().Shared(&rank, f.Summary)
	}
	return a.Canonical().One(&rank)
}
