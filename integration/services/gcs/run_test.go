package gcs

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fsouza/fake-gcs-server/fakestorage"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/request/infer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
)

// putParquet makes a Parquet object of customers from..to−1, several row groups long.
func putParquet(t *testing.T, s *fakestorage.Server, name string, from, to int) {
	t.Helper()
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "customer", Type: domain.Int64}, {Name: "plan", Type: domain.String},
		{Name: "age", Type: domain.Int64}, {Name: "active", Type: domain.Bool},
	}}
	c := &domain.Chunk{Rows: to - from, Columns: make([]domain.Column, 4)}
	for k := range c.Columns {
		c.Columns[k].Form = domain.Ints
	}
	c.Columns[1].Form, c.Columns[1].Dict = domain.Dictionary, []string{"basic", "plus", "pro"}
	for i := from; i < to; i++ {
		for k, v := range []int{i, i % 3, 18 + i%80, i % 2} {
			c.Columns[k].Ints = append(c.Columns[k].Ints, int64(v))
		}
	}
	var b bytes.Buffer
	w, err := parquetio.NewWriter(&b, d, parquetio.Options{GroupRows: 100})
	must.Do(t, err)
	err = w.Write(c)
	_, closing := w.Close()
	must.Need(t, errors.Join(err, closing) == nil, "%v, %v", err, closing)
	put(s, name, b.String())
}

// A whole run from objects to objects: domain file, Parquet in, Parquet out, statement and model in
// another bucket; then rows of the model, an evaluation and a proposed domain, all of objects.
func TestWholeRun(t *testing.T) {
	s, c := shop(t)
	putParquet(t, s, "gs://shop/in/p-1.parquet", 0, 250)
	putParquet(t, s, "gs://shop/in/p-2.parquet", 250, 400)
	put(s, "gs://shop/in/p-2.parquet.tmp", "none of the table")
	c.Input, c.Release, c.Runner, c.Rows = "gs://shop/in/p-*.parquet", "gs://release/shop", "prism", 500
	res := mustRun(t, c)
	must.Hold(t, res.Written.Output == "gs://shop/out" && res.Written.Release == "gs://release/shop" && res.Written.Rows == 500, "%+v", res.Written)
	m := complete(t, "gs://release/shop", 500)
	must.Hold(t, len(m.Released) == 5 && len(m.Parts) == 2 && m.Path == "gs://shop/out", "%+v", m)
	got := strings.Join(names(t, s, "shop"), " ")
	must.Hold(t, !strings.Contains(got, "_tmp"), "left behind: %s", got)

	more := must.Value(pipelines.ValidateSample(ctx, pipelines.SampleConfig{
		Model: "gs://release/shop/_model.arrow", Output: "gs://shop/more", Format: "csv", Rows: 70, Shards: 3, Where: "plan=pro", Runner: "direct",
	}))(t)
	must.Value(pipelines.RunSample(ctx, more))(t)
	complete(t, "gs://shop/more", 70)
	part, err := files.ReadAll(ctx, "gs://shop/more/part-00000-of-00003.csv", 1<<20)
	must.Hold(t, err == nil && strings.HasPrefix(string(part), "plan,age,active\npro,"), "%q, %v", part, err)

	var text bytes.Buffer
	err = evaluate.Run(ctx, evaluate.Config{Domain: c.Domain, Input: c.Input, Synthetic: c.Output}, &text)
	must.Hold(t, err == nil && text.Len() != 0, "%v", err)
	src := must.Value(infer.Open(ctx, infer.Params{Input: "gs://shop/in/**.parquet", FromData: true, PrivacyID: "customer"}))(t)
	b, err := src.Propose(ctx)
	must.Hold(t, err == nil && strings.Contains(string(b), "name: plan"), "%s, %v", b, err)
}

// Records that are kept until they are counted stay on this machine if all workers are in this process, encrypted as they are.
func TestKeptRecordsStayHere(t *testing.T) {
	s, c := shop(t)
	put(s, "gs://shop/domain.yaml", strings.Replace(shopDomain, "bins: 4, ", "", 1)) // bins are learned, from records
	p, asked := startProxy(t, s), atomic.Int64{}
	p.watch = func(r *http.Request) {
		if strings.Contains(r.URL.Path, synth.PartsSuffix) {
			asked.Add(1)
		}
	}
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	c.Method = "rake"
	mustRun(t, c)
	complete(t, c.Output, 0)
	left, err := os.ReadDir(scratch)
	must.Hold(t, err == nil && len(left) <= 0 && asked.Load() <= 0, "%d requests name parts of the records; left is %v, %v", asked.Load(), left, err)
}

