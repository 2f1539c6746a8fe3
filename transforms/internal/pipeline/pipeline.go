// Package pipeline finds the graph that a transform is added to, which Beam keeps behind its Scope.
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
