// Package sensitive hides PCollections of private data from code outside the transforms.
//
// Transforms hand private data to each other as a Collection. It has no exported fields and no methods,
// and only code below transforms can import this package: a pipeline that holds a Collection can pass
// it on to the next transform, but writing its elements anywhere does not compile.
package sensitive

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Collection is a PCollection whose elements are private.
type Collection struct {
	col   beam.PCollection
	spent []*atomic.Bool // of its sources, each shared by all collections made of the same records
}

// sources says of every PCollection of raw records whether a release was paid for. What it keeps of a pipeline are
// its nodes, a few hundred bytes each, so that no later one is taken for it.
var sources sync.Map // from beam.PCollection to *atomic.Bool

// Hide wraps col, the records of a PCollection in another form. Whatever is made of the same source pays once.
func Hide(source, col beam.PCollection) Collection {
	spent, _ := sources.LoadOrStore(source, new(atomic.Bool))
	return Collection{col, []*atomic.Bool{spent.(*atomic.Bool)}}
}

// Join wraps col, which was made of the records of a and of b.
func Join(a, b Collection, col beam.PCollection) Collection {
	return Collection{col, append(slices.Clone(a.spent), b.spent...)}
}

// Derive wraps col, which was made of the records of c.
func Derive(c Collection, col beam.PCollection) Collection { return Collection{col, c.spent} }

// Spend marks the records of c, and everything made of them, as released from. It returns false if they
// were marked before: losses of two releases add, and no ledger would hold both.
func Spend(c Collection) (first bool) {
	first = true
	for _, spent := range c.spent {
		first = spent.CompareAndSwap(false, true) && first
	}
	return first
}

// Reveal returns the wrapped PCollection. It panics on the zero Collection, which no transform returns.
func Reveal(c Collection) beam.PCollection {
	if !c.col.IsValid() {
		panic("sensitive: the collection was not made by a transform")
	}
	return c.col
}
