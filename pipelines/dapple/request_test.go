package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// pipeInput puts a pipe that nobody writes to in the table's place: whoever opens it waits for ever.
func pipeInput(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, "people.csv")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o666); err != nil {
		t.Skipf("missing: named pipes in the temporary directory: %v", err)
	}
}

// badRequests are refused with exit status 2, without a look at the table.
var badRequests = []struct {
	name   string
	args   []string
	domain string // in place of people.yaml, if not empty
	want   []string
}{
	{"unknown flag", []string{"--epsilonn=1"}, "", []string{"--epsilonn: is not a flag of this command; did you mean --epsilon?"}},
	{"stray word", []string{"people.csv"}, "", []string{"people.csv: is one word too many"}},
	{"flag without value", []string{"--rows"}, "", []string{"--rows: has no value"}},
	{"flag twice", []string{"--epsilon=2"}, "", []string{"--epsilon: is given twice"}},
	{"no number", []string{"--max_cells=many"}, "", []string{`--max_cells: got "many"; want a whole number from 1 to 10000000`}},
	{"rows 0", []string{"--rows=0"}, "", []string{`--rows: got "0"; want a whole number from 1`}},
	{"rows below 0", []string{"--rows=-5"}, "", []string{`--rows: got "-5"; want a whole number from 1`}},
	{"expected rows 0", []string{"--expected_rows=0"}, "", []string{`--expected_rows: got "0"; want a whole number from 1`}},
	{"method", []string{"--method=magic"}, "", []string{`--method: got "magic"; want auto or `}},
	{"relation", []string{"--neighbouring=both"}, "", []string{`--neighbouring: got "both"; want add_remove or replace`}},
	{"format", []string{"--format=xml"}, "", []string{`--format: got "xml"; want parquet or arrow or avro or csv or jsonl`}},
	{"runner", []string{"--runner=magic"}, "", []string{`--runner: got "magic"; want prism or direct, which run in this process, flink, `}},
	{"no endpoint", []string{"--runner=flink"}, "", []string{"--endpoint: is required by --runner=flink; name host:port of Beam's job server"}},
	{"endpoint that is none", []string{"--endpoint=8099"}, "", []string{`--endpoint: got "8099"; want host:port`}},
	{"endpoint of a runner without", []string{"--runner=direct", "--endpoint=127.0.0.1:1"}, "", []string{"--endpoint: is not for --runner=direct"}},
	{"not waited for", []string{"--async"}, "", []string{"--async: is for Beam's own launcher", "use --detach"}},
	{"kind of workers", []string{"--endpoint=127.0.0.1:1", "--environment_type=magic"}, "", []string{`--environment_type: got "MAGIC"; want LOOPBACK, `}},
	{"no command", []string{"--endpoint=127.0.0.1:1", "--environment_type=process", "--shared", "--environment_config=boot"}, "",
		[]string{`--environment_config: got "boot"; PROCESS wants {"command": "PROGRAM"}`}},
	{"no pool", []string{"--endpoint=127.0.0.1:1", "--environment_type=EXTERNAL", "--shared"}, "", []string{`--environment_config: got ""; EXTERNAL wants host:port`}},
	{"no worker", []string{"--endpoint=127.0.0.1:1", "--environment_type=DOCKER", "--shared", "--worker_binary=nobody"}, "", []string{"--worker_binary: ", "nobody: no such file"}},
	{"run ID", []string{"--run_id=a.b"}, "", []string{`--run_id: got "a.b"; want at most 64 letters`}},
	{"worker mode", []string{"--worker"}, "", []string{"--worker: is for Beam's own launcher"}},
	{"not UTF-8", []string{"--release=out\xff"}, "", []string{`--release: "out\xff": the name is not UTF-8; rename the file`}},
	{"release in the way", []string{"--release=people.yaml"}, "", []string{"--release: people.yaml is a file"}},
	{"malformed YAML", nil, "columns: [", []string{"people.yaml:1:"}},
	{"unknown key", nil, peopleDomain + "colour: red\n", []string{"people.yaml:7:1: ", "colour"}},
	{"duplicate column", nil, peopleDomain + "  - {name: age, type: BOOL, null: true}\n", []string{"people.yaml:7:", `"age" appears twice, first on line 4`}},
	{"no categories", nil, strings.Replace(peopleDomain, "[Female, Male]", "[]", 1), []string{"people.yaml:3:", "values"}},
	{"bins on text", nil, strings.Replace(peopleDomain, "values: [Female, Male], other: true", "bins: 3, null: true", 1), []string{"people.yaml:3:", "bins"}},
	{"nothing for unusable values", nil, strings.Replace(peopleDomain, ", null: true", "", 1), []string{"people.yaml:4:", "fallback"}},
	{"workload of unknown columns", nil, peopleDomain + "workload:\n  - {columns: [age, height]}\n", []string{"people.yaml:8:", `"height"`, "the columns are sex, age, income, day"}},
	{"domain too large", []string{"--method=dpam"}, strings.Replace(peopleDomain, "bins: 5", "bins: 100", 1) + wideColumns, []string{"--domain: ", "cells", "coarsen ", "--memory_limit"}},
	{"no marginal is small enough", []string{"--max_cells=2"}, "", []string{"--max_cells: got 2; "}},
}

