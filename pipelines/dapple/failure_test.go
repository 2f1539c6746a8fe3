package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const unspent = "nothing was written and no privacy budget was spent"

// Faults of the table end the run with status 1 and a position, never with the text of a cell; nothing
// is left and nothing is spent.
func TestTableFaults(t *testing.T) {
	const good = peopleHeader + "p1,Female,30,1000,2024-01-01\n"
	for _, tt := range []struct {
		name, csv string
		strict    bool
		want      string
	}{
		{"too few cells", good + "SECRET,Male\n", true, "dapple: csv: people.csv: line 3: 2 cells, and the header line has 5\n"},
		{"too many cells", good + "SECRET,Male,1,2,2024-01-01,6\n", true, "dapple: csv: people.csv: line 3: 6 cells, and the header line has 5\n"},
		{"bare quote", good + "p2,SEC\"RET,1,2,2024-01-01\n", true, "dapple: csv: people.csv: line 3: a quote is inside a cell"},
		{"open quote", good + "p2,\"SECRET,1,2,2024-01-01\np3,Male,1,1,2024-01-01\n", true, "dapple: csv: people.csv: the record that begins on line 3: a quote opens"},
		{"open quote, not strict", good + "p2,\"SECRET,1,2,2024-01-01\np3,Male,1,1,2024-01-01\n", false, "dapple: csv: people.csv: a quote opens a cell and never closes"},
	} {
		for _, runner := range []string{"prism", "direct"} {
			t.Run(tt.name+" on "+runner, func(t *testing.T) {
				t.Parallel()
				dir := tableOf(t, tt.csv)
				got := dapple(t, dir, synth("--runner="+runner, "--quiet", "--strict="+strconv.FormatBool(tt.strict))...)
				got.want(t, 1, tt.want, unspent)
				must.Hold(t, !strings.Contains(got.stderr, "SECRET") && strings.Count(got.stderr, "\n") == 2,
					"the message shows a cell, or more than two lines: %s", got.stderr)
				noOutput(t, filepath.Join(dir, "out"))
			})
		}
	}
}

// No line ends a run: each is a record, and the person that it names counts.
func TestMalformedLinesAreRecords(t *testing.T) {
	lines := []string{
		"SECRET,Male", "p2", "p3,Male,1,2,2024-01-01,6,7", "p4,SEC\"RET,1,2,2024-01-01", "p5,\"SEC\"RET,1,2,2024-01-01",
		"p\"6,Male,,,", "p7,Male,1,2," + strings.Repeat("SECRET", 1<<20), "p8," + strings.Repeat("SECRET", 1<<20) + ",1,2,2024-01-01",
		"p9,\r,\x00,\xff,\"a\nb\"", "p 10,Male", " p10,Male", "\"p\r\n11\",Male", "\"p\n11\",Male", "?,Male", "NA",
		strings.Repeat("SECRET", 1<<20) + "1,Male,1,2,2024-01-01", strings.Repeat("SECRET", 1<<20) + "2,Male,1,2,2024-01-01",
	}
	dir := tableOf(t, peopleHeader+strings.Join(lines, "\n")+"\n")
	put(t, dir, "people.yaml", peopleDomain+"csv: {trim: true, null: [\"?\", NA]}\n")
	got := dapple(t, dir, synth("--neighbouring=replace", "--quiet")...)
	got.want(t, 0)
	statement := must.Value(os.ReadFile(filepath.Join(dir, "out.release", "_privacy.json")))(t)
	if want := fmt.Sprintf("\"count\": %d,", len(lines)); !strings.Contains(string(statement), want) || strings.Contains(got.stderr, "SECRET") {
		t.Errorf("%s does not say %s, or a cell is in %s", statement, want, got.stderr)
	}
}

// No record decides what a file is: of files without a header line, with the first record of either being odd, every
// record is read, and the run ends as with a usual one.
func TestFirstRecordsDecideNothing(t *testing.T) {
	const domain = "privacy_id: id\ncolumns:\n  - {name: c, type: STRING, values: [a, b], other: true}\ncsv: {columns: [id, c]}\n"
	var rest [2]string
	for i := range 200 {
		rest[i%2] += fmt.Sprintf("p%d,a\n", i)
	}
	for _, first := range []string{"\xff\xfeq,a", "\ufeffp1,a", "PK\x03\x04,a", strings.Repeat("\x00", 70_000) + ",a"} {
		for at := range rest {
			dir := t.TempDir()
			put(t, dir, "people.yaml", domain)
			for i, lines := range rest {
				if i == at {
					lines = first + "\n" + lines
				}
				put(t, dir, fmt.Sprintf("part%d.csv", i), lines)
			}
			got := dapple(t, dir, "synth", "--domain=people.yaml", "--input=part*.csv", "--output=out", "--epsilon=1", "--delta=1e-6", "--neighbouring=replace", "--quiet")
			got.want(t, 0)
			statement, err := os.ReadFile(filepath.Join(dir, "out.release", "_privacy.json"))
			must.Hold(t, err == nil && strings.Contains(string(statement), `"count": 201,`),
				"%.10q first in file %d: not 201 people in %s, %v", first, at, statement, err)
		}
	}
}

