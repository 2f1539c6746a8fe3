package discover

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/release/book"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/internal/pipeline"
	"github.com/dapple-dp/dapple/internal/transforms/internal/records"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Records is what a reader of tables needs to know to read records for Discover: names and public types.
func (p Params) Records() *domain.Domain {
	d := &domain.Domain{PrivacyID: p.PrivacyID}
	for _, c := range p.Columns {
		d.Attributes = append(d.Attributes, c.attribute())
	}
	return d
}

// Discover finds what records can contain, at the price of p.Share of the budget. They are structs with fields for p.Columns,
// see ColumnsOf, or the *domain.Chunk of a table that is read with p.Records(). It returns a collection of one text: Found,
// as JSON, which Decode reads. It always finds something, also in no records at all.
//
// It panics on invalid parameters, on records in windows or without an end, and on a second release from the same records
// in one pipeline: the losses of two add, and each statement would have its own.
func Discover(s beam.Scope, rows beam.PCollection, p Params) beam.PCollection {
	s = s.Scope("dapple.Discover")
	if err := errors.Join(p.Validate(), private.ValidateCollection(rows)); err != nil {
		panic(err.Error())
	}
	p = p.withDefaults()
	cut, err := p.firstCut()
	if err != nil {
		panic(err.Error())
	}
	chunks, err := chunksOf(s, rows, p)
	if err != nil {
		panic(err.Error())
	}
	kept := carry.Carrier{At: p.Spill.Ref()}
	parts := beam.ParDo(s, &readFn{Params: p, MaxEntries: mostEntries, Carrier: kept}, chunks)
	if p.PrivacyID != "" {
		parts = beam.ParDo(s, &peopleFn{Params: p, Carrier: kept}, beam.GroupByKey(s, parts))
	}
	sums := beam.ParDo(s, &sumFn{Columns: p.Columns, Cut: cut, Carrier: kept}, beam.GroupByKey(s, parts))
	hidden := sensitive.Hide([]*graph.Node{pipeline.Node(rows)}, sums)
	fn := &drawFn{Params: p, Cut: cut}
	if !sensitive.Spend(hidden, fn) {
		panic("discover: Discover was given records that another release is made from: their losses add, which neither statement would say")
	}
	synth.Watch()
	secret := beam.Reshuffle(s, beam.ParDo(s, drawSeed, beam.Impulse(s)))
	grouped := beam.CoGroupByKey(s, beam.AddFixedKey(s, secret), beam.AddFixedKey(s, sensitive.Reveal(hidden)))
	found := beam.Reshuffle(s, beam.ParDo(s, fn, grouped))
	sensitive.Publish(pipeline.Node(found))
	return found
}

func init() {
	dofn.Register[readFn](
		dofn.Method0x1("Setup", (*readFn).Setup),
		dofn.Method1x1("StartBundle", (*readFn).StartBundle),
		dofn.Method2x1("ProcessElement", (*readFn).ProcessElement),
		dofn.Method1x1("FinishBundle", (*readFn).FinishBundle),
	)
	dofn.Register[peopleFn](dofn.Method3x1("ProcessElement", (*peopleFn).ProcessElement))
	dofn.Register[sumFn](dofn.Method3x1("ProcessElement", (*sumFn).ProcessElement))
	dofn.Register[drawFn](dofn.Method5x1("ProcessElement", (*drawFn).ProcessElement))
	register.Function2x0(drawSeed)
	register.Emitter2[int, []byte]()
	register.Emitter1[[]byte]()
	register.Emitter1[string]()
	register.Iter1[[]byte]()
}

func drawSeed(_ []byte, emit func(mechanism.Seed)) { emit(mechanism.NewSeed()) }

// The counts of the statistics of some units have a key of their own, and values the key of their hash.
const (
	denseKey = 0
	firstKey = 1
)

// mostEntries is how many people or values a bundle holds, and mostBytes how much of people: a dozen columns have some 200 bytes of each.
const (
	mostEntries = 1 << 17
	mostBytes   = 1 << 24
)

// keeping passes on what a carrier keeps. Figures of no record are small, and stay.
func keeping(to carry.Carrier, emit func(int, []byte)) func(int, []byte) error {
	return func(key int, b []byte) error {
		b, err := to.Put(context.Background(), b) // into this process, if anywhere
		if err == nil {
			emit(key, b)
		}
		return err
	}
}

