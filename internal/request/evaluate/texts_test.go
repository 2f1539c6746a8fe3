package evaluate

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/request/contract"
	"github.com/dapple-dp/dapple/internal/request/infer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// writeTexts writes the texts as a column beside numbers, which CSV cannot do for an empty text.
func writeTexts(t *testing.T, name string, rows []string) {
	t.Helper()
	if strings.HasSuffix(name, ".csv") {
		b := "text,n\n"
		for i, s := range rows {
			b += fmt.Sprintf("\"%s\",%d\n", strings.ReplaceAll(s, `"`, `""`), i%7)
		}
		write(t, name, b)
		return
	}
	f := must.Value(os.Create(name))(t)
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "text", Type: domain.String}, {Name: "n", Type: domain.Int64}}}
	w := must.Value(parquetio.NewWriter(f, d, parquetio.Options{GroupRows: 100}))(t)
	text, n := domain.Column{Form: domain.Text, Offsets: []uint32{0}}, domain.Column{Form: domain.Ints}
	for i, s := range rows {
		text.Bytes = append(text.Bytes, s...)
		text.Offsets, n.Ints = append(text.Offsets, uint32(len(text.Bytes))), append(n.Ints, int64(i%7))
	}
	err := w.Write(&domain.Chunk{Rows: len(rows), Columns: []domain.Column{text, n}})
	_, closing := w.Close()
	must.Do(t, errors.Join(err, closing, f.Close()))
}

// Categories are texts, whatever characters they have: they are proposed as they are, none is unusable for check, and a table is
// equal to itself for evaluate.
func TestCategoriesAreTexts(t *testing.T) {
	odd := []string{"a\u00a0b", "a\u200db", "a\u200cb", "a\u00adb", "\ufeffa", "a\ufeff", "a\nb", "a\r\nb", "a\rb", "a\u2028b", "a\u0085b", "\ta", "a\x01b", "a\u202eb", "e\u0301", "\U000e0001", "a: b", "# a", "\"", "\\", ""}
	for _, ending := range []string{".csv", ".parquet"} {
		for k := range odd {
			texts := []string{"plain", odd[k], odd[(k+1)%len(odd)], odd[(k+2)%len(odd)]}
			if ending == ".csv" { // an empty cell is NULL
				texts = slices.DeleteFunc(texts, func(s string) bool { return s == "" })
			}
			var rows []string
			for i := range 400 {
				rows = append(rows, texts[i%len(texts)])
			}
			dir := t.TempDir()
			table := filepath.Join(dir, "t"+ending)
			writeTexts(t, table, rows)
			src := must.Value(infer.Open(t.Context(), infer.Params{Input: table, FromData: true}))(t)
			draft := must.Value(src.Propose(t.Context()))(t)
			file, err := schema.Parse("draft", draft)
			must.Need(t, err == nil, "%s of %q: %v\n%s", ending, texts, err, draft)
			got, want := slices.Sorted(slices.Values(file.Domain.Attributes[0].Values)), slices.Sorted(slices.Values(texts))
			must.Hold(t, slices.Equal(got, want) && !file.Domain.Attributes[0].Other, "%s: proposed %q, want %q", ending, got, want)
			d := write(t, filepath.Join(dir, "d.yaml"), string(draft))
			checked(t, CheckConfig{Domain: d, Input: table, JSON: filepath.Join(dir, "c.json")})
			var fit Fit
			must.Do(t, json.Unmarshal(must.Value(os.ReadFile(filepath.Join(dir, "c.json")))(t), &fit))
			must.Hold(t, fit.Columns[0].Usable == int64(len(rows)), "%s of %q: %d of %d usable", ending, texts, fit.Columns[0].Usable, len(rows))
			must.Do(t, Run(t.Context(), Config{Domain: d, Input: table, Synthetic: table, JSON: filepath.Join(dir, "e.json")}, &strings.Builder{}))
			var report Report
			must.Do(t, json.Unmarshal(must.Value(os.ReadFile(filepath.Join(dir, "e.json")))(t), &report))
			must.Equal(t, report.Real.Values.Shapes.Items[0].Score, 1, "%s of %q: the table has score: beside itself", ending, texts)
		}
	}
}

// Files in each other's place are refused or read, and no text quotes a cell of them.
func TestSwappedFilesQuoteNoCell(t *testing.T) {
	for _, cell := range []string{"SECRET", "SECRET: b", "- SECRET", "{SECRET", "[SECRET]", "# SECRET", "*SECRET", "&SECRET a", "!SECRET", "'SECRET", "\"SECRET", "%SECRET", "@SECRET", "`SECRET", "SECRET\tb", "SECRET\u00a0b", "? SECRET", "| SECRET", "{\"SECRET\": 1}", "privacy_id: SECRET", "columns: [SECRET]", "SECRET\nSECRET: x", "\ufeffSECRET"} {
		for _, header := range []string{"name,age\n", "name;age\n", "privacy_id,columns\n", "columns: x,b\n", "{a: b}\n", ""} {
			dir := t.TempDir()
			table := write(t, filepath.Join(dir, "t.csv"), header+strings.Repeat("\""+strings.ReplaceAll(cell, `"`, `""`)+"\",5\n", 30)+strings.Repeat(cell+",5\n", 30))
			d := write(t, filepath.Join(dir, "d.yaml"), "privacy_id: none\ncolumns:\n  - {name: name, type: STRING, values: [SECRET], other: true}\n  - {name: age, type: INT64, min: 0, max: 9, null: true}\n")
			var said strings.Builder
			tell := func(err error) {
				if err != nil {
					fmt.Fprintln(&said, err)
				}
			}
			r, err := OpenCheck(t.Context(), CheckConfig{Domain: table, Input: d})
			if tell(err); err == nil {
				tell(r.Run(t.Context(), &said))
			}
			_, err = OpenCheck(t.Context(), CheckConfig{Domain: table})
			tell(err)
			tell(Run(t.Context(), Config{Domain: table, Input: d, Synthetic: d}, &said))
			tell(Run(t.Context(), Config{Domain: table, Input: table, Synthetic: d}, &said))
			tell(Run(t.Context(), Config{Domain: d, Input: d, Synthetic: table}, &said))
			_, err = infer.Open(t.Context(), infer.Params{Input: d, FromData: true})
			tell(err)
			_, err = contract.Propose(table, must.Value(os.ReadFile(table))(t), "", "")
			tell(err)
			must.Hold(t, !strings.Contains(said.String(), "SECRET"), "header %q, cell %q:\n%s", header, cell, said.String())
		}
	}
}

// TestColumnsWithoutScore: the text names a column that no score is of, since no value of it can be read.
func TestColumnsWithoutScore(t *testing.T) {
	for n := range 3 {
		r := &Report{}
		r.Real.Values = &Values{Shapes: Property{Average: 1, Items: []Item{{Columns: []string{"a"}, Score: 1}}}}
		for k := range n {
			r.Real.Values.Shapes.Items = append(r.Real.Values.Shapes.Items, Item{Columns: []string{fmt.Sprint("b", k)}, TV: 1, Score: undefined, Reason: noValue(5, 0)})
		}
		var b strings.Builder
		must.Do(t, r.WriteText(&b))
		must.Hold(t, strings.Contains(b.String(), "without     b0: all values of the synthetic table are NULL, or not of its type") == (n > 0), "%d columns: %s", n, b.String())
		must.Hold(t, strings.Contains(b.String(), "and 1 more column") == (n > 1), "%d columns: %s", n, b.String())
	}
}
