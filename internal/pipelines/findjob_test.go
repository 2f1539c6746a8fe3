package pipelines

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"

	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// findAt makes a request whose domain is found by a job of the service, and what a job of it would find.
func findAt(t *testing.T, s *jobstest.Service) (c Config, found []byte) {
	t.Helper()
	c = Config{Input: peopleCSV(t, 4000), Output: filepath.Join(t.TempDir(), "here"), PrivacyID: "id", Epsilon: 5, Delta: 1e-6}
	r := mustFind(t, c)
	must.Value(r.find(t.Context()))(t)
	found = must.Value(os.ReadFile(filepath.Join(r.dir, r.params.RunID+discover.FoundSuffix)))(t)
	c.Output, c.Runner = filepath.Join(filepath.Dir(c.Output), "out"), "flink"
	c.Engine = Engine{Endpoint: s.Endpoint, Environment: "external", Config: "127.0.0.1:1", Shared: true}
	before := patient
	patient = patience{cancelled: time.Minute, cloud: time.Minute, silent: 2 * time.Second}
	t.Cleanup(func() { patient = before })
	return c, found
}

func mustFind(t *testing.T, c Config) *FindRequest {
	t.Helper()
	r := must.Value(ValidateFind(t.Context(), c))(t)
	return r
}

// worker does what a worker of an attempt does: the mark that noise is drawn, or what it has found.
func worker(r *FindRequest, attempt, suffix string, data []byte) error {
	_, _, err := run.Open(r.dir).CreateIfAbsent(context.Background(), attempt+discover.FoundSuffix+suffix, data)
	return err
}

// A domain is found by a job before the job of the rows. A launcher that comes back waits for a job that may go on, adopts what
// one has found, and submits none twice: the domain is the same, and the budget book has one charge for it.
func TestFindByAJob(t *testing.T) {
	s := jobstest.Start(t)
	c, found := findAt(t, s)
	c.Ledger = filepath.Join(t.TempDir(), "book")
	must.Do(t, Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: c.Ledger, Create: "people", Epsilon: 8, Delta: 1e-4, PrivacyID: "id", Input: c.Input}))
	// The launcher was killed while its job was looking.
	r := mustFind(t, c)
	st := run.Staging{Dir: r.dir}
	noise := must.Value(discover.Decode(found))(t)
	if _, _, err := archive.Open(r.dir).CreateIfAbsent(t.Context(), r.params.RunID+idSuffix, []byte(noise.Prior.ID)); err != nil {
		t.Fatal(err)
	}
	must.Do(t, errors.Join(st.Sign(t.Context(), run.Note{RunID: r.params.RunID}), st.Remember(t.Context(), run.Job{Endpoint: s.Endpoint, ID: jobstest.JobID, Run: r.params.RunID})))
	s.Set(jobpb.JobState_RUNNING)
	var said strings.Builder
	if err := Clean(t.Context(), &said, CleanConfig{Output: c.Output}); err != nil || !strings.Contains(said.String(), "may go on, which finds a domain") {
		t.Errorf("clean: %v, %s", err, said.String())
	}
	s.WhenFollowed(func() {
		must.Pass(t, errors.Join(worker(r, r.params.RunID, synth.DrawnSuffix, []byte("drawn")), worker(r, r.params.RunID, "", found)))
		s.Set(jobpb.JobState_DONE)
	})
	s.Ran = func() error { // the job of the rows
		s.Set(jobpb.JobState_RUNNING)
		s.WhenFollowed(func() { s.Fail("no memory") })
		return nil
	}
	for attempt := range 2 { // and the launcher between the two jobs
		_, err := RunFound(t.Context(), mustFind(t, c))
		must.Need(t, err != nil && strings.Contains(err.Error(), "the runner failed") && strings.Contains(err.Error(), "the same command goes on with it and finds it no more"),
			"attempt %d: %v", attempt, err)
		must.Hold(t, s.Jobs() == 1+attempt, "attempt %d: %d jobs", attempt, s.Jobs())
	}
	c.Runner, c.Engine, c.RunID = "direct", Engine{}, "r1"
	must.Value(RunFound(t.Context(), mustFind(t, c)))(t)
	data, err := os.ReadFile(filepath.Join(c.Output+".release", publish.DomainFile))
	must.Hold(t, err == nil && string(data) == string(noise.File(mustFind(t, c).csvKeys())), "another domain was found, %v:\n%s", err, data)
	// Two jobs of rows have failed before they drew, and their charges are taken back.
	findings, runs := paid(t, c.Ledger)
	must.Hold(t, findings == 1 && runs == 1, "the book has %d findings and %d runs", findings, runs)
	// A run that has an ID and has finished is not begun anew: nothing is found, and nothing charged.
	res, err := RunFound(t.Context(), mustFind(t, c))
	must.Hold(t, err == nil && strings.Contains(res.Written.Adopted, "run r1 had finished before"), "a finished run: %v", err)
	findings, runs = paid(t, c.Ledger)
	must.Hold(t, findings == 1 && runs == 1, "the book has %d findings and %d runs", findings, runs)
}

