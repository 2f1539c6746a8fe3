package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// What people are told is one text to be read through: testdata/messages.txt. It has the refusal of every flag of every
// command, of every request below, and the words of whole runs, good and bad. `go test -update` writes it anew.
func TestMessages(t *testing.T) {
	dir, temp := people(t, 200), t.TempDir()
	put(t, dir, "queries.yaml", peopleDomain+"workload:\n  - {prefixes: age}\n  - {parity: [sex, age]}\n  - {count: {sex: Female, age: {from: 0, to: 40}}}\n")
	var b strings.Builder
	b.WriteString("What people are told, as TestMessages finds it.\n")
	section := func(title string) { b.WriteString("\n== " + title + "\n\n") }
	section("Runs")
	for _, line := range runs {
		got := dappleWith(t, dir, temp, split(t, line)...)
		got.want(t, 0)
		b.WriteString(spoken(line, got, dir, temp))
	}
	prepare(t, dir)
	t.Run("refused", func(t *testing.T) {
		t.Chdir(dir)
		section("Values that no flag takes")
		b.WriteString(valuesRefused(t))
		before := contents(t)
		for _, s := range refusals {
			section(s.title)
			for _, line := range s.lines {
				got := inProcess(t, split(t, line)...)
				b.WriteString(spoken(line, got, dir, temp))
				must.Hold(t, got.status == 2 || got.status == 1, "dapple %s: exit status %d, want a refusal", line, got.status)
			}
		}
		section("Domain files")
		b.WriteString(domainsRefused(t))
		after := contents(t)
		must.Hold(t, maps.Equal(before, after), "a request that is refused has written something: %v became %v", before, after)
	})
	golden(t, "messages.txt", b.String())
}

// runs are done before the refusals, which are about what they leave.
var runs = []string{
	"ledger people.book --create=people --input=people.csv --privacy_id=person_id --epsilon=1.5 --delta=1e-9",
	"synth --domain=people.yaml --input=people.csv --output=out --epsilon=1 --delta=1e-9 --method=dpam --shards=1 --ledger=people.book",
	"synth --domain=people.yaml --input=people.csv --output=other --epsilon=0.5 --delta=0 --method=dpam --shards=1 --quiet --format=csv --rows=50",
	"synth --domain=queries.yaml --input=people.csv --output=asked --epsilon=1 --delta=1e-9 --quiet",
	"sample --model=out --output=more --rows=20 --quiet",
	"sample --domain=people.yaml --output=dry --rows=20 --quiet",
	"verify other",
	"report out --html=again.html",
	"check --domain=people.yaml --input=people.csv --json=check.json",
	"infer --input=people.csv --privacy_id=none --from_data --output=inferred.yaml",
	"clean --output=out",
}

// prepare makes the files that the refusals are about.
func prepare(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"notes.txt":      "mine",
		"unknown.yaml":   "name: People\ncolour: red\n",
		"ragged.csv":     "person_id,sex,age,income,day\np1,\"Female\n",
		"semicolons.csv": "person_id;sex;age;income;day\np1;Female;30;1;2024-01-01\n",
		"short.csv":      "person_id,sex\np1,Female\n",
		"empty.csv":      "",
		"packed.csv":     "\x1f\x8bpacked",
	} {
		put(t, dir, name, text)
	}
	for to, from := range map[string]string{"mixed": "out", "mixed.release": "out.release", "damaged.book": "people.book"} {
		must.Do(t, os.CopyFS(filepath.Join(dir, to), os.DirFS(filepath.Join(dir, from))))
	}
	statement := must.Value(os.ReadFile(filepath.Join(dir, "other.release", "_privacy.json")))(t)
	put(t, dir, "mixed.release/_privacy.json", string(statement))
	put(t, dir, "damaged.book/entry-000001.json", "{}")
	must.Do(t, os.Remove(filepath.Join(dir, "people.csv")))
	put(t, dir, "people.csv", peopleHeader) // no record: a refusal must not look for one
}

// request is what a line of refusals adds to.
const request = "synth --domain=people.yaml --input=people.csv --output=new --epsilon=1 --delta=1e-9 "

