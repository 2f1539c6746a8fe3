package pipelines

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	pipepb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/pipeline_v1"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/request/jobs"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// atService makes a request whose workers would be in a pool, which the service of tests does not ask.
func atService(t *testing.T, s *jobstest.Service) Config {
	t.Helper()
	c := shop(t, 40)
	c.Runner = "flink"
	c.Engine = Engine{Endpoint: s.Endpoint, Environment: "external", Config: "127.0.0.1:1", Shared: true}
	before := patient
	patient = patience{cancelled: time.Minute, cloud: time.Minute, silent: 2 * time.Second}
	t.Cleanup(func() { patient = before })
	return c
}

// stagings lists the stagings of runs elsewhere, next to the output.
func stagings(t *testing.T, c Config) []string {
	t.Helper()
	list := must.Value(filepath.Glob(filepath.Join(filepath.Dir(c.Output), run.Prefix+"*")))(t)
	return list
}

// draws does what a worker of the run of a request does: the steps up to the mark, the release or the publication.
func draws(t *testing.T, c Config, suffixes ...string) error {
	t.Helper()
	for _, dir := range stagings(t, c) {
		for _, suffix := range suffixes {
			if _, _, err := run.Open(dir).CreateIfAbsent(context.Background(), c.RunID+suffix, []byte("a worker's")); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	saysUnspent = "nothing was written and no privacy budget was spent"
	saysDrawn   = "nothing was written, but noise had been drawn: count the privacy budget of this run as spent"
	saysGoesOn  = "the job may go on: count its budget as spent"
)

// However a job ends, what is said of the budget is true, nothing is left of a job that has ended, and nothing is
// taken from one that may go on.
func TestEndsOfJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for services that end slowly; make integration runs it")
	}
	running := func(s *jobstest.Service) { s.Set(jobpb.JobState_RUNNING) }
	for _, tt := range []struct {
		name      string
		prepare   func(*jobstest.Service)
		worker    []string // what a worker does before the job ends
		do        func(s *jobstest.Service, interrupt func())
		want      []string
		cancelled bool // the service was asked to cancel
		stays     bool
	}{
		{name: "failed at once", do: func(s *jobstest.Service, _ func()) { s.Fail("caused by:\ncsv: open x: gone\nat A") },
			want: []string{"csv: open x: gone", saysUnspent}},
		{name: "failed after the draw", worker: []string{synth.DrawnSuffix}, do: func(s *jobstest.Service, _ func()) { s.Fail("no memory") },
			want: []string{"no memory", saysDrawn}},
		{name: "failed without network buffers", do: func(s *jobstest.Service, _ func()) {
			s.Fail("java.io.IOException: Insufficient number of network buffers: required 17, but only 3 available.\n\tat X")
		}, want: []string{"Insufficient number of network buffers", "taskmanager.memory.network", saysUnspent}},
		{name: "failed without direct memory", do: func(s *jobstest.Service, _ func()) {
			s.Fail("java.lang.OutOfMemoryError: Direct buffer memory. The direct out-of-memory error has occurred. This can mean two things\n\tat X")
		}, want: []string{"the runner failed: OutOfMemoryError: Direct buffer memory; raise taskmanager.memory.framework.off-heap.size", saysUnspent}},
		{name: "failed without direct memory, and tried again", do: func(s *jobstest.Service, _ func()) {
			s.Fail("java.lang.IllegalStateException: call is closed\n\tat X")
		}, want: []string{"its own log says why", saysUnspent}},
		{name: "failed without a task manager", do: func(s *jobstest.Service, _ func()) {
			s.Fail("org.apache.flink.NoResourceAvailableException: Could not acquire the minimum required resources.\n\tat X")
		}, want: []string{"no task manager has a free slot", saysUnspent}},
		{name: "failed for want of slots, and says only that it has waited", do: func(s *jobstest.Service, _ func()) {
			s.Fail("java.util.concurrent.TimeoutException: Timeout has occurred: 300000 ms\n\tat X")
		}, want: []string{"no task manager has a free slot", saysUnspent}},
		{name: "a worker without memory", worker: []string{synth.DrawnSuffix}, do: func(s *jobstest.Service, _ func()) {
			s.Fail("java.lang.IllegalStateException: Process died with exit code 137\n\tat X")
		}, want: []string{"for want of memory", saysDrawn}},
		{name: "a worker of another version", do: func(s *jobstest.Service, _ func()) {
			s.Fail("java.lang.IllegalStateException: Process died with exit code 1\n\tat X")
		}, want: []string{"its machine has another dapple", saysUnspent}},
		{name: "a store that cannot be written", do: func(s *jobstest.Service, _ func()) {
			s.Fail("caused by:\nstore: creating \"r1.drawn\": permission denied")
		}, want: []string{`store: creating "r1.drawn": permission denied`, saysUnspent}},
		{name: "cancelled by somebody else", do: func(s *jobstest.Service, _ func()) { running(s); s.Set(jobpb.JobState_CANCELLED) },
			want: []string{"the job was cancelled, and not by this command", saysUnspent}},
		{name: "cancelled on Flink's page", do: func(s *jobstest.Service, _ func()) {
			s.Fail("org.apache.flink.runtime.client.JobCancellationException: Job was cancelled.\n\tat X")
		}, want: []string{"the job was cancelled, and not by this command", saysUnspent}},
		{name: "cancelled by somebody else after the draw", worker: []string{synth.DrawnSuffix}, do: func(s *jobstest.Service, _ func()) { s.Set(jobpb.JobState_CANCELLED) },
			want: []string{"the job was cancelled, and not by this command", saysDrawn}},
		{name: "done without output", do: func(s *jobstest.Service, _ func()) { s.Set(jobpb.JobState_DONE) },
			want: []string{"its output is not to be seen here", saysUnspent}},
		{name: "interrupted", do: func(s *jobstest.Service, interrupt func()) { running(s); interrupt() },
			want: []string{"interrupted", saysUnspent}, cancelled: true},
		{name: "interrupted after the draw", worker: []string{synth.DrawnSuffix}, do: func(s *jobstest.Service, interrupt func()) { running(s); interrupt() },
			want: []string{"interrupted", saysDrawn}, cancelled: true},
		{name: "interrupted, and it ends slowly", prepare: func(s *jobstest.Service) {
			s.Asked = func() { s.Set(jobpb.JobState_CANCELLING) }
			s.Looked = s.After(3, func() { s.Set(jobpb.JobState_CANCELLED) })
		}, do: func(s *jobstest.Service, interrupt func()) { running(s); interrupt() }, want: []string{"interrupted", saysUnspent}, cancelled: true},
		{name: "interrupted, and it goes on", prepare: func(s *jobstest.Service) { s.Asked, patient.cancelled = func() {}, time.Second },
			do: func(s *jobstest.Service, interrupt func()) { running(s); interrupt() }, want: []string{"interrupted", saysGoesOn, "job-7", "--run_id=r1", "nothing is removed"}, cancelled: true, stays: true},
		{name: "interrupted, and the service is gone", do: func(s *jobstest.Service, interrupt func()) { s.Stop(); interrupt() },
			want: []string{saysGoesOn, "job-7"}, stays: true},
		{name: "the service is gone", do: func(s *jobstest.Service, _ func()) { s.Stop() }, want: []string{"does not answer any more", saysGoesOn, "--run_id=r1"}, stays: true},
		{name: "of another version", prepare: func(s *jobstest.Service) {
			s.Prepared = func(*pipepb.Pipeline) error { return status.Error(codes.InvalidArgument, "unknown URN beam:y") }
		}, want: []string{"unknown URN beam:y", "another version", saysUnspent}},
		{name: "an answer that is lost", prepare: func(s *jobstest.Service) { s.Ran = func() error { return status.Error(codes.Unavailable, "x") } },
			want: []string{saysGoesOn}, stays: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := jobstest.Start(t)
			c := atService(t, s)
			c.RunID = "r1"
			r := mustValidate(t, c)
			ctx, interrupt := context.WithCancel(context.Background())
			defer interrupt()
			if tt.prepare != nil {
				tt.prepare(s)
			}
			if tt.do != nil {
				s.Ran = func() error {
					s.WhenFollowed(func() { tt.do(s, interrupt) })
					return draws(t, c, tt.worker...)
				}
			}
			_, err := Run(ctx, r)
			must.Need(t, err != nil && !IsRequest(err), "the run ended with %v", err)
			for _, text := range tt.want {
				must.Hold(t, strings.Contains(err.Error(), text), "it does not say %q:\n%v", text, err)
			}
			got := s.Cancels()
			must.Hold(t, (got > 0) == tt.cancelled, "cancelled %d times", got)
			left := stagings(t, c)
			staged, globErr := filepath.Glob(filepath.Join(filepath.Dir(c.Output), "dapple-*.tmp"))
			must.Hold(t, (len(left) > 0) == tt.stays && globErr == nil && (len(staged) > 0) == tt.stays, "left are %v, and of the output: %v", left, staged)
			err = draws(t, c, synth.ReleaseSuffix)
			must.Hold(t, !tt.cancelled || len(left) <= 0 || errors.Is(err, run.ErrStopped), "a worker of a job that goes on releases: %v", err)
		})
	}
}

