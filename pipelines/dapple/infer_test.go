package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A proposal from data goes through plan as it is, from CSV and from Parquet; one from names and types does
// not before it is filled in.
func TestInferThenPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for whole programs; make integration runs it")
	}
	dir := people(t, 400)
	peopleParquet(t, dir)
	gaps := map[string]string{ // types of columns of text are missing, and values of others are found
		"people.csv": "names.yaml:", "people.parquet": "--expected_rows: is required where parts of the domain are to be found",
	}
	key := map[string]string{"people.csv": "above all\n  is it a key, as no value is there twice? Then delete its line: income\n"}
	for _, input := range []string{"people.csv", "people.parquet"} {
		plan := []string{"plan", "--domain=" + input + ".yaml", "--input=" + input, "--output=out", "--epsilon=1", "--delta=1e-9"}
		infer := []string{"infer", "--input=" + input, "--privacy_id=person_id"}
		got := dapple(t, dir, append(infer, "--from_data", "--output="+input+".yaml")...)
		got.want(t, 0)
		want := "wrote " + input + ".yaml, which is NOT private: review it, " + key[input] + "then run\n  dapple plan --domain=" + input + ".yaml --input=" + input + " --epsilon=1 --delta=1e-9\n"
		must.Hold(t, got.stdout == want, "said %q, want %q", got.stdout, want)
		info, err := os.Stat(filepath.Join(dir, input+".yaml"))
		must.Hold(t, err == nil && info.Mode().Perm() == 0o600, "others can read what is not private: %v, %v", info, err)
		if planned := dapple(t, dir, plan...); planned.status != 0 || !strings.Contains(planned.stdout, "\npeople    200, as given\n") {
			t.Errorf("the file's number of people is not planned for: %s%s", planned.stdout, planned.stderr)
		}
		dapple(t, dir, append(infer, "--output="+input+".yaml")...).want(t, 2, "--output: "+input+".yaml is there already; set --overwrite, or name another file")
		put(t, dir, input+".yaml", "# reviewed")
		must.Do(t, os.Chmod(filepath.Join(dir, input+".yaml"), 0o644))
		dapple(t, dir, append(infer, "--from_data", "--overwrite", "--output="+input+".yaml")...).want(t, 0)
		info, err = os.Stat(filepath.Join(dir, input+".yaml"))
		must.Hold(t, err == nil && info.Mode().Perm() == 0o600, "others can read a proposal that replaced a file: %v, %v", info, err)
		dapple(t, dir, plan...).want(t, 0)

		names := dapple(t, dir, infer...)
		names.want(t, 0)
		must.Hold(t, !strings.Contains(names.stdout, "NOT PRIVATE") && !strings.Contains(names.stdout, "Female") && strings.Contains(names.stdout, "# review: "),
			"a proposal from names and types shows data, or no gap:\n%s", names.stdout)
		put(t, dir, "names.yaml", names.stdout)
		plan[1] = "--domain=names.yaml"
		dapple(t, dir, plan...).want(t, 2, gaps[input])
	}
}

// Of two tables, people, some without rows, and their rows, a domain is proposed, and all commands that are
// printed run as they stand. The columns of people are read from their own table alone.
func TestInferPeople(t *testing.T) {
	dir := t.TempDir()
	people, rows := "who;sex\n", "who;sex;item\n"
	for i := range 120 {
		people += fmt.Sprintf("p%d;%c\n", i, "FM"[i%2])
		for j := range i % 4 {
			rows += fmt.Sprintf("p%d;X;i%d\n", i, j%2)
		}
	}
	put(t, dir, "people.csv", people)
	put(t, dir, "some rows.csv", rows)
	infer := []string{"infer", "--input=some rows.csv", "--people_input=people.csv", "--from_data", "--output=d.yaml"}
	dapple(t, dir, infer...).want(t, 2, "--people_input: needs --privacy_id", "--privacy_id: is required, since it says who is protected")
	infer = append(infer, "--privacy_id=who")
	got := dapple(t, dir, infer...)
	got.want(t, 0)
	domain, err := os.ReadFile(filepath.Join(dir, "d.yaml"))
	must.Hold(t, err == nil && strings.Contains(string(domain), "events: {person: [sex], rows: {min: 0, max: 5}}") && strings.Contains(string(domain), "name: sex, type: STRING, values: [F, M]") && strings.Contains(string(domain), "\nexpected_rows: 100  # people, for planning\n"),
		"proposed %s, %v", domain, err)
	next := printed(t, got.stdout, "  dapple plan")
	must.Hold(t, next == "dapple plan --domain=d.yaml --input='some rows.csv' --people_input=people.csv --epsilon=1 --delta=1e-9", "next is %s", next)
	said := inShell(t, dir, printed(t, inShell(t, dir, next), "next      dapple synth"))
	must.Hold(t, strings.Contains(said, "wrote   "), "%v", said) // how many people, noise decides

	names := dapple(t, dir, "infer", "--input=some rows.csv", "--people_input=people.csv", "--privacy_id=who")
	names.want(t, 0)
	must.Hold(t, strings.Contains(names.stdout, "events: {person: [sex], rows: {min: 0, max: 100}}"), "proposed from names: %s", names.stdout)
	put(t, dir, "commas.csv", "who,sex\np1,F\n")
	dapple(t, dir, "infer", "--input=some rows.csv", "--people_input=commas.csv", "--privacy_id=who").want(t, 2, "--people_input: commas.csv and some rows.csv are not written alike")
	dapple(t, dir, "infer", "--input=some rows.csv", "--people_input=none.csv", "--privacy_id=who").want(t, 2, "--people_input: none.csv: no such file")
}