// refusals are command lines that are wrong, by what is wrong with them.
var refusals = []struct {
	title string
	lines []string
}{
	{"Words and flags", []string{
		"synthesise", "help synthesise", request + "people.csv", request + "--epsilom=2", request + "--rows", request + "--epsilon=2",
		request + "--async", "verify", "completion csh", "synth", "plan", "sample", "evaluate", "infer", "check", "report", "ledger",
	}},
	{"Files and directories", []string{
		"synth --domain=nowhere.yaml --input=nobody-*.csv --output=new --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=people.csv --output=out --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=people.csv --output=notes.txt --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=people.csv --output=. --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=people.csv --output=ftp://b/x --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=people.csv --output=gs://bucket/a#b --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=bq://p.d --output=bq://t --epsilon=1 --delta=0",
		request + "--release=people.yaml", request + "--release=new", request + "--write=append",
		"infer --input=people.csv --privacy_id=none --output=no/x.yaml", "plan --domain=people.yaml --epsilon=1 --delta=0 --json=.",
	}},
	{"Tables", []string{
		"synth --domain=people.yaml --input=short.csv --output=new --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=semicolons.csv --output=new --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=empty.csv --output=new --epsilon=1 --delta=0",
		"synth --domain=people.yaml --input=packed.csv --output=new --epsilon=1 --delta=0",
		"infer --input=ragged.csv --privacy_id=none --from_data", "infer --input=short.csv --privacy_id=id", "infer --input=people.csv --from_data",
		"check --domain=people.yaml --input=short.csv", "evaluate --domain=people.yaml --input=short.csv --synthetic=nothing --max_cells=1",
	}},
	{"Budgets", []string{
		"plan --domain=people.yaml --delta=1e-9", "plan --domain=people.yaml --epsilon=1e-300 --delta=1e-9",
		"plan --domain=people.yaml --epsilon=1e300 --delta=1e-9 --method=rake", "synth --domain=people.yaml --input=people.csv --output=new --epsilon=0 --delta=1",
	}},
	{"A target that no ε reaches", []string{
		"plan --domain=people.yaml --delta=1e-9 --method=rake --target_error=1e-7", "plan --domain=people.yaml --delta=1e-9 --target_error=2",
		"plan --domain=people.yaml --delta=1e-9 --target_error=0.1 --target=4-way", "plan --domain=people.yaml --delta=1e-9 --target_error=0.1 --target=column:wage",
		"plan --domain=people.yaml --delta=1e-9 --target_error=0.1 --target=columns:sex,wage",
	}},
	{"Criteria that cost more than the budget, or say nothing", []string{
		request + "--expected_rows=50000 --criteria=sex<=0.00001", request + "--expected_rows=50000 --criteria=sex<0.1", request + "--expected_rows=50000 --criteria=sex<=2", request + "--criteria=wage<=0.1",
		request + "--expected_rows=50000 --criteria=sex,sex<=0.1", request + "--criteria=sex,age,income<=0.1 --marginals=2",
	}},
	{"A ledger of another data set, a damaged one, and what does not fit", []string{
		request + "--ledger=no.book",
		"synth --domain=people.yaml --input=people.csv --output=new --epsilon=1.4 --delta=1e-9 --ledger=people.book",
		"synth --domain=people.yaml --input=short.csv --output=new --epsilon=1.4 --delta=1e-9 --ledger=people.book",
		request + "--ledger=people.book --neighbouring=replace", request + "--ledger=damaged.book",
		"plan --domain=people.yaml --delta=1e-9 --target_error=0.0001 --ledger=people.book",
		"ledger people.book --epsilon=9", "ledger people.book --create=people --input=people.csv --epsilon=1 --delta=0",
		"ledger no.book", "ledger damaged.book", "ledger new.book --create=people --epsilon=1",
	}},
	{"An --about with unknown keys", []string{
		request + "--about=unknown.yaml", "report out --about=unknown.yaml --html=new.html", "report out --registry=new.yaml",
	}},
	{"Files that do not belong together", []string{
		"report mixed --html=new.html", "verify mixed", "verify other --digest=ff", "report . --html=new.html", "verify people.csv",
		"sample --model=mixed --output=new", "evaluate --domain=people.yaml --input=people.csv --synthetic=mixed",
		"report out --html=out.release/_report.html",
	}},
	{"More rows", []string{
		"sample --model=nowhere --output=new", "sample --model=notes.txt --output=new", "sample --model=out --domain=people.yaml --output=new",
		"sample --domain=people.yaml --output=new", "sample --model=out --output=new --where='day >= 2024-13-01'", "sample --model=out --output=new --where='wage > 3'",
		"sample --model=out --output=new --where='sex = Female AND'", "sample --model=out --output=new --where='sex = Male AND sex = Female'",
		"sample --model=out --output=more",
	}},
	{"Methods and runners", []string{
		request + "--method=magic", request + "--max_cells=2", request + "--method=dpam --memory_limit=1", request + "--runner=magic", request + "--runner=flink",
		request + "--endpoint=8099", request + "--runner=flink --endpoint=127.0.0.1:1", request + "--runner=direct --endpoint=127.0.0.1:1",
		request + "--region=r", request + "--detach --shared", request + "--run_id=a.b",
		request + "--runner=dataflow --parallelism=2 --environment_type=DOCKER",
	}},
}

