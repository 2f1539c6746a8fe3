package pipelines

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/kit/runner"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/request/progress"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// execute charges the run and does what remains of it.
func (c *claim) execute(ctx context.Context) error {
	charged, err := c.r.charge(ctx, c.note, c.output.Book)
	if c.notes = append(c.notes, charged...); err != nil {
		return err
	}
	if found := c.output.Found; found != nil {
		c.notes = append(c.notes, found.String())
	}
	c.charged = true
	if err := c.work(ctx); err != nil {
		return err
	}
	if c.r.Engine.runner.Service && !c.output.published(ctx) {
		return errors.Join(errors.New("the job is done, and its output is not to be seen here: do its workers see the same directories?"), c.stop(ctx))
	}
	return nil
}

// stop keeps the run from all steps that it has not begun.
func (c *claim) stop(ctx context.Context) error {
	return c.staging.Stop(ctx, c.note.RunID, c.runID)
}

// work does what remains of a run: all of it, the rows of a kept release, or waiting for a job.
func (c *claim) work(ctx context.Context) error {
	r := c.r
	x := pipelineRun{
		engine: r.Engine, labels: r.Labels, run: c.runID, submitted: c.staging.Remember, stop: c.stop, dir: c.staging.Dir,
	}
	bytes, whole := r.inputBytes()
	if c.begun != nil || !whole {
		bytes = 0
	}
	m := progress.New(bytes, progress.Form{Progress: r.Progress, Terminal: r.Terminal, LogJSON: r.LogJSON})
	if c.begun != nil && c.begun.AtWork {
		return x.attach(ctx, c.begun.Job, m)
	}
	p, s := beam.NewPipelineWithRoot()
	if c.begun != nil {
		write(s, r, c.launch, synth.SavedIn(s, *c.begun.Model, r.File.Domain, c.store))
	} else {
		build(s, r, c.launch)
	}
	return x.execute(ctx, p, m)
}

// execute runs a pipeline on a runner, with progress.
func execute(ctx context.Context, p *beam.Pipeline, name string, m *progress.Meter) error {
	stop := m.Start()
	defer stop()
	held := ctx
	if name == "prism" {
		var release func()
		held, release = runner.Started(ctx)
		defer release()
	}
	_, err := beam.Run(held, name, p)
	return stopped(ctx, errtext.Of(err))
}

// stopped returns an error if a run was interrupted; other errors are then consequences.
func stopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// jobStillRunning is the error for a job that may or may not be running.
type jobStillRunning struct {
	run.Job
	why string
}

func (e *jobStillRunning) Error() string {
	if e.ID == run.Unlaunched {
		return fmt.Sprintf("%s\nthe job may go on: count its budget as spent", e.why)
	}
	return fmt.Sprintf("%s\nthe job may go on: count its budget as spent; it is job %s at %s", e.why, e.ID, e.Endpoint)
}

// Is makes it run.ErrKept: a run with its ID waits for it.
func (e *jobStillRunning) Is(target error) bool { return target == run.ErrKept }

// detached is the result of a command whose job continues as requested.
type detached struct{ run.Job }

func (e *detached) Error() string { return "submitted as job " + e.ID }

// pipelineRun is a pipeline with its runner and the settings of its run.
type pipelineRun struct {
	engine    Engine
	labels    map[string]string                    // of the job
	run       string                               // ID of the run that publishes
	submitted func(context.Context, run.Job) error // notes the job
	stop      func(context.Context) error          // keeps workers elsewhere from all that they have not begun
	dir       string                               // staging of the run
}

// cloud returns the settings of the job for Dataflow. All its files are in the staging, and are removed with it.
func (x pipelineRun) cloud() jobs.Cloud {
	c := x.engine.Cloud
	return jobs.Cloud{
		Run: x.run, Temp: files.Join(x.dir, x.run, "temp"), Machine: c.Machine, MaxWorkers: c.MaxWorkers,
		ServiceAccount: c.ServiceAccount, Subnetwork: c.Subnetwork, PrivateIPs: c.PrivateIPs, Labels: x.labels, Keep: x.keep(),
		Stage: func(ctx context.Context, name string, content []byte) (string, error) {
			name = files.Join(x.dir, x.run, name)
			return name, files.Create(ctx, name, content)
		},
	}
}

