package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// book makes the budget book of a directory of people.
func book(t *testing.T, dir string, epsilon string) {
	t.Helper()
	dapple(t, dir, "ledger", "b", "--create=people", "--input=people.csv", "--epsilon="+epsilon, "--delta=1e-9", "--privacy_id=person_id").want(t, 0)
}

var chargeLine = regexp.MustCompile(`(?m)^  \d+ .*, (run|domain) \S+ for .*$`)

// charges returns how many runs stand in the book, and how many were taken back.
func charges(t *testing.T, dir string) (standing, back int) {
	t.Helper()
	got := dapple(t, dir, "ledger", "b")
	got.want(t, 0)
	for _, line := range chargeLine.FindAllString(got.stdout, -1) {
		if strings.Contains(line, "taken back") {
			back++
		} else {
			standing++
		}
	}
	return standing, back
}

// A book is charged by every run and refuses what does not fit before anything is read; plan says what is left.
func TestLedger(t *testing.T) {
	dir := people(t, 200)
	dapple(t, dir, synth("--ledger=b")...).want(t, 2, "--ledger: b holds no budget book")
	dapple(t, dir, "ledger", "b", "--create=people", "--epsilon=0.5", "--delta=2").want(t, 2, "--delta", "want a number of at least 0 and below 1")
	book(t, dir, "1.5")
	dapple(t, dir, "ledger", "b", "--create=people", "--input=people.csv", "--epsilon=9", "--delta=1e-9").want(t, 2, "holds the budget book of people already")
	dapple(t, dir, "ledger", "b", "--epsilon=9").want(t, 2, "the terms of a book never change")

	got := dapple(t, dir, "plan", "--domain=people.yaml", "--input=people.csv", "--epsilon=1", "--delta=1e-9", "--ledger=b")
	got.want(t, 0)
	said := strings.Join(strings.Fields(got.stdout), " ") // lines are broken
	must.Hold(t, regexp.MustCompile(` ledger b, the book of people: this run fits, and with it ε = 1\S* of 1.5 is spent; then there is room for one more run of ε = 1\.\d+( |$)`).MatchString(said),
		"plan says: %s", got.stdout)
	got = dapple(t, dir, synth("--ledger=b", "--quiet")...)
	got.want(t, 0)
	must.Hold(t, regexp.MustCompile(`note    b, the book of people: this run is charged; spent is ε = 1\S* of 1.5 by 1 run`).MatchString(got.stdout),
		"synth says: %s", got.stdout)
	for name, want := range map[string]string{"_privacy.json": `"data_set": "people"`, "_report.html": "entered in the budget book of people as entry 1: all that is entered there keeps ε = 1.5"} {
		b, err := os.ReadFile(filepath.Join(dir, "out.release", name))
		must.Hold(t, err == nil && strings.Contains(string(b), want), "%s does not name the book: %v", name, err)
	}
	dapple(t, dir, "plan", "--domain=people.yaml", "--epsilon=1.4", "--delta=1e-9", "--ledger=b").want(t, 2, "--epsilon: got 1.4; of b, the book of people, is spent: ε = 1", "--epsilon=1.", " fits")
	dapple(t, dir, "plan", "--domain=people.yaml", "--target_error=0.001", "--delta=1e-9", "--ledger=b").want(t, 2, "--epsilon: got")

	// What does not fit is refused before the table is read: a pipe in its place would be waited for.
	dapple(t, dir, synth("--ledger=b", "--overwrite", "--epsilon=1.4")[0], "--domain=people.yaml", "--input=people.csv", "--output=two", "--epsilon=1.4", "--delta=1e-9", "--ledger=b").
		want(t, 2, "nothing was read or written", "--epsilon: got 1.4; of b")
	noOutput(t, filepath.Join(dir, "two"))
	standing, back := charges(t, dir)
	must.Hold(t, standing == 1 && back == 0, "%d charges, %d taken back", standing, back)

	// Another table, another unit, another relation.
	put(t, dir, "visits.csv", peopleHeader+"v1,Male,30,1,2024-01-01\n")
	put(t, dir, "records.yaml", strings.Replace(peopleDomain, "privacy_id: person_id", "privacy_id: none", 1))
	at := func(args ...string) ended {
		return dapple(t, dir, append([]string{"synth", "--epsilon=0.1", "--delta=1e-9", "--ledger=b", "--quiet", "--rows=10"}, args...)...)
	}
	at("--domain=people.yaml", "--input=visits.csv", "--output=three").want(t, 2, "--ledger: b is the book of people, whose table is "+filepath.Join(dir, "people.csv"), "`dapple ledger b --input=visits.csv` says so")
	at("--domain=records.yaml", "--input=people.csv", "--output=three").want(t, 2, "--ledger: b counts for all records of one person_id, and the domain file for single records")
	at("--domain=people.yaml", "--input=people.csv", "--neighbouring=replace", "--output=three").want(t, 2, "--neighbouring: got replace, and b counts for add_remove")
	put(t, dir, "visits.yaml", peopleDomain+"events: {person: [sex], rows: {min: 0, max: 5}}\n")
	at("--domain=visits.yaml", "--input=people.csv", "--people_input=all.csv", "--output=three").want(t, 2, "and --people_input names "+filepath.Join(dir, "all.csv"), "`dapple ledger b --input=all.csv` says so")
	dapple(t, dir, "ledger", "b", "--input=visits.csv").want(t, 0)
	at("--domain=people.yaml", "--input=visits.csv", "--output=three").want(t, 0)

	// The ID of a run that has finished may be used again: that is another run. Asked for again, it has finished.
	before, _ := charges(t, dir)
	for _, out := range []string{"five", "six", "six"} {
		at("--domain=people.yaml", "--input=people.csv", "--run_id=night", "--output="+out).want(t, 0)
	}
	if after, _ := charges(t, dir); after != before+2 {
		t.Errorf("%d charges for two runs of one ID", after-before)
	}

	// A run that fails without having drawn gives its charge back, one that has drawn does not.
	for _, n := range []string{"--rows=90000", "--memory_limit=1"} {
		before, _ := charges(t, dir)
		got := cramped(t, dir, t.TempDir(), "synth", "--domain=people.yaml", "--input=people.csv", "--output=four", "--epsilon=0.1", "--delta=1e-9", "--ledger=b", "--quiet", "--method=dpam", n)
		if after, _ := charges(t, dir); (got.status == 1 || got.status == 4) && after != before+1 || got.status == 2 && after != before || got.status == 0 {
			t.Errorf("%s: status %d, %d charges became %d: %s", n, got.status, before, after, got.stderr)
		}
	}

	put(t, dir, filepath.Join("b", "entry-000001.json"), "{}")
	dapple(t, dir, "ledger", "b").want(t, 2, "b is damaged at entry-000001.json", "restore it from a copy")
	dapple(t, dir, synth("--ledger=b", "--overwrite")...).want(t, 2, "--ledger: the budget book b is damaged at entry-000001.json")
}

