package pipelines

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/beamrun/jobs"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
)

// keep returns what writes a template; nil if the request for a job is sent. A template names the staging of its run, so
// that all jobs that are made of it share one release.
func (x pipelineRun) keep() func(context.Context, []byte) error {
	name := x.engine.Cloud.Template
	if name == "" {
		return nil
	}
	return func(ctx context.Context, request []byte) error {
		if err := files.Create(ctx, name, request); err != nil {
			return fmt.Errorf("writing the template: %w", err)
		}
		return nil
	}
}

// dry returns the request that a run would send. Nothing is staged, charged or sent.
func (r *Request) dry(ctx context.Context, l launch, where run.Area, n run.Note) (*Result, error) {
	st := run.Staging{Dir: where.Name(l.runID)}
	l.store, l.output = st.Ref(), r.output(l.runID, st, n.Began)
	x := pipelineRun{runner: r.Runner, engine: r.Engine, labels: r.Labels, run: l.runID, dir: st.Dir}
	cloud, res := x.cloud(), &Result{}
	cloud.Stage = func(_ context.Context, name string, _ []byte) (string, error) {
		return files.Join(x.dir, x.run, name), nil
	}
	cloud.Keep = func(_ context.Context, request []byte) error {
		var b bytes.Buffer
		err := json.Indent(&b, request, "", "  ")
		res.Submitted = b.String()
		return err
	}
	c, err := jobs.Unasked(ctx, r.Engine.Endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	p, s := beam.NewPipelineWithRoot()
	build(s, r, l)
	_, end, err := c.Submit(ctx, p, x.options(cloud))
	end()
	return res, err
}