// take takes what keeping has passed on, one part at a time.
func take(in carry.Carrier, parts func(*[]byte) bool, add func([]byte) error) (err error) {
	for b := []byte(nil); err == nil && parts(&b); b = nil {
		if b, err = in.Get(context.Background(), b); err == nil {
			err = add(b)
		}
	}
	return err
}

// readFn counts the units of a bundle, or collects its people by the hash of their ID.
type readFn struct {
	Params     Params
	MaxEntries int // people or values that a bundle holds
	Carrier    carry.Carrier

	attrs []domain.Attribute
	rank  *contribution.Ranker

	bundle *bundle
	people *people
	text   []byte
}

func (f *readFn) Setup() error {
	f.attrs = f.Params.Records().Attributes
	f.rank = contribution.NewRanker(make([]byte, contribution.RunKeySize)) // any key will do: it is no secret
	return nil
}

func (f *readFn) StartBundle(func(int, []byte)) error {
	f.bundle, f.people = newBundle(f.Params.Columns), newPeople(len(f.attrs))
	return nil
}

func (f *readFn) ProcessElement(c *domain.Chunk, emit func(int, []byte)) error {
	if f.Params.PrivacyID == "" {
		if f.bundle.addChunk(c); f.bundle.entries() > f.MaxEntries {
			return f.flush(emit)
		}
		return nil
	}
	var id []byte
	var null bool
	var cells []byte
	head := make([]byte, changesAt+len(f.attrs))
	binary.LittleEndian.PutUint64(head[rowsAt:], 1)
	for i := range c.Rows {
		cells, f.text = record(cells[:0], c, f.attrs, i, f.text)
		id, null = cellText(id[:0], &c.ID, &idAttribute, i)
		if null || len(id) == 0 || string(id) == "NaN" {
			continue // it belongs to nobody
		}
		rank := f.rank.Rank(id, cells, 0)
		copy(head, rank[:])
		f.people.add(id, head, cells)
	}
	if len(f.people.list) > f.MaxEntries || len(f.people.bytes) > mostBytes {
		return f.flush(emit)
	}
	return nil
}

// idAttribute is the form of IDs that are whole numbers.
var idAttribute = domain.Attribute{Type: domain.Int64}

func (f *readFn) FinishBundle(emit func(int, []byte)) error {
	err := f.flush(emit)
	f.bundle, f.people = nil, nil
	return err
}

func (f *readFn) flush(emit func(int, []byte)) error {
	pass := keeping(f.Carrier, emit)
	if f.Params.PrivacyID == "" {
		err := f.bundle.emit(f.Params, pass)
		f.bundle.reset()
		return err
	}
	list := f.people.list
	for i := range list {
		list[i].hash = records.Hash(f.people.id(&list[i])) % uint64(f.Params.Shards)
	}
	slices.SortFunc(list, func(a, b place) int { return cmp.Compare(a.hash, b.hash) }) // one part at a time needs memory
	var part []byte
	for i := range list {
		part = f.people.append(part, &list[i])
		if i+1 < len(list) && list[i+1].hash == list[i].hash {
			continue
		}
		if err := pass(int(list[i].hash), part); err != nil {
			return err
		}
		if part = part[:0]; f.Carrier == (carry.Carrier{}) { // the runner has it
			part = nil
		}
	}
	f.people.reset()
	return nil
}

// peopleFn merges the people of a shard, and counts each once.
type peopleFn struct {
	Params  Params
	Carrier carry.Carrier

	people *people // its memory is used again
}

func (f *peopleFn) ProcessElement(_ int, parts func(*[]byte) bool, emit func(int, []byte)) error {
	if f.people == nil {
		f.people = newPeople(len(f.Params.Columns))
	}
	f.people.reset()
	if err := take(f.Carrier, parts, f.people.decode); err != nil {
		return err
	}
	b := newBundle(f.Params.Columns)
	if err := f.people.count(b); err != nil {
		return err
	}
	return b.emit(f.Params, keeping(f.Carrier, emit))
}

// sumFn adds up the counts of a key. It drops values that the mechanism would drop, to keep memory small.
type sumFn struct {
	Columns []Column
	Cut     int64
	Carrier carry.Carrier
}

