// Package sensitive hides PCollections of private data from code outside the transforms.
//
// Transforms hand private data to each other as a Collection. It has no exported fields and no methods,
// and only code below transforms can import this package: a pipeline that holds a Collection can pass
// it on to the next transform, but writing its elements anywhere does not compile.
package sensitive

import "github.com/apache/beam/sdks/v2/go/pkg/beam"

// Collection is a PCollection whose elements are private.
type Collection struct{ col beam.PCollection }

// Hide wraps col.
func Hide(col beam.PCollection) Collection { return Collection{col} }

// Reveal returns the wrapped PCollection. It panics on the zero Collection, which no transform returns.
func Reveal(c Collection) beam.PCollection {
	if !c.col.IsValid() {
		panic("sensitive: the collection was not made by a transform")
	}
	return c.col
}
