package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// pipeInput puts a pipe in the table's place.
func pipeInput(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "people.csv")
	must.Do(t, os.Remove(path))
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skipf("missing: named pipes in the temporary directory: %v", err)
	}
}

// unreadInput puts a pipe in the table's place, and fails if somebody opens it, who then finds it empty.
func unreadInput(t *testing.T, dir string) {
	t.Helper()
	pipeInput(t, dir)
	path := filepath.Join(dir, "people.csv")
	over, watched := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(over); <-watched })
	go func() {
		defer close(watched)
		for {
			select {
			case <-over:
				return
			case <-time.After(5 * time.Millisecond):
			}
			if f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil { // somebody reads
				t.Errorf("%s was opened", path)
				_ = f.Close()
			}
		}
	}()
}

// badRequests are refused with exit status 2, without a look at the table, beside the cases of TestMessages.
var badRequests = []struct {
	name   string
	args   []string
	domain string // in place of people.yaml, if not empty
	want   []string
}{
	{"rows 0", []string{"--rows=0"}, "", []string{`--rows: got "0"; want a whole number from 1`}},
	{"format that is read alone", []string{"--format=avro"}, "", []string{`--format: got "avro"; files of avro are read, and not written; write Parquet, and convert it: python3 -c "import polars; `}},
	{"kind of workers", []string{"--endpoint=127.0.0.1:1", "--environment_type=magic"}, "", []string{`--environment_type: got "MAGIC"; want LOOPBACK, `}},
	{"no command", []string{"--endpoint=127.0.0.1:1", "--environment_type=process", "--shared", "--environment_config=boot"}, "",
		[]string{`--environment_config: got "boot"; PROCESS wants {"command": "PROGRAM"}`}},
	{"no pool", []string{"--endpoint=127.0.0.1:1", "--environment_type=EXTERNAL", "--shared"}, "", []string{`--environment_config: got ""; EXTERNAL wants host:port`}},
	{"no worker", []string{"--endpoint=127.0.0.1:1", "--environment_type=DOCKER", "--shared", "--worker_binary=nobody"}, "", []string{"--worker_binary: ", "nobody: no such file"}},
	{"worker mode", []string{"--worker"}, "", []string{"--worker: is for Beam's own launcher"}},
	{"not UTF-8", []string{"--release=out\xff"}, "", []string{`--release: "out\xff": the name is not UTF-8; rename the file`}},
	{"domain too large", []string{"--method=dpam"}, strings.Replace(peopleDomain, "bins: 5", "bins: 100", 1) + wideColumns, []string{"--domain: ", "cells", "coarsen ", "--memory_limit"}},
}

const wideColumns = `  - {name: a, type: FLOAT64, min: 0, max: 1, bins: 1000, fallback: 0}
  - {name: b, type: FLOAT64, min: 0, max: 1, bins: 1000, fallback: 0}
`

func TestBadRequests(t *testing.T) {
	for _, tt := range badRequests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := people(t, 10)
			unreadInput(t, dir)
			if tt.domain != "" {
				put(t, dir, "people.yaml", tt.domain)
			}
			for _, command := range []string{"synth", "plan"} {
				args := append([]string{command}, synth(tt.args...)[1:]...)
				got := dapple(t, dir, args...)
				got.want(t, 2, append(tt.want, "one problem; nothing was read or written")...)
				must.Hold(t, got.stdout == "", "%s wrote to standard output: %s", command, got.stdout)
				noOutput(t, filepath.Join(dir, "out"))
			}
		})
	}
}

// Every command that reads a domain file refuses one that leaves open who is protected, and names the columns that may
// name people.
func TestPrivacyIDIsADecision(t *testing.T) {
	dir := tableOf(t, "Subject,Days,c\n308,0,a\n308,1,b\n")
	put(t, dir, "people.yaml", "columns:\n- {name: Subject, type: INT64, min: 0, max: 999, bins: 9, null: true}\n- {name: Days, type: INT64, min: 0, max: 9, null: true}\n")
	for _, args := range [][]string{
		synth(), append([]string{"plan"}, synth()[1:]...), {"check", "--domain=people.yaml", "--input=people.csv"},
		{"evaluate", "--domain=people.yaml", "--input=people.csv", "--synthetic=people.csv"}, {"sample", "--domain=people.yaml", "--output=out", "--rows=9"},
	} {
		dapple(t, dir, args...).want(t, 2, `people.yaml:1:1: privacy_id: is required, since it says who is protected; `+
			`write privacy_id: COLUMN for the column that names the people, perhaps "Subject", or privacy_id: none if every record is another person`)
		noOutput(t, filepath.Join(dir, "out"))
	}
	put(t, dir, "people.yaml", "privacy_id: none\ncolumns:\n- {name: Days, type: INT64, min: 0, max: 9, null: true}\n")
	dapple(t, dir, "check", "--domain=people.yaml", "--input=people.csv").want(t, 0)
}

