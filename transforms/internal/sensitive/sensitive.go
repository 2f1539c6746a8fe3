// Package sensitive hides PCollections of private data from code outside the transforms.
//
// Transforms hand private data to each other as a Collection. It has no exported fields and no methods,
// and only code below transforms can import this package: a pipeline that holds a Collection can pass
// it on to the next transform, but writing its elements anywhere does not compile.
package sensitive

import (
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Collection is a PCollection whose elements are private.
type Collection struct {
	col   beam.PCollection
	spent *atomic.Bool // shared by all collections made of the same records
}

// Hide wraps col, whose records have paid for no release yet.
func Hide(col beam.PCollection) Collection { return Collection{col, new(atomic.Bool)} }

// Derive wraps col, which was made of the records of c.
func Derive(c Collection, col beam.PCollection) Collection { return Collection{col, c.spent} }

// Spend marks the records of c, and everything made of them, as released from. It returns false if they
// were marked before: losses of two releases add, and no ledger would hold both.
func Spend(c Collection) (first bool) { return c.spent.CompareAndSwap(false, true) }

// Reveal returns the wrapped PCollection. It panics on the zero Collection, which no transform returns.
func Reveal(c Collection) beam.PCollection {
	if !c.col.IsValid() {
		panic("sensitive: the collection was not made by a transform")
	}
	return c.col
}