// badDomains are lines that replace line 4 of the domain file of people, age, or come after the last.
var badDomains = []struct{ age, more string }{
	{age: "{name: age"}, {age: "{name: age, type: INTEGER, min: 0, max: 9, null: true}"}, {age: "{name: age, colour: red}"},
	{age: "{name: age, type: INT64, min: 100, max: 0, bins: 5, null: true}"}, {age: "{name: age, type: INT64, min: 0, max: 100, bins: 5}"},
	{age: "{name: age, type: INT64, min: 0, max: 1000000000, resolution: 1, bins: 1000000000, null: true}"},
	{age: "{name: age, type: INT64, values: [], null: true}"}, {age: "{name: age, type: INT64, edges: [0, 40, 20], null: true}"},
	{age: "{name: age, type: STRING, bins: 3, null: true}"}, {age: "{name: age, type: DATE, min: 2024-13-01, max: 2024-12-31, step: month, null: true}"},
	{age: "{name: sex, type: BOOL, null: true}"}, {age: "{name: person_id, type: BOOL, null: true}"},
	{more: "colour: red"}, {more: "privacy_id: sex"},
	{more: "constraints:\n  - {order: [age, sex]}"}, {more: "constraints:\n  - {order: [age, income]}\n  - {order: [income, age]}"},
	{more: "constraints:\n  - {derive: ten, from: age / ages}"}, {more: "constraints:\n  - {derive: age, from: income / 10}"},
	{more: "constraints:\n  - {sum: age, of: [income, wage]}"}, {more: "generate:\n  - {column: age, as: uuid}"}, {more: "generate:\n  - {column: key, as: magic}"},
	{more: "impossible:\n  - {sex: Female, age: 33}"}, {more: "workload:\n  - {columns: [age, height]}"}, {more: "workload:\n  - {halfspace: {height: 1}, at_least: 2}"},
	{more: "workload:\n  - {columns: [sex], values: [1, -2, 0]}"}, {more: "csv: {comma: \"::\"}"},
}

func domainsRefused(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	lines := strings.SplitAfter(peopleDomain, "\n")
	for _, bad := range badDomains {
		text, shown := peopleDomain+bad.more+"\n", bad.more
		if bad.age != "" {
			text, shown = strings.Replace(peopleDomain, strings.TrimPrefix(lines[3], "  - "), bad.age+"\n", 1), "  - "+bad.age
		}
		put(t, ".", "people.yaml", text)
		got := inProcess(t, "plan", "--domain=people.yaml", "--epsilon=1", "--delta=1e-9")
		fmt.Fprintf(&b, "%s\n%s\n", shown, got.stderr)
		must.Hold(t, got.status == 2, "%s: exit status %d, want 2", shown, got.status)
	}
	put(t, ".", "people.yaml", peopleDomain)
	return b.String()
}

