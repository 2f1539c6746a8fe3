package expansion

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/coder"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx/schema"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const people = `privacy_id: id
columns:
  - {name: sex, type: STRING, values: [f, m], fallback: f}
  - {name: age, type: INT64, min: 0, max: 100, bins: 10, fallback: 0}
  - {name: born, type: DATE, min: 1900-01-01, max: 2020-12-31, step: year, "null": true}
`

// field is one of a schema: name type, as ask takes them; a type that ends in ? is nullable.
func field(text string) *pipepb.Field {
	name, kind, _ := strings.Cut(text, " ")
	kind, nullable := strings.CutSuffix(kind, "?")
	f := &pipepb.Field{Name: name, Type: &pipepb.FieldType{Nullable: nullable}}
	switch {
	case strings.HasPrefix(kind, "beam:"):
		f.Type.TypeInfo = &pipepb.FieldType_LogicalType{LogicalType: &pipepb.LogicalType{Urn: kind}}
	case kind == "LIST":
		f.Type.TypeInfo = &pipepb.FieldType_ArrayType{ArrayType: &pipepb.ArrayType{ElementType: &pipepb.FieldType{TypeInfo: &pipepb.FieldType_AtomicType{AtomicType: pipepb.AtomicType_INT64}}}}
	default:
		f.Type.TypeInfo = &pipepb.FieldType_AtomicType{AtomicType: pipepb.AtomicType(pipepb.AtomicType_value[kind])}
	}
	return f
}

// rowsOf are the fields of people.
var rowsOf = []string{"id STRING", "sex STRING", "age INT32", "born beam:logical_type:date:v1?", "note STRING"}

// ask is a request as Python makes it.
func ask(t *testing.T, fields []string, o any) *jobpb.ExpansionRequest {
	t.Helper()
	rows := &pipepb.Schema{}
	for _, f := range fields {
		rows.Fields = append(rows.Fields, field(f))
	}
	config := must.Value(schema.FromType(reflect.TypeOf(o)))(t)
	config = proto.Clone(config).(*pipepb.Schema)
	config.Id = "" // of another process
	write, err := coder.RowEncoderForStruct(reflect.TypeOf(o))
	var row bytes.Buffer
	if err == nil {
		err = write(o, &row)
	}
	must.Do(t, err)
	return &jobpb.ExpansionRequest{
		Namespace: "external_7",
		Components: &pipepb.Components{
			Pcollections:        map[string]*pipepb.PCollection{"theirs": {UniqueName: "people", CoderId: "rows", WindowingStrategyId: "all", IsBounded: pipepb.IsBounded_BOUNDED}},
			Coders:              map[string]*pipepb.Coder{"rows": {Spec: &pipepb.FunctionSpec{Urn: "beam:coder:row:v1", Payload: encode(rows)}}},
			WindowingStrategies: map[string]*pipepb.WindowingStrategy{"all": {WindowFn: &pipepb.FunctionSpec{Urn: "beam:window_fn:global_windows:v1"}}},
		},
		Transform: &pipepb.PTransform{
			UniqueName: "Make people up", Inputs: map[string]string{"input": "theirs"},
			Spec: &pipepb.FunctionSpec{Urn: urnSchemaTransform, Payload: encode(&pipepb.SchemaTransformPayload{
				Identifier: Identifier, ConfigurationSchema: config, ConfigurationRow: row.Bytes(),
			})},
		},
	}
}

// few are the options of most callers.
type few struct {
	Domain  string  `beam:"domain"`
	Epsilon float64 `beam:"epsilon"`
	Delta   float64 `beam:"delta"`
}

func expand(t *testing.T, req *jobpb.ExpansionRequest) *jobpb.ExpansionResponse {
	t.Helper()
	env := must.Value(environment("anyof", "localhost:1", "/bin/dapple", "00"))(t)
	resp := must.Value((&Server{Environment: env}).Expand(t.Context(), req))(t)
	return resp
}
