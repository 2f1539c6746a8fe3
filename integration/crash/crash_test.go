package crash

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/program"
)

// fault is what befalls one operation of a run.
type fault struct {
	do   string
	code int
}

var (
	killed = []fault{{"kill", 0}}
	errors = []fault{{"errno", int(syscall.EIO)}, {"errno", int(syscall.ENOSPC)}}
	others = []fault{{"signal", int(syscall.SIGTERM)}, {"short", 0}, {"errno", int(syscall.EINTR)}}
)

// Whichever file operation of a run is its last one or fails, the output is the older release or the new one, the command
// has said which and what became of ε, and the same command finishes the work and pays nothing twice.
func TestFaultsAtEveryFileOperation(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: hundreds of runs; make integration makes a sixth of them")
	}
	if why := canTrace(); why != "" {
		t.Skip("missing: " + why)
	}
	step := 6
	if os.Getenv("DAPPLE_NIGHTLY") != "" {
		step = 1
	}
	dapple, err := program.Build("../..", t.TempDir())
	must.Do(t, err)
	for _, k := range []struct {
		name   string
		flags  []string
		older  bool
		faults []fault
	}{
		{"a new output of two tables", []string{"--layout=two"}, false, killed},
		{"two tables over an older release", []string{"--layout=two", "--overwrite"}, true, killed},
		{"Parquet over an older release", []string{"--overwrite"}, true, errors},
		{"CSV over an older release", []string{"--overwrite", "--format=csv"}, true, others},
	} {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			r := &rig{T: t, program: dapple, flags: k.flags, older: k.older}
			operations := r.prepare()
			for at := 1; at <= operations; at += step {
				r.point(at, k.faults[at/step%len(k.faults)])
			}
			t.Logf("figure: %s: %d of %d operations; output old %d, new %d, none %d; kept releases adopted %d", k.name, r.points, operations, r.old, r.new, r.none, r.adopted)
			must.Hold(t, r.points >= 50/step, "only %d operations were made to fail", r.points)
		})
	}
}

// rig runs one kind of command, each time in a copy of the same directory.
type rig struct {
	*testing.T
	program string
	flags   []string
	older   bool
	home    string // of one run
	model   string // what every run begins with
	before  string // digest of the older release
	paid    int    // charges in the book

	points, old, new, none, adopted int
}

const table = `privacy_id: person
columns:
  - {name: sex, type: STRING, values: [F, M], other: true}
  - {name: age, type: INT64, min: 0, max: 99, bins: 5, fallback: 40}
  - {name: ward, type: STRING, values: [A, B, C], other: true}
  - {name: cost, type: NUMERIC, edges: [0, 60, 150, 600], resolution: 1, fallback: 0}
events: {person: [sex, age], rows: {max: 5}}
`

// prepare makes the directory that each run begins with, and returns how many operations a run has.
func (r *rig) prepare() int {
	r.Helper()
	base, err := os.MkdirTemp("/dev/shm", "dapple-crash-")
	if err != nil {
		base = r.TempDir()
	}
	r.Cleanup(func() { _ = os.RemoveAll(base) })
	r.home, r.model = filepath.Join(base, "run"), filepath.Join(base, "model")
	var rows strings.Builder
	rows.WriteString("person,sex,age,ward,cost\n")
	for i := range 400 {
		fmt.Fprintf(&rows, "p%d,%s,%d,%s,%d\n", i/2, []string{"F", "M"}[i/2%2], i/2%90, []string{"A", "B", "C"}[i%3], i%500)
	}
	r.must(os.MkdirAll(filepath.Join(r.home, "tmp"), 0o700))
	r.must(os.WriteFile(r.in("people.csv"), []byte(rows.String()), 0o600))
	r.must(os.WriteFile(r.in("people.yaml"), []byte(table), 0o600))
	r.run(nil, "ledger", r.in("book"), "--create=people", "--input="+r.in("people.csv"), "--privacy_id=person", "--epsilon=30", "--delta=1e-6").want(r.T, 0)
	if r.older {
		r.run(nil, append(r.synth(), "--epsilon=0.5")...).want(r.T, 0)
		r.before = r.digest()
	}
	r.paid = r.charges()
	r.must(os.Rename(r.home, r.model))
	r.again()
	log := filepath.Join(base, "log")
	r.run(&plan{Log: log}, append(r.synth(), "--epsilon=1")...).want(r.T, 0)
	b, err := os.ReadFile(log)
	r.must(err)
	return strings.Count(string(b), "\n")
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) in(name string) string { return filepath.Join(r.home, name) }

