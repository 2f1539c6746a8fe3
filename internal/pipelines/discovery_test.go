package pipelines

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/release/archive"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/discover"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// peopleCSV writes a table of people with one to three rows each, and a text that nobody shares.
func peopleCSV(t *testing.T, people int) string {
	t.Helper()
	var text strings.Builder
	text.WriteString("id,sex,age,note\n")
	for i := range people {
		for k := range 1 + i%3 {
			fmt.Fprintf(&text, "p%d, %s,%d,note of %d and %d\n", i, []string{"Female", "Male"}[i%2], 20+(i+k)%50, i, k)
		}
	}
	name := filepath.Join(t.TempDir(), "people.csv")
	must.Do(t, os.WriteFile(name, []byte(text.String()), 0o600))
	return name
}

// A table alone becomes rows: one statement holds what finding the domain and the release have spent, which is at most the
// budget as a fraction, and names no value that nobody shares. What was found is adopted by the next attempt, and gone when
// the run has published. A number of rows that was asked for fails no run whose people have several.
func TestRunFound(t *testing.T) {
	c := Config{Input: peopleCSV(t, 20_000), Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 1, Delta: 1e-9, Rows: 7}
	r := must.Value(ValidateFind(t.Context(), c))(t)
	first := must.Value(r.find(t.Context()))(t)
	again := must.Value(ValidateFind(t.Context(), c))(t)
	res := must.Value(RunFound(t.Context(), again))(t)
	_, err := os.Stat(r.dir)
	must.Hold(t, os.IsNotExist(err), "what was found is still kept: %v", err)
	release := c.Output + ".release"
	data := must.Value(os.ReadFile(filepath.Join(release, publish.DomainFile)))(t)
	must.Hold(t, string(data) == string(first.File(r.csvKeys())), "the second attempt has found another domain: it drew again")
	file := must.Value(schema.Parse("found", data))(t)
	d := file.Domain
	must.Hold(t, d.Events != nil && d.Index("note") < 0 && d.Index("sex") >= 0 && d.Index("age") >= 0, "found:\n%s", data)
	notes := strings.Join(res.Written.Notes, "\n")
	must.Hold(t, strings.Contains(notes, "10 % of the budget: 2 of 3 columns") && strings.Contains(notes, "left out: note: no value was found") && strings.Contains(notes, "--rows=7 does not apply, since people have several rows"),
		"notes: %s", notes)
	page, err := os.ReadFile(filepath.Join(release, publish.ReportFile))
	must.Hold(t, err == nil && strings.Contains(string(page), "left out: no value was found"), "the page does not say that note is left out: %v", err)
	p := res.Privacy
	must.Hold(t, len(p.LeftOut) == 1 && strings.HasPrefix(p.LeftOut[0], "note: no value was found"),
		"the statement says of columns that are left out: %q", p.LeftOut)
	sum, finding := new(big.Rat), new(big.Rat)
	for _, l := range p.Ledger {
		rho, ok := new(big.Rat).SetString(l.Rho)
		must.Need(t, ok, "a charge of %q", l.Rho)
		if sum.Add(sum, rho); strings.HasPrefix(l.Stage, "found ") {
			finding.Add(finding, rho)
		}
	}
	capacity, _ := new(big.Rat).SetString(p.Capacity)
	total, _ := new(big.Rat).SetString(p.RhoTotal)
	must.Hold(t, sum.Cmp(total) == 0 && sum.Cmp(capacity) <= 0, "charges add up to %v, stated are %s of %s", sum, p.RhoTotal, p.Capacity)
	part, _ := new(big.Rat).Quo(finding, capacity).Float64()
	must.Hold(t, part <= .1 && part >= .099, "finding the domain has spent %g of the budget, want a tenth", part)
	must.Hold(t, p.Epsilon == 1 && p.Delta == 1e-9 && p.Accounting == "GDP", "the statement promises ε = %g, δ = %g, %s", p.Epsilon, p.Delta, p.Accounting)
}

