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

	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/jobstest"
	"github.com/dapple-dp/dapple/pipelines/internal/run"
	"github.com/dapple-dp/dapple/transforms/discover"
	"github.com/dapple-dp/dapple/transforms/synth"
)

// findAt makes a request whose domain is found by a job of the service, and what a job of it would find.
func findAt(t *testing.T, s *jobstest.Service) (c Config, found []byte) {
	t.Helper()
	c = Config{Input: peopleCSV(t, 4000), Output: filepath.Join(t.TempDir(), "here"), PrivacyID: "id", Epsilon: 5, Delta: 1e-6}
	r := mustFind(t, c)
	if _, err := r.find(t.Context()); err != nil {
		t.Fatal(err)
	}
	found, err := os.ReadFile(filepath.Join(r.dir, r.params.RunID+discover.FoundSuffix))
	if err != nil {
		t.Fatal(err)
	}
	c.Output, c.Runner = filepath.Join(filepath.Dir(c.Output), "out"), "flink"
	c.Engine = Engine{Endpoint: s.Endpoint, Environment: "external", Config: "127.0.0.1:1", Shared: true}
	before := patient
	patient = patience{cancelled: time.Minute, cloud: time.Minute, silent: 2 * time.Second}
	t.Cleanup(func() { patient = before })
	return c, found
}

func mustFind(t *testing.T, c Config) *FindRequest {
	t.Helper()
	r, err := ValidateFind(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// worker does what a worker of an attempt does: the mark that noise is drawn, or what it has found.
func worker(r *FindRequest, attempt, suffix string, data []byte) error {
	_, _, err := run.Open(r.dir).CreateIfAbsent(context.Background(), attempt+discover.FoundSuffix+suffix, data)
	return err
}

// A domain is found by a job before that of the rows. A launcher that comes back waits for a job that may go on, adopts what
// one has found, and submits none twice: the domain is the same, and the budget book has one charge.
func TestFindByAJob(t *testing.T) {
	s := jobstest.Start(t)
	c, found := findAt(t, s)
	c.Ledger = filepath.Join(t.TempDir(), "book")
	if err := Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: c.Ledger, Create: "people", Epsilon: 8, Delta: 1e-4, PrivacyID: "id", Input: c.Input}); err != nil {
		t.Fatal(err)
	}
	// The launcher was killed while its job was looking.
	r := mustFind(t, c)
	st := run.Staging{Dir: r.dir}
	if err := errors.Join(st.Sign(t.Context(), run.Note{RunID: r.params.RunID}), st.Remember(t.Context(), run.Job{Endpoint: s.Endpoint, ID: jobstest.JobID, Run: r.params.RunID})); err != nil {
		t.Fatal(err)
	}
	s.Set(jobpb.JobState_RUNNING)
	var said strings.Builder
	if err := Clean(t.Context(), c.Output, &said); err != nil || !strings.Contains(said.String(), "may go on, which finds a domain") {
		t.Errorf("clean: %v, %s", err, said.String())
	}
	s.WhenFollowed(func() {
		if err := errors.Join(worker(r, r.params.RunID, synth.DrawnSuffix, []byte("drawn")), worker(r, r.params.RunID, "", found)); err != nil {
			t.Error(err)
		}
		s.Set(jobpb.JobState_DONE)
	})
	s.Ran = func() error { // the job of the rows
		s.Set(jobpb.JobState_RUNNING)
		s.WhenFollowed(func() { s.Fail("no memory") })
		return nil
	}
	for attempt := range 2 { // and the launcher between the two jobs
		_, err := RunFound(t.Context(), mustFind(t, c))
		if err == nil || !strings.Contains(err.Error(), "the runner failed") || !strings.Contains(err.Error(), "the same command goes on with it and finds it no more") {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		if s.Jobs() != 1+attempt {
			t.Errorf("attempt %d: %d jobs", attempt, s.Jobs())
		}
	}
	c.Runner, c.Engine, c.RunID = "direct", Engine{}, "r1"
	if _, err := RunFound(t.Context(), mustFind(t, c)); err != nil {
		t.Fatal(err)
	}
	f, err := discover.Decode(found)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(c.Output+".release", publish.DomainFile))
	if err != nil || string(data) != string(f.File(mustFind(t, c).csvKeys())) {
		t.Errorf("another domain was found, %v:\n%s", err, data)
	}
	b, faults := openLedger(t.Context(), c.Ledger)
	if len(faults) > 0 || len(b.Standing()) != 1 {
		t.Errorf("the book: %v, %+v", faults, b.Standing())
	}
	// A run that has an ID and has finished is not begun anew: nothing is found, and nothing charged.
	res, err := RunFound(t.Context(), mustFind(t, c))
	if err != nil || !strings.Contains(strings.Join(res.Written.Notes, "\n"), "run r1 had finished before") {
		t.Errorf("a finished run: %v", err)
	}
	if b, faults := openLedger(t.Context(), c.Ledger); len(faults) > 0 || len(b.Standing()) != 1 {
		t.Errorf("the book: %v, %+v", faults, b.Standing())
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
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("it does not say %q: %v", want, err)
				}
			}
			if tt.again != "" {
				if _, err := r.find(t.Context()); err == nil || !strings.Contains(err.Error(), tt.again) {
					t.Errorf("the next attempt: %v", err)
				}
				return
			}
			if err := drawn(r); !errors.Is(err, run.ErrStopped) {
				t.Errorf("a worker that outlives its job draws: %v", err)
			}
			if a, err := r.attempt(t.Context()); err != nil || a.name != r.params.RunID+"-1" || a.drawn {
				t.Errorf("the next attempt is %+v, %v", a, err)
			}
			if err := worker(r, r.params.RunID+"-1", synth.DrawnSuffix, []byte("drawn")); err != nil {
				t.Errorf("the next attempt cannot draw: %v", err)
			}
		})
	}
}

// What a job that finds a domain cannot do is said before anything is sent, also by a plan.
func TestFindJobFaults(t *testing.T) {
	c := Config{Input: peopleCSV(t, 10), PrivacyID: "id", Epsilon: 1, Delta: 1e-9, ExpectedRows: 1e6, Runner: "dataflow", Engine: Engine{Worker: os.Args[0], Cloud: Cloud{Project: "p", Region: "r", DryRun: true}}}
	_, err := PlanFound(t.Context(), PlanConfig{Config: c})
	if err == nil || !strings.Contains(err.Error(), "--dry_run: is for one job, and a domain is found by a job before that of the rows") || strings.Contains(err.Error(), "--output") {
		t.Errorf("a plan: %v", err)
	}
	c.Output = "s3://bucket/out"
	if _, err := ValidateFind(t.Context(), c); err == nil || !strings.Contains(err.Error(), "--dry_run: is for one job") || !strings.Contains(err.Error(), `--output: got "s3://bucket/out"; the program of the workers that find the domain is put next to it`) {
		t.Errorf("a run: %v", err)
	}
	c.Output, c.Release = "bq://p.d.t", "s3://bucket/release"
	if _, err := ValidateFind(t.Context(), c); err == nil || !strings.Contains(err.Error(), `--release: got "s3://bucket/release"; the program of the workers`) {
		t.Errorf("a run to a table: %v", err)
	}
}
