// Package sensitive hides PCollections of private data from code outside the transforms.
//
// Transforms hand private data to each other as a Collection. It has no exported fields and no methods,
// and only code below transforms can import this package: a pipeline that holds a Collection can pass
// it on to the next transform, but writing its elements anywhere does not compile.
package sensitive

import (
	"slices"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

// Collection is a PCollection whose elements are private.
type Collection struct {
	col     beam.PCollection
	sources []*source // each shared by all collections made of the same records
}

// source says who releases from the raw records of a PCollection.
type source struct {
	mu    sync.Mutex
	payer any // nil: nobody yet
}

// sources has one for every PCollection of raw records. What it keeps of a pipeline are its nodes, a few hundred bytes
// each, so that no later one is taken for it.
var sources sync.Map // from beam.PCollection to *source

// Hide wraps col, the records of a PCollection in another form. Whatever is made of the same source pays together.
func Hide(raw, col beam.PCollection) Collection {
	s, _ := sources.LoadOrStore(raw, new(source))
	return Collection{col, []*source{s.(*source)}}
}

// Join wraps col, which was made of the records of a and of b.
func Join(a, b Collection, col beam.PCollection) Collection {
	return Collection{col, append(slices.Clone(a.sources), b.sources...)}
}

// Derive wraps col, which was made of the records of c.
func Derive(c Collection, col beam.PCollection) Collection { return Collection{col, c.sources} }

// Spend marks the records of c, and everything made of them, as released from by a payer: one release, or a budget that
// several are charged to. It returns false if they have another payer: losses of two releases add, and no ledger would
// hold both.
func Spend(c Collection, payer any) bool {
	only := true
	for _, s := range c.sources {
		s.mu.Lock()
		if s.payer == nil {
			s.payer = payer
		}
		only = only && s.payer == payer
		s.mu.Unlock()
	}
	return only
}

// Reveal returns the wrapped PCollection. It panics on the zero Collection, which no transform returns.
func Reveal(c Collection) beam.PCollection {
	if !c.col.IsValid() {
		panic("sensitive: the collection was not made by a transform")
	}
	return c.col
}
