package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"

	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// An endpoint is tried before anything is read: nobody there, or somebody else, such as the page of an engine.
func TestEndpointsThatDoNotAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for endpoints that never answer; make integration runs it")
	}
	page := httptest.NewServer(http.NotFoundHandler())
	defer page.Close()
	dir := people(t, 10)
	for endpoint, want := range map[string]string{
		"127.0.0.1:1":                           "--endpoint: nothing answers at 127.0.0.1:1 (connection refused); start Beam's job server",
		strings.TrimPrefix(page.URL, "http://"): "--endpoint: the server there is not a Beam job service (" + strings.TrimPrefix(page.URL, "http://") + "); engines have other ports",
	} {
		got := dapple(t, dir, synth("--runner=flink", "--endpoint="+endpoint)...)
		got.want(t, 2, "one problem; nothing was read or written", want)
		noOutput(t, filepath.Join(dir, "out"))
	}
}

// What does not go together is found at launch, all at once.
func TestEngineFaults(t *testing.T) {
	for _, tt := range []struct{ args, want []string }{
		{[]string{"--environment_type", "DOCKER", "--detach", "--shared", "--parallelism=2"},
			[]string{"--environment_type: is for a run at a job service", "--detach: is for", "--shared: is for", "--parallelism: is for"}},
		{[]string{"--endpoint=127.0.0.1:1", "--environment_type=DOCKER"},
			[]string{"--input: /", "--output: /"}},
		{[]string{"--endpoint=192.0.2.1:1", "--environment_type=LOOPBACK", "--detach"},
			[]string{"--environment_type: LOOPBACK is for an engine on this machine", "--detach: the workers of LOOPBACK end with this process"}},
		{[]string{"--runner=dataflow", "--environment_type=PROCESS", "--shared", "--parallelism=2", "--staging_location=s3://bucket/x", "--endpoint=127.0.0.1:1"},
			[]string{"--project: is required", "--region: is required", "--environment_type: Dataflow has", "--shared: workers of Dataflow see no paths",
				"--parallelism: Dataflow chooses", `--staging_location: got "s3://bucket/x"; want gs://`, `--endpoint: got "127.0.0.1:1"; want https://`}},
		{[]string{"--runner=DataflowRunner", "--project=p", "--region=r"},
			[]string{"--input: /", "--output: /", "--staging_location: is required"}},
		{[]string{"--region=r", "--max_num_workers=3"}, []string{"--region: is for --runner=dataflow", "--max_num_workers: is for"}},
	} {
		dir := people(t, 10)
		for _, command := range []string{"synth", "plan"} {
			got := dapple(t, dir, append([]string{command}, synth(tt.args...)[1:]...)...)
			got.want(t, 2, tt.want...)
			lines := strings.Count(got.stderr, "\n")
			must.Hold(t, command != "plan" || lines == 1+len(tt.want), "%d lines: %s", lines, got.stderr) // synth asks the endpoint too
		}
		noOutput(t, filepath.Join(dir, "out"))
	}
}

// Every runner holds any number of the records that bins are learned from, and plan says what they take.
func TestPlanOfLearnedBins(t *testing.T) {
	dir := t.TempDir()
	err := os.WriteFile(filepath.Join(dir, "d.yaml"), []byte("privacy_id: none\ncolumns:\n  - {name: x, type: INT64, min: 0, max: 9999, fallback: 0}\n  - {name: y, type: BOOL, fallback: false}\n"), 0o600)
	must.Do(t, err)
	plan := []string{"plan", "--domain=d.yaml", "--epsilon=1", "--delta=1e-12", "--expected_rows=1e9"}
	for _, on := range [][]string{nil, {"--runner=flink", "--endpoint=127.0.0.1:1"}} {
		got := dapple(t, dir, slices.Concat(plan, []string{"--json=-"}, on)...)
		if got.want(t, 0); !strings.Contains(got.stdout, "\"count_bytes\": 6") || !strings.Contains(got.stdout, "\"records_kept_because\": \"bins are learned from them\"") {
			t.Errorf("%s", got.stdout)
		}
	}
}

