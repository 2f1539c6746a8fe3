package synth

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
)

// Runners hand all elements of one key to a step in one message, and kept records of many units are more than some have
// memory for: Flink takes it from outside of the heap. With a store they wait there, each part encrypted under a key of
// its own, and the keys alone travel. Once the pipeline has ended nobody can read what it leaves.

// PartsSuffix is of the directory, behind a run ID, in which a run keeps parts of its table in its store. No part is
// needed once there is a release.
const PartsSuffix = ".parts"

// part says where a part of a table is in the store, and how it is read.
type part struct {
	name string
	key  [32]byte
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[part](), encodePart, decodePart)
	register.Emitter1[part]()
	register.Iter1[part]()
	register.Iter1[*counts.Piece]()
	dofn.Register[storeFn](dofn.Method3x1("ProcessElement", (*storeFn).ProcessElement))
	dofn.Register[solvePartsFn](dofn.Method5x1("ProcessElement", (*solvePartsFn).ProcessElement))
	dofn.Register[solvePiecesFn](dofn.Method5x1("ProcessElement", (*solvePiecesFn).ProcessElement))
}

// Format does not print the key.
func (p part) Format(s fmt.State, _ rune) { _, _ = io.WriteString(s, p.name) } // as fmt asks for

func encodePart(p part) []byte { return append(wire.AppendText(nil, p.name), p.key[:]...) }

func decodePart(b []byte) (p part, err error) {
	in := wire.Reader{Rest: b}
	p.name = in.Text()
	if copy(p.key[:], in.Rest) < len(p.key) || len(in.Rest) > len(p.key) {
		return part{}, errElement
	}
	return p, nil
}

// cipher encrypts one part, with a nonce of zeros: its key encrypts nothing else.
func (p part) cipher() (c cipher.AEAD, nonce []byte) {
	block, err := aes.NewCipher(p.key[:])
	if err == nil {
		c, err = cipher.NewGCM(block)
	}
	if err != nil {
		panic("synth: a key of 32 bytes is one of AES")
	}
	return c, make([]byte, c.NonceSize())
}

// storeFn puts tables into the store. A bundle that is tried again leaves what nobody reads.
type storeFn struct {
	Store StoreRef
	RunID string
}

func (f *storeFn) ProcessElement(ctx context.Context, t *counts.Table, emit func(part)) error {
	store, err := stores.open(f.Store.Kind, f.Store.Config)
	if err != nil {
		return err
	}
	p := part{name: f.RunID + PartsSuffix + "/" + rand.Text()}
	_, _ = rand.Read(p.key[:]) // never fails
	c, nonce := p.cipher()
	if _, _, err := store.CreateIfAbsent(ctx, p.name, c.Seal(nil, nonce, t.Encode(), []byte(p.name))); err != nil {
		return fmt.Errorf("synth: keeping records until they are counted: %w", err)
	}
	emit(p)
	return nil
}

// errPart does not say which part, or of how many.
var errPart = errors.New("synth: a part of the counts is not in the store as it was written: do all workers see the same one?")

// open reads a part.
func (p part) open(ctx context.Context, store Store) (*counts.Table, error) {
	data, found, err := store.Get(ctx, p.name)
	if err != nil {
		return nil, fmt.Errorf("synth: reading a part of the counts: %w", err)
	}
	c, nonce := p.cipher()
	if !found || len(data) < c.Overhead() {
		return nil, errPart
	}
	if data, err = c.Open(data[:0], nonce, data, []byte(p.name)); err != nil {
		return nil, errPart
	}
	return counts.DecodeTable(data)
}

// solvePartsFn is solveFn for parts in the store.
type solvePartsFn struct{ Solve solveFn }

func (f *solvePartsFn) ProcessElement(ctx context.Context, _ int, seeds func(*mechanism.Seed) bool, parts func(*part) bool, emit func(ModelRef)) error {
	return f.Solve.release(ctx, seeds, func() (*counts.Table, error) {
		store, err := f.Solve.Params.Parts.Open()
		if err != nil {
			return nil, err
		}
		sum := counts.NewTable(f.Solve.Shape)
		for p := (part{}); parts(&p); {
			t, err := p.open(ctx, store)
			if err == nil {
				err = sum.Merge(t)
			}
			if err != nil {
				return nil, err
			}
		}
		return sum, nil
	}, emit)
}

// solvePiecesFn is solveFn for pieces of a table.
type solvePiecesFn struct{ Solve solveFn }

func (f *solvePiecesFn) ProcessElement(ctx context.Context, _ int, seeds func(*mechanism.Seed) bool, pieces func(**counts.Piece) bool, emit func(ModelRef)) error {
	return f.Solve.release(ctx, seeds, func() (*counts.Table, error) { return counts.Assemble(f.Solve.Shape, pieces) }, emit)
}