const wideColumns = `  - {name: a, type: FLOAT64, min: 0, max: 1, bins: 1000, fallback: 0}
  - {name: b, type: FLOAT64, min: 0, max: 1, bins: 1000, fallback: 0}
`

func TestBadRequests(t *testing.T) {
	for _, tt := range badRequests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := people(t, 10)
			pipeInput(t, dir)
			if tt.domain != "" {
				put(t, dir, "people.yaml", tt.domain)
			}
			for _, command := range []string{"synth", "plan"} {
				args := append([]string{command}, synth(tt.args...)[1:]...)
				got := dapple(t, dir, args...)
				got.want(t, 2, append(tt.want, "one problem; nothing was read or written")...)
				if got.stdout != "" {
					t.Errorf("%s wrote to standard output: %s", command, got.stdout)
				}
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
	pipeInput(t, dir)
	for _, value := range []string{"0", "-1", "NaN", "Inf", "-Inf", "1e999", "", "one"} {
		dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--delta=0", "--epsilon="+value).
			want(t, 2, `--epsilon: got "`+value+`"; want a finite number above 0`)
	}
	for _, value := range []string{"1", "-1e-9", "NaN", "2", "Inf", ""} {
		dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--epsilon=1", "--delta="+value).
			want(t, 2, `--delta: got "`+value+`"; want a number of at least 0 and below 1`)
	}
	for _, value := range []string{"1e-300", "1e-9", "1e300"} {
		dapple(t, dir, "synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--epsilon="+value, "--delta=1e-9").
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
		{"empty file", "", nil, []string{"one problem", "the file is empty; a header line is needed"}},
		{"quoting of the header", "person_id,\"sex,age,income,day\n", nil, []string{"one problem", "a quote opens a cell and never closes"}},
		{"with others", "sex,age,income,day\n", []string{"--rows=0"}, []string{"2 problems", `no column "person_id"`, "--rows: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := tableOf(t, tt.csv)
			got := dapple(t, dir, synth(tt.args...)...)
			got.want(t, 2, tt.want...)
			if strings.Contains(got.stderr, "p1") || strings.Contains(got.stderr, "2024") {
				t.Errorf("the message shows a cell: %s", got.stderr)
			}
			noOutput(t, filepath.Join(dir, "out"))
		})
	}
}

func TestOutputThatIsNotEmpty(t *testing.T) {
	dir := people(t, 10)
	if err := os.Mkdir(filepath.Join(dir, "out"), 0o777); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "out/notes.txt", "mine")
	dapple(t, dir, synth()...).want(t, 2, "--output: out is not empty; set --overwrite, or name another directory")
	dapple(t, dir, synth("--overwrite")...).want(t, 2, `--output: out/ holds "notes.txt", which dapple did not write; move it away`)
	dapple(t, dir, synth("--output=people.csv")[2:]...).want(t, 2, "--output: is given twice")
	if got := names(t, filepath.Join(dir, "out")); len(got) != 1 {
		t.Errorf("out holds %v", got)
	}
}