// A job that was submitted alone is found again by the ID of its run, and by nothing else; its staging is no
// other run's.
func TestDetachAndAskAgain(t *testing.T) {
	s := jobstest.Start(t)
	c := atService(t, s)
	c.RunID, c.Engine.Detach = "r1", true
	res, err := Run(context.Background(), mustValidate(t, c))
	must.Need(t, err == nil && strings.Contains(res.Submitted, "job job-7 at "+s.Endpoint+", run r1") && strings.Contains(res.Submitted, "--run_id=r1") && len(stagings(t, c)) == 1,
		"%+v, %v, left are %v", res, err, stagings(t, c))
	s.Set(jobpb.JobState_RUNNING)
	c.Engine.Detach = false
	must.Do(t, draws(t, c, synth.DrawnSuffix))
	other := c
	other.Epsilon = 2
	_, err = Run(context.Background(), mustValidate(t, other))
	must.Hold(t, IsRequest(err) && strings.Contains(err.Error(), "--run_id: run r1, begun "), "another request under the same ID: %v", err)
	var out strings.Builder
	err = Clean(context.Background(), &out, CleanConfig{Output: c.Output})
	must.Hold(t, err == nil && strings.Contains(out.String(), "left as it is: ") && len(stagings(t, c)) == 1, "clean: %v, %s", err, out.String())
	s.WhenFollowed(func() { s.Fail("no memory") })
	if _, err := Run(context.Background(), mustValidate(t, c)); err == nil || !strings.Contains(err.Error(), "no memory") || !strings.Contains(err.Error(), saysDrawn) || s.Jobs() != 1 {
		t.Errorf("asked again: %v, %d jobs", err, s.Jobs())
	}
}

