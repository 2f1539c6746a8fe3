package dataflow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/dataflow/dataflowlib"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/request/jobs"
)

// experiments are those that Beam itself asks for: without them no pipeline of Go runs.
var experiments = []string{"beam_fn_api", "use_runner_v2", "use_unified_worker", "use_portable_job_submission"}

// Submit stages the program for the workers and the graph, and makes a job of them, or hands over the request for one. The request itself names both, and
// holds no flag of the command and no step.
func (s *service) Submit(ctx context.Context, graph *pipepb.Pipeline, o jobs.Options) (job string, err error) {
	program, err := os.ReadFile(o.Worker)
	if err != nil {
		return "", err
	}
	worker, err := o.Cloud.Stage(ctx, "worker", program) // Dataflow wants the name
	if err != nil {
		return "", fmt.Errorf("staging the program for the workers: %w", err)
	}
	payload, err := proto.Marshal(&pipepb.ArtifactUrlPayload{Url: worker, Sha256: wire.Hash(program)})
	if err == nil {
		err = graphx.UpdateDefaultEnvWorkerType(graphx.URNArtifactURLType, payload, graph)
	}
	if err != nil {
		return "", err
	}
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(graph)
	if err != nil {
		return "", err
	}
	model, err := o.Cloud.Stage(ctx, "model", b)
	if err != nil {
		return "", fmt.Errorf("staging the graph: %w", err)
	}
	request, err := dataflowlib.Translate(ctx, graph, &dataflowlib.JobOptions{
		Name: o.Name, Experiments: append(slices.Clone(experiments), o.Experiments...),
		Project: s.project, Region: s.region, ContainerImage: o.Config, WorkerHash: wire.Hash(program), TempLocation: o.Cloud.Temp,
		MachineType: o.Cloud.Machine, MaxNumWorkers: int64(o.Cloud.MaxWorkers),
		ServiceAccountEmail: o.Cloud.ServiceAccount, Subnetwork: o.Cloud.Subnetwork, NoUsePublicIPs: o.Cloud.PrivateIPs, Labels: o.Cloud.Labels,
	}, worker, model, wire.Hash(b))
	if err != nil {
		return "", err
	}
	if o.Cloud.Keep != nil {
		b, err := request.MarshalJSON()
		if err != nil {
			return "", err
		}
		return "", o.Cloud.Keep(ctx, b)
	}
	request.ClientRequestId = o.Cloud.Run // a request that comes twice is one job
	made, err := s.calls.Create(s.project, s.region, request).Context(ctx).Do()
	switch {
	case err != nil && refused(err):
		return "", fmt.Errorf("the job was refused by Dataflow: %s", text(err))
	case err != nil:
		return "", fmt.Errorf("submitting the job: %s: %w", text(err), jobs.ErrUnknown)
	case made.Id == "":
		return "", errors.Join(errors.New("submitting the job: the answer names no job"), jobs.ErrUnknown)
	}
	return made.Id, nil
}