// A δ at which the promise may fail for somebody is refused unless it is accepted, and is then said, as an ε above 10 is.
func TestWeakPromises(t *testing.T) {
	dir := people(t, 300)
	run := func(flags ...string) ended {
		return dapple(t, dir, append([]string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--overwrite", "--quiet"}, flags...)...)
	}
	for _, flags := range [][]string{{"--delta=0.5"}, {"--delta=0.002", "--expected_rows=10"}, {"--delta=1e-5"}, {"--delta=0.001", "--expected_rows=500"}} {
		run(append(flags, "--epsilon=1")...).want(t, 2, "--delta: got", "--accept_delta")
	}
	plan := []string{"plan", "--domain=people.yaml", "--expected_rows=300", "--epsilon=12"}
	dapple(t, dir, append(plan, "--delta=0.5")...).want(t, 2, "--delta: got 0.5", "--accept_delta")
	if got := dapple(t, dir, append(plan, "--delta=1e-6")...); got.status != 0 || !strings.Contains(got.stdout, "epsilon = 12 is above 10 and protects little") {
		t.Errorf("plan: status %d, %s%s", got.status, got.stdout, got.stderr)
	}
	run("--delta=0.0009", "--expected_rows=500", "--epsilon=1").want(t, 0)
	got := run("--delta=0.5", "--accept_delta", "--epsilon=12", "--method=rake") // the default method spends no delta on so few columns
	for _, want := range []string{"epsilon = 12 is above 10 and protects little: a belief of 1 % about one unit can become 99.94 %", "delta = 0.5 is large"} {
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, want), "the last lines lack %q: %s", want, got.stdout)
	}
	text, err := os.ReadFile(filepath.Join(dir, "out.release", "_report.html"))
	must.Hold(t, err == nil && strings.Contains(string(text), "protects little") && strings.Contains(string(text), "but for a chance of about 0.5"),
		"the page does not say so: %v", err)
}

// What infer read off the table is said by the run, its statement, its page and the registry's record, until it is deleted.
func TestDerivedFactsAreRepeated(t *testing.T) {
	dir := people(t, 300)
	dapple(t, dir, "infer", "--input=people.csv", "--privacy_id=person_id", "--from_data", "--output=people.yaml", "--overwrite").want(t, 0)
	file, err := os.ReadFile(filepath.Join(dir, "people.yaml"))
	must.Hold(t, err == nil && strings.Contains(string(file), "  \"age\": [type, min, max, null flag]\n"), "%v, or no way out for ages in\n%s", err, file)
	const said = "what the domain file says that was read off the true table (derived_from_data): sex (type, values, null flag); age (type, min, max, null flag)"
	run := []string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=out", "--epsilon=1", "--delta=1e-9", "--overwrite", "--quiet"}
	for _, reviewed := range []bool{false, true} {
		if reviewed {
			from, to := strings.Index(string(file), "derived_from_data:"), strings.Index(string(file), "privacy_id:")
			put(t, dir, "people.yaml", string(file[:from])+string(file[to:]))
		}
		got := dapple(t, dir, run...)
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, "note    NOT PRIVATE: 6 parts of the domain file were read off the true table and not reviewed; the report lists them\n") != reviewed,
			"reviewed %v: the last lines are %s", reviewed, got.stdout)
		names := must.Value(filepath.Glob(filepath.Join(dir, "out.release", "*")))(t)
		n := 0
		for _, name := range names {
			text := must.Value(os.ReadFile(name))(t)
			if strings.Contains(string(text), said) {
				n++
			}
		}
		must.Hold(t, (!reviewed || n <= 0) && (reviewed || n >= 2), "reviewed %v: %d of %d files say so", reviewed, n, len(names))
		record := fmt.Sprintf("record-%v.yaml", reviewed)
		put(t, dir, "about.yaml", "name: A\ncurator: B\ncurator_type: Industry\nauthors: C\nuse: tests\nregion: nowhere\n")
		dapple(t, dir, "report", "out", "--about=about.yaml", "--registry="+record).want(t, 0)
		text, err := os.ReadFile(filepath.Join(dir, record))
		must.Hold(t, err == nil && strings.Contains(string(text), said) != reviewed, "reviewed %v: %v, the registry's record is\n%s", reviewed, err, text)
	}
}

