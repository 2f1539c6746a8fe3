package dataflow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestMain(m *testing.M) {
	every = 20 * time.Millisecond
	beam.Init()
	m.Run()
}

func dial(t *testing.T, d *jobstest.Dataflow) *jobs.Client {
	t.Helper()
	c := must.Value(jobs.Dial(t.Context(), d.Endpoint))(t)
	t.Cleanup(c.Close)
	return c
}

// submit makes a job of a pipeline, and returns what was staged for it.
func submit(t *testing.T, c *jobs.Client) (job string, staged map[string][]byte, err error) {
	t.Helper()
	worker := filepath.Join(t.TempDir(), "dapple")
	must.Do(t, os.WriteFile(worker, []byte("a program"), 0o700))
	p, s := beam.NewPipelineWithRoot()
	beam.Impulse(s)
	staged = map[string][]byte{}
	job, end, err := c.Submit(t.Context(), p, jobs.Options{
		Name: "n", Environment: jobs.Docker, Config: "image", Worker: worker, Experiments: []string{"mine"},
		Cloud: jobs.Cloud{
			Run: "run7", Temp: "gs://b/run7/temp", Machine: "n2", MaxWorkers: 3, ServiceAccount: "a@b", Subnetwork: "net", PrivateIPs: true, Labels: map[string]string{"team": "health"},
			Stage: func(_ context.Context, name string, content []byte) (string, error) {
				staged[name] = content
				return "gs://b/run7/" + name, nil
			},
		},
	})
	end()
	return job, staged, err
}

// The request is as recorded: it names the staged files, and holds no flag of the command.
func TestRequest(t *testing.T) {
	d := jobstest.StartDataflow(t)
	var request []byte
	d.Made = func(b []byte) { request = b }
	job, staged, err := submit(t, dial(t, d))
	must.Need(t, err == nil && job == jobstest.DataflowJob && d.Jobs() == 1, "job %q, %v, %d jobs", job, err, d.Jobs())
	var got bytes.Buffer
	must.Do(t, json.Indent(&got, request, "", " "))
	want, err := os.ReadFile("testdata/request.json")
	must.Hold(t, err == nil && strings.TrimSpace(got.String()) == strings.TrimSpace(string(want)), "%v; the request is\n%s", err, got.String())
	graph := &pipepb.Pipeline{}
	if err := proto.Unmarshal(staged["model"], graph); err != nil || string(staged["worker"]) != "a program" || len(staged) != 2 {
		t.Fatalf("staged are %d files, %v", len(staged), err)
	}
	for _, env := range graph.GetComponents().GetEnvironments() {
		worker := &pipepb.ArtifactUrlPayload{}
		err := proto.Unmarshal(env.GetDependencies()[0].GetTypePayload(), worker)
		must.Hold(t, err == nil && worker.Url == "gs://b/run7/worker" && worker.Sha256 == wire.Hash([]byte("a program")), "workers fetch %v, %v", worker, err)
	}
}

// A job that is refused is none; one whose answer is lost may be there.
func TestSubmissionsThatFail(t *testing.T) {
	for _, tt := range []struct {
		code    int
		want    string
		unknown bool
	}{
		{http.StatusForbidden, "the job was refused by Dataflow: no rights", false},
		{http.StatusConflict, "the job was refused by Dataflow: no rights", false},
		{http.StatusServiceUnavailable, "submitting the job: no rights", true},
		{http.StatusTooManyRequests, "submitting the job: no rights", true},
	} {
		d := jobstest.StartDataflow(t)
		d.Refuses = func(r *http.Request) (int, string) {
			if r.Method == http.MethodPost {
				return tt.code, "no rights"
			}
			return 0, ""
		}
		_, _, err := submit(t, dial(t, d))
		must.Hold(t, err != nil && strings.Contains(err.Error(), tt.want) && errors.Is(err, jobs.ErrUnknown) == tt.unknown, "%d: %v", tt.code, err)
	}
}

// Whoever may not list jobs is told at once.
func TestDial(t *testing.T) {
	d := jobstest.StartDataflow(t)
	d.Refuses = func(*http.Request) (int, string) { return http.StatusForbidden, "permission denied" }
	must.Fails(jobs.Dial(t.Context(), d.Endpoint))(t, "region r of Dataflow does not list the jobs of project p: permission denied")
}

func TestFollow(t *testing.T) {
	for _, tt := range []struct {
		state  string
		errors []string
		want   string // empty: no error
	}{
		{"JOB_STATE_DONE", nil, ""},
		{"JOB_STATE_FAILED", []string{"caused by:\ncsv: open x: gone", "caused by:\ncsv: open x: gone", "Workflow failed."}, "failed:\nWorkflow failed.\ncaused by:\ncsv: open x: gone"},
		{"JOB_STATE_CANCELLED", nil, jobs.ErrCancelled.Error()},
		{"JOB_STATE_DRAINED", nil, "ended as drained"},
	} {
		d := jobstest.StartDataflow(t)
		c := dial(t, d)
		var heard []string
		counted := 0
		err := c.Follow(t.Context(), jobstest.DataflowJob, jobs.Watcher{
			State: func(s jobs.State) {
				if heard = append(heard, s.String()); len(heard) == 1 {
					d.Set("JOB_STATE_RUNNING")
				}
			},
			Counters: func(namespace string) bool { return namespace == "ours" },
			Counted: func(namespace, name string, n int64) {
				counted++
				must.Hold(t, namespace == "ours" && name == "rows" && n == 1000, "counted %s/%s: %d", namespace, name, n)
				d.Set(tt.state, tt.errors...)
			},
		})
		must.Hold(t, (err == nil) == (tt.want == "") && (err == nil || strings.HasSuffix(err.Error(), tt.want)), "%v, want %q", err, tt.want)
		want := []string{"STARTING", "RUNNING", strings.TrimPrefix(tt.state, "JOB_STATE_")}
		must.Hold(t, slices.Equal(heard, want) && counted != 0, "heard %v, want %v; counted %d times", heard, want, counted)
	}
}

func TestCancel(t *testing.T) {
	d := jobstest.StartDataflow(t)
	last, err := dial(t, d).Cancel(t.Context(), jobstest.DataflowJob)
	must.Hold(t, err == nil && jobs.Ended(last) && d.Cancels() == 1, "%v, %v, %d cancels", last, err, d.Cancels())
}
