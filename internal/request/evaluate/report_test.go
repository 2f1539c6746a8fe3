package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "write the golden files")

func sampleReport(t *testing.T) *Report {
	t.Helper()
	return reportOf(t, people())
}

func reportOf(t *testing.T, d *domain.Domain) *Report {
	t.Helper()
	tables := Tables{Real: randomTable(d, 5000, 0.2, 1), Synthetic: randomTable(d, 1200, 0.3, 2), Holdout: randomTable(d, 700, 0.2, 3)}
	for _, table := range []*Table{tables.Real, tables.Synthetic, tables.Holdout} {
		addValues(table, d)
	}
	r := must.Value(Compare(context.Background(), tables, query.AllMarginals(d.Sizes(), 3, 1000), d))(t)
	for _, c := range []*Comparison{&r.Real, &r.Holdout.Synthetic} { // a golden file that can be read
		c.Worst = c.Worst[:3]
		for i := range c.Worst {
			c.Worst[i].Largest = c.Worst[i].Largest[:min(3, len(c.Worst[i].Largest))]
		}
	}
	return r
}

// addValues draws values in the cells of a table.
func addValues(table *Table, d *domain.Domain) {
	var codes []domain.Code
	for r := range table.Rows {
		for _, column := range table.Columns {
			codes = append(codes, column[r])
		}
	}
	var chunk domain.Chunk
	word := rand.New(rand.NewPCG(1, 1))
	domain.NewDecoder(d).Decode(&chunk, codes, func(int, int) uint64 { return word.Uint64() })
	for a := range d.Attributes {
		v := newValues(&d.Attributes[a])
		for r := range chunk.Rows {
			v.add(&chunk.Columns[a], r)
		}
		table.values = append(table.values, v)
	}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		must.Do(t, os.WriteFile(path, got, 0o644))
	}
	want := must.Value(os.ReadFile(path))(t)
	must.Hold(t, bytes.Equal(got, want), "%s differs; run go test -update and look at the difference. Got:\n%s", path, got)
}

// TestText: what everybody reads has at most twenty lines.
func TestText(t *testing.T) {
	r := sampleReport(t)
	r.Real.People, r.Real.Queries, r.Real.Violations = &People{True: 30, Synthetic: 20}, &Queries{Number: 3}, &Violations{Real: 1}
	r.Real.Values.Trends.Items[0].Score, r.Real.Values.Trends.Items[1].Score = .75, .5
	var text bytes.Buffer
	must.Do(t, r.WriteText(&text))
	golden(t, "report.txt", text.Bytes())
	const next = 2 // lines of Run
	if n := strings.Count(text.String(), "\n") + next; n > 20 {
		t.Errorf("%d lines", n)
	}
	lines := strings.Split(text.String(), "\n")
	must.Hold(t, strings.HasPrefix(lines[0], "NOT PRIVATE"), "the first line is %q", lines[0])
	for _, line := range lines {
		n := utf8.RuneCountInString(line)
		must.Hold(t, n <= textWidth, "a line of %d characters: %q", n, line)
	}
}

func TestJSON(t *testing.T) {
	report := sampleReport(t)
	var b bytes.Buffer
	must.Do(t, report.WriteJSON(&b))
	// Some processors round a product and a sum once: twelve digits are the same everywhere.
	golden(t, "report.json", regexp.MustCompile(`(\.\d{12})\d+`).ReplaceAll(b.Bytes(), []byte("$1")))
	must.Hold(t, strings.HasPrefix(b.String(), "{\n  \"not_private\": \"NOT PRIVATE"), "does not begin with the banner: %.60s", b.String())
	var back Report
	must.Do(t, json.Unmarshal(b.Bytes(), &back))
	again := must.Value(json.Marshal(back))(t)
	once := must.Value(json.Marshal(report))(t)
	must.Hold(t, bytes.Equal(again, once), "the report is not what is read back from its JSON form")
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	r := sampleReport(t)
	for name, err := range map[string]error{"text": r.WriteText(full{}), "JSON": r.WriteJSON(full{})} {
		must.Hold(t, errors.Is(err, errFull), "%s: error %v, want the writer's", name, err)
	}
}
