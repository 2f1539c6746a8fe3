package synth

import (
	"context"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
)

// Runners hand all elements of one key to a step in one message, and kept records of many units are more than some have
// memory for: Flink takes it from outside of the heap. With a store they wait there, each part encrypted under a key of
// its own, and the keys alone travel. Once the pipeline has ended nobody can read what it leaves.

// PartsSuffix is of the directory, behind a run ID, in which a run keeps parts of its table in its store. No part is
// needed once there is a release.
const PartsSuffix = ".parts"

func init() {
	register.Emitter1[[]byte]()
	register.Iter1[[]byte]()
	register.Iter1[*counts.Piece]()
	dofn.Register[partFn](dofn.Method3x1("ProcessElement", (*partFn).ProcessElement))
	dofn.Register[solvePartsFn](dofn.Method5x1("ProcessElement", (*solvePartsFn).ProcessElement))
	dofn.Register[solvePiecesFn](dofn.Method5x1("ProcessElement", (*solvePiecesFn).ProcessElement))
}

// partFn keeps parts of a table.
type partFn struct{ Carrier carry.Carrier }

func (f *partFn) ProcessElement(ctx context.Context, t *counts.Table, emit func([]byte)) error {
	part, err := f.Carrier.Put(ctx, t.Encode())
	if err == nil {
		emit(part)
	}
	return err
}

// solvePartsFn is solveFn for parts that are kept.
type solvePartsFn struct {
	Solve   solveFn
	Carrier carry.Carrier
}

func (f *solvePartsFn) ProcessElement(ctx context.Context, _ int, seeds func(*mechanism.Seed) bool, parts func(*[]byte) bool, emit func(ModelRef)) error {
	return f.Solve.release(ctx, seeds, func() (*counts.Table, error) {
		sum := counts.NewTable(f.Solve.Shape)
		for part := ([]byte)(nil); parts(&part); part = nil {
			b, err := f.Carrier.Get(ctx, part)
			var t *counts.Table
			if err == nil {
				t, err = counts.DecodeTable(b)
			}
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