// valuesRefused gives every flag of every command a value that is empty.
func valuesRefused(t *testing.T) string {
	t.Helper()
	var order []string
	by := map[string][]string{} // commands by message
	for _, c := range commands(nil, false) {
		for _, o := range c.options {
			if o.word {
				continue
			}
			faults := parse([]string{"--" + o.name + "="}, []option{o})
			if len(faults) != 1 {
				t.Errorf("%s takes --%s= with %d faults", c.name, o.name, len(faults))
				continue
			}
			message := faults[0].String()
			if by[message] == nil {
				order = append(order, message)
			}
			by[message] = append(by[message], c.name)
		}
	}
	var b strings.Builder
	for _, message := range order {
		fmt.Fprintf(&b, "%s (%s)\n", message, strings.Join(by[message], ", "))
	}
	return b.String()
}

// varying is what differs from run to run, or from machine to machine.
var varying = []struct{ re, with string }{
	{`[0-9a-f]{64}`, "HASH"},
	{`\b[A-Z2-7]{26}\b`, "RUN"},
	{`\([0-9hm.µ]+s\)`, "(TIME)"},
	{`[0-9.,]+ [kM]?B\b`, "SIZE"},
	{`[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?Z?`, "TIME"},
	{`writing: [0-9,]+`, "writing: N"},
	{`wrote   [0-9,]+ rows?`, "wrote   N rows"},
	{`at most [0-9.]+ in any`, "at most E in any"},
	{`right to ± [0-9.e+-]+ points`, "right to ± E points"},
	{`the noise hides by how much (tables of .* columns) miss`, "$1 miss E of the people on average, measured to ± E points"},
	{`miss [0-9.e+-]+ % of the people on average, measured to ± [0-9.e+-]+ points`, "miss E of the people on average, measured to ± E points"},
	{`the noise hides shares of single columns`, "shares of single columns are right to ± E points (95 %)"},
	{`there are about [0-9,]+; next time add --expected_rows=[0-9]+`, "there are about N; next time add --expected_rows=N"},
	{`(?m)^(note    large error|note    the budget was divided|fit     ).*\n`, ""}, // as the noise has it
	{`it has [0-9]+ bytes, and its manifest says [0-9]+`, "it has N bytes, and its manifest says N"},
	{`, oneway\b`, ""}, // a method of this package's tests
}

// spoken is a command line with what it says.
func spoken(line string, got ended, dir, temp string) string {
	text := got.stderr + got.stdout
	text = strings.NewReplacer(dir, "DIR", temp, "TMPDIR").Replace(text)
	for _, v := range varying {
		text = regexp.MustCompile(v.re).ReplaceAllString(text, v.with)
	}
	if got.status != 0 {
		text += fmt.Sprintf("(exit status %d)\n", got.status)
	}
	return "$ dapple " + line + "\n" + text + "\n"
}

// inProcess is dapple without a process of its own, for requests that are refused.
func inProcess(t *testing.T, args ...string) ended {
	t.Helper()
	read := func(f *os.File) string {
		defer f.Close()
		b := must.Value(os.ReadFile(f.Name()))(t)
		return string(b)
	}
	var files [2]*os.File
	for i := range files {
		f := must.Value(os.CreateTemp(t.TempDir(), "said"))(t)
		files[i] = f
	}
	status := run(context.Background(), args, files[0], files[1])
	return ended{stdout: read(files[0]), stderr: read(files[1]), status: status}
}

// split cuts a command line into words, as a shell does with single quotes.
func split(t *testing.T, line string) (words []string) {
	t.Helper()
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 { // belongs to the word before it
			words[len(words)-1] += part
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}

// contents are the sizes of all files here.
func contents(t *testing.T) map[string]int64 {
	t.Helper()
	sizes := map[string]int64{}
	must.Do(t, filepath.Walk(".", func(path string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			sizes[path] = info.Size()
		}
		return err
	}))
	return sizes
}
