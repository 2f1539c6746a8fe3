package private

import (
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/transforms/internal/fields"
	"github.com/dapple-dp/dapple/internal/transforms/internal/pipeline"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
)

// sourcesOf returns the node of records, and those that they were made of, and that are of the same people as far as their types show: structs
// with a field of the privacy ID, alone or in pairs and groups, and chunks. What was released is public, and nothing is looked
// for behind it. Without a privacy ID it is the first alone.
func sourcesOf(s beam.Scope, col beam.PCollection, d *domain.Domain) []*graph.Node {
	own := []*graph.Node{pipeline.Node(col)}
	if d.PrivacyID == "" {
		return own
	}
	edges, _, err := pipeline.Graph(s).Build()
	if err != nil {
		return own // Beam says why when the pipeline is run
	}
	from := map[*graph.Node][]*graph.Node{}
	for _, e := range edges {
		for _, out := range e.Output {
			for _, in := range e.Input {
				from[out.To] = append(from[out.To], in.From)
			}
		}
	}
	list, seen := own, map[*graph.Node]bool{}
	var climb func(n *graph.Node)
	climb = func(n *graph.Node) {
		if seen[n] || sensitive.Public(n) {
			return
		}
		seen[n] = true
		if n != own[0] && named(n.Type(), d.PrivacyID) {
			list = append(list, n)
		}
		for _, up := range from[n] {
			climb(up)
		}
	}
	climb(own[0])
	return list
}

// named reports whether elements of a type have the privacy ID.
func named(t typex.FullType, id string) bool {
	for _, part := range t.Components() {
		if named(part, id) {
			return true
		}
	}
	e := t.Type()
	return e == reflect.TypeFor[*domain.Chunk]() || fields.Has(e, id)
}
