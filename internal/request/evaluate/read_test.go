package evaluate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

const domainFile = `
privacy_id: id
columns:
  - {name: sex, type: STRING, values: [Female, Male], other: true}
  - {name: age, type: INT64, min: 0, max: 79, bins: 8, null: true}
  - {name: income, type: NUMERIC, edges: [0, 1000, 5000.5], null: true}
  - {name: visited, type: DATE, min: 2024-01-01, max: 2024-12-31, step: quarter, fallback: 2024-01-01}
  - {name: married, type: BOOL, null: true}
csv: {null: ["?"], comma: ";"}
`

func parseDomain(t *testing.T, more string) *schema.File {
	t.Helper()
	f := must.Value(schema.Parse("test.yaml", []byte(domainFile+more)))(t)
	return f
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func readTable(ctx context.Context, input string, f *schema.File, real bool) (*Table, error) {
	s, err := findSource(ctx, input, table.Options{})
	if err == nil {
		err = s.check(ctx, f, real)
	}
	if err != nil {
		return nil, err
	}
	return s.read(ctx, nil)
}

func TestReadTrueCSV(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.csv"), "id;age;sex;visited;income;married\n"+
		"p1;5;Female;2024-01-31;999.99;true\n"+
		";70;Male;2024-01-31;1;true\n"+ // belongs to nobody
		"p2;?;X;2024-12-31;5000.5;?\n")
	write(t, filepath.Join(dir, "b.csv"), "sex;id;age;visited;income;married\n"+
		"Female;p1;5;2024-02-01;1.00;true\n"+ // the same cells again
		"Male;p3;79;2024-04-01;1000;false\n")
	got := must.Value(readTable(context.Background(), filepath.Join(dir, "*.csv"), parseDomain(t, ""), true))(t)
	want := [][]domain.Code{{0, 2, 1}, {0, 8, 7}, {0, 1, 1}, {0, 3, 1}, {1, 2, 0}}
	must.Hold(t, got.Rows == 3 && reflect.DeepEqual(got.Columns, want), "%d rows %v, want 3 rows %v", got.Rows, got.Columns, want)
}

// publish writes the table's rows, decoded, as a released directory of two parts.
func publish(t *testing.T, path, extension string, d *domain.Domain, table *Table) {
	t.Helper()
	dir := dirsink.Dir{Path: path, RunID: "run", Shards: 2, Extension: extension}
	r := rand.New(rand.NewPCG(1, 1))
	var refs []dirsink.FileRef
	for shard, rows := range [][2]int{{0, table.Rows / 3}, {table.Rows / 3, table.Rows}} {
		var codes []domain.Code
		for i := rows[0]; i < rows[1]; i++ {
			for a := range table.Columns {
				codes = append(codes, table.Columns[a][i])
			}
		}
		var chunk domain.Chunk
		domain.NewDecoder(d).Decode(&chunk, codes, func(int, int) uint64 { return r.Uint64() })
		part := must.Value(dir.Create(context.Background(), shard))(t)
		must.Do(t, writeChunk(part, extension, d, &chunk))
		ref := must.Value(part.Commit(int64(chunk.Rows)))(t)
		refs = append(refs, ref)
	}
	must.Value(dir.Publish(context.Background(), refs, nil, nil))(t)
}

func writeChunk(to io.Writer, extension string, d *domain.Domain, chunk *domain.Chunk) error {
	if extension == "csv" {
		w, err := csvio.NewWriter(to, d, "")
		if err != nil {
			return err
		}
		return errors.Join(w.Write(chunk), w.Close())
	}
	w, err := parquetio.NewWriter(to, d, parquetio.Options{})
	if err != nil {
		return err
	}
	err = w.Write(chunk)
	_, closing := w.Close()
	return errors.Join(err, closing)
}

