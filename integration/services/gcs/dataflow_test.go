package gcs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/pipelines"
	_ "github.com/dapple-dp/dapple/internal/request/jobs/dataflow"
	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// onDataflow makes a request for a Dataflow that does do with a job's graph.
func onDataflow(t *testing.T, c pipelines.Config, do func(d *jobstest.Dataflow, graph *pipepb.Pipeline)) (pipelines.Config, *jobstest.Dataflow) {
	t.Helper()
	d := jobstest.StartDataflow(t)
	d.Made = func(request []byte) { go do(d, graphOf(t, request)) }
	worker := filepath.Join(t.TempDir(), "worker")
	must.Do(t, os.WriteFile(worker, []byte("a program"), 0o700))
	_, address, _ := strings.Cut(d.Endpoint, "@")
	c.Runner, c.Engine = "dataflow", pipelines.Engine{Endpoint: address, Worker: worker, Cloud: pipelines.Cloud{Project: "p", Region: "r"}}
	return c, d
}

// graphOf returns the graph that the request for a job names.
func graphOf(t *testing.T, request []byte) *pipepb.Pipeline {
	var r struct {
		Environment struct {
			SDKPipelineOptions struct {
				Options struct{ PipelineURL string }
			}
		}
	}
	graph := &pipepb.Pipeline{}
	err := json.Unmarshal(request, &r)
	if err == nil {
		var b []byte
		if b, err = files.ReadAll(ctx, r.Environment.SDKPipelineOptions.Options.PipelineURL, 1<<20); err == nil {
			err = proto.Unmarshal(b, graph)
		}
	}
	must.Hold(t, err == nil, "request %s: %v", request, err)
	return graph
}

// onPrism returns what runs a graph on prism with workers of this process.
func onPrism(t *testing.T) func(graph *pipepb.Pipeline) error {
	t.Helper()
	port := transformtest.Port(t)
	must.Value(prism.CreateJobServer(ctx, prism.Options{Port: port}))(t)
	workers := must.Value(extworker.StartLoopback(ctx, 0))(t)
	t.Cleanup(func() { _ = workers.Stop(ctx) }) // they end with the process
	return func(graph *pipepb.Pipeline) error {
		payload, err := proto.Marshal(&pipepb.ExternalPayload{Endpoint: &pipepb.ApiServiceDescriptor{Url: workers.EnvironmentConfig(ctx)}})
		if err != nil {
			return err
		}
		for _, env := range graph.GetComponents().GetEnvironments() {
			env.Urn, env.Payload = "beam:env:external:v1", payload
		}
		_, err = runnerlib.Execute(ctx, graph, fmt.Sprint("127.0.0.1:", port), &runnerlib.JobOptions{Name: "n", Loopback: true}, false)
		return err
	}
}

// A job of Dataflow: its graph, as it was staged, runs on prism with workers of this process, which see objects alone.
// It publishes, and what was staged is gone.
func TestDataflow(t *testing.T) {
	s, c := shop(t)
	launch := onPrism(t)
	c, d := onDataflow(t, c, func(d *jobstest.Dataflow, graph *pipepb.Pipeline) {
		d.Set("JOB_STATE_RUNNING")
		if err := launch(graph); err != nil {
			d.Set("JOB_STATE_FAILED", err.Error())
			return
		}
		d.Set("JOB_STATE_DONE")
	})
	c.RunID = "r1"
	res := mustRun(t, c)
	complete(t, "gs://shop/out", res.Written.Rows)
	must.Hold(t, d.Jobs() == 1 && res.Written.Rows != 0, "%d jobs, %+v", d.Jobs(), res.Written)
	res = mustRun(t, c)
	must.Hold(t, d.Jobs() == 1 && strings.Contains(res.Written.Adopted, "had finished before"), "asked again: %d jobs, %v", d.Jobs(), res.Written.Notes)
	got := strings.Join(names(t, s, "shop"), " ")
	must.Hold(t, !strings.Contains(got, "_tmp") && !strings.Contains(got, "worker"), "left behind: %s", got)
}

// Without a domain file a job finds the domain and another one writes the rows. Workers see objects alone; nothing is left.
func TestDataflowFindsTheDomain(t *testing.T) {
	s, c := shop(t)
	launch := onPrism(t)
	c, d := onDataflow(t, c, nil)
	d.Made = func(request []byte) {
		d.Set("JOB_STATE_RUNNING")
		go func() {
			if err := launch(graphOf(t, request)); err != nil {
				d.Set("JOB_STATE_FAILED", err.Error())
				return
			}
			d.Set("JOB_STATE_DONE")
		}()
	}
	c.Domain, c.PrivacyID, c.Rows, c.Method, c.RunID, c.Epsilon, c.Delta = "", "none", 0, "", "r1", 9, 1e-4
	for range 2 {
		r := must.Value(pipelines.ValidateFind(ctx, c))(t)
		res := must.Value(pipelines.RunFound(ctx, r))(t)
		if complete(t, "gs://shop/out", res.Written.Rows); d.Jobs() != 2 {
			t.Errorf("%d jobs, %v", d.Jobs(), res.Written.Notes)
		}
	}
	got := strings.Join(names(t, s, "shop"), " ")
	must.Hold(t, !strings.Contains(got, "_tmp") && !strings.Contains(got, "worker") && !strings.Contains(got, "out.found") && strings.Contains(got, "out.release/_domain.yaml"),
		"left behind: %s", got)
}

