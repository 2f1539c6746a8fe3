package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

func dial(t *testing.T, s *jobstest.Service) *Client {
	t.Helper()
	c := must.Value(Dial(t.Context(), s.Endpoint))(t)
	t.Cleanup(c.Close)
	return c
}

func submit(t *testing.T, c *Client) (string, error) {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	beam.Impulse(s)
	startPool = func(context.Context) (Pool, error) { return noPool{}, nil }
	id, end, err := c.Submit(t.Context(), p, Options{Name: "n", Environment: Loopback})
	t.Cleanup(end)
	return id, err
}

// noPool has no workers: the service of tests asks for none.
type noPool struct{}

func (noPool) EnvironmentConfig(context.Context) string { return "127.0.0.1:1" }
func (noPool) Stop(context.Context) error               { return nil }

func TestDialSaysWhatIsWrong(t *testing.T) {
	web := httptest.NewServer(http.NotFoundHandler()) // as the pages of engines for people
	defer web.Close()
	flink := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"taskmanagers":1,"slots-total":1,"flink-version":"1.19.3"}`)) // the client looks at what it gets
	}))
	defer flink.Close()
	gone := fmt.Sprint("127.0.0.1:", transformtest.Port(t)) // where nobody listens
	for endpoint, want := range map[string]string{
		strings.TrimPrefix(web.URL, "http://"):   ErrNoService.Error(),
		strings.TrimPrefix(flink.URL, "http://"): "is the REST port of a Flink",
		"nosuch://p/r":                           "this program knows no service nosuch",
		gone:                                     "nothing answers at " + gone + " (connection refused)",
		"8099":                                   `got "8099"; want host:port`,
	} {
		began := time.Now()
		must.Fails(Dial(t.Context(), endpoint))(t, want, "%s", endpoint)
		took := time.Since(began)
		must.Hold(t, took <= 4*Patience, "%s: after %v", endpoint, took)
	}
}

func TestSubmit(t *testing.T) {
	s := jobstest.Start(t)
	var got *pipepb.Pipeline
	s.Prepared = func(p *pipepb.Pipeline) error { got = p; return nil }
	id, err := submit(t, dial(t, s))
	must.Hold(t, err == nil && id == jobstest.JobID && s.Jobs() == 1 && len(got.GetComponents().GetTransforms()) != 0,
		"job %q, %v, %d jobs, pipeline %v", id, err, s.Jobs(), got)
}

// A process that an engine starts works for the program that submitted the job, and for no other.
func TestProcessesAreThisProgram(t *testing.T) {
	s := jobstest.Start(t)
	c := dial(t, s)
	self := must.Value(os.Executable())(t)
	payload := &pipepb.ProcessPayload{}
	s.Prepared = func(p *pipepb.Pipeline) error {
		return proto.Unmarshal(p.GetComponents().GetEnvironments()["go"].GetPayload(), payload)
	}
	p, scope := beam.NewPipelineWithRoot()
	beam.Impulse(scope)
	if _, _, err := c.Submit(t.Context(), p, Options{Environment: Process, Worker: self}); err != nil || payload.Command != self {
		t.Fatalf("%v, %v", payload, err)
	}
	for sum, want := range map[string]string{payload.Env[ProgramVariable]: "", "": "leave --environment_config out", "0123": "another dapple"} {
		t.Setenv(ProgramVariable, sum)
		err := CheckProgram()
		must.Hold(t, (err == nil) == (want == "") && (err == nil || strings.Contains(err.Error(), want)), "%q: %v, want %q", sum, err, want)
	}
}

// A pipeline that is refused is no job; one whose answer is lost may be.
func TestSubmissionsThatFail(t *testing.T) {
	s := jobstest.Start(t)
	s.Prepared = func(*pipepb.Pipeline) error {
		return status.Error(codes.InvalidArgument, "unknown URN beam:x\nat A\nat B")
	}
	_, err := submit(t, dial(t, s))
	must.Hold(t, err != nil && !errors.Is(err, ErrUnknown) && s.Jobs() == 0 && strings.Contains(err.Error(), "(unknown URN beam:x): its Beam may be of another version than this program's, 2."),
		"refused: %v", err)
	s.Prepared, s.Ran = nil, func() error { return status.Error(codes.Unavailable, "gone") }
	_, err = submit(t, dial(t, s))
	must.Hold(t, errors.Is(err, ErrUnknown), "no answer: %v", err)
}

func TestFollow(t *testing.T) {
	for _, tt := range []struct {
		name  string
		do    func(*jobstest.Service)
		want  string // empty: no error
		heard []State
	}{
		{"done", func(s *jobstest.Service) { s.Set(jobpb.JobState_RUNNING); s.Set(jobpb.JobState_DONE) }, "", []State{jobpb.JobState_RUNNING, jobpb.JobState_DONE}},
		{"failed", func(s *jobstest.Service) { s.Fail("no memory\nat A") }, "job job-7 failed:\nno memory\nat A", []State{jobpb.JobState_FAILED}},
		{"failed without a reason", func(s *jobstest.Service) { s.Set(jobpb.JobState_FAILED) }, "it gave no reason", []State{jobpb.JobState_FAILED}},
		{"cancelled by somebody", func(s *jobstest.Service) { s.Set(jobpb.JobState_CANCELLED) }, ErrCancelled.Error(), []State{jobpb.JobState_CANCELLED}},
		{"drained", func(s *jobstest.Service) { s.Set(jobpb.JobState_DRAINED) }, "ended as drained", []State{jobpb.JobState_DRAINED}},
		{"cut, then done", func(s *jobstest.Service) {
			s.Set(jobpb.JobState_RUNNING)
			s.Cut()
			time.Sleep(2 * pollEvery)
			s.Cut()
			s.Set(jobpb.JobState_DONE)
		}, "", []State{jobpb.JobState_RUNNING, jobpb.JobState_DONE}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := jobstest.Start(t)
			c := dial(t, s)
			go tt.do(s)
			var heard []State
			err := c.Follow(t.Context(), jobstest.JobID, Watcher{State: func(s State) { heard = append(heard, s) }})
			must.Hold(t, (err == nil) == (tt.want == "") && (err == nil || strings.Contains(err.Error(), tt.want)), "%v, want %q", err, tt.want)
			heard = slices.DeleteFunc(heard, func(s State) bool { return s == jobpb.JobState_STARTING })
			must.Hold(t, len(heard) != 0 && heard[len(heard)-1] == tt.heard[len(tt.heard)-1], "heard %v, want %v", heard, tt.heard)
		})
	}
}

// Counters are summed over steps, and only those that are wanted are looked at.
func TestFollowCounts(t *testing.T) {
	s := jobstest.Start(t)
	s.Counters = map[[2]string]int64{{"ours", "rows"}: 1000, {"theirs", "secret"}: 7}
	c := dial(t, s)
	s.Set(jobpb.JobState_RUNNING)
	err := c.Follow(t.Context(), jobstest.JobID, Watcher{
		Counters: func(namespace string) bool { return namespace == "ours" },
		Counted: func(namespace, name string, value int64) {
			must.Hold(t, namespace == "ours" && name == "rows" && value == 1000, "counted %s/%s: %d", namespace, name, value)
			s.Set(jobpb.JobState_DONE)
		},
	})
	must.Hold(t, err == nil, "%v", err)
}

// Whoever stops waiting has not stopped the job.
func TestFollowEndsWithItsContext(t *testing.T) {
	s := jobstest.Start(t)
	c := dial(t, s)
	s.Set(jobpb.JobState_RUNNING)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := c.Follow(ctx, jobstest.JobID, Watcher{State: func(State) { cancel() }})
	must.Hold(t, errors.Is(err, context.Canceled) && s.Cancels() == 0, "%v, %d cancels", err, s.Cancels())
}

func TestCancel(t *testing.T) {
	for _, tt := range []struct {
		name    string
		prepare func(s *jobstest.Service, stop func())
		ended   bool
	}{
		{"at once", func(*jobstest.Service, func()) {}, true},
		{"slowly", func(s *jobstest.Service, _ func()) {
			s.Asked = func() { s.Set(jobpb.JobState_CANCELLING) }
			s.Looked = s.After(3, func() { s.Set(jobpb.JobState_CANCELLED) })
		}, true},
		{"it ends by itself", func(s *jobstest.Service, _ func()) { s.Asked = func() { s.Set(jobpb.JobState_DONE) } }, true},
		{"ignored", func(s *jobstest.Service, stop func()) { s.Asked, s.Looked = func() {}, s.After(3, stop) }, false},
		{"the service is gone", func(s *jobstest.Service, _ func()) { s.Stop() }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := jobstest.Start(t)
			c := dial(t, s)
			s.Set(jobpb.JobState_RUNNING)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			tt.prepare(s, cancel)
			last, err := c.Cancel(ctx, jobstest.JobID)
			must.Hold(t, Ended(last) == tt.ended && (err == nil) == tt.ended, "last %v, %v", last, err)
		})
	}
}

func TestMain(m *testing.M) {
	beam.Init()
	m.Run()
}