func (f *sumFn) ProcessElement(key int, parts func(*[]byte) bool, emit func([]byte)) error {
	sum, err := sumOf(f.Columns, f.Carrier, parts, f.Cut)
	if err != nil {
		return err
	}
	if key != denseKey {
		sum.dense = nil // all 0
	}
	emit(sum.encode())
	return nil
}

// allValues as a first cut keeps all values.
const allValues = -1

// sumOf adds up tables, and drops values up to a first cut: see table.keep.
func sumOf(columns []Column, in carry.Carrier, parts func(*[]byte) bool, cut int64) (*table, error) {
	sum, values := newTable(columns), make([]texts, len(columns))
	if err := take(in, parts, func(b []byte) error { return sum.decode(b, values) }); err != nil {
		return nil, err
	}
	for c := range values {
		sum.keep(c, &values[c], cut)
	}
	return sum, nil
}

// FoundSuffix is of the name, behind a run ID, under which a store keeps what was found.
const FoundSuffix = ".found"

// drawFn charges, draws and picks.
type drawFn struct {
	Params Params
	Cut    int64
}

func (f *drawFn) ProcessElement(ctx context.Context, _ int, seeds func(*mechanism.Seed) bool, parts func(*[]byte) bool, emit func(string)) error {
	name := f.Params.RunID + FoundSuffix
	var store synth.Store
	if f.Params.Store.Kind != "" {
		var err error
		if store, err = f.Params.Store.Open(); err != nil {
			return err
		}
		data, known, err := store.Get(ctx, name)
		if err != nil {
			return fmt.Errorf("discover: reading what was found before: %w", err)
		}
		if known {
			return f.emit(data, emit)
		}
	}
	var secret, second mechanism.Seed
	if !seeds(&secret) || !secret.Usable() || seeds(&second) {
		return errors.New("discover: the run has no seed, or more than one")
	}
	// Sums are small, as values up to the first cut are dropped, and the runner carries them.
	sum, err := sumOf(f.Params.Columns, carry.Carrier{}, parts, allValues)
	if err != nil {
		return err
	}
	charge, err := f.charging(ctx, store)
	if err != nil {
		return err
	}
	found, err := find(f.Params, f.Cut, sum, secret, func() error {
		if runner.Partial(ctx, name, store != nil) {
			return errors.New("discover: no domain is found, since an earlier step of the job failed: see its error")
		}
		if err := charge(); err != nil || store == nil {
			return err
		}
		_, _, err := store.CreateIfAbsent(ctx, name+synth.DrawnSuffix, []byte("noise is drawn from here on: the budget of the discovery counts as spent\n"))
		return err
	})
	if err != nil {
		return err
	}
	data, err := found.Encode()
	if err != nil {
		return err
	}
	if store != nil {
		if data, _, err = store.CreateIfAbsent(ctx, name, data); err != nil {
			return fmt.Errorf("discover: keeping what was found: %w", err)
		}
	}
	return f.emit(data, emit)
}

// charging names the noise, and returns what charges it to the budget book, if there is one.
func (f *drawFn) charging(ctx context.Context, store synth.Store) (func() error, error) {
	p := &f.Params
	if p.Book == "" {
		return func() error { return nil }, nil
	}
	prior, err := p.Prior()
	if err != nil {
		return nil, err
	}
	step := book.Step{Dir: p.Book, RunID: p.RunID, Neighbouring: p.Neighbouring, PrivacyID: p.PrivacyID, Epsilon: p.Epsilon}
	if store != nil {
		step.Kept = store
	}
	if p.ID == "" {
		if p.ID, err = step.Key(ctx); err != nil {
			return nil, fmt.Errorf("discover: Book: %w", err)
		}
	}
	prior.ID = p.ID
	return func() error {
		if err := step.Found(ctx, &prior, true); err != nil {
			return fmt.Errorf("discover: Book: %w", err)
		}
		return nil
	}, nil
}

// emit emits what was found, by this attempt or by another.
func (f *drawFn) emit(data []byte, emit func(string)) error {
	if _, err := f.Params.adopt(data); err != nil {
		return err
	}
	emit(string(data))
	return nil
}