// However a job of Dataflow ends without output, what is said of the budget is true, and nothing is left of it.
func TestDataflowJobsThatFail(t *testing.T) {
	for state, want := range map[string][]string{
		"JOB_STATE_FAILED":    {"csv: open x: gone", "nothing was written and no privacy budget was spent"},
		"JOB_STATE_CANCELLED": {"the job was cancelled, and not by this command", "no privacy budget was spent"},
		"JOB_STATE_DONE":      {"its output is not to be seen here", "no privacy budget was spent"},
	} {
		s, c := shop(t)
		before := len(names(t, s, "shop"))
		c, d := onDataflow(t, c, func(d *jobstest.Dataflow, _ *pipepb.Pipeline) {
			d.Set(state, "caused by:\ncsv: open x: gone")
		})
		_, err := run(t, c)
		for _, text := range want {
			must.Fail(t, err, text, "%s", state)
		}
		if left := names(t, s, "shop"); len(left) != before || d.Jobs() != 1 {
			t.Errorf("%s: %d jobs, left are %v", state, d.Jobs(), left)
		}
	}
}

// A job that may go on is not paid for again by the same command, wherever its launcher is.
func TestDataflowJobThatGoesOn(t *testing.T) {
	_, c := shop(t)
	c, d := onDataflow(t, c, func(d *jobstest.Dataflow, _ *pipepb.Pipeline) { d.Set("JOB_STATE_RUNNING") })
	c.Engine.Cloud.Staging, c.Engine.Detach, c.RunID = "gs://shop/staging", true, "r1"
	res := mustRun(t, c)
	must.Hold(t, strings.Contains(res.Submitted, "--run_id=r1"), "%+v", res)
	c.Engine.Detach, c.RunID, c.Output = false, "", "gs://shop/other"
	if _, err := run(t, c); err == nil || !strings.Contains(err.Error(), "--run_id: a job of this request may go on: run r1, begun ") || d.Jobs() != 1 {
		t.Errorf("%v, %d jobs", err, d.Jobs())
	}
}

// A template is written and launches nothing. It stages all that its job needs, which publishes; the same command finds
// the result, and until then says that it may come.
func TestTemplate(t *testing.T) {
	s, c := shop(t)
	c, d := onDataflow(t, c, func(*jobstest.Dataflow, *pipepb.Pipeline) {})
	c.Engine.Cloud.Template, c.RunID = "gs://shop/template.json", "r1"
	res := mustRun(t, c)
	must.Hold(t, strings.HasPrefix(res.Submitted, "written    gs://shop/template.json, the job of run r1") && d.Jobs() == 0, "%d jobs, %q", d.Jobs(), res.Submitted)
	must.Fails(run(t, c))(t, "what became of it is not known here\nthe job may go on: count its budget as spent", "asked too early")
	template := must.Value(files.ReadAll(ctx, c.Engine.Cloud.Template, 1<<20))(t)
	for range 2 { // a second job changes nothing
		must.Pass(t, onPrism(t)(graphOf(t, template)))
	}
	res = mustRun(t, c)
	complete(t, "gs://shop/out", res.Written.Rows)
	must.Hold(t, strings.Contains(res.Written.Adopted, "run r1 had finished before"), "%+v", res.Written)
	got := strings.Join(names(t, s, "shop"), " ")
	must.Hold(t, !strings.Contains(got, "_tmp") && !strings.Contains(got, "worker"), "left behind: %s", got)
}

// A dry run asks nobody and leaves nothing.
func TestDryRun(t *testing.T) {
	s, c := shop(t)
	before := names(t, s, "shop")
	c, d := onDataflow(t, c, func(*jobstest.Dataflow, *pipepb.Pipeline) {})
	d.Refuses = func(*http.Request) (int, string) { return http.StatusForbidden, "no rights" }
	c.Engine.Cloud.DryRun = true
	res := mustRun(t, c)
	var request struct{ Name string }
	err := json.Unmarshal([]byte(res.Submitted), &request)
	must.Hold(t, err == nil && strings.HasPrefix(request.Name, "dapple-"), "%v: %s", err, res.Submitted)
	after := names(t, s, "shop")
	must.Hold(t, slices.Equal(before, after) && d.Jobs() == 0, "%d jobs, %v became %v", d.Jobs(), before, after)
}
