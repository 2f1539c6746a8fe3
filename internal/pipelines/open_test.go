package pipelines

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// openFile is a domain file with open parts of each kind.
const openFile = `privacy_id: id
columns:
  # as they answered
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: city, type: STRING} # where they live
  - {name: age, type: INT64, min: 0, max: find, null: true}
  - {name: status, type: INT64, values: find}
  - {name: fare, type: NUMERIC, resolution: 0.50}
  - {name: visited, type: DATE}
  - {name: note, type: STRING}
  - {name: dx, type: STRING, prefix: [1, 3]}
events: {person: [sex, note], rows: {max: find}}
workload:
  - columns: [sex, city]
csv: {trim: true, null: ["?"]}
`

// openCSV writes a table for it, whose cells have values that no one shares too.
func openCSV(t *testing.T, people int) string {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 4))
	b := &strings.Builder{}
	b.WriteString("id,sex,city,age,status,fare,visited,note,dx\n")
	for i := range people {
		for k := range 1 + i%3 {
			dx := []string{"I10", fmt.Sprintf("D66.%03d", rng.IntN(1000)), fmt.Sprintf("E%04d", rng.IntN(10_000)), fmt.Sprintf("%c%d", 'F'+rune(rng.IntN(20)), i)}[rng.IntN(4)]
			fmt.Fprintf(b, "p%d, %s,%s,%d,%d,%d.5,20%02d-03-0%d,note %d %d,%s\n", i, []string{"Female", "Male"}[i%2], []string{"Bonn", "Bonn", "Bonn", "Köln", "?"}[i%5], 20+(i+k)%50,
				[]int{200, 404, 500 + i}[rng.IntN(3)], rng.IntN(60), 20+i%4, 1+k, i, k, dx)
		}
	}
	name := filepath.Join(t.TempDir(), "people.csv")
	must.Do(t, os.WriteFile(name, []byte(b.String()), 0o600))
	return name
}

// runOpen runs a request whose domain file leaves something to be found, and returns the released domain with the result.
func runOpen(t *testing.T, c Config) (*Result, []byte) {
	t.Helper()
	must.Need(t, Finds(t.Context(), &c), "nothing is to be found")
	r := must.Value(ValidateFind(t.Context(), c))(t)
	res := must.Value(RunFound(t.Context(), r))(t)
	data := must.Value(os.ReadFile(filepath.Join(c.Output+".release", publish.DomainFile)))(t)
	return res, data
}