func TestReadSyntheticIsWhatWasWritten(t *testing.T) {
	f := parseDomain(t, "")
	want := randomTable(f.Domain, 1000, 0.4, 9)
	for _, extension := range []string{"parquet", "csv"} {
		dir := filepath.Join(t.TempDir(), "out")
		publish(t, dir, extension, f.Domain, want)
		write(t, filepath.Join(dir, "part-leftover."+extension), "not in the manifest")
		got := must.Value(readTable(context.Background(), dir, f, false))(t)
		must.Hold(t, reflect.DeepEqual(got.Columns, want.Columns), "%s: the table that is read is not the one that was written", extension)
		parts := must.Value(readTable(context.Background(), filepath.Join(dir, "part-0*."+extension), f, false))(t)
		must.Hold(t, reflect.DeepEqual(parts.Columns, want.Columns), "%s: the table of a pattern is not the one that was written", extension)
	}
}

// What a run has written is read in its own form, whatever the domain file declares for the true table: as the true table, as
// the synthetic one and by check, by its directory and by its parts.
func TestOwnRowsAreReadInTheirOwnForm(t *testing.T) {
	columns := strings.Split(domainFile, "csv:")[0]
	for _, form := range []string{
		`comma: ";"`, `comma: "\t"`, `null: ["5"], trim: true`, `header: true`, `columns: [id, age, sex, income, visited, married]`,
		`columns: [id, age, sex, income, visited, married], mark: true`, `escape: "\\"`, `encoding: utf-16le`, `encoding: windows-1252`,
		`written: {income: "1.234,5", visited: "31.12.2024"}`, `comma: ";", written: {age: "1.234,5"}`, `max_record_mib: 1`,
	} {
		text := columns + "csv: {" + form + "}\n"
		f, err := schema.Parse("test.yaml", []byte(text))
		must.Need(t, err == nil, "%v, %v", form, err)
		want := randomTable(f.Domain, 300, 0.4, 9)
		name := write(t, filepath.Join(t.TempDir(), "d.yaml"), text)
		for _, extension := range []string{"parquet", "csv"} {
			dir := filepath.Join(t.TempDir(), "out")
			publish(t, dir, extension, f.Domain, want)
			for _, input := range []string{dir, filepath.Join(dir, "part-0*."+extension)} {
				for what, real := range map[string]bool{"true": true, "synthetic": false} {
					if got, err := readTable(t.Context(), input, f, real); err != nil || !reflect.DeepEqual(got.Columns, want.Columns) {
						t.Errorf("{%s}: %s as the %s table is not what was written: %v", form, input, what, err)
					}
				}
				if r, err := OpenCheck(t.Context(), CheckConfig{Domain: name, Input: input}); err != nil {
					t.Errorf("{%s}: check of %s: %v", form, input, err)
				} else if err := r.Run(t.Context(), io.Discard); err != nil {
					t.Errorf("{%s}: check of %s: %v", form, input, err)
				}
			}
		}
	}
}

func TestReadErrorsNameTheFault(t *testing.T) {
	f := parseDomain(t, "")
	dir := t.TempDir()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	good := write(t, filepath.Join(dir, "good.csv"), "id;age;sex;visited;income;married\np1;5;Female;2024-01-31;1;true\n")
	for _, row := range []struct {
		ctx         context.Context
		input, want string
	}{
		{context.Background(), "s3://bucket/a.csv", "s3:// are not known"},
		{context.Background(), filepath.Join(dir, "none-*.csv"), "no such file"},
		{context.Background(), dir, "no output of dapple"},
		{context.Background(), write(t, filepath.Join(dir, "short.csv"), "id;sex\nsecret;Male\n"), "age"},
		{context.Background(), write(t, filepath.Join(dir, "bad.parquet"), "secret"), "bad.parquet"},
		{ended, good, "context canceled"},
	} {
		_, err := readTable(row.ctx, row.input, f, true)
		must.Hold(t, err != nil && strings.Contains(err.Error(), row.want) && !strings.Contains(err.Error(), "secret"),
			"%s: error %v, want one with %q and without a value", row.input, err, row.want)
	}
}

