package evaluate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
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
		table.every = 1
		for a := range d.Attributes {
			table.values = append(table.values, newValues(&d.Attributes[a]))
		}
		table.values = redrawn(table, nil)
	}
	r, err := Compare(context.Background(), tables, query.AllMarginals(d.Sizes(), 3, 1000), d, Options{Worst: 3, Cells: 3})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; run go test -update and look at the difference. Got:\n%s", path, got)
	}
}

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := sampleReport(t).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "report.txt", b.Bytes())
	lines := strings.Split(b.String(), "\n")
	if !strings.HasPrefix(lines[0], "NOT PRIVATE") {
		t.Errorf("the first line is %q", lines[0])
	}
	for _, line := range lines {
		if n := utf8.RuneCountInString(line); n > textWidth {
			t.Errorf("a line of %d characters: %q", n, line)
		}
	}
}

// Cells of columns with learned bins say nothing of what a release loses to its bins.
func TestLearnedBins(t *testing.T) {
	d := people()
	d.Attributes = append(d.Attributes, domain.Attribute{Name: "fare", Type: domain.Int64, Cuts: []int64{0, 10_000}, Resolution: 1, Learned: 20, Null: true})
	var text, page, figures bytes.Buffer
	r := reportOf(t, d.EqualBins())
	if err := errors.Join(r.WriteText(&text), r.WriteHTML(&page), r.WriteJSON(&figures)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "Bins are learned: ") {
		t.Errorf("does not say so:\n%s", text.String())
	}
	for name, form := range map[string]string{"text": text.String(), "HTML": page.String(), "JSON": figures.String()} {
		if strings.Contains(strings.ToLower(form), "binning") || strings.Contains(form, "bins alone") {
			t.Errorf("%s: what would equal bins cost?", name)
		}
	}
}

func TestJSON(t *testing.T) {
	report := sampleReport(t)
	var b bytes.Buffer
	if err := report.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	// Some processors round a product and a sum once: twelve digits are the same everywhere.
	golden(t, "report.json", regexp.MustCompile(`(\.\d{12})\d+`).ReplaceAll(b.Bytes(), []byte("$1")))
	if !strings.HasPrefix(b.String(), "{\n  \"not_private\": \"NOT PRIVATE") {
		t.Errorf("does not begin with the banner: %.60s", b.String())
	}
	var back Report
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(back)
	if err != nil {
		t.Fatal(err)
	}
	once, err := json.Marshal(report)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again, once) {
		t.Error("the report is not what is read back from its JSON form")
	}
}

type full struct{}

var errFull = errors.New("disk full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	r := sampleReport(t)
	for name, err := range map[string]error{"text": r.WriteText(full{}), "JSON": r.WriteJSON(full{})} {
		if !errors.Is(err, errFull) {
			t.Errorf("%s: error %v, want that of the writer", name, err)
		}
	}
}