// The command cancels its job before it ends by a signal, and says what became of the budget.
func TestInterruptCancelsTheJob(t *testing.T) {
	s := jobstest.Start(t)
	dir := people(t, 10)
	r := start(t, dir, synth("--runner=flink", "--endpoint="+s.Endpoint, "--environment_type=EXTERNAL", "--environment_config=127.0.0.1:1", "--shared")...)
	r.until(t, "Submitted job: job-7 at "+s.Endpoint)
	status, _, _ := r.end(t, syscall.SIGTERM)
	if said := r.all.String(); status != 1 || s.Cancels() == 0 || !strings.Contains(said, "dapple: interrupted\n"+unspent) {
		t.Errorf("exit status %d, %d cancels, and said:\n%s", status, s.Cancels(), said)
	}
	noOutput(t, filepath.Join(dir, "out"))
	left := names(t, dir)
	must.Hold(t, len(left) == 2, "left are %v", left)
}

// A launcher that is killed leaves its job alone. The same command is refused, since it would pay twice; with the ID of
// the run it waits for the job.
func TestLauncherIsKilled(t *testing.T) {
	s := jobstest.Start(t)
	s.Ran = func() error {
		if s.Jobs() > 1 { // and nobody waits for it
			s.Fail("submitted twice")
		}
		return nil
	}
	dir := people(t, 10)
	at := func(more ...string) []string {
		return synth(append([]string{"--runner=flink", "--endpoint=" + s.Endpoint, "--environment_type=EXTERNAL", "--environment_config=127.0.0.1:1", "--shared"}, more...)...)
	}
	r := start(t, dir, at("--run_id=r1")...)
	r.until(t, "Submitted job: job-7 at "+s.Endpoint)
	r.end(t, syscall.SIGKILL)
	s.Set(jobpb.JobState_RUNNING)
	dapple(t, dir, at()...).want(t, 2, "one problem; nothing was read or written", "--run_id: a job of this request may go on: run r1, begun ", "; --run_id=r1 waits for it")
	must.Hold(t, s.Jobs() == 1 && s.Cancels() == 0, "%d jobs, %d cancels", s.Jobs(), s.Cancels())
	r = start(t, dir, at("--run_id=r1")...)
	r.until(t, "Submitted job: job-7 at "+s.Endpoint)
	s.Fail("no memory")
	r.end(t, syscall.Signal(0))
	said := r.all.String()
	must.Hold(t, s.Jobs() == 1 && strings.Contains(said, "no memory") && strings.Contains(said, unspent), "%d jobs, and said:\n%s", s.Jobs(), said)
	for _, out := range []string{"out", "out.release"} { // the launcher that was killed had made them
		left := names(t, filepath.Join(dir, out))
		must.Hold(t, len(left) <= 0, "%s holds %v", out, left)
	}
	left, err := filepath.Glob(filepath.Join(dir, "dapple-run-*"))
	must.Hold(t, err == nil && len(left) <= 0, "left are %v, %v", left, err)
}

// A place for the release that cannot be made ends the run before it has submitted anything.
func TestNoStagingNoJob(t *testing.T) {
	s := jobstest.Start(t)
	dir := people(t, 10)
	dapple(t, dir, synth("--runner=flink", "--endpoint="+s.Endpoint, "--environment_type=EXTERNAL", "--environment_config=127.0.0.1:1", "--shared",
		"--store=/proc/none")...).want(t, 2, "one problem; nothing was read or written", "--store: /proc/none: no such file or directory; name a directory that outlives this machine")
	noOutput(t, filepath.Join(dir, "out"))
	must.Hold(t, s.Jobs() == 0, "%d jobs", s.Jobs())
}

