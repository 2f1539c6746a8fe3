package oracles

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

var update = flag.Bool("update", false, "write the tables of ../README.md")

// madeFile is what testdata/kinds.py says of a file.
type madeFile struct {
	path    string
	Writer  string       `json:"writer"`
	Codec   string       `json:"codec"`
	Columns []madeColumn `json:"columns"`
}

type madeColumn struct {
	Name  string   `json:"name"`
	Label string   `json:"label"`
	Kind  string   `json:"kind"` // the type of a domain; empty: none holds the cells
	Cells []string `json:"cells"`
}

// The kinds of files that pyarrow, DuckDB, Polars and fastparquet make are read cell by cell, or refused by
// name; ../README.md has the table.
func TestKinds(t *testing.T) {
	list := kinds(t, python(t), "pyarrow", "duckdb", "polars", "fastparquet")
	must.Need(t, len(list) >= 25, "only %d files", len(list))
	matchTable(t, "by the writers under Python", []string{"pyarrow", "DuckDB", "Polars", "fastparquet"}, list)
}

// The same of Spark. It takes a JVM and a minute.
func TestKindsOfSpark(t *testing.T) {
	matchTable(t, "by Spark", []string{"Spark"}, kinds(t, sparkPython(t), "spark"))
}

// kinds makes the files of writers.
func kinds(t *testing.T, py string, writers ...string) (list []madeFile) {
	t.Helper()
	dir := t.TempDir()
	script(t, py, append([]string{"testdata/kinds.py", dir}, writers...)...)
	said := must.Value(filepath.Glob(filepath.Join(dir, "*.json")))(t)
	for _, path := range said {
		f := madeFile{path: strings.TrimSuffix(path, "json") + "parquet"}
		b, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(b, &f)
		}
		must.Do(t, err)
		list = append(list, f)
	}
	return list
}

// verdict reads a column, and says as what, or why it is refused.
func (f *madeFile) verdict(t *testing.T, c *madeColumn) string {
	if c.Kind == "" {
		reason := ""
		for _, typ := range everyType() {
			_, err := readBack(f.path, &domain.Domain{Attributes: []domain.Attribute{{Name: c.Name, Type: typ, Scale: 2, Null: true}}})
			if err == nil {
				t.Errorf("%s: %s was read as %v", filepath.Base(f.path), c.Label, typ)
				continue
			}
			if typ == domain.String {
				_, reason, _ = strings.Cut(err.Error(), fmt.Sprintf("column %q: ", c.Name))
			}
		}
		reason, _, _ = strings.Cut(strings.ReplaceAll(reason, c.Name+".", "x."), " does not read as")
		reason, _, _ = strings.Cut(reason, "; ")
		return "no: " + reason
	}
	typ, ok := domain.ParseType(c.Kind)
	must.Need(t, ok, "no type is called %q", c.Kind)
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: c.Name, Type: typ, Scale: 2, Null: true}}}
	got, err := readBack(f.path, d)
	if err == nil {
		err = parquetio.Check(context.Background(), []files.Info{{Name: f.path}}, d)
	}
	if err != nil {
		t.Errorf("%s: %s: %v", filepath.Base(f.path), c.Label, err)
		return "no: " + err.Error()
	}
	want := slices.Clone(c.Cells)
	if typ == domain.Numeric { // cells prints multiples of 10^−9
		for i := range want {
			if want[i] != null {
				want[i] += "0000000"
			}
		}
	}
	must.Hold(t, slices.Equal(got.cells()[0], want), "%s: %s: got %q, want %q", filepath.Base(f.path), c.Label, got.cells()[0], want)
	return c.Kind
}

// matchTable compares what is read with the README's table of the writers.
func matchTable(t *testing.T, title string, writers []string, list []madeFile) {
	t.Helper()
	var labels, codecs []string
	types, packed := map[string]map[string][]string{}, map[string]map[string][]string{}
	note := func(to map[string]map[string][]string, order *[]string, row, writer, said string) {
		if to[row] == nil {
			to[row] = map[string][]string{}
			*order = append(*order, row)
		}
		if !slices.Contains(to[row][writer], said) {
			to[row][writer] = append(to[row][writer], said)
		}
	}
	for _, w := range writers {
		for i := range list {
			f := &list[i]
			if f.Writer != w {
				continue
			}
			for k := range f.Columns {
				note(types, &labels, f.Columns[k].Label, w, f.verdict(t, &f.Columns[k]))
			}
			note(packed, &codecs, f.Codec, w, "read")
		}
	}
	var b strings.Builder
	var why []string
	rows := func(head string, order []string, cells map[string]map[string][]string) {
		fmt.Fprintf(&b, "| %s | %s |\n|---|%s\n", head, strings.Join(writers, " | "), strings.Repeat("---|", len(writers)))
		for _, row := range order {
			fmt.Fprintf(&b, "| %s |", row)
			for _, w := range writers {
				said := append([]string{}, cells[row][w]...)
				if len(said) == 0 {
					said = []string{"–"}
				}
				for i, s := range said {
					if reason, no := strings.CutPrefix(s, "no: "); no {
						if !slices.Contains(why, reason) {
							why = append(why, reason)
						}
						said[i] = fmt.Sprintf("no (%d)", slices.Index(why, reason)+1)
					}
				}
				slices.Sort(said)
				fmt.Fprintf(&b, " %s |", strings.Join(said, ", "))
			}
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	rows("type", labels, types)
	for i, reason := range why {
		fmt.Fprintf(&b, "%d. %s\n", i+1, reason)
	}
	b.WriteString("\n")
	rows("codec", codecs, packed)
	section(t, "../README.md", title, b.String())
}

// section compares a part of a document with what it should be, or writes it.
func section(t *testing.T, path, title, want string) {
	t.Helper()
	b := must.Value(os.ReadFile(path))(t)
	before, rest, found := strings.Cut(string(b), "\n## Files made "+title+"\n\n")
	got, after, more := strings.Cut(rest, "\n## ")
	must.Need(t, found, "%s has no section %q", path, "Files made "+title)
	want = strings.TrimRight(want, "\n") + "\n"
	if got = strings.TrimRight(got, "\n") + "\n"; got == want {
		return
	}
	if !*update {
		t.Errorf("%s, section %q, is stale; run the test with -update. It should be\n%s", path, "Files made "+title, want)
		return
	}
	text := before + "\n## Files made " + title + "\n\n" + want
	if more {
		text += "\n## " + after
	}
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}