// Requests are refused at launch, each with its flag and what to do.
func TestRefusedAtLaunch(t *testing.T) {
	s, good := shop(t)
	put(s, "gs://shop/taken/notes.txt", "mine")
	mustRun(t, good)
	for _, tt := range []struct {
		name   string
		change func(c *pipelines.Config)
		want   string
	}{
		{"no such bucket, input", func(c *pipelines.Config) { c.Input = "gs://nowhere/x-*.csv" }, `--input: bucket "nowhere" does not exist; create it, or check the name`},
		{"no such object", func(c *pipelines.Config) { c.Input = "gs://shop/in/none.csv" }, "--input: gs://shop/in/none.csv: no such file; name a file, or a pattern such as gs://bucket/dir/*.csv"},
		{"directory that is no output", func(c *pipelines.Config) { c.Input = "gs://shop/in" }, "--input: gs://shop/in is a directory, and no output of dapple"},
		{"question mark", func(c *pipelines.Config) { c.Input = "gs://shop/in/?.csv" }, "--input: gs://shop/in/?.csv: the characters ? # % [ ] are not allowed in names of objects; rename it"},
		{"no such domain file", func(c *pipelines.Config) { c.Domain = "gs://shop/none.yaml" }, "--domain: gs://shop/none.yaml: no such object"},
		{"no such bucket, output", func(c *pipelines.Config) { c.Output = "gs://nowhere/out" }, `--output: gs://nowhere/out/ cannot be listed: bucket "nowhere" does not exist`},
		{"hash", func(c *pipelines.Config) { c.Output = "gs://shop/a#b" }, "--output: gs://shop/a#b: the characters"},
		{"earlier output", func(*pipelines.Config) {}, "--output: gs://shop/out is not empty: it holds the output of an earlier run; set --overwrite, or name another directory"},
		{"not ours", func(c *pipelines.Config) { c.Output, c.Overwrite = "gs://shop/taken", true }, `--output: gs://shop/taken/ holds "notes.txt", which dapple did not write; move it away`},
		{"no such bucket, release", func(c *pipelines.Config) { c.Output, c.Release = "gs://shop/new", "gs://nowhere/r" }, "--release: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := good
			tt.change(&c)
			_, err := pipelines.ValidateRun(ctx, c)
			must.Hold(t, pipelines.IsRequest(err) && strings.Contains(err.Error(), tt.want), "got %v\nwant %s", err, tt.want)
		})
	}
	before := len(names(t, s, "shop"))
	again := good
	again.Overwrite = true
	mustRun(t, again)
	after := len(names(t, s, "shop"))
	must.Hold(t, after == before, "%d objects, after overwriting %d", before, after)
	complete(t, good.Output, 0)
}

// An object that changes between plan and read ends the run before anything is spent.
func TestObjectThatChanges(t *testing.T) {
	s, c := shop(t)
	putParquet(t, s, "gs://shop/in/p.parquet", 0, 100)
	for input, change := range map[string]func(){
		"gs://shop/in/customers.csv": func() { put(s, "gs://shop/in/customers.csv", shopCSV(299)) },
		"gs://shop/in/p.parquet":     func() { putParquet(t, s, "gs://shop/in/p.parquet", 0, 99) },
	} {
		c.Input = input
		r, err := pipelines.ValidateRun(ctx, c)
		must.Do(t, err)
		change()
		_, err = pipelines.Run(ctx, r)
		must.Fail(t, err, input+": the file has changed since the run was planned\nnothing was written", "%s", input)
		there, err := files.Names(ctx, c.Output)
		must.Hold(t, err == nil && len(there) == 0, "left behind: %v, %v", there, err)
	}
}

// A table of objects is read as the same files are read from a disk.
func TestReadsAsLocalFiles(t *testing.T) {
	s, _ := shop(t)
	putParquet(t, s, "gs://shop/in/p.parquet", 0, 1000)
	f := must.Value(schema.Parse("domain.yaml", []byte(shopDomain)))(t)
	count := func(input string) (rows int, sum int64) {
		tab := must.Value(table.Find(ctx, input, table.Options{}))(t)
		must.Do(t, tab.Each(ctx, f.Domain, schema.CSV{}, func(c *domain.Chunk) error {
			rows += c.Rows
			for _, v := range c.Columns[1].Ints {
				sum += v
			}
			return nil
		}))
		return rows, sum
	}
	b := must.Value(files.ReadAll(ctx, "gs://shop/in/p.parquet", 1<<20))(t)
	local := filepath.Join(t.TempDir(), "p.parquet")
	must.Do(t, os.WriteFile(local, b, 0o600))
	rows, sum := count("gs://shop/in/p.parquet")
	wantRows, wantSum := count(local)
	must.Hold(t, rows == wantRows && sum == wantSum && rows == 1000, "%d rows, sum %d; want %d, %d", rows, sum, wantRows, wantSum)
}