// printed returns the command in a line of a beginning.
func printed(t *testing.T, text, beginning string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, beginning) {
			return strings.TrimSpace(line[strings.Index(line, "dapple"):])
		}
	}
	t.Fatalf("no line begins with %q:\n%s", beginning, text)
	return ""
}

func TestInferFaults(t *testing.T) {
	dir := tableOf(t, "a,SECRET,SECRET\n1,2,3\n")
	dapple(t, dir, "infer", "--input=people.csv", "--privacy_id=id").want(t, 2,
		"--input: people.csv: columns 2 and 3 have one name; rename one", `people.csv has no column "id" to be the privacy ID`)
	put(t, dir, "days.csv", "Reaction,Days,Subject\n249.56,0,308\n")
	dapple(t, dir, "infer", "--input=days.csv").want(t, 2, `--privacy_id: is required, since it says who is protected; name the column that names the people, perhaps "Subject", or none if every record is another person`)
	dapple(t, dir, "infer", "--input=days.csv", "--privacy_id=none").want(t, 0)
	for _, from := range []string{"-", "--input=-"} {
		dapple(t, dir, "infer", from, "--privacy_id=none").want(t, 2, "--input: got -; standard input and output are not for it; name a file")
	}
	for _, args := range [][]string{{"infer", "--input=/dev/stdin", "--privacy_id=none"}, {"check", "people.yaml", "/dev/stdin"}, {"evaluate", "people.yaml", "/dev/stdin", "people.csv"}} {
		dapple(t, dir, args...).want(t, 2,
			"--input: /dev/stdin: not a regular file, and this table is read several times; write it to a file first")
	}
	put(t, dir, "people.csv", "a,b\n1,\"SECRET\n2\n")
	got := dapple(t, dir, "infer", "--input=people.csv", "--privacy_id=none", "--from_data", "--output=x.yaml")
	got.want(t, 1, "dapple: csv: people.csv: a quote opens a cell and never closes")
	must.Hold(t, !strings.Contains(got.stderr, "SECRET"), "the message shows a cell: %s", got.stderr)
	noOutput(t, filepath.Join(dir, "x.yaml"))
}

// Where a file cannot be put is said before a table is read, not after.
func TestNoPlaceForTheFile(t *testing.T) {
	dir := people(t, 10)
	evaluate := []string{"evaluate", "--domain=people.yaml", "--input=people.csv", "--synthetic=people.csv"}
	infer := []string{"infer", "--input=people.yaml", "--privacy_id=none"}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{append(evaluate, "--json=no/x.json"), "--json: no/x.json: there is no directory no; make it, or name another file"},
		{append(evaluate, "--json=people.yaml/x.json"), "--json: people.yaml/x.json: there is no directory people.yaml; "},
		{append(evaluate, "--json=."), "--json: . is a directory; name a file"},
		{append(evaluate, "--json=ftp://b/x.json"), "--json: ftp://b/x.json: names that begin with ftp:// are not known"},
		{append(evaluate, "--json=gs://bucket/a#b"), "--json: gs://bucket/a#b: the characters"},
		{append(infer, "--output=no/x.yaml"), "--output: no/x.yaml: there is no directory no; make it, or name another file"},
	} {
		if tt.args[0] == "infer" { // evaluate refuses a pipe, since it reads twice
			unreadInput(t, dir)
		}
		dapple(t, dir, tt.args...).want(t, 2, tt.want, "one problem; nothing was read or written")
	}
}

// All that is wrong with a comparison is said at once, with the flag, before a row is read.
func TestEvaluateFaults(t *testing.T) {
	dir := people(t, 10)
	for name, header := range map[string]string{"true.csv": "person_id,sex,age,wage,day", "synthetic.csv": "sex,age,income,date"} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(header+"\n"), 0o666))
	}
	dapple(t, dir, "evaluate", "--domain=people.yaml", "--input=true.csv", "--synthetic=synthetic.csv", "--holdout=none.csv", "--max_cells=1", "--json=no/x").
		want(t, 2, "5 problems; nothing was read or written",
			`--input: true.csv: the header line has no column "income"`,
			`--synthetic: synthetic.csv: the header line has no column "day"`,
			"--holdout: none.csv: no such file",
			"--marginals: no column has at most 1 cells; raise --max_cells",
			"--json: no/x: there is no directory no")
}
