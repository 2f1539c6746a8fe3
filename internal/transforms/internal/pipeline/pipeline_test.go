package pipeline

import (
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// All scopes of one pipeline have one graph, which grows with it; another pipeline has another.
func TestGraph(t *testing.T) {
	p, s := beam.NewPipelineWithRoot()
	g := Graph(s)
	beam.Impulse(s)
	edges, _, err := g.Build()
	must.Do(t, err)
	built, _, err := p.Build()
	must.Hold(t, err == nil && len(edges) == 1 && built[0] == edges[0], "the graph has %d edges, the pipeline %d (error %v)", len(edges), len(built), err)
	must.Hold(t, Graph(s.Scope("inner")) == g, "an inner scope has another graph")
	_, other := beam.NewPipelineWithRoot()
	must.Hold(t, Graph(other) != g, "two pipelines have one graph")
}
