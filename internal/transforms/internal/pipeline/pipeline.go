// Package pipeline finds the graph that a transform is added to, and the nodes of it, which Beam keeps behind its Scope and its
// PCollections.
package pipeline

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
)

// Graph returns the graph of a scope. It panics on an invalid Scope.
func Graph(s beam.Scope) *graph.Graph {
	if !s.IsValid() {
		panic("synth: the Scope belongs to no pipeline")
	}
	return (*graph.Graph)(reflect.ValueOf(s).FieldByName("real").UnsafePointer())
}

// Node returns the node of a collection. It panics on an invalid one.
func Node(col beam.PCollection) *graph.Node {
	if !col.IsValid() {
		panic("synth: the collection belongs to no pipeline")
	}
	return (*graph.Node)(reflect.ValueOf(col).FieldByName("n").UnsafePointer())
}
