package counts

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/examples/visits/generate"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/sensitive"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// withID is d with its privacy ID as the first column and NULL allowed everywhere: what a Parquet file
// of the private table holds.
func withID(d *domain.Domain) *domain.Domain {
	out := &domain.Domain{}
	if d.PrivacyID != "" {
		out.Attributes = append(out.Attributes, domain.Attribute{Name: d.PrivacyID, Type: domain.String, Values: []string{"p0"}, Null: true})
	}
	for _, a := range d.Attributes {
		a.Null = true
		out.Attributes = append(out.Attributes, a)
	}
	return out
}

// convert writes a CSV file as Parquet. A cell that its column cannot hold becomes NULL, which has the
// same code.
func convert(tb testing.TB, from, to string, d *domain.Domain, o parquetio.Options) {
	tb.Helper()
	f, err := os.Create(to)
	must.Do(tb, err)
	all := withID(d)
	w := must.Value(parquetio.NewWriter(f, all, o))(tb)
	err = csvio.EachFile(from, all, schema.CSV{}, func(c *domain.Chunk) error {
		for k := range c.Columns {
			native(&all.Attributes[k], &c.Columns[k], c.Rows)
		}
		return w.Write(c)
	})
	_, closing := w.Close()
	must.Do(tb, errors.Join(err, closing, f.Close()))
}

// native turns a column of texts into numbers where its type has them.
func native(a *domain.Attribute, c *domain.Column, rows int) {
	if a.Type == domain.String {
		return
	}
	if c.Nulls == nil {
		c.Nulls = make([]bool, rows)
	}
	c.Form, c.Ints = domain.Ints, make([]int64, rows)
	for i := range rows {
		if c.Nulls[i] {
			continue
		}
		s, ok := string(c.Text(i)), false
		if a.Type == domain.Bool {
			ok = s == "true" || s == "false"
			c.Ints[i] = map[string]int64{"true": 1}[s]
		} else {
			c.Ints[i], ok = a.ParseNative(s)
		}
		c.Nulls[i] = !ok
	}
}

// counted counts a table.
func counted(t *testing.T, runner string, d *domain.Domain, read func(s beam.Scope) beam.PCollection) *Table {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	units := private.Bound(s, private.Encode(s, read(s), d, private.EncodeParams{}), private.BoundParams{})
	stats := Count(s, units, query.AllMarginals(d.Sizes(), 3, 10000), Params{MaxCells: 1})
	got := transformtest.Capture[*Table](s, sensitive.Reveal(stats.Collection()))
	must.Do(t, transformtest.RunOn(runner, p))
	n := len(got.Elements())
	must.Need(t, n == 1, "%d tables, want 1", n)
	return got.Elements()[0]
}

// TestParquetCountsAsCSV: the table of examples/visits has the same counts, to the byte, from CSV and from
// Parquet in one file or several, with a privacy ID and without.
func TestParquetCountsAsCSV(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "visits.csv")
	var b bytes.Buffer
	must.Do(t, generate.Write(&b, generate.Params{People: 2000, Seed: 1}))
	must.Do(t, os.WriteFile(csv, b.Bytes(), 0o600))
	f := must.Value(schema.ReadFile("../../../examples/visits/visits.yaml"))(t)
	one, two := filepath.Join(dir, "one.parquet"), filepath.Join(dir, "two.parquet")
	convert(t, csv, one, f.Domain, parquetio.Options{GroupRows: 700})
	convert(t, csv, two, f.Domain, parquetio.Options{})
	records := *f.Domain
	records.PrivacyID = ""
	for _, d := range []*domain.Domain{f.Domain, &records} {
		want := counted(t, "direct", d, func(s beam.Scope) beam.PCollection { return csvio.Read(s, []files.Info{{Name: csv}}, d, f.CSV) })
		for _, paths := range [][]string{{one}, {two}} {
			got := counted(t, "prism", d, func(s beam.Scope) beam.PCollection { return readParquet(t, s, d, paths...) })
			must.Hold(t, got.Digest() == want.Digest(), "ID %q: other counts than the CSV file's", d.PrivacyID)
		}
		// Twice the same records: as many people exactly if there is an ID that joins them.
		got := counted(t, "direct", d, func(s beam.Scope) beam.PCollection { return readParquet(t, s, d, one, two) })
		if n := got.Units(); (n == want.Units()) != (d.PrivacyID != "") {
			t.Errorf("ID %q: the same table twice: %d units of %d", d.PrivacyID, n, want.Units())
		}
	}
}