// TestFindIsNotDrawnAgain: where noise was drawn to find a domain and none was kept, the same command spends nothing more, and names
// what would: a book has to be asked too.
func TestFindIsNotDrawnAgain(t *testing.T) {
	input := peopleCSV(t, 700)
	for _, book := range []string{"", bookFor(t, input)} {
		c := Config{Input: input, Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 3, Delta: 1e-6, Ledger: book}
		fix := "remove " + c.Output + ".found to spend it once more"
		if book != "" {
			c.RunID, fix = "night", "--again spends it once more"
		}
		r := mustFind(t, c)
		if book != "" {
			_, err := r.find(t.Context())
			must.Need(t, err == nil && os.RemoveAll(r.dir) == nil, "%v", err)
			if _, err := RunFound(t.Context(), mustFind(t, c)); err == nil || !strings.Contains(err.Error(), "the domain of run night was charged before, by entry 1 of ") || !strings.Contains(err.Error(), "--again") {
				t.Errorf("what was found is lost: %v", err)
			}
		}
		_, _, err := archive.Open(r.dir).CreateIfAbsent(t.Context(), r.params.RunID+discover.FoundSuffix+synth.DrawnSuffix, []byte("drawn"))
		must.Need(t, err == nil, "%v", err)
		must.Fails(RunFound(t.Context(), r))(t, "count 10 % of the budget as spent; "+fix)
		if c.Again = book != ""; !c.Again {
			continue
		}
		must.Passes(RunFound(t.Context(), mustFind(t, c)))(t, "again")
		f, runs := paid(t, book)
		must.Hold(t, f == 2 && runs == 1, "the book has %d findings and %d runs", f, runs)
	}
}

// What cannot be found is said before anything is read, all at once.
func TestFindFaults(t *testing.T) {
	input := peopleCSV(t, 10)
	for _, c := range []struct {
		change func(*Config)
		says   string
	}{
		{func(c *Config) { c.PrivacyID = "" }, "who is protected"},
		{func(c *Config) { c.PrivacyID = "person" }, `no column "person"`},
		{func(c *Config) { c.Delta = 0 }, "at the price of it"},
		{func(c *Config) { c.DomainShare = .7 }, "want .001 to .5"},
		{func(c *Config) { c.ExpectedRows = 200 }, "would do"},
		{func(c *Config) { c.Output = "bq://p.d.t" }, "--release: is required if the rows go to a table"},
		{func(c *Config) { c.Output, c.Release, c.Write = "bq://p.d.t", "made", "append" }, "--write: append would mix up people"},
		{func(c *Config) { c.Output = "" }, "--output: is required"},
		{func(c *Config) { c.Ledger = "book" }, "book holds no budget book"},
		{func(c *Config) { c.Input = "absent.csv" }, "absent.csv"},
	} {
		conf := Config{Input: input, Output: filepath.Join(t.TempDir(), "out"), PrivacyID: "id", Epsilon: 1, Delta: 1e-9}
		c.change(&conf)
		must.Fails(ValidateFind(t.Context(), conf))(t, c.says)
	}
}

// TestFindOtherForms: a table that is written otherwise, which its header line tells, is found and read so. Kinds of cells that
// make numbers of texts are 8 standard deviations of noise away.
func TestFindOtherForms(t *testing.T) {
	var text strings.Builder
	text.WriteString("id;Gr\xf6\xdfe ;Stadt\r\n")
	for i := range 8000 {
		size, city := fmt.Sprintf("%d,5", 150+i%50), []string{"K\xf6ln", "Bonn"}[i%2]
		switch i % 10 {
		case 0:
			size = "?"
		case 1:
			city = "NA"
		case 2:
			city = "-"
		}
		fmt.Fprintf(&text, "%d;%s;%s\r\n", i, size, city)
	}
	dir := t.TempDir()
	c := Config{Input: filepath.Join(dir, "people.csv"), Output: filepath.Join(dir, "out"), PrivacyID: "id", Epsilon: 60, Delta: 1e-6, Format: "csv"}
	must.Do(t, os.WriteFile(c.Input, []byte(text.String()), 0o600))
	r := must.Value(ValidateFind(t.Context(), c))(t)
	must.Value(RunFound(t.Context(), r))(t)
	found, err := os.ReadFile(filepath.Join(c.Output+".release", publish.DomainFile))
	must.Hold(t, err == nil && strings.Contains(string(found), `csv: {comma: ";", encoding: windows-1252, trim: true, null: ["NULL", "null", "NA", "N/A", "NaN", "nan"], written: {"Größe": "1.234,5"}}`) && strings.Contains(string(found), `"Köln"`),
		"found, %v:\n%s", err, found)
	rows := must.Value(os.ReadFile(filepath.Join(c.Output, "part-00000-of-00001.csv")))(t)
	noSize, noCity, dash := 0, 0, 0
	for line := range strings.Lines(string(rows)) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		for i, n := range []*int{&noSize, &noCity} {
			if cells[i] == "" {
				*n++
			}
		}
		if cells[1] == "-" {
			dash++
		}
	}
	for _, n := range []int{noSize, noCity, dash} { // a tenth each; the noise of a count has a standard deviation below 15
		if n < 700 || n > 900 {
			t.Errorf("%d rows without a size, %d without a city, %d in a city called -; want 800 each", noSize, noCity, dash)
			break
		}
	}
}

