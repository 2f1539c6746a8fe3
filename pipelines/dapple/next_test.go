package main

import (
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// valueFor finds a value that an option takes.
func valueFor(t *testing.T, o option) string {
	t.Helper()
	for _, value := range []string{"true", "it's a 'text' <= $1; b", "7", "0.5", "replace", "csv", "truncate", `{"a":"b"}`, "a=b", "prism", "two"} {
		if o.set(value) == nil {
			return value
		}
	}
	t.Fatalf("--%s takes none of the test's values", o.name)
	return ""
}

// Whatever flag plan and synth share, the command that plan names next has it, and a shell hands it on as it was given.
func TestNextHasEveryFlag(t *testing.T) {
	flag.VisitAll(func(f *flag.Flag) { // Beam's own, which the options set too
		if before := f.Value.String(); !strings.HasPrefix(f.Name, "test.") {
			t.Cleanup(func() { _ = f.Value.Set(before) })
		}
	})
	var c pipelines.Config
	opts := requestOptions(&c)
	var flags recorded
	flags.record(opts)
	var want []string
	for _, o := range opts {
		value := valueFor(t, o)
		if want = append(want, "--"+o.name+"="+value); o.value == "" {
			want[len(want)-1] = "--" + o.name
		}
	}
	problem := solver.Problem{Domain: &domain.Domain{}, Epsilon: 1}
	out := must.Value(exec.Command("sh", "-c", `dapple() { printf '%s\n' "$@"; }; `+flags.synth(problem, 0)).Output())(t)
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	must.Hold(t, slices.Equal(got, append([]string{"synth"}, want...)), "got %q\nwant %q", got, want)
	must.Hold(t, len(want) >= 30, "%d flags: the test is blind", len(want))
	synth := synthCommand(io.Discard, false)
	faults := parse(want, synth.options)
	must.Hold(t, len(faults) <= 0, "synth refuses what plan takes: %v", faults)
	problem.Epsilon = 0.25
	must.Equal(t, (recorded{"--delta=0"}).synth(problem, 900), "dapple synth --delta=0 --input=TABLE --output=DIR --epsilon=0.25 --expected_rows=900")
}

// The command that plan names next is run as it is printed: it does what was planned. The criteria are met: their limits are
// hundreds of people from the model, and noise shifts the check by ten (see TestCriteria of package pipelines).
func TestNextIsRun(t *testing.T) {
	dir := people(t, 4000)
	got := dapple(t, dir, "plan", "--domain=people.yaml", "--input=people.csv", "--output=the rows", "--epsilon=20", "--delta=1e-9",
		"--expected_rows=2000", "--marginals=2", "--criteria=sex,age<=0.6; income <= 0.6")
	got.want(t, 0)
	_, next, _ := strings.Cut(got.stdout, "\nnext      ")
	out := inShell(t, dir, next)
	for _, line := range []string{"rows to the rows/", "criteria met: "} {
		must.Hold(t, strings.Contains(out, line), "no %q in\n%s", line, out)
	}
}

// inShell runs a printed command, which has to succeed, and returns what it says.
func inShell(t *testing.T, dir, command string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	must.Need(t, err == nil, "%s: %v\n%s", command, err, out)
	return string(out)
}

// Of a table that breaks what the domain rules out no model can be right: half of the people stand in a cell that it must not
// have. The limits are 900 of 2,000 people below that, and the check errs by fewer than ten.
func TestCriteriaThatAreNotMet(t *testing.T) {
	dir := people(t, 4000) // every second person is a man
	put(t, dir, "people.yaml", peopleDomain+"impossible:\n  - {sex: Male, age: [0, 20, 40, 60, 80, null]}\n")
	args := slices.DeleteFunc(synth("--quiet", "--expected_rows=2000", "--criteria=sex<=0.05"), func(a string) bool { return a == "--epsilon=1" })
	got := dapple(t, dir, append(args, "--epsilon=20")...)
	got.want(t, 3, "the criteria are NOT met: everything is written, and the statement says so; the budget is spent")
	must.Hold(t, strings.Contains(got.stdout, "criteria NOT met: "), "the last lines do not say so:\n%s", got.stdout)
	dapple(t, dir, "verify", "out").want(t, 0)
	statement, err := os.ReadFile(filepath.Join(dir, "out.release/_privacy.json"))
	must.Hold(t, err == nil && strings.Contains(string(statement), `"met": false`), "the statement does not say so: %v\n%s", err, statement)
}