// TestRun goes the whole way: domain file, true CSV with several rows a person, released directory,
// holdout, text and JSON.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	f := parseDomain(t, "")
	truth := func(name string, people int) string {
		var b strings.Builder
		b.WriteString("id;age;sex;visited;income;married\n")
		for i := range 3 * people {
			p := i % people
			fmt.Fprintf(&b, "p%d;%d;%s;2024-0%d-11;%d;%t\n", p, p%80, []string{"Female", "Male"}[p%2], 1+i%9, 100*(p%40), p%3 == 0)
		}
		return write(t, at(name), b.String())
	}
	synthetic := randomTable(f.Domain, 500, 0.2, 4)
	publish(t, at("out"), "parquet", f.Domain, synthetic)
	c := Config{Domain: write(t, at("domain.yaml"), domainFile), Input: truth("true.csv", 400), Synthetic: at("out"),
		Holdout: truth("holdout.csv", 90), JSON: at("figures.json")}
	var text strings.Builder
	must.Do(t, Run(context.Background(), c, &text))
	must.Hold(t, strings.HasPrefix(text.String(), Banner), "the text begins with %.40q", text.String())
	figures := must.Value(os.ReadFile(c.JSON))(t)
	var report Report
	must.Do(t, json.Unmarshal(figures, &report))
	must.Equal(t, [3]int{report.Real.TrueRows, report.Real.SyntheticRows, report.Holdout.Synthetic.TrueRows}, [3]int{400, 500, 90}, "rows")
	must.Equal(t, len(report.Real.Widths), 3, "widths")
	info, err := os.Stat(c.JSON)
	must.Hold(t, err == nil && info.Mode().Perm() == 0o600, "figures.json: %v, %v; want a file for its owner alone", info.Mode(), err)
}

// A column that follows from another one in more than 99 % of the records is named by all forms; in fewer it is not.
func TestFollows(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	d := write(t, at("d.yaml"), "privacy_id: none\ncolumns:\n  - {name: city, type: STRING, values: [Austin, Boston, Dallas], fallback: Austin}\n  - {name: state, type: STRING, values: [TX, MA], fallback: TX}\n")
	for wrong, want := range map[int]string{0: "in every record", 300: "in 99.66 % of records", 50: ""} {
		b := "city,state\n"
		for i := range 3000 {
			x := i % 3
			if wrong > 0 && i%wrong == 1 {
				x++
			}
			b += []string{"Austin", "Boston", "Dallas"}[i%3] + "," + []string{"TX", "MA", "TX"}[x%3] + "\n"
		}
		var text strings.Builder
		table := write(t, at("t.csv"), b)
		must.Do(t, Run(t.Context(), Config{Domain: d, Input: table, Synthetic: table, JSON: at("r.json"), HTML: at("r.html")}, &text))
		for name, form := range map[string]string{"the text": text.String(), at("r.html"): "", at("r.json"): ""} {
			if form == "" {
				data := must.Value(os.ReadFile(name))(t)
				form = string(data)
			}
			got := strings.Contains(form, "{derive: state, from: city}")
			must.Hold(t, got == (want != "") && strings.Contains(form, want), "one wrong record in %d: %s does not say %q:\n%.2000s", wrong, name, want, form)
		}
	}
}

func TestWorkloadOfTheDomainFile(t *testing.T) {
	f := parseDomain(t, "workload:\n  - {columns: [visited, sex], weight: 2}\n  - {columns: [age]}\n")
	w := must.Value(toCompare(f, 3, 1000))(t)
	want := []domain.Clique{{1}, {0, 3}}
	must.Hold(t, reflect.DeepEqual(w.Cliques(), want), "cliques %v, want %v", w.Cliques(), want)
	must.Fails(toCompare(parseDomain(t, ""), 3, 1))(t, "", "no error where no column is small enough")
}