// A kept release is published for the charge that it has, as often as that fails.
func TestLedgerOfKeptRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for four runs; make integration runs it")
	}
	dir, temp := people(t, 200), t.TempDir()
	book(t, dir, "1")
	request := synth("--method=dpam", "--quiet", "--rows=90000", "--ledger=b")
	cramped(t, dir, temp, request...).want(t, 4, released)
	cramped(t, dir, temp, request...).want(t, 4, released)
	dappleWith(t, dir, temp, request...).want(t, 0)
	standing, back := charges(t, dir)
	must.Hold(t, standing == 1 && back == 0, "%d charges, %d taken back", standing, back)
	// The same command once more is another run: the book of one ε = 1 has no room for it.
	dappleWith(t, dir, temp, append(request, "--overwrite")...).want(t, 2, "--epsilon: got 1; of b", "nothing more can be released")
}

// A book says how many more runs of an ε and δ fit: as many as it then takes.
func TestLedgerLike(t *testing.T) {
	dir := people(t, 50)
	book(t, dir, "2")
	dapple(t, dir, "ledger", "b", "--like=1").want(t, 2, `--like: got "1"; want ε and δ`)
	dapple(t, dir, "ledger", "b", "--like=-1,1e-9").want(t, 2, "--like: got")
	fits := func(of string) int {
		got := dapple(t, dir, "ledger", "b", "--like="+of)
		got.want(t, 0)
		m := regexp.MustCompile(`(?m)^fits    (\d+) more runs? of ε = `).FindStringSubmatch(got.stdout)
		must.Need(t, m != nil, "no such line: %s", got.stdout)
		n, _ := strconv.Atoi(m[1])
		return n
	}
	must.Equal(t, fits("9,1e-9"), 0, "runs of more than the book fit")
	n := fits("1,1e-9")
	must.Need(t, n >= 2 && n <= 4 && fits("0.5,1e-9") >= 4*n, "%d runs of half of the book's ε fit; their losses add as squares, of noise alone", n)
	for i := range n + 1 {
		args := append(synth("--ledger=b", "--quiet", "--overwrite"), "--rows=10")
		got := dapple(t, dir, args...)
		if i < n {
			got.want(t, 0)
		} else {
			got.want(t, 2, "--epsilon: got 1; of b")
		}
	}
}

