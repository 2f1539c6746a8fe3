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
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
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

// sources has one for every node of raw records. What it keeps of a pipeline are its nodes, a few hundred bytes
// each, so that no later one is taken for it.
var sources sync.Map // from *graph.Node to *source

// Hide wraps col, raw records in another form. raw has the node of the records, and the nodes of the same people that they were
// made of. Whatever is made of one of them pays together.
func Hide(raw []*graph.Node, col beam.PCollection) Collection {
	c := Collection{col: col}
	for _, n := range raw {
		s, _ := sources.LoadOrStore(n, new(source))
		c.sources = append(c.sources, s.(*source))
	}
	return c
}

// public has the nodes of releases.
var public sync.Map

// Publish marks the node of a release: what is made of it costs nothing more.
func Publish(n *graph.Node) { public.Store(n, true) }

// Public reports whether a node belongs to a release.
func Public(n *graph.Node) bool {
	_, ok := public.Load(n)
	return ok
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