func TestMissingFiles(t *testing.T) {
	dir := people(t, 10)
	dapple(t, dir, "synth", "--domain=nowhere.yaml", "--input=nobody-*.csv", "--output=out", "--epsilon=1", "--delta=0").
		want(t, 2, "2 problems", "--domain: nowhere.yaml: no such file", "--input: nobody-*.csv: no such file; name a file, or a pattern")
	dapple(t, dir, "sample", "--model=nowhere.arrow", "--output=out").want(t, 2, "--model: nowhere.arrow: no such file")
	dapple(t, dir, "sample", "--model=people.csv", "--output=out").want(t, 2, "--model: ")
	dapple(t, dir, "evaluate", "--domain=nowhere.yaml", "--input=nobody.csv", "--synthetic=nothing").
		want(t, 2, "3 problems", "--domain: ", "--input: nobody.csv", "--synthetic: nothing")
	dapple(t, dir, "synthesise").want(t, 2, "synthesise: is not a command; dapple help lists all")
	noOutput(t, filepath.Join(dir, "out"))
}

// plan says everything without opening the table.
func TestPlanDoesNotOpenTheInput(t *testing.T) {
	dir := people(t, 10)
	pipeInput(t, dir)
	got := dapple(t, dir, append([]string{"plan", "--details"}, synth()[1:]...)...)
	got.want(t, 0)
	for _, text := range []string{"verdict ", "domain ", "workload ", "method ", "privacy ", "error ", "cost ", "output "} {
		if !strings.Contains(got.stdout, "\n"+text) && !strings.HasPrefix(got.stdout, text) {
			t.Errorf("the plan has no line %q:\n%s", text, got.stdout)
		}
	}
	if names := names(t, dir); len(names) != 2 {
		t.Errorf("plan left %v", names)
	}
}

// The output of a run is verified by a word, not a flag; what was altered since ends with status 1, and a
// wrong request with 2.
func TestVerifyCommand(t *testing.T) {
	dir := people(t, 50)
	dapple(t, dir, synth("--method=dpam", "--quiet")...).want(t, 0)
	got := dapple(t, dir, "verify", "out")
	got.want(t, 0)
	lines := strings.SplitN(got.stdout, "digest  ", 2)
	if len(lines) != 2 || !strings.HasPrefix(got.stdout, "rows    ") || !strings.Contains(got.stdout, "note    accidents") {
		t.Fatalf("said %s", got.stdout)
	}
	digest := lines[1][:64]
	dapple(t, dir, "verify", "--digest="+digest, "out.release/").want(t, 0)
	dapple(t, dir, "verify").want(t, 2, "DIR: is required: ")
	dapple(t, dir, "verify", "--digest=x", "out", "again").want(t, 2, `--digest: got "x"; want 64 hexadecimal digits`, "again: is one word too many")
	dapple(t, dir, "verify", ".").want(t, 2, "is not the output of a finished run")
	put(t, dir, "out/part-00000-of-00003.parquet", "altered")
	dapple(t, dir, "verify", "out").want(t, 1, "out is not as a run has written it", "  out/part-00000-of-00003.parquet has changed since it was written: it has 7 bytes")
	dapple(t, dir, "evaluate", "--domain=people.yaml", "--input=people.csv", "--synthetic=out").want(t, 2, "--synthetic: ", "has changed since it was written")
}