func readParquet(tb testing.TB, s beam.Scope, d *domain.Domain, paths ...string) beam.PCollection {
	tb.Helper()
	list := make([]files.Info, len(paths))
	for i, path := range paths {
		list[i].Name = path
	}
	must.Do(tb, parquetio.Check(context.Background(), list, d))
	return parquetio.Read(s, list, d)
}

// codedColumns is the domain of a census extract: 14 columns of categories.
func codedColumns(id string) *domain.Domain {
	d := &domain.Domain{PrivacyID: id}
	for k, n := range []int{9, 16, 7, 15, 6, 5, 2, 42, 8, 16, 20, 10, 8, 30} {
		a := domain.Attribute{Name: fmt.Sprint("c", k), Type: domain.String, Other: true, OtherValue: "other"}
		for v := range n - 1 {
			a.Values = append(a.Values, fmt.Sprint("value-", v))
		}
		d.Attributes = append(d.Attributes, a)
	}
	return d
}

// writeCoded writes n records as CSV, two for each person where there is an ID.
func writeCoded(tb testing.TB, path string, d *domain.Domain, n int) {
	tb.Helper()
	rng := rand.New(rand.NewPCG(8, 8))
	var b bytes.Buffer
	if d.PrivacyID != "" {
		b.WriteString(d.PrivacyID + ",")
	}
	for k, a := range d.Attributes {
		b.WriteString(map[bool]string{true: ","}[k > 0] + a.Name)
	}
	for i := range n {
		b.WriteByte('\n')
		if d.PrivacyID != "" {
			fmt.Fprintf(&b, "person-%07d,", i/2)
		}
		for k, a := range d.Attributes {
			v := min(rng.IntN(len(a.Values)), rng.IntN(len(a.Values)))
			b.WriteString(map[bool]string{true: ","}[k > 0] + a.Values[v])
		}
	}
	b.WriteByte('\n')
	must.Do(tb, os.WriteFile(path, b.Bytes(), 0o600))
}

// BenchmarkFileToCounts runs files of 14 coded columns to the counts of all their three-way marginals of
// at most 10,000 cells, on prism, and reports rows per second of CPU time of the whole process. Beside it
// stands the limit: what counting alone reaches on packed records.
func BenchmarkFileToCounts(b *testing.B) {
	const rows = 600_000
	dir := b.TempDir()
	for _, id := range []string{"", "id"} {
		d := codedColumns(id)
		csv, pq := filepath.Join(dir, "t.csv"), filepath.Join(dir, "t.parquet")
		writeCoded(b, csv, d, rows)
		convert(b, csv, pq, d, parquetio.Options{})
		w := query.AllMarginals(d.Sizes(), 3, 10000)
		limit := countingRate(b, w)
		for _, format := range []string{"csv", "parquet"} {
			b.Run(map[string]string{"": "records/", "id": "units/"}[id]+format, func(b *testing.B) {
				b.ReportAllocs()
				start := cpuTime(b)
				for b.Loop() {
					p, s := beam.NewPipelineWithRoot()
					var col beam.PCollection
					if format == "csv" {
						col = csvio.Read(s, []files.Info{{Name: csv}}, d, schema.CSV{})
					} else {
						col = readParquet(b, s, d, pq)
					}
					Count(s, private.Bound(s, private.Encode(s, col, d, private.EncodeParams{}), private.BoundParams{}), w, Params{})
					must.Do(b, transformtest.RunOn("prism", p))
				}
				b.ReportMetric(float64(b.N)*rows/(cpuTime(b)-start).Seconds(), "rows/cpu-s")
				b.ReportMetric(limit, "counting-rows/cpu-s")
			})
		}
	}
}

// countingRate returns how many packed records a second of CPU time counts for w.
func countingRate(b *testing.B, w query.Workload) float64 {
	const n, rounds = 1 << 16, 4
	rows := randomRows(w.Sizes, n, rand.New(rand.NewPCG(3, 4)))
	t := NewTable(NewShape(w, Params{}))
	t.add(rows) // past the first records, which are counted without a cover
	start := cpuTime(b)
	for range rounds {
		t.add(rows)
	}
	return rounds * n / (cpuTime(b) - start).Seconds()
}