// TestRunOpen: of a domain file with open parts only these are found: what it declares stands in the domain that is released,
// with comments, and each column says what was released of it. Nothing that one person alone has is named. One statement
// holds finding and run. The budget book has a charge for each, and the statement names the run's. Noise makes a range or the
// number of rows larger in one of some hundreds of runs: what they are is not compared.
func TestRunOpen(t *testing.T) {
	dir := t.TempDir()
	name, ledger, input := filepath.Join(dir, "open.yaml"), filepath.Join(dir, "book"), openCSV(t, 30_000)
	must.Do(t, os.WriteFile(name, []byte(openFile), 0o600))
	must.Do(t, Ledger(t.Context(), &strings.Builder{}, LedgerConfig{Dir: ledger, Create: "people", Epsilon: 3, Delta: 1e-7, PrivacyID: "id", Input: input}))
	c := Config{Domain: name, Input: input, Output: filepath.Join(dir, "out"), Epsilon: 2, Delta: 1e-9, Ledger: ledger}
	res, data := runOpen(t, c)
	text := string(data)
	for _, want := range []string{
		"# as they answered\n  - {name: sex, type: STRING, values: [Female, Male], other: true}\n",
		"# released: values, other, null\n  - {name: city, type: STRING, values: [\"Bonn\", \"Köln\"], other: true, null: true} # where they live\n",
		"# released: max\n  - {name: age, type: INT64, min: 0, max: ",
		"{name: status, type: INT64, values: [\"",
		"# released: min, max, beyond, fallback\n  - {name: fare, type: NUMERIC, resolution: 0.50, min: ",
		"{name: visited, type: DATE, min: 20",
		"# left out: note: no value was found", "events: {person: [sex], rows: {max: ", "# released: rows: max", "beyond: [max]}",
		"prefix: [1, 3], values: [\"", `"D66*"`, `"E*"`, `"I10"`,
	} {
		must.Hold(t, strings.Contains(text, want), "the domain lacks %s:\n%s", want, text)
	}
	for _, not := range []string{"note 1", "D66.", "502", "F1", "find"} {
		must.Hold(t, !strings.Contains(text, not), "the domain has %s:\n%s", not, text)
	}
	must.Passes(schema.Parse("found", data))(t)
	p := res.Privacy
	stages := map[string]int{}
	for _, l := range p.Ledger {
		stages[l.Stage]++
	}
	must.Hold(t, stages["found values"] == 3 && stages["found rows"] == 1 && stages["found rows alike"] == 0 && p.Epsilon == 2 && p.Delta == 1e-9,
		"the statement has the stages %v", stages)
	b, faults := openLedger(t.Context(), ledger)
	must.Need(t, len(faults) == 0, "%v", faults)
	charges := b.Standing()
	must.Hold(t, len(charges) == 2 && charges[0].Epsilon < 1 && charges[1].Epsilon < 2 && charges[0].Epsilon+charges[1].Epsilon > 2 && charges[0].Delta == 1e-9 && charges[1].Delta == 1e-9 && p.Book != nil && p.Book.Entry == 2 && b.Holds(p.Book.Entry, p.Book.SHA256) == nil,
		"the book has %+v, and the statement names %+v", charges, p.Book)
	notes := strings.Join(res.Written.Notes, "\n")
	must.Hold(t, strings.Contains(notes, "what the domain file left open was found with 10 % of the budget: city (values), age (max), status (values)") && strings.Contains(notes, "what found the domain is charged, once"),
		"notes: %s", notes)
	rows, err := os.ReadFile(rowsFile(t, c.Output))
	must.Hold(t, err == nil && !strings.Contains(string(rows), "D66.") && strings.Contains(string(rows), "D66*"), "codes in the rows: %v", err)
}

// rowsFile is the only file of rows of a run.
func rowsFile(t *testing.T, dir string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	must.Need(t, err == nil && len(names) != 0, "rows: %v, %v", names, err)
	return names[0]
}

