package expansion

import (
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"
)

// renamed are the names of components in another graph, by those they have.
type renamed map[string]string

// under gives components their names under a namespace.
func under[V any](r renamed, namespace string, components map[string]V) {
	for id := range components {
		r[id] = namespace + "_" + id
	}
}

// merge adds components under their new names to a caller's, and puts a prefix before what people see of
// transforms, since runners want those names to be different too.
func (r renamed) merge(to, from *pipepb.Components, prefix string) {
	if to.Environments == nil {
		to.Environments = map[string]*pipepb.Environment{}
	}
	for id, env := range from.GetEnvironments() {
		to.Environments[r[id]] = env
	}
	for id, c := range from.GetCoders() {
		r.each(c.ComponentCoderIds)
		to.Coders[r[id]] = c
	}
	for id, w := range from.GetWindowingStrategies() {
		w.WindowCoderId, w.EnvironmentId = r[w.GetWindowCoderId()], r[w.GetEnvironmentId()]
		to.WindowingStrategies[r[id]] = w
	}
	for id, c := range from.GetPcollections() {
		c.CoderId, c.WindowingStrategyId = r[c.GetCoderId()], r[c.GetWindowingStrategyId()]
		c.UniqueName = r[id]
		to.Pcollections[r[id]] = c
	}
	if to.Transforms == nil {
		to.Transforms = map[string]*pipepb.PTransform{}
	}
	for id, t := range from.GetTransforms() {
		t.UniqueName, t.EnvironmentId = prefix+t.GetUniqueName(), r[t.GetEnvironmentId()]
		r.each(t.Subtransforms)
		r.values(t.Inputs)
		r.values(t.Outputs)
		r.payload(t.GetSpec())
		to.Transforms[r[id]] = t
	}
}

func (r renamed) each(ids []string) {
	for i, id := range ids {
		ids[i] = r[id]
	}
}

func (r renamed) values(ids map[string]string) {
	for tag, id := range ids {
		ids[tag] = r[id]
	}
}

// payload renames the coders in what a transform is told: of splittable functions, of state and timers, and of sums.
func (r renamed) payload(spec *pipepb.FunctionSpec) {
	var m proto.Message
	switch spec.GetUrn() {
	case graphx.URNParDo:
		m = &pipepb.ParDoPayload{}
	case graphx.URNCombinePerKey, "beam:transform:combine_globally:v1", "beam:transform:combine_grouped_values:v1":
		m = &pipepb.CombinePayload{}
	default:
		return
	}
	if proto.Unmarshal(spec.GetPayload(), m) != nil {
		panic("expansion: a transform with the payload of another")
	}
	switch p := m.(type) {
	case *pipepb.ParDoPayload:
		p.RestrictionCoderId = r[p.GetRestrictionCoderId()]
		if len(p.GetStateSpecs())+len(p.GetTimerFamilySpecs()) > 0 {
			panic("expansion: a transform with state, which Synthesize has none of")
		}
	case *pipepb.CombinePayload:
		p.AccumulatorCoderId = r[p.GetAccumulatorCoderId()]
	}
	spec.Payload = encode(m)
}
