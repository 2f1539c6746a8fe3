package synth

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// chunkRows is the number of rows decoded at a time.
const chunkRows = 4096

// rowSource makes any block of the rows of one sampling. It is shared by all shards of a process.
type rowSource struct {
	n       int64            // rows, or people if there are some
	rows    *population.Rows // nil if n is 0
	people  *people          // nil: each row stands for itself
	decoder *domain.Decoder
	plan    *relation.Plan // computes the columns that are not modelled
	words   words
	attrs   int
	domain  *domain.Domain
	order   []int        // domain.Domain.Arrangement
	done    atomic.Int64 // rows made so far in this process, for progress alone
}

// sourceKey identifies a rowSource, together with the domain, which the model's hash includes.
type sourceKey struct {
	model    string
	rows     int64
	seed     uint64
	rounding Rounding
	where    string
}

type lazySource struct {
	once sync.Once
	src  *rowSource
	err  error
}

// sources holds the samplings of this process: a model is loaded once and its rows are rounded once,
// whatever the number of shards.
var sources sync.Map // sourceKey → *lazySource

// open returns the row source of a sampling.
func (f *sampleFn) open(ctx context.Context, ref ModelRef) (*rowSource, error) {
	key := sourceKey{ref.SHA256, f.Params.Rows, f.Params.Seed, f.Params.Rounding, f.Params.Where}
	v, _ := sources.LoadOrStore(key, new(lazySource))
	lazy := v.(*lazySource)
	lazy.once.Do(func() { lazy.src, lazy.err = f.load(ctx, ref) })
	if lazy.err != nil {
		sources.CompareAndDelete(key, v) // the next attempt tries again
	}
	return lazy.src, lazy.err
}

func (f *sampleFn) load(ctx context.Context, ref ModelRef) (*rowSource, error) {
	data, err := ref.Read(ctx, f.Store)
	if err != nil {
		return nil, err
	}
	a, model, err := decodeArtifact(data)
	if err != nil {
		return nil, err
	}
	if !slices.EqualFunc(f.Columns, model.Domain.Attributes, func(name string, a domain.Attribute) bool { return name == a.Name }) {
		return nil, errors.New("synth: the model has other columns than the domain")
	}
	observed("drawing", 0, 0)
	if f.Params.Where != "" {
		return newConditional(model, f.Params)
	}
	return newRowSource(model, wire.Hash(a.Model), f.Params)
}

// newRowSource returns the rows of a model, whose hash keys them.
func newRowSource(f *modelfile.File, hash string, p WriteParams) (*rowSource, error) {
	d := f.Domain.Modelled()
	plan, err := relation.New(d.Recorded())
	if err != nil {
		return nil, fmt.Errorf("synth: %w", err)
	}
	s := &rowSource{n: p.rows(f.Units), decoder: domain.NewDecoder(d), plan: plan, words: newWords(hash, p.Seed), attrs: d.Len(), domain: &f.Domain, order: f.Domain.Arrangement()}
	switch {
	case s.n == 0:
	case f.Domain.Events != nil:
		s.people = newPeople(f, s.n, s.words.rows)
	case p.Rounding == Systematic:
		s.rows = population.Systematic(f.Model, s.n, s.words.rows)
	default:
		s.rows = population.NewRows(f.Model, f.Cliques, s.n, s.words.rows)
	}
	return s, nil
}

// releasedRows is the number of rows for a released number of units, which noise can have made negative.
func releasedRows(units float64) int64 {
	return int64(math.Round(min(max(units, 0), population.MaxRows)))
}

// total is the number of rows.
func (s *rowSource) total() int64 {
	if s.people != nil {
		return s.people.Rows()
	}
	return s.n
}

// The tables that rows are written as.
const (
	oneTable = iota // one, with the columns of its person in each row
	ofPeople        // a row for each person
	ofRows          // the others' columns
)

// written returns the columns of a table.
func written(d *domain.Domain, table int) *domain.Domain {
	if table == oneTable {
		return d.Written()
	}
	people, rows := relation.Tables(d)
	if table == ofPeople {
		return people.Domain
	}
	return rows.Domain
}

// each decodes the rows of a table from … to−1, or the rows of so many people, some at a time, into the chunk that next
// returns.
func (s *rowSource) each(ctx context.Context, table int, from, to int64, next func() *domain.Chunk, visit func(*domain.Chunk) error) error {
	if s.people != nil {
		return s.eachPerson(ctx, table, from, to, next, visit)
	}
	codes := make([]domain.Code, chunkRows*s.attrs)
	for from < to {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := s.rows.Read(from, codes[:min(to-from, chunkRows)*int64(s.attrs)])
		chunk := next()
		s.decoder.Decode(chunk, codes[:n*s.attrs], func(row, attr int) uint64 {
			return s.words.at(uint64(from+int64(row))*uint64(s.attrs) + uint64(attr))
		})
		s.plan.Repair(chunk, codes[:n*s.attrs], func(row int, i uint64) uint64 {
			return s.words.of(repairs, uint64(from)+uint64(row)).at(i)
		})
		s.plan.Complete(chunk, from, func(column int, i uint64) uint64 { return s.words.of(keys, uint64(column)).at(i) })
		chunk.Columns = domain.Arranged(s.order, chunk.Columns)
		if err := visit(chunk); err != nil {
			return err
		}
		from += int64(n)
	}
	return nil
}

// newChunk returns a chunk that visit may keep.
func newChunk() *domain.Chunk { return &domain.Chunk{} }

// oneChunk returns the same chunk always, for a visit that keeps nothing.
func oneChunk() func() *domain.Chunk {
	c := newChunk()
	return func() *domain.Chunk { return c }
}

// block returns the rows of a shard: from … to−1.
func (s *rowSource) block(shard, shards int) (from, to int64) {
	size, rest := s.n/int64(shards), s.n%int64(shards)
	at := func(i int64) int64 { return i*size + min(i, rest) }
	return at(int64(shard)), at(int64(shard) + 1)
}