// TestOpenReadsNoRecord: a table without a header line is accepted whatever its first record is, and a record is no header line.
func TestOpenReadsNoRecord(t *testing.T) {
	dir := t.TempDir()
	c := Config{Domain: filepath.Join(dir, "open.yaml"), Input: filepath.Join(dir, "people.csv"), Output: filepath.Join(dir, "out"), Epsilon: 1, Delta: 1e-9}
	write := func(name, text string) {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write(c.Domain, "privacy_id: id\ncolumns:\n  - {name: fare, type: NUMERIC}\ncsv: {columns: [id, fare]}\n")
	for _, first := range []string{"p0,1.5", "alpha,beta", "alpha,alpha", ",", "\xff\xfe;1", "2024-01-01,3"} {
		write(c.Input, first+"\np1,2.5\n")
		must.Need(t, Finds(t.Context(), &c), "nothing is to be found")
		r, err := ValidateFind(t.Context(), c)
		must.Hold(t, err == nil && r.params.Columns[0].Scale == cellkind.MaxPlaces, "first record %q: %v", first, err)
	}
	c.Input, fieldsDescribed = filepath.Join(dir, "people.fields"), 0 // whose names and types are in its records
	write(c.Input, "private")
	c.parsed = nil
	must.Need(t, Finds(t.Context(), &c), "nothing is to be found")
	_, err := ValidateFind(t.Context(), c)
	must.Hold(t, fieldsDescribed <= 0, "the records were read for their fields: %v", err)
}

// TestInferOpen: infer finds the open parts of a file alone. The file that it writes has the charge, and is a domain file that
// synth takes. What is refused is refused before anything is spent.
func TestInferOpen(t *testing.T) {
	dir := t.TempDir()
	name, input := filepath.Join(dir, "open.yaml"), openCSV(t, 20_000)
	write := func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write(openFile)
	c := Config{Domain: name, Input: input, Output: filepath.Join(dir, "found.yaml"), Epsilon: .5, Delta: 1e-9}
	r := must.Value(ValidateInfer(t.Context(), c))(t)
	found := must.Value(Infer(t.Context(), r))(t)
	file, err := schema.Parse("found", found.Text)
	must.Need(t, err == nil, "%v\n%s", err, found.Text)
	must.Hold(t, file.Charge != nil && file.Charge.Epsilon == .5 && file.Domain.Index("sex") >= 0 && file.Domain.Index("note") < 0, "found:\n%s", found.Text)
	for _, f := range []struct{ text, says string }{
		{regexp.MustCompile(`max: \d+, null`).ReplaceAllString(string(found.Text), "max: find, null"), "a file carries one"},
		{strings.Split(string(found.Text), "found:")[0], "nothing in it is to be found"},
		{strings.ReplaceAll(openFile, "city", "town"), `"town"`},
		{strings.Replace(openFile, "type: DATE", "type: DAY", 1), "the types are"},
	} {
		write(f.text)
		must.Fails(ValidateInfer(t.Context(), c))(t, f.says)
	}
	write(openFile)
	c.PrivacyID = "id"
	must.Fails(ValidateInfer(t.Context(), c))(t, "which says who is protected", "a privacy ID besides")
}

// TestOpenIsNeeded: where nothing can be found, a file with open parts is refused, and a plan says which parts are open, what
// they cost and how many people they need. What found parts break is said with their place, and the budget is not spent twice.
func TestOpenIsNeeded(t *testing.T) {
	dir := t.TempDir()
	name, input := filepath.Join(dir, "open.yaml"), openCSV(t, 2000)
	must.Do(t, os.WriteFile(name, []byte(openFile), 0o600))
	if _, err := ValidateSample(t.Context(), SampleConfig{Domain: name, Output: filepath.Join(dir, "dry"), Rows: 10}); err == nil || !strings.Contains(err.Error(), "is to be found, which `dapple synth`") {
		t.Errorf("dry rows: %v", err)
	}
	plan := PlanConfig{Config: Config{Domain: name, Epsilon: 1, Delta: 1e-9, ExpectedRows: 30_000}}
	must.Need(t, Finds(t.Context(), &plan.Config), "nothing is to be found")
	p := must.Value(PlanFound(t.Context(), plan))(t)
	b := &strings.Builder{}
	must.Do(t, p.WriteText(b))
	for _, want := range []string{"10 % of the budget finds what is open", "open      city (values), age (max), status (values), fare (min, max), visited (min, max), note (values), dx (values), rows of a person (max); the rest of the domain file costs nothing", "people to be named"} {
		must.Hold(t, strings.Contains(b.String(), want), "the plan lacks %q:\n%s", want, b)
	}
	c := Config{Domain: name, Input: input, Output: filepath.Join(dir, "out"), Epsilon: 1, Delta: 1e-9, ExpectedRows: 300}
	Finds(t.Context(), &c)
	must.Fails(ValidateFind(t.Context(), c))(t, "would do", "300 people")
	must.Do(t, os.WriteFile(name, []byte(strings.Replace(openFile, "[sex, city]", "[sex, note]", 1)), 0o600))
	c.ExpectedRows = 0
	for attempt := range 2 {
		Finds(t.Context(), &c)
		r := must.Value(ValidateFind(t.Context(), c))(t)
		_, err := RunFound(t.Context(), r)
		must.Need(t, err != nil && strings.Contains(err.Error(), `no column is called "note"`) && strings.Contains(err.Error(), "also with a domain file that declares the rest otherwise") && strings.Contains(err.Error(), r.dir+"/domain.yaml:"),
			"attempt %d: %v", attempt, err)
		must.Passes(os.Stat(filepath.Join(r.dir, completedName)))(t)
	}
}

// TestFindWithForm: a domain file without columns says how the file is written, who is protected and what else is known. All of
// that holds, in the reading and in the domain that is released; the columns are found, whose kinds are 7 standard deviations of
// noise away. No record decides how the file is read.
func TestFindWithForm(t *testing.T) {
	dir := t.TempDir()
	c := Config{Domain: filepath.Join(dir, "form.yaml"), Input: filepath.Join(dir, "people.csv"), Epsilon: 60, Delta: 1e-6}
	write := func(name, text string) {
		t.Helper()
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	body := &strings.Builder{}
	for i := range 8000 {
		fmt.Fprintf(body, "%d\xa7%s\xa7%d,5\xa7%s\n", i, []string{"K\xf6ln", "Bonn", "n/a"}[i%3], 150+i%50, fmt.Sprint("note ", i))
	}
	const rest = "workload:\n  - columns: [city, size]\n" // of columns that are found
	for name, tt := range map[string]struct{ header, columns, csv, want string }{
		"header":   {"id;city;size;note\n", "", "encoding: windows-1252, null: [n/a]", `csv: {encoding: windows-1252, null: [n/a], comma: ";", trim: true, written: {"size": "1.234,5"}}`},
		"headless": {"", "columns: find\n", `comma: ";", columns: [id, city, size, note], encoding: windows-1252, null: [n/a]`, `trim: true, written: {"size": "1.234,5"}}`},
	} {
		write(c.Input, tt.header+strings.ReplaceAll(body.String(), "\xa7", ";"))
		write(c.Domain, "# ours\nprivacy_id: id\nexpected_rows: 3999\n"+tt.columns+"csv: {"+tt.csv+"}\n"+rest)
		c.Output = filepath.Join(dir, name)
		res, data := runOpen(t, c)
		for _, want := range []string{"# ours", "expected_rows: 3999", tt.want, `values: ["Köln", "Bonn"], other: true, null: true`, "# released: columns, csv: written", "# left out: note: no value", rest} {
			must.Hold(t, strings.Contains(strings.ReplaceAll(string(data), `["Bonn", "Köln"]`, `["Köln", "Bonn"]`), want),
				"%s: the domain lacks %s:\n%s", name, want, data)
		}
		must.Contain(t, strings.Join(res.Written.Notes, "\n"), "the domain was found with 10 % of the budget: 2 of 3 columns", "%s: notes", name)
	}
	write(c.Domain, "privacy_id: id\ncsv: {comma: \";\", columns: [id, city, size, note]}\n")
	c.Output = filepath.Join(dir, "another")
	var forms []string
	for _, first := range []string{"1;Köln;2;3\n", "1;K\xf6ln;2;3\n", "a,b\n", "\xff\xfe1;2\n"} {
		write(c.Input, first)
		Finds(t.Context(), &c)
		r := must.Value(ValidateFind(t.Context(), c))(t)
		forms = append(forms, fmt.Sprintf("%+v %+v", r.form, r.params.Columns))
	}
	for _, other := range forms[1:] {
		must.Hold(t, other == forms[0], "a record decides how a table is read: %s, %s", forms[0], other)
	}
}

// TestFindWithFormFaults: what a domain file without columns cannot say is refused with its place.
func TestFindWithFormFaults(t *testing.T) {
	dir, input := t.TempDir(), peopleCSV(t, 10)
	for _, tt := range []struct {
		text, says string
		change     func(*Config)
	}{
		{"csv: {trim: true}\n", "privacy_id: is required", nil},
		{"privacy_id: person\n", `no column "person"`, nil},
		{"privacy_id: id\ncsv: {written: {age: \"1.234,5\"}}\n", "form.yaml:2:16: csv: written: names columns, which are to be found", nil},
		{"privacy_id: id\ncsv: {columns: [id, sex]}\nexpected_rows: 9\n", "would do", nil},
		{"privacy_id: none\nevents: {rows: {max: find}}\n", "no privacy_id says whose rows they are", nil},
		{"privacy_id: id\n", "which says who is protected", func(c *Config) { c.PrivacyID = "id" }},
		{"privacy_id: id\n", "with columns", func(c *Config) { c.People = input }},
	} {
		c := Config{Domain: filepath.Join(dir, "form.yaml"), Input: input, Output: filepath.Join(dir, "out"), Epsilon: 1, Delta: 1e-9}
		must.Do(t, os.WriteFile(c.Domain, []byte(tt.text), 0o600))
		if tt.change != nil {
			tt.change(&c)
		}
		var err error
		if Finds(t.Context(), &c) {
			_, err = ValidateFind(t.Context(), c)
		} else {
			_, err = ValidateRun(t.Context(), c)
		}
		must.Fail(t, err, tt.says)
	}
}