// With every worker in a process of its own, a run writes what it says; one that is stopped while it writes leaves
// its release to the next; and one that nobody waited for is found again, paid for once.
func TestWorkersInProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build Beam's programs; make integration runs it")
	}
	endpoint, _ := transformtest.Prism(t)
	dir := people(t, 1000)
	at := func(more ...string) []string {
		return append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--epsilon=1", "--delta=1e-9", "--method=dpam", "--runner=prism",
			"--endpoint=" + endpoint, "--environment_type=PROCESS", "--shared"}, more...)
	}
	noStaging := func() {
		t.Helper()
		for _, name := range names(t, dir) {
			must.Hold(t, !strings.HasPrefix(name, "dapple-run-"), "%s is left", name)
		}
	}
	dapple(t, dir, at("--output=out", "--quiet")...).want(t, 0)
	dapple(t, dir, "verify", "out").want(t, 0)
	noStaging()
	dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=here", "--epsilon=1", "--delta=1e-9", "--method=dpam",
		"--runner=universal", "--endpoint="+endpoint, "--quiet").want(t, 0) // its worker is itself
	dapple(t, dir, "verify", "here").want(t, 0)
	noStaging()

	r := start(t, dir, at("--output=stopped", "--rows=200000000")...)
	r.until(t, "writing")
	status, _, _ := r.end(t, syscall.SIGINT)
	said := r.all.String()
	must.Hold(t, status == 4 && strings.Contains(said, "dapple: interrupted\n"+released), "exit status %d, and said:\n%s", status, said)
	noWorkers(t) // one that went on would publish
	noOutput(t, filepath.Join(dir, "stopped"))
	next := dapple(t, dir, at("--output=next", "--rows=10", "--quiet")...)
	next.want(t, 0)
	must.Hold(t, strings.Contains(next.stdout, takenUp), "the release was not taken up:\n%s", next.stdout)
	noStaging()

	for _, tt := range []struct{ flag, want string }{
		{"--detach", "submitted  job job-"},
		{"--quiet", "no other was submitted, and no more budget is spent"},
		{"--quiet", "run r1 had finished before: nothing was read, written or spent now"},
	} {
		got := dapple(t, dir, at("--output=later", "--run_id=r1", "--rows=5000000", tt.flag)...)
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, tt.want), "%s does not say %q:\n%s", tt.flag, tt.want, got.stdout)
	}
	dapple(t, dir, "verify", "later").want(t, 0)
	noStaging()
	noWorkers(t)
}

// With every worker in a process of its own, a job finds the domain and another one writes the rows: so it is with a domain file
// that has open parts, and with a worker in the command itself. Nothing is left, and a run that has finished finds nothing anew.
func TestDomainFoundByWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to build Beam's programs; make integration runs it")
	}
	endpoint, _ := transformtest.Prism(t)
	dir := people(t, 4000)
	open := []byte("privacy_id: person_id\ncolumns: [{name: sex, type: STRING}, {name: age, type: INT64, min: 0, max: find, null: true}]\n")
	must.Do(t, os.WriteFile(filepath.Join(dir, "open.yaml"), open, 0o600))
	for name, flags := range map[string][]string{
		"processes": {"--privacy_id=person_id", "--runner=prism", "--environment_type=PROCESS", "--shared"},
		"open":      {"--domain=open.yaml", "--runner=prism", "--environment_type=PROCESS", "--shared"},
		"loopback":  {"--privacy_id=person_id", "--runner=universal"},
	} {
		args := append([]string{"synth", "people.csv", "--output=" + name, "--run_id=r1", "--epsilon=5", "--delta=1e-6", "--endpoint=" + endpoint}, flags...)
		got := dapple(t, dir, args...)
		got.want(t, 0, "Submitted job: ")
		found, err := os.ReadFile(filepath.Join(dir, name+".release", "_domain.yaml"))
		must.Hold(t, err == nil && strings.Contains(string(found), `"Female"`) && strings.Contains(string(found), `"Male"`) && strings.Count(got.stderr, "Submitted job: ") == 2,
			"%s:\n%s\n%s", name, found, got.stderr)
		dapple(t, dir, "verify", name).want(t, 0)
		again := dapple(t, dir, args...)
		if again.want(t, 0); !strings.Contains(again.stdout, "run r1 had finished before: nothing was read, written or spent now") || strings.Contains(again.stderr, "Submitted") {
			t.Errorf("%s again:\n%s\n%s", name, again.stdout, again.stderr)
		}
	}
	for _, name := range names(t, dir) {
		must.Hold(t, !strings.HasPrefix(name, "dapple-run-") && !strings.HasSuffix(name, ".found"), "%s is left", name)
	}
	noWorkers(t)
}

// noWorkers waits until no process of the command is left.
func noWorkers(t *testing.T) {
	t.Helper()
	for began := time.Now(); workers(t) > 0; time.Sleep(50 * time.Millisecond) {
		must.Need(t, time.Since(began) <= patience, "workers outlive their jobs")
	}
}

// workers counts the processes of the command that are still there.
func workers(t *testing.T) (n int) {
	t.Helper()
	list := must.Value(filepath.Glob("/proc/[0-9]*/exe"))(t)
	for _, exe := range list {
		if program, err := os.Readlink(exe); err == nil && program == binary {
			n++
		}
	}
	return n
}