// again begins anew.
func (r *rig) again() {
	r.Helper()
	r.must(os.RemoveAll(r.home))
	if out, err := exec.Command("cp", "-a", r.model, r.home).CombinedOutput(); err != nil {
		r.Fatalf("%v: %s", err, out)
	}
}

func (r *rig) synth() []string {
	return append([]string{"synth", "--domain=" + r.in("people.yaml"), "--input=" + r.in("people.csv"), "--output=" + r.in("out"),
		"--delta=1e-9", "--ledger=" + r.in("book"), "--shards=2", "--quiet"}, r.flags...)
}

// ended is a command that has ended.
type ended struct {
	status int
	text   string
}

func (e ended) want(t *testing.T, status int) {
	t.Helper()
	must.Need(t, e.status == status, "exit status %d, want %d:\n%s", e.status, status, e.text)
}

// run runs the command, under the tracer if there is a plan.
func (r *rig) run(p *plan, args ...string) ended {
	r.Helper()
	cmd := exec.Command(r.program, args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+r.in("tmp"))
	if p != nil {
		p.Within = r.home + "/"
		b, err := json.Marshal(p)
		r.must(err)
		cmd = exec.Command(os.Args[0], append([]string{r.program}, args...)...)
		cmd.Env = append(os.Environ(), "TMPDIR="+r.in("tmp"), role+"=tracer", planText+"="+string(b))
	}
	patience := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	defer patience.Stop()
	out, _ := cmd.CombinedOutput() // its status is what counts
	return ended{cmd.ProcessState.ExitCode(), string(out)}
}

var digestLine = regexp.MustCompile(`(?m)^digest +([0-9a-f]{64})`)

// digest returns the digest of the release which is whole; empty: no release is.
func (r *rig) digest() string {
	r.Helper()
	got := r.run(nil, "verify", r.in("out"))
	if m := digestLine.FindStringSubmatch(got.text); got.status == 0 && m != nil {
		return m[1]
	}
	return ""
}

var charge = regexp.MustCompile(`(?m)^ +\d+ .*\brun `)

func (r *rig) charges() int {
	r.Helper()
	got := r.run(nil, "ledger", r.in("book"))
	if got.status != 0 {
		r.Errorf("the book cannot be read: %s", got.text)
	}
	return len(charge.FindAllString(got.text, -1))
}

// point lets one operation fail and looks at what is left.
func (r *rig) point(at int, f fault) {
	r.Helper()
	r.again()
	log := filepath.Join(filepath.Dir(r.home), "log")
	got := r.run(&plan{At: at, Do: f.do, Code: f.code, Log: log}, append(r.synth(), "--epsilon=1")...)
	b, err := os.ReadFile(log)
	r.must(err)
	lines := strings.Split(string(b), "\n")
	if len(lines) <= at {
		return // threads took another order, and it has fewer operations
	}
	r.points++
	where := f.do + " " + strconv.Itoa(f.code) + " at " + strings.ReplaceAll(lines[at-1], r.home, "")
	digest := r.digest()
	switch {
	case digest == "" && r.older:
		r.Errorf("%s: neither the older release is whole nor the new one:\n%s", where, got.text)
	case digest == "":
		r.none++
	case digest == r.before:
		r.old++
	default:
		r.new++
	}
	isNew := digest != "" && digest != r.before
	says := strings.Contains(got.text, "budget") || strings.Contains(got.text, "nothing was read") || strings.Contains(got.text, "nothing was written")
	if f.do != "kill" && (isNew != (got.status == 0) || got.status != 0 && !says) {
		r.Errorf("%s: wrong words, exit status %d and the new release is there: %v:\n%s", where, got.status, isNew, got.text)
	}
	if f.do != "kill" && got.status == 0 {
		return
	}
	next := r.run(nil, append(r.synth(), "--epsilon=1")...)
	if next.status != 0 && !(isNew && !r.older && strings.Contains(next.text, "holds the output of an earlier run")) {
		r.Errorf("%s: the next run is blocked, exit status %d:\n%s\nafter:\n%s", where, next.status, next.text, got.text)
	}
	if r.digest() == "" {
		r.Errorf("%s: after the next run nothing is whole:\n%s", where, next.text)
	}
	adopted := strings.Contains(next.text, "no more budget is spent") || strings.Contains(next.text, "written or spent now")
	if adopted {
		r.adopted++
	}
	switch n := r.charges() - r.paid; {
	case adopted && n != 1, n < 1, n > 2:
		r.Errorf("%s: %d charges, adopted %v:\n%s\nafter:\n%s", where, n, adopted, next.text, got.text)
	}
}