// What is made of IDs on request is in the statement.
func TestStatementSaysWhatIDsAre(t *testing.T) {
	dir := tableOf(t, peopleHeader+"p1,Male,,,\n p1 ,Male,,,\nNA,Male,,,\n,Male,,,\np2,Male,,,\n")
	put(t, dir, "people.yaml", peopleDomain+"csv: {trim_id: true, null_id: [NA, \"?\"]}\n")
	dapple(t, dir, synth("--neighbouring=replace", "--quiet")...).want(t, 0)
	statement := must.Value(os.ReadFile(filepath.Join(dir, "out.release", "_privacy.json")))(t)
	for _, want := range []string{"\"count\": 2,", "; blanks around an ID are not part of it (csv: trim_id); an ID that reads \\\"NA\\\" or \\\"?\\\" counts as none (csv: null_id)\""} {
		must.Hold(t, strings.Contains(string(statement), want), "%s does not say %s", statement, want)
	}
}

func TestStrictNamesThePosition(t *testing.T) {
	dir := tableOf(t, peopleHeader+"p1,Female,30,1000,2024-01-01\np2,Female,SECRET,1000,2024-01-01\n")
	got := dapple(t, dir, synth("--strict", "--quiet")...)
	got.want(t, 1, `dapple: private: csv: people.csv line 3: column "age" cannot be used as it is`, unspent)
	must.Hold(t, !strings.Contains(got.stderr, "SECRET"), "the message shows a cell: %s", got.stderr)
	noOutput(t, filepath.Join(dir, "out"))
}

// A directory that is named like a file cannot be read; a missing permission is found at launch, but
// tests may run as root, whom nothing is forbidden.
func TestOutputThatCannotBeMade(t *testing.T) {
	dir := people(t, 10)
	got := dapple(t, dir, append(synth()[:3], "--output=people.csv/out", "--epsilon=1", "--delta=0")...)
	got.want(t, 2, "--output: people.csv/out: not a directory")
}

// A disk that is too small is found at launch. One that fills all the same ends the run with a short message and
// no output; the release is kept, and costs nothing more once there is room.
func TestDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for whole programs; make integration runs it")
	}
	dir := people(t, 100_000)
	small := filepath.Join(dir, "small")
	must.Do(t, os.Mkdir(small, 0o777))
	if err := exec.Command("mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", small).Run(); err != nil {
		t.Skipf("missing: permission to mount a small file system: %v", err)
	}
	t.Cleanup(func() {
		must.Pass(t, exec.Command("umount", small).Run())
	})
	args := []string{"synth", "--domain=people.yaml", "--input=people.csv", "--output=small/out", "--epsilon=1", "--delta=1e-9", "--method=dpam", "--quiet"}
	dapple(t, dir, append(args, "--rows=200000")...).want(t, 2, "--output: small/out has ", " kB left for the rows, of about 2.", "make room")
	for _, runner := range []string{"prism", "direct"} {
		temp := t.TempDir()
		got := dappleWith(t, dir, temp, append(args, "--expected_rows=10", "--runner="+runner)...) // the plan foresees next to nothing
		got.want(t, 4, "no space left on device", released)
		lines := strings.Count(got.stderr, "\n")
		must.Hold(t, lines <= 3, "%s: %d lines: %s", runner, lines, got.stderr)
		noOutput(t, filepath.Join(small, "out"))
		got = dappleWith(t, dir, temp, append(args, "--expected_rows=10", "--rows=10", "--runner="+runner, "--overwrite")...)
		got.want(t, 0)
		must.Hold(t, strings.Contains(got.stdout, takenUp), "the release was not taken up:\n%s", got.stdout)
		for _, left := range []string{"out", "out.release"} {
			must.Do(t, os.RemoveAll(filepath.Join(small, left)))
		}
	}
}

// A pipe can be the table: it is read once, by the run.
func TestPipeAsInput(t *testing.T) {
	dir := people(t, 100)
	table := must.Value(os.ReadFile(filepath.Join(dir, "people.csv")))(t)
	pipeInput(t, dir)
	wrote := make(chan error, 1)
	go func() { wrote <- os.WriteFile(filepath.Join(dir, "people.csv"), table, 0) }()
	dapple(t, dir, synth("--method=dpam")...).want(t, 0)
	must.Pass(t, <-wrote)
}

// A fault inside prism has no log of it printed, which names elements: its one line says where it is.
func TestFaultOfTheRunnerHasNoLog(t *testing.T) {
	for text, logged := range map[string]bool{"pipeline panicked: SECRET": false, "connecting to a service failed": true} {
		stderr := must.Value(os.Create(filepath.Join(t.TempDir(), "stderr")))(t)
		defer stderr.Close()
		c := command{beam: true, run: func(context.Context, io.Writer) error {
			slog.Error("Bundle Failed.", "error", "SECRET")
			return errtext.Of(errors.New(text))
		}}
		err := execute(t.Context(), c, stderr, stderr)
		must.Hold(t, err != nil && !strings.Contains(err.Error(), "SECRET"), "%s: %v", text, err)
		said, err := os.ReadFile(stderr.Name())
		must.Hold(t, strings.Contains(string(said), "Bundle Failed.") == logged && err == nil, "%s: the log says %q, %v", text, said, err)
	}
}
