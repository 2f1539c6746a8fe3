package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/runtime/graphx"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/encoding/protojson"
)

// Environment says where workers are.
type Environment string

// The environments of Beam.
const (
	Loopback Environment = "LOOPBACK" // in this process
	Process  Environment = "PROCESS"  // processes that the engine starts by a command
	External Environment = "EXTERNAL" // a pool of workers at an address
	Docker   Environment = "DOCKER"   // containers of an image
)

// urns are the names of environments in a pipeline. A pool answers for workers in this process too.
var urns = map[Environment]string{
	Loopback: graphx.URNEnvExternal, Process: graphx.URNEnvProcess, External: graphx.URNEnvExternal, Docker: graphx.URNEnvDocker,
}

// Pool is workers of this process.
type Pool interface {
	EnvironmentConfig(context.Context) string
	Stop(context.Context) error
}

var startPool func(context.Context) (Pool, error)

// RegisterPool makes workers of this process known, from an init function.
func RegisterPool(start func(context.Context) (Pool, error)) { startPool = start }

// Command returns the command in the configuration of a Process environment; empty if it has none.
func Command(config string) string {
	p := &pipepb.ProcessPayload{}
	if protojson.Unmarshal([]byte(config), p) != nil {
		return ""
	}
	return p.GetCommand()
}

// Options say how a pipeline becomes a job. Zero fields leave the choice to the service.
type Options struct {
	Name        string
	Environment Environment
	Config      string // of the environment: JSON with a command, an address, or an image; empty: Worker boots itself in a Process
	Worker      string // program for the workers, of linux/amd64; not used by Loopback
	Parallelism int
	Experiments []string
	Cloud       Cloud // for Dataflow alone
}

// Cloud is what Dataflow is told of a job besides.
type Cloud struct {
	Run            string // one job at most has it
	Temp           string // gs:// directory for what Dataflow keeps meanwhile
	Machine        string
	MaxWorkers     int
	ServiceAccount string
	Subnetwork     string
	PrivateIPs     bool
	Labels         map[string]string
	// Stage writes a file that workers fetch, and returns its name on gs://.
	Stage func(ctx context.Context, name string, content []byte) (url string, err error)
	// Keep takes the request, in JSON, in place of Dataflow: of a template, or of a dry run. Nil: it is sent.
	Keep func(ctx context.Context, request []byte) error
}

// ErrUnknown reports that a submission may or may not have created a job.
var ErrUnknown = errors.New("nothing is known of the job")

// Submit makes a job of a pipeline and returns its ID, which is empty if Options.Cloud.Keep took the request. Workers of a
// Loopback serve it until end is called, which is not nil.
func (c *Client) Submit(ctx context.Context, p *beam.Pipeline, o Options) (job string, end func(), err error) {
	end = func() {}
	edges, _, err := p.Build()
	if err != nil {
		return "", end, err
	}
	config, worker := o.Config, o.Worker
	if o.Environment == Loopback {
		if startPool == nil {
			return "", end, errors.New("this program has no workers of its own: import internal/request/jobs/loopback")
		}
		pool, err := startPool(context.WithoutCancel(ctx)) // its workers end with the job
		if err != nil {
			return "", end, fmt.Errorf("workers of this process: %w", err)
		}
		end = func() { _ = pool.Stop(context.WithoutCancel(ctx)) } // they end with the process
		config, worker = pool.EnvironmentConfig(ctx), ""
	}
	if o.Environment == Process && config == "" {
		if config, err = itself(worker); err != nil {
			return "", end, err
		}
		worker = ""
	}
	if worker == "" {
		if worker, err = placeholder(); err != nil {
			return "", end, err
		}
		defer func() { _ = os.Remove(worker) }()
	}
	env, err := graphx.CreateEnvironment(ctx, urns[o.Environment], func(context.Context) string { return config })
	if err != nil {
		return "", end, err
	}
	graph, err := graphx.Marshal(edges, &graphx.Options{Environment: env})
	if err == nil && c.foreign != nil {
		job, err = c.foreign.Submit(ctx, graph, o)
		return job, end, err
	}
	if err == nil {
		err = runnerlib.UpdateGoEnvironmentWorker(worker, graph)
	}
	if err != nil {
		return "", end, err
	}
	id, staging, token, err := runnerlib.Prepare(ctx, c.service, graph, &runnerlib.JobOptions{
		Name: o.Name, Experiments: o.Experiments, Worker: worker, Parallelism: o.Parallelism, Loopback: o.Environment == Loopback,
	})
	if err != nil {
		return "", end, fmt.Errorf("the job service at %s refuses the pipeline (%s): its Beam may be of another version than this program's, %s",
			c.Endpoint, firstLine(cause(err)), core.SdkVersion)
	}
	if token, err = runnerlib.Stage(ctx, id, staging, worker, token); err != nil {
		return "", end, fmt.Errorf("the job service at %s does not take the program for the workers: %s", c.Endpoint, firstLine(cause(err)))
	}
	resp, err := c.service.Run(ctx, &jobpb.RunJobRequest{PreparationId: id, RetrievalToken: token})
	if err != nil {
		return "", end, fmt.Errorf("submitting the job: %w: %w", plain(err), ErrUnknown)
	}
	return resp.GetJobId(), end, nil
}

// placeholder makes the empty file that is staged if no worker fetches a program.
func placeholder() (string, error) {
	f, err := os.CreateTemp("", "loopback-")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// cause is what a service said, in an error that others have wrapped.
func cause(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, "desc = "); i >= 0 {
		return text[i+len("desc = "):]
	}
	return text
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}