// Beam's runners in Java hold a hundred messages for a worker, so these are small, unless the user says how large; shards of
// people are small elements there.
func TestMessagesOfRunnersInJava(t *testing.T) {
	for _, tt := range []struct {
		runner, endpoint, experiments, want string
		shards                              int
	}{
		{"flink", "localhost:1", "", "data_buffer_size_limit=131072", 4000},
		{"SparkRunner", "localhost:1", "a,b", "a,b,data_buffer_size_limit=131072", 4000},
		{"flink", "localhost:1", "data_buffer_size_limit=7", "data_buffer_size_limit=7", 4000},
		{"universal", "localhost:1", "a", "a,data_buffer_size_limit=131072", 4000},
		{"prism", "localhost:1", "a", "a", 256},
		{"dataflow", dataflowScheme + "project/region", "", "", 256},
		{"prism", "", "", "", 256},
	} {
		x := pipelineRun{engine: Engine{Endpoint: tt.endpoint, Experiments: tt.experiments}.withDefaults(tt.runner)}
		must.Equal(t, strings.Join(x.options(jobs.Cloud{}).Experiments, ","), tt.want, "%s with %q: experiments", tt.runner, tt.experiments)
		got := plan.Shards(1000<<20, x.engine.runner.Java)
		must.Hold(t, got == tt.shards, "%s: %d shards of 1000 MiB, want %d", tt.runner, got, tt.shards)
	}
}