// TestFoundAndDetached: with --detach a finding is waited for, and the job of the rows is submitted: both are charged once, however
// often the command comes back. A job that ends without a draw gives its charge back.
func TestFoundAndDetached(t *testing.T) {
	s := jobstest.Start(t)
	c, found := findAt(t, s)
	c.Ledger, c.RunID, c.Engine.Detach = bookFor(t, c.Input), "night", true
	r := mustFind(t, c)
	noise := must.Value(discover.Decode(found))(t)
	if _, _, err := archive.Open(r.dir).CreateIfAbsent(t.Context(), r.params.RunID+idSuffix, []byte(noise.Prior.ID)); err != nil {
		t.Fatal(err)
	}
	s.Ran = func() error {
		if s.Jobs() > 1 {
			s.Set(jobpb.JobState_RUNNING)
			return nil
		}
		err := errors.Join(worker(r, r.params.RunID, synth.DrawnSuffix, []byte("drawn")), worker(r, r.params.RunID, "", found))
		s.Set(jobpb.JobState_DONE)
		return err
	}
	for i := range 2 {
		res, err := RunFound(t.Context(), mustFind(t, c))
		must.Need(t, i != 0 || err == nil && strings.Contains(res.Submitted, "submitted  job "), "%+v, %v", res, err)
		must.Hold(t, i != 1 || err != nil && strings.Contains(err.Error(), "nothing was written and no privacy budget was spent"), "the command comes back: %v", err)
		if f, runs := paid(t, c.Ledger); f != 1 || runs != 1-i || s.Jobs() != 2 {
			t.Errorf("after launch %d the book has %d findings and %d runs; %d jobs", i+1, f, runs, s.Jobs())
		}
		s.WhenFollowed(func() { s.Fail("no memory") })
	}
}

// However a job ends that finds a domain, what is said of the budget is true: an attempt that has ended without noise never
// draws any, whatever its workers do, and the next one can.
func TestEndsOfFinding(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for services that end slowly; make integration runs it")
	}
	drawn := func(r *FindRequest) error { return worker(r, r.params.RunID, synth.DrawnSuffix, []byte("drawn")) }
	for _, tt := range []struct {
		name  string
		works func(*FindRequest) error // what a worker does before the job ends; nil: nothing
		do    func(s *jobstest.Service, interrupt func())
		want  []string
		again string // what the next attempt says; empty: it may draw
	}{
		{"failed", nil, func(s *jobstest.Service, _ func()) { s.Fail("no memory") }, []string{"no memory", saysUnspent}, ""},
		{"interrupted", nil, func(s *jobstest.Service, interrupt func()) { s.Set(jobpb.JobState_RUNNING); interrupt() }, []string{"interrupted", saysUnspent}, ""},
		{"cancelled", nil, func(s *jobstest.Service, _ func()) { s.Set(jobpb.JobState_CANCELLED) }, []string{"not by this command", saysUnspent}, ""},
		{"done unseen", nil, func(s *jobstest.Service, _ func()) { s.Set(jobpb.JobState_DONE) }, []string{"is not to be seen here", saysUnspent}, ""},
		{"failed after the draw", drawn, func(s *jobstest.Service, _ func()) { s.Fail("no memory") },
			[]string{"no memory", "noise had been drawn to find the domain: count 10 % of the budget as spent"}, "count 10 % of the budget as spent; remove "},
		{"the service is gone", drawn, func(s *jobstest.Service, _ func()) { s.Stop() }, []string{saysGoesOn, "the same command waits for it"}, "the job may go on"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := jobstest.Start(t)
			c, _ := findAt(t, s)
			c.Ledger = bookFor(t, c.Input)
			r := mustFind(t, c)
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			s.Ran = func() error {
				s.WhenFollowed(func() { tt.do(s, interrupt) })
				if tt.works != nil {
					return tt.works(r)
				}
				return nil
			}
			_, err := r.find(ctx)
			for _, want := range tt.want {
				must.Fail(t, err, want)
			}
			findings, _ := paid(t, c.Ledger)
			if tt.again != "" {
				must.Hold(t, findings == 1, "%d findings stand in the book", findings)
				must.Fails(r.find(t.Context()))(t, tt.again, "the next attempt")
				return
			}
			must.Hold(t, findings == 0, "its charge stands in the book")
			err = drawn(r)
			must.Hold(t, errors.Is(err, run.ErrStopped), "a worker that outlives its job draws: %v", err)
			a, err := r.attempt(t.Context())
			must.Hold(t, err == nil && a.name == r.params.RunID+"-1" && !a.drawn, "the next attempt is %+v, %v", a, err)
			must.Pass(t, worker(r, r.params.RunID+"-1", synth.DrawnSuffix, []byte("drawn")), "the next attempt cannot draw")
		})
	}
}

// What a job that finds a domain cannot do is said before anything is sent, also by a plan.
func TestFindJobFaults(t *testing.T) {
	c := Config{Input: peopleCSV(t, 10), PrivacyID: "id", Epsilon: 1, Delta: 1e-9, ExpectedRows: 1e6, Runner: "dataflow", Engine: Engine{Worker: os.Args[0], Cloud: Cloud{Project: "p", Region: "r", DryRun: true}}}
	_, err := PlanFound(t.Context(), PlanConfig{Config: c})
	must.Hold(t, err != nil && strings.Contains(err.Error(), "--dry_run: is for one job, and a domain is found by a job before the job of the rows") && !strings.Contains(err.Error(), "--output"),
		"a plan: %v", err)
	c.Output = "s3://bucket/out"
	if _, err := ValidateFind(t.Context(), c); err == nil || !strings.Contains(err.Error(), "--dry_run: is for one job") || !strings.Contains(err.Error(), `--output: got "s3://bucket/out"; the program of the workers that find the domain is put next to it`) {
		t.Errorf("a run: %v", err)
	}
	c.Output, c.Release = "bq://p.d.t", "s3://bucket/release"
	must.Fails(ValidateFind(t.Context(), c))(t, `--release: got "s3://bucket/release"; the program of the workers`, "a run to a table")
}