// Budgets are refused with the values that are allowed.
func TestBadBudgets(t *testing.T) {
	dir := people(t, 10)
	unreadInput(t, dir)
	for _, value := range []string{"0", "-1", "NaN", "Inf", "-Inf", "1e999", "", "one"} {
		dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--delta=0", "--epsilon="+value).
			want(t, 2, `--epsilon: got "`+value+`"; want a finite number above 0`)
	}
	for _, value := range []string{"1", "-1e-9", "NaN", "2", "Inf", ""} {
		dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--epsilon=1", "--delta="+value).
			want(t, 2, `--delta: got "`+value+`"; want a number of at least 0 and below 1`)
	}
	for _, value := range []string{"1e-300", "1e-9", "1e300"} {
		dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--method=rake", "--epsilon="+value, "--delta=1e-9").
			want(t, 2, "--epsilon: got ", " with --delta=1e-09; method ", "change one of them, or --method")
	}
	noOutput(t, filepath.Join(dir, "out"))
}

func TestAllFaultsAreListedAtOnce(t *testing.T) {
	dir := people(t, 10)
	put(t, dir, "people.yaml", strings.NewReplacer("[Female, Male]", "[]", "max: 100,", "max: -100,").Replace(peopleDomain))
	put(t, dir, "taken.txt", "")
	got := dapple(t, dir, "--domain=people.yaml", "--input=nobody.csv", "--output=.", "--epsilon=0", "--rows=-1", "--shard=4", "--method=magic")
	got.want(t, 2)
	golden(t, "faults.txt", got.stderr)
}

// Faults of the table's header are found before the run begins, and listed with all others.
func TestHeaderFaults(t *testing.T) {
	for _, tt := range []struct {
		name, csv string
		args      []string
		want      []string
	}{
		{"columns absent", "person_id,sex,day\np1,Female,2024-01-01\n", nil,
			[]string{"2 problems", `--input: people.csv: the header line has no column "age"`, `no column "income"`}},
		{"no privacy ID", "sex,age,income,day\n", nil, []string{"one problem", `no column "person_id"`}},
		{"column twice", "person_id,sex,age,income,day,age\n", nil, []string{"one problem", `columns 3 and 6 are both called "age"`}},
		{"quoting of the header", "person_id,\"sex,age,income,day\n", nil, []string{"one problem", "a quote opens a cell and never closes"}},
		{"with others", "sex,age,income,day\n", []string{"--rows=0"}, []string{"2 problems", `no column "person_id"`, "--rows: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tableOf(t, tt.csv)
			got := dapple(t, dir, synth(tt.args...)...)
			got.want(t, 2, tt.want...)
			must.Hold(t, !strings.Contains(got.stderr, "p1") && !strings.Contains(got.stderr, "2024"), "the message shows a cell: %s", got.stderr)
			noOutput(t, filepath.Join(dir, "out"))
		})
	}
}

func TestOutputThatIsNotEmpty(t *testing.T) {
	dir := people(t, 10)
	must.Do(t, os.Mkdir(filepath.Join(dir, "out"), 0o777))
	put(t, dir, "out/notes.txt", "mine")
	dapple(t, dir, synth("--overwrite")...).want(t, 2, `--output: out/ holds "notes.txt", which dapple did not write; move it away`)
	got := names(t, filepath.Join(dir, "out"))
	must.Hold(t, len(got) == 1, "out holds %v", got)
}

// TestWordsOfOthers: words and numbers that people know from other programs are told what to write.
func TestWordsOfOthers(t *testing.T) {
	dir := people(t, 10)
	dapple(t, dir, "upgrade").want(t, 2, "put the program of a newer release in its place")
	dapple(t, dir, "synth", "people.csv", "--epsilon=0,5").want(t, 2, "--epsilon: got \"0,5\"", "write 0.5")
	dapple(t, dir, "plan").want(t, 2, "--epsilon: is required")
	r := dapple(t, dir, "version", "--json")
	must.Hold(t, strings.HasPrefix(r.stdout, `{"dapple":"v`), "version --json says %q", r.stdout)
}

// plan says everything without opening the table.
func TestPlanDoesNotOpenTheInput(t *testing.T) {
	dir := people(t, 10)
	unreadInput(t, dir)
	got := dapple(t, dir, append([]string{"plan"}, synth()[1:]...)...)
	got.want(t, 0)
	for _, text := range []string{"verdict ", "promise ", "error ", "people ", "cost ", "next "} {
		must.Hold(t, strings.Contains(got.stdout, "\n"+text) || strings.HasPrefix(got.stdout, text), "the plan has no line %q:\n%s", text, got.stdout)
	}
	names := names(t, dir)
	must.Hold(t, len(names) == 2, "plan left %v", names)
}

// The output of a run is verified by a word, not a flag; what was altered since ends with status 1.
func TestVerifyCommand(t *testing.T) {
	dir := people(t, 50)
	dapple(t, dir, synth("--method=dpam", "--quiet")...).want(t, 0)
	got := dapple(t, dir, "verify", "out")
	got.want(t, 0)
	lines := strings.SplitN(got.stdout, "digest  ", 2)
	must.Need(t, len(lines) == 2 && strings.HasPrefix(got.stdout, "rows    ") && strings.Contains(got.stdout, "note    accidents"), "said %s", got.stdout)
	digest := lines[1][:64]
	dapple(t, dir, "verify", "--digest="+digest, "out.release/").want(t, 0)
	put(t, dir, "out/part-00000-of-00003.parquet", "altered")
	dapple(t, dir, "verify", "out").want(t, 1, "out is not as a run has written it", "  out/part-00000-of-00003.parquet has changed since it was written: it has 7 bytes")
	dapple(t, dir, "evaluate", "--domain=people.yaml", "--input=people.csv", "--synthetic=out").want(t, 2, "--synthetic: ", "has changed since it was written")
}