// fieldsDescribed is how often the records of the format below were read for the names of their fields.
var fieldsDescribed int

// A format whose names are in its records, as in JSON lines; it writes no rows.
func init() {
	table.RegisterFormat(table.Format{
		Name: "fields", Extensions: []string{".fields"}, Unnamed: true,
		Each: func(context.Context, files.Info, *domain.Domain, schema.CSV, func(*domain.Chunk) error) error {
			return errors.New("not read here")
		},
		Describe: func(context.Context, files.Info, schema.CSV) ([]table.Column, schema.CSV, error) {
			fieldsDescribed++
			return []table.Column{{Name: "id", Untyped: true}, {Name: "secret name", Untyped: true}}, schema.CSV{}, nil
		},
	})
}

// TestFindReadsNoRecord: what is public of a table is its header line. Two tables that differ in their records are read alike,
// also if a record is no UTF-8. A header line that looks like a record is refused without a word of it, and so is a format
// whose names are in its records. Columns without a name are said to be left out.
func TestFindReadsNoRecord(t *testing.T) {
	dir := t.TempDir()
	find := func(name, text string) (*FindRequest, error) {
		t.Helper()
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return ValidateFind(t.Context(), Config{Input: path, Output: filepath.Join(dir, "out"), PrivacyID: "id", Epsilon: 1, Delta: 1e-9})
	}
	var forms []string
	for _, record := range []string{"1,p1,M\xfcnchen\n", "1,p1,München\n", "\"\",a;b,\t|\n"} {
		r := must.Value(find("table.csv", ",id,city\n"+record))(t)
		forms = append(forms, fmt.Sprintf("%+v %+v", r.form.Encoding, r.params.Columns))
		must.Hold(t, len(r.unread) == 1 && r.unread[0] == "column 1: it has no name", "left out: %q", r.unread)
	}
	must.Hold(t, forms[0] == forms[1] && forms[0] == forms[2], "a record decides how a table is read: %q", forms)
	for head, says := range map[string]string{"id,a,b,a": "columns 2 and 4 have one name", "id,a,id": "columns 1 and 3 have one name", "id": "no column to find", ",id": "no column to find", "id,\"a\nb\"": "control character"} {
		must.Fails(find("names.csv", head+"\np1,1,2,3\n"))(t, says, "header %q", head)
	}
	r, err := find("named.csv", "id,\"a\tb\",c\np1,1,2\n")
	must.Hold(t, err == nil && len(r.params.Columns) == 1 && len(r.unread) == 1, "a name that no domain file can hold is left out: %v", err)
	if r, err := find("latin.csv", "id,Gr\xf6\xdfe\np1,1\n"); err != nil || r.form.Encoding != schema.Windows1252 || r.params.Columns[0].Name != "Größe" {
		t.Errorf("a header line in Windows-1252: %v", err)
	}
	if _, err := find("headless.csv", "p1,Female,1984-03-02\np2,Male,1990-01-01\n"); err == nil || !strings.Contains(err.Error(), "looks like a record") || strings.Contains(err.Error(), "1984-03") {
		t.Errorf("a header that is a record: %v", err)
	}
	if _, err := find("table.fields", `{"id": "p1", "secret name": 1}`+"\n"); err == nil || !strings.Contains(err.Error(), "in its records alone") || strings.Contains(err.Error(), "secret") {
		t.Errorf("names of fields are in records: %v", err)
	}
}
