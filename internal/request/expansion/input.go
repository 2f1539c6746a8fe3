package expansion

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// inputOf returns the schema of the one collection of a request. A table is released as a whole: what has windows, or no
// end, is refused.
func inputOf(req *jobpb.ExpansionRequest) (*pipepb.Schema, error) {
	id, c := inputID(req), req.GetComponents()
	col := c.GetPcollections()[id]
	if col == nil || len(req.GetTransform().GetInputs()) != 1 {
		return nil, fmt.Errorf("the transform takes one collection of rows; got %d", len(req.GetTransform().GetInputs()))
	}
	var errs []error
	if w := c.GetWindowingStrategies()[col.GetWindowingStrategyId()]; w.GetWindowFn().GetUrn() != "beam:window_fn:global_windows:v1" {
		errs = append(errs, errors.New("the rows are in windows, and a table is released as a whole: each window would spend ε and δ again; "+
			"put them in the global window, by beam.WindowInto(beam.window.GlobalWindows()), if they end"))
	}
	if col.GetIsBounded() == pipepb.IsBounded_UNBOUNDED {
		errs = append(errs, errors.New("the rows have no end, and a table is released as a whole; read a bounded source: files, a table, or the stored part of a stream"))
	}
	s := &pipepb.Schema{}
	coder := c.GetCoders()[col.GetCoderId()].GetSpec()
	if coder.GetUrn() != "beam:coder:row:v1" || proto.Unmarshal(coder.GetPayload(), s) != nil || len(s.GetFields()) == 0 {
		errs = append(errs, errors.New("the elements are no rows with a schema; make them beam.Row(name=value, …), rows of beam.Select, or a NamedTuple registered with beam.coders.RowCoder"))
	}
	return s, errors.Join(errs...)
}

func inputID(req *jobpb.ExpansionRequest) string {
	for _, id := range req.GetTransform().GetInputs() {
		return id
	}
	return ""
}

// unrepeating are the runners that start no step twice: Python's own, and prism.
var unrepeating = []string{"", "directrunner", "switchingdirectrunner", "fnapirunner", "prismrunner"}

// retries refuses a request that keeps no release and may run twice: each time would draw noise.
func retries(store *string, noRetries *bool, pipeline *structpb.Struct) error {
	runner := pipeline.GetFields()["beam:option:runner:v1"].GetStringValue()
	name := strings.ToLower(runner[strings.LastIndex(runner, ".")+1:])
	if value(store) != "" || value(noRetries) || slices.Contains(unrepeating, name) {
		return nil
	}
	return fmt.Errorf("store is required on %s, which may start a step again and draw a second noise, for twice the ε and δ; "+
		"name a directory that all workers see, or set no_retries=True if you know that it retries nothing, as prism does", runner)
}
