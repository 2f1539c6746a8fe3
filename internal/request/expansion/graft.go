package expansion

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/typex"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"
)

// Placeholders stand for the rows of the caller and mark what goes back to it.
const (
	placeholder = "dapple:placeholder:"
	anyInput    = placeholder + inputTag
)

// graph is the transform between placeholders.
type graph struct {
	pipeline *pipepb.Pipeline
	kept     map[string]*pipepb.FieldType // fields of a logical type of the output rows, as the caller has them
}

// build makes the transform, whose outputs stage returns by name, for rows of a type.
func build(in reflect.Type, env *pipepb.Environment, stage func(beam.Scope, beam.PCollection) map[string]beam.PCollection) (*graph, error) {
	pipeline, s := beam.NewPipelineWithRoot()
	rows := beam.External(s, anyInput, nil, nil, []beam.FullType{typex.New(in)}, true)
	for tag, col := range stage(s, rows[0]) {
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
	return &graph{pipeline: marshaled}, nil
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
		tag, ofStage := strings.CutPrefix(t.GetSpec().GetUrn(), placeholder)
		switch {
		case !ofStage:
			continue
		case tag == inputTag:
			source := only(t.GetOutputs())
			delete(ours.GetPcollections(), source)
			ids[source] = inputID(req)
		default:
			outputs[tag] = only(t.GetInputs())
		}
		delete(ours.GetTransforms(), id)
	}
	if rows := outputs[rowsTag]; rows != "" {
		g.keep(ours.GetCoders()[ours.GetPcollections()[rows].GetCoderId()])
	}
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
		if t := g.kept[f.GetName()]; t != nil {
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
