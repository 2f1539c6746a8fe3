package tables_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/synth"
	"github.com/dapple-dp/dapple/internal/transforms/tables"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
)

// params describe a release of orders in a store of its own.
func params(t *testing.T, dir string) synth.Params {
	t.Helper()
	return synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 500, Store: tables.Store(filepath.Join(dir, "releases")), RunID: "orders-1"}
}

// run runs a pipeline.
func run(t *testing.T, p *beam.Pipeline) {
	t.Helper()
	must.Value(beam.Run(context.Background(), "direct", p))(t)
}

// refused returns what a call panics with.
func refused(call func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	call()
	return ""
}

// A program that is started again with the same RunID publishes the same rows and the same statement: the release of the
// first is adopted, and what it published is left as it is.
func TestWriteOnce(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	var manifests [2]string
	for i := range manifests {
		p, s := beam.NewPipelineWithRoot()
		_, release := synth.Synthesize(s, beam.CreateList(s, records()), params(t, dir))
		tables.Write(s, tables.Sample{Release: release, Rows: 500, Seed: 7}, table.Target{Output: out, Format: "csv", Shards: 3})
		run(t, p)
		b := must.Value(os.ReadFile(filepath.Join(out+".release", "_manifest.json")))(t)
		manifests[i] = string(b)
	}
	must.Hold(t, manifests[0] == manifests[1], "the second start published something else:\n%s\n%s", manifests[0], manifests[1])
	b := must.Value(os.ReadFile(filepath.Join(out+".release", "_privacy.json")))(t)
	var said struct {
		Epsilon float64
		Rows    int64
	}
	err := json.Unmarshal(b, &said)
	must.Hold(t, err == nil && said.Epsilon == 1 && said.Rows == 500, "the statement says %+v (error %v)\n%s", said, err, b)
	from := must.Value(table.Find(context.Background(), out, nil))(t)
	must.Pass(t, from.Check(context.Background(), &domain.Domain{Attributes: orders.Attributes}, schema.CSV{}))
}

// What cannot be written is refused while the pipeline is built, before anything is spent.
func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	must.Do(t, os.MkdirAll(taken, 0o755))
	must.Do(t, os.WriteFile(filepath.Join(taken, "somebody's.txt"), []byte("x"), 0o644))
	_, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.CreateList(s, records()), params(t, dir))
	for want, call := range map[string]func(){
		"the zero Release": func() { tables.Write(s, tables.Sample{}, table.Target{Output: dir + "/a"}) },
		"Output is empty":  func() { tables.Write(s, tables.Sample{Release: release}, table.Target{}) },
		"taken":            func() { tables.Write(s, tables.Sample{Release: release}, table.Target{Output: taken}) },
		`got "orc"`: func() {
			tables.Write(s, tables.Sample{Release: release}, table.Target{Output: dir + "/a", Format: "orc"})
		},
		"Stage is empty": func() { tables.Write(s, tables.Sample{Release: release}, table.Target{Output: "bq://p.d.t"}) },
		"Release is empty": func() {
			tables.Write(s, tables.Sample{Release: release}, table.Target{Output: "bq://p.d.t", Stage: "gs://b/s"})
		},
		"Output: ": func() {
			tables.Write(s, tables.Sample{Release: release}, table.Target{Output: "bq://p", Stage: "gs://b/s", Release: dir + "/r"})
		},
		"no events": func() {
			tables.Write(s, tables.Sample{Release: release, Tables: true}, table.Target{Output: dir + "/a"})
		},
		"there are no rows":       func() { tables.Write(s, nil, table.Target{Output: dir + "/a"}) },
		"the field Rows is empty": func() { tables.Write(s, tables.Structs{}, table.Target{Output: dir + "/a", RunID: "a"}) },
		"taken/ is not":           func() { tables.WriteStatement(s, release, taken, 0) },
		"a saved one":             func() { tables.WriteStatement(s, synth.Release{}, dir+"/a", 0) },
	} {
		must.Contain(t, refused(call), want, "said")
	}
}

// A statement without rows is a release like any other.
func TestWriteStatement(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "statement")
	for range 2 {
		p, s := beam.NewPipelineWithRoot()
		_, release := synth.Synthesize(s, beam.CreateList(s, records()), params(t, dir))
		tables.WriteStatement(s, release, out, 500)
		run(t, p)
	}
	for _, name := range []string{"_errors.json", "_manifest.json", "_marginals.parquet", "_model.arrow", "_privacy.json", "_report.html"} {
		must.Passes(os.Stat(filepath.Join(out, name)))(t)
	}
}

func TestMain(m *testing.M) { ptest.Main(m) }
