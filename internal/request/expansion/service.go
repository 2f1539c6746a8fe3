package expansion

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// Identifier names the transform to callers.
const Identifier = "beam:schematransform:dapple:synthesize:v1"

// urnSchemaTransform names a request for a schema transform.
const urnSchemaTransform = "beam:expansion:payload:schematransform:v1"

// What goes in and out of the transform.
const (
	inputTag     = "input"
	rowsTag      = "rows"
	statementTag = "statement"
)

const description = "Turns private rows into differentially private synthetic rows of the same columns, without the privacy ID. " +
	"The output rows holds them, and the output statement one row: what was promised and spent, the error that is known of, and where the model is."

// Server expands Synthesize and Discover for pipelines of other languages.
type Server struct {
	jobpb.UnimplementedExpansionServiceServer

	// Environment is where the transform's code is at work.
	Environment *pipepb.Environment

	budgets map[string]*synth.Budget // by their names

	mu sync.Mutex // schemas of Beam Go are made by one goroutine at a time
}

// DiscoverSchemaTransform says what there is, with a description of every option.
func (s *Server) DiscoverSchemaTransform(context.Context, *jobpb.DiscoverSchemaTransformRequest) (*jobpb.DiscoverSchemaTransformResponse, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	config, err := configSchema(reflect.TypeFor[options]())
	if err != nil {
		return nil, err
	}
	finds, err := configSchema(reflect.TypeFor[findOptions]())
	if err != nil {
		return nil, err
	}
	return &jobpb.DiscoverSchemaTransformResponse{SchemaTransformConfigs: map[string]*jobpb.SchemaTransformConfig{
		Identifier: {
			ConfigSchema: config, Description: description,
			InputPcollectionNames: []string{inputTag}, OutputPcollectionNames: []string{rowsTag, statementTag},
		},
		DiscoverIdentifier: {
			ConfigSchema: finds, Description: discoverDescription,
			InputPcollectionNames: []string{inputTag}, OutputPcollectionNames: []string{domainTag},
		},
	}}, nil
}

// Expand answers with the graph of the transform, or with all that is wrong with the request.
func (s *Server) Expand(ctx context.Context, req *jobpb.ExpansionRequest) (resp *jobpb.ExpansionResponse, _ error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer func() {
		if text := recover(); text != nil { // of packages that say so what they do not take
			resp = &jobpb.ExpansionResponse{Error: sentences(fmt.Errorf("%v", text))}
		}
	}()
	resp, err := s.expand(ctx, req)
	if err != nil {
		return &jobpb.ExpansionResponse{Error: sentences(err)}, nil
	}
	return resp, nil
}

func (s *Server) expand(ctx context.Context, req *jobpb.ExpansionRequest) (*jobpb.ExpansionResponse, error) {
	payload := &pipepb.SchemaTransformPayload{}
	spec := req.GetTransform().GetSpec()
	known := spec.GetUrn() == urnSchemaTransform && proto.Unmarshal(spec.GetPayload(), payload) == nil
	if !known || payload.GetIdentifier() != Identifier && payload.GetIdentifier() != DiscoverIdentifier {
		return nil, fmt.Errorf("this service has the schema transforms %s and %s alone; was asked for %s %s", Identifier, DiscoverIdentifier, spec.GetUrn(), payload.GetIdentifier())
	}
	rows, err := inputOf(req)
	if err != nil {
		return nil, err
	}
	if payload.GetIdentifier() == DiscoverIdentifier {
		g, err := s.expandDiscover(payload, rows, req.GetPipelineOptions())
		if err != nil {
			return nil, err
		}
		return g.graft(req), nil
	}
	var o options
	if err := readOptions(payload, "synthesize", &o); err != nil {
		return nil, err
	}
	unkept := retries(o.Store, o.NoRetries, req.GetPipelineOptions())
	file, err := schema.Parse("domain", []byte(o.Domain))
	if err != nil {
		return nil, errors.Join(err, unkept)
	}
	p, err := o.params(file)
	types, faults := typesOf(rows, p.Domain)
	if err = errors.Join(err, unkept, faults); err == nil {
		p.Budget, err = s.budget(&o)
	}
	if err != nil {
		return nil, err
	}
	if p.As = types.out; types.out.NumField() == 0 {
		return nil, errors.New("the domain has no column that is written")
	}
	said, err := described(ctx, file, p)
	if err != nil {
		return nil, err
	}
	g, err := build(types.in, s.Environment, func(scope beam.Scope, in beam.PCollection) map[string]beam.PCollection {
		rows, release := synth.Synthesize(scope, in, p)
		return map[string]beam.PCollection{rowsTag: rows, statementTag: state(scope, release, p, said)}
	})
	if err != nil {
		return nil, err
	}
	g.kept = types.kept
	return g.graft(req), nil
}

// sentences are the faults of an error, without prefixes that name packages of Go.
func sentences(err error) string {
	var faults schema.Faults
	if errors.As(err, &faults) && !strings.Contains(err.Error(), "\n"+faults.Error()) {
		err = faults
	}
	text := strings.TrimPrefix(err.Error(), "synth: Synthesize:\n") // what Go programs panic with
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		for _, prefix := range []string{"expansion: ", "discover: ", "synth: ", "Synthesize: ", "private: ", "fields: ", "dp: ", "query: ", "methods: ", "accountant: "} {
			line = strings.TrimPrefix(line, prefix)
		}
		lines[i] = line
	}
	return "dapple: " + strings.Join(lines, "\n")
}
