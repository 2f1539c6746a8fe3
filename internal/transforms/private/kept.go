package private

import (
	"context"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/carry"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
)

// Kept has the records of a table that one pipeline reads, as a Spill has them, for the next pipeline of this process: to split the
// lines of a file again would cost more.
type Kept struct {
	spill  *Spill
	places [][]byte // of chunks
}

// keepers finds what this process keeps; a DoFn has the reference to the spill only.
var keepers sync.Map // from carry.Ref to *Kept

// NewKept returns what keeps records in a directory of this machine; empty means os.TempDir. Close it after the second pipeline.
func NewKept(dir string) *Kept {
	k := &Kept{spill: NewSpill(dir)}
	keepers.Store(k.spill.Ref(), k)
	return k
}

// Close removes the records. Closing it again does nothing, nor does closing nil.
func (k *Kept) Close() error {
	if k == nil {
		return nil
	}
	keepers.Delete(k.spill.Ref())
	return k.spill.Close()
}

// Keep keeps the chunks of a pipeline. Chunks of a bundle that is tried again are kept once: only what a bundle emits counts.
func (k *Kept) Keep(s beam.Scope, chunks beam.PCollection) {
	s = s.Scope("dapple.Keep")
	carrier := carry.Carrier{At: k.spill.Ref()}
	beam.ParDo0(s, &placesFn{Carrier: carrier}, beam.GroupByKey(s, beam.ParDo(s, &keepFn{Carrier: carrier}, chunks)))
}

// Read returns the chunks that the pipeline before has kept, with the columns of these numbers alone.
func (k *Kept) Read(s beam.Scope, columns []int) beam.PCollection {
	s = s.Scope("dapple.Kept")
	return beam.ParDo(s, &keptFn{Carrier: carry.Carrier{At: k.spill.Ref()}, Columns: columns}, beam.Impulse(s))
}

func init() {
	dofn.Register[keepFn](dofn.Method3x1("ProcessElement", (*keepFn).ProcessElement))
	dofn.Register[placesFn](dofn.Method2x1("ProcessElement", (*placesFn).ProcessElement))
	dofn.Register[keptFn](dofn.Method3x1("ProcessElement", (*keptFn).ProcessElement))
}

type keepFn struct{ Carrier carry.Carrier }

func (f *keepFn) ProcessElement(ctx context.Context, c *domain.Chunk, emit func(int, []byte)) error {
	place, err := f.Carrier.Put(ctx, encodeChunk(c))
	if err == nil {
		emit(0, place)
	}
	return err
}

// placesFn notes where all chunks are.
type placesFn struct{ Carrier carry.Carrier }

func (f *placesFn) ProcessElement(_ int, places func(*[]byte) bool) error {
	var list [][]byte
	for b := []byte(nil); places(&b); b = nil {
		list = append(list, b)
	}
	if k, open := keepers.Load(f.Carrier.At); open {
		k.(*Kept).places = list
	}
	return nil
}

type keptFn struct {
	Carrier carry.Carrier
	Columns []int
}

func (f *keptFn) ProcessElement(ctx context.Context, _ []byte, emit func(*domain.Chunk)) error {
	k, open := keepers.Load(f.Carrier.At)
	if !open {
		return errChunk
	}
	for _, place := range k.(*Kept).places {
		b, err := f.Carrier.Get(ctx, place)
		if err != nil {
			return err
		}
		all, err := decodeChunk(b)
		if err != nil {
			return err
		}
		own := make([]domain.Column, len(f.Columns))
		for i, at := range f.Columns {
			own[i] = all.Columns[at]
		}
		all.Columns = own
		emit(all)
	}
	return nil
}
