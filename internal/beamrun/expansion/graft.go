package expansion

import (
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// Placeholders stand for the rows of the caller and mark what goes back to it.
const (
	placeholder = "dapple:placeholder:"
	anyInput    = placeholder + inputTag
)

// graph is the transform between placeholders.
type graph struct {
	pipeline *pipepb.Pipeline
	types    rowTypes
}

// build makes the stage, by Synthesize alone.
func build(types rowTypes, p synth.Params, d publish.Description, env *pipepb.Environment) (*graph, error) {
	pipeline, s := beam.NewPipelineWithRoot()
	in := beam.External(s, anyInput, nil, nil, []beam.FullType{typex.New(types.in)}, true)
	rows, release := synth.Synthesize(s, in[0], p)
	statement := state(s, release, p, d)
	for tag, col := range map[string]beam.PCollection{rowsTag: rows, statementTag: statement} {
		beam.External(s, placeholder+tag, nil, []beam.PCollection{col}, nil, true)
	}
	edges, _, err := pipeline.Build()
	if err != nil {
		return nil, fmt.Errorf("expansion: %w", err)
	}
	marshaled, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err != nil {
		return nil, fmt.Errorf("expansion: %w", err)
	}
	return &graph{marshaled, types}, nil
}

// graft returns the graph with the caller's rows in place of the placeholder, and every name under its namespace.
func (g *graph) graft(req *jobpb.ExpansionRequest) *jobpb.ExpansionResponse {
	ours := g.pipeline.GetComponents()
	ids := renamed{}
	under(ids, req.GetNamespace(), ours.GetTransforms())
	under(ids, req.GetNamespace(), ours.GetPcollections())
	under(ids, req.GetNamespace(), ours.GetCoders())
	under(ids, req.GetNamespace(), ours.GetWindowingStrategies())
	under(ids, req.GetNamespace(), ours.GetEnvironments())
	outputs := map[string]string{}
	for id, t := range ours.GetTransforms() {
		switch urn := t.GetSpec().GetUrn(); urn {
		case anyInput:
			source := only(t.GetOutputs())
			delete(ours.GetPcollections(), source)
			ids[source] = inputID(req)
		case placeholder + rowsTag, placeholder + statementTag:
			outputs[urn[len(placeholder):]] = only(t.GetInputs())
		default:
			continue
		}
		delete(ours.GetTransforms(), id)
	}
	g.keep(ours.GetCoders()[ours.GetPcollections()[outputs[rowsTag]].GetCoderId()])
	out := &pipepb.PTransform{UniqueName: req.GetTransform().GetUniqueName(), Inputs: req.GetTransform().GetInputs(), Outputs: outputs}
	for _, id := range g.pipeline.GetRootTransformIds() {
		if ours.GetTransforms()[id] != nil {
			out.Subtransforms = append(out.Subtransforms, id)
		}
	}
	for tag, id := range outputs {
		outputs[tag] = ids[id]
	}
	for i, id := range out.Subtransforms {
		out.Subtransforms[i] = ids[id]
	}
	all := proto.Clone(req.GetComponents()).(*pipepb.Components)
	ids.merge(all, ours, req.GetTransform().GetUniqueName()+"/")
	return &jobpb.ExpansionResponse{Components: all, Transform: out, Requirements: g.pipeline.GetRequirements()}
}

// keep gives fields of logical types back as the caller has them: Beam Go leaves out what a decimal is made of.
func (g *graph) keep(coder *pipepb.Coder) {
	s := &pipepb.Schema{}
	if proto.Unmarshal(coder.GetSpec().GetPayload(), s) != nil {
		panic("expansion: rows without a schema")
	}
	for _, f := range s.GetFields() {
		if t := g.types.kept[f.GetName()]; t != nil {
			nullable := f.GetType().GetNullable()
			f.Type = proto.Clone(t).(*pipepb.FieldType)
			f.Type.Nullable = nullable
		}
	}
	coder.Spec.Payload = encode(s)
}

func only(m map[string]string) string {
	for _, v := range m {
		return v
	}
	return ""
}

// encode returns the bytes of a message, which always has some.
func encode(m proto.Message) []byte {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		panic("expansion: " + err.Error())
	}
	return b
}