// A run with an ID is charged once, whoever launches it. Of launches at once one draws, and all end with its release. A launch on a
// machine that has lost the temporary files of the first one is refused, and says that the run was charged before.
func TestLaunchesOfOneRun(t *testing.T) {
	dir := people(t, 200)
	book(t, dir, "8")
	request := synth("--ledger=b", "--quiet", "--run_id=night")
	start := func(temp string, args ...string) (*exec.Cmd, *bytes.Buffer) {
		cmd, out := exec.Command(binary, args...), &bytes.Buffer{}
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), "TMPDIR="+temp), out, out
		must.Do(t, cmd.Start())
		return cmd, out
	}
	temp, digests := t.TempDir(), map[string]bool{}
	var all []*exec.Cmd
	var said []*bytes.Buffer
	for range 3 {
		cmd, out := start(temp, request...)
		all, said = append(all, cmd), append(said, out)
	}
	for i, cmd := range all {
		err := cmd.Wait()
		must.Hold(t, err == nil, "launch %d: %v\n%s", i, err, said[i])
		digests[regexp.MustCompile(`digest  \w+`).FindString(said[i].String())] = true
	}
	if standing, back := charges(t, dir); standing != 1 || back != 0 || len(digests) != 1 {
		t.Errorf("three launches at once: %d charges, %d taken back, digests %v", standing, back, digests)
	}

	lost := append(synth("--ledger=b", "--quiet", "--method=dpam"), "--output=second", "--run_id=second", "--rows=5000000")
	lost = slices.DeleteFunc(lost, func(a string) bool { return a == "--output=out" })
	cmd, out := start(temp, lost...)
	for end := time.Now().Add(time.Minute); len(drawnIn(t, temp)) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	must.Need(t, cmd.Wait() != nil, "five million rows were written before the kill")
	dappleWith(t, dir, t.TempDir(), lost...).want(t, 2, "--run_id: run second was charged before, by entry 2 of ", "--again, or another --run_id, begins anew and spends again")
	standing, _ := charges(t, dir)
	must.Hold(t, standing == 2, "%d charges stand: %s", standing, out)
}