// options returns how the pipeline becomes a job.
func (x pipelineRun) options(c jobs.Cloud) jobs.Options {
	e := x.engine
	o := jobs.Options{
		Name: e.JobName, Environment: jobs.Environment(e.Environment), Config: e.Config, Worker: e.Worker, Parallelism: e.Parallelism, Cloud: c,
	}
	if e.Experiments != "" {
		o.Experiments = strings.Split(e.Experiments, ",")
	}
	if e.runner.Java && !strings.Contains(e.Experiments, messageLimit) {
		o.Experiments = append(o.Experiments, fmt.Sprint(messageLimit, runner.JavaMessage))
	}
	return o
}

// messageLimit sets the size of messages of Beam's runners in Java.
const messageLimit = "data_buffer_size_limit="

// patience is how long a cancelled job may take to end, including on Dataflow, which stops its machines first, and
// how long a service may be silent.
type patience struct{ cancelled, cloud, silent time.Duration }

var patient = patience{cancelled: 30 * time.Second, cloud: 5 * time.Minute, silent: time.Minute}

// execute runs a pipeline to its end, with progress.
func (x pipelineRun) execute(ctx context.Context, p *beam.Pipeline, m *progress.Meter) error {
	if !x.engine.runner.Service {
		return execute(ctx, p, x.engine.runner.Name, m)
	}
	defer m.Start()()
	c, err := jobs.Dial(ctx, x.engine.Endpoint)
	if err != nil {
		return stopped(ctx, err)
	}
	defer c.Close()
	id, end, err := c.Submit(ctx, p, x.options(x.cloud()))
	defer end()
	j := run.Job{Endpoint: x.engine.Endpoint, ID: id, Run: x.run}
	switch {
	case errors.Is(err, jobs.ErrUnknown):
		_ = x.stop(ctx) // the error is the same whether or not this succeeds
		return &jobStillRunning{j, err.Error()}
	case err != nil:
		return stopped(ctx, err)
	}
	if err := x.submitted(context.WithoutCancel(ctx), j); err != nil {
		return errors.Join(err, x.cancel(ctx, c, j, "the job could not be noted"))
	}
	if x.engine.Cloud.Template != "" {
		return &detached{j}
	}
	m.Submitted(j.ID, j.Endpoint)
	if x.engine.Detach {
		return &detached{j}
	}
	return x.follow(ctx, c, j, m)
}

// attach follows a job that another process has submitted.
func (x pipelineRun) attach(ctx context.Context, j run.Job, m *progress.Meter) error {
	if j.ID == run.Unlaunched {
		return &jobStillRunning{j, "the template of this run was written, and what became of it is not known here"}
	}
	defer m.Start()()
	c, err := jobs.Dial(ctx, j.Endpoint)
	if err != nil {
		return &jobStillRunning{j, err.Error()}
	}
	defer c.Close()
	m.Submitted(j.ID, j.Endpoint)
	return x.follow(ctx, c, j, m)
}

// follow waits for the end of a job, and ends it if ctx ends.
func (x pipelineRun) follow(ctx context.Context, c *jobs.Client, j run.Job, m *progress.Meter) error {
	err := c.Follow(ctx, j.ID, m.Watch(patient.silent))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return x.cancel(ctx, c, j, "interrupted")
	case errors.Is(err, jobs.ErrLost):
		return &jobStillRunning{j, "the job service at " + j.Endpoint + " does not answer any more"}
	}
	if stopErr := x.stop(ctx); stopErr != nil { // the job and its workers have ended, except unreachable ones
		err = errors.Join(err, stopErr)
	}
	if errors.Is(err, jobs.ErrCancelled) {
		return errors.New("the job was cancelled, and not by this command")
	}
	return errtext.Of(err)
}

// cancel ends a job, first through its own store and then through its service.
func (x pipelineRun) cancel(ctx context.Context, c *jobs.Client, j run.Job, why string) error {
	stopErr := x.stop(ctx)
	wait := patient.cancelled
	if x.engine.runner.Dataflow {
		wait = patient.cloud
	}
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer end()
	last, err := c.Cancel(ctx, j.ID)
	switch {
	case !jobs.Ended(last):
		return &jobStillRunning{j, fmt.Sprintf("%s; %v", why, err)}
	case last == jobs.Done:
		return nil
	}
	return errors.Join(errors.New(why), stopErr)
}

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
func (r *Request) dry(ctx context.Context, l launch, n run.Note) (*Result, error) {
	st := run.Staging{Dir: r.to.area.Name(l.runID)}
	l.store, l.output = st.Ref(), r.output(l.runID, st, n.Began)
	x := pipelineRun{engine: r.Engine, labels: r.Labels, run: l.runID, dir: st.Dir}
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