// Processes are killed at any moment. Every run that had drawn stays charged, once; what was taken back had not.
func TestLedgerOfKilledRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time to kill eight runs; make integration runs it")
	}
	const kills = 8
	dir, temp := people(t, 2000), t.TempDir()
	book(t, dir, "8")
	drawn := map[string]bool{} // runs that were seen to have drawn, or to be about to
	for i := range kills {
		cmd := exec.Command(binary, "synth", "--domain=people.yaml", "--input=people.csv", fmt.Sprintf("--output=out%d", i), fmt.Sprintf("--epsilon=%g", 1+float64(i)/100), "--delta=1e-9", "--ledger=b", "--quiet", "--method=dpam") // each its own request
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+temp)
		must.Do(t, cmd.Start())
		// Half of them at some moment, the others once noise is drawn.
		limit := time.Duration(100+150*i) * time.Millisecond
		if i%2 == 1 {
			limit = time.Minute
		}
		for end := time.Now().Add(limit); time.Now().Before(end) && (i%2 == 0 || len(drawnIn(t, temp)) <= len(drawn)); {
			time.Sleep(time.Millisecond)
		}
		_ = cmd.Process.Signal(syscall.SIGKILL)
		_ = cmd.Wait()
		for _, run := range drawnIn(t, temp) {
			drawn[run] = true
		}
	}
	standing, back := charges(t, dir)
	dappleWith(t, dir, temp, "clean", "--releases").want(t, 0) // takes back what the last kill has left, as another run would
	after, backAfter := charges(t, dir)
	ended := 0 // before they could be killed: their stagings are gone
	for i := range kills {
		if o, err := dirsink.Open(t.Context(), filepath.Join(dir, fmt.Sprintf("out%d", i))); err == nil && !drawn[o.RunID] {
			ended++
		}
	}
	must.Hold(t, after == len(drawn)+ended && after+backAfter == standing+back && after >= kills/2 && after+backAfter <= kills,
		"%d runs had drawn; %d charges stood and %d were taken back, %d and %d after clean", len(drawn), standing, back, after, backAfter)
	got := dapple(t, dir, "ledger", "b")
	for run := range drawn {
		must.Hold(t, regexp.MustCompile(`run `+run+` for .*\d\n`).MatchString(got.stdout), "run %s had drawn, and its charge does not stand", run)
	}
}

// drawnIn lists the runs whose mark that noise is drawn is in a staging below a directory.
func drawnIn(t *testing.T, temp string) (runs []string) {
	t.Helper()
	marks := must.Value(filepath.Glob(filepath.Join(temp, "dapple-run-*", "*.drawn")))(t)
	for _, m := range marks {
		data := must.Value(os.ReadFile(m))(t)
		if strings.HasPrefix(string(data), "noise is drawn") {
			runs = append(runs, strings.TrimSuffix(filepath.Base(m), ".drawn"))
		}
	}
	return runs
}

// A book whose last entries are gone is whole by itself. The statement of a release names its entry, so that the book can be
// asked for it.
func TestLedgerCheck(t *testing.T) {
	dir := people(t, 100)
	book(t, dir, "1.5")
	for i, output := range []string{"one", "two"} {
		args := append(synth("--ledger=b", "--quiet", "--epsilon=0.5"), "--output="+output)
		args = slices.DeleteFunc(args, func(a string) bool { return a == "--output=out" || a == "--epsilon=1" })
		dapple(t, dir, args...).want(t, 0)
		got := dapple(t, dir, "ledger", "b", "--check="+output)
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, fmt.Sprintf("check   %s is entry %d", output, i+1)), "the entry of %s is not named: %s", output, got.stdout)
	}
	must.Do(t, os.Remove(filepath.Join(dir, "b", "entry-000002.json")))
	dapple(t, dir, "ledger", "b").want(t, 0)
	dapple(t, dir, "ledger", "b", "--check=one,two").want(t, 1, "two: it was charged by entry 2, and the book ends with entry 1: its last entries are gone")
	dapple(t, dir, "ledger", "c", "--create=people", "--input=people.csv", "--epsilon=3", "--delta=1e-9", "--privacy_id=person_id").want(t, 0)
	dapple(t, dir, "ledger", "c", "--check=one,none").want(t, 1, "one: it was charged by entry 1, and the book ends with entry 0", "none")
	dapple(t, dir, "ledger", "d", "--create=us", "--input=people.csv", "--epsilon=3", "--delta=1e-9", "--check=one").want(t, 2, "--check")
}
