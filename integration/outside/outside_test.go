package outside

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/graph/window"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/direct"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/passert"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/testing/ptest"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
	_ "github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
	"github.com/dapple-dp/dapple/transforms/synth/synthtest"
	"github.com/dapple-dp/dapple/transforms/tables"
)

func TestMain(m *testing.M) { ptest.Main(m) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused returns what a call panics with, as its text.
func refused(call func()) (text string) {
	defer func() { text = fmt.Sprint(recover()) }()
	call()
	return ""
}

func lines(t *testing.T, pattern string) int {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("no file %s (error %v)", pattern, err)
	}
	n := 0
	for _, name := range names {
		b, err := os.ReadFile(name)
		must(t, err)
		n += strings.Count(string(b), "\n")
	}
	return n
}

// write makes a table of structs.
func write[T any](t *testing.T, rows []T, out, format string) string {
	t.Helper()
	p, s := beam.NewPipelineWithRoot()
	tables.Write(s, tables.Structs{Rows: beam.CreateList(s, rows)}, table.Target{Output: out, Format: format, RunID: "input", Shards: 2})
	must(t, ptest.Run(p))
	return out
}

func TestA(t *testing.T) {
	for _, runner := range []string{"prism", "direct"} {
		out := filepath.Join(t.TempDir(), "rows.txt")
		must(t, structs(t.Context(), runner, out))
		if n := lines(t, out); n != 1000 {
			t.Errorf("%s: %d lines", runner, n)
		}
	}
}

func TestB(t *testing.T) {
	dir := t.TempDir()
	in := write(t, records(4000), filepath.Join(dir, "in"), "parquet")
	must(t, partitions(t.Context(), in, filepath.Join(dir, "out"), filepath.Join(dir, "statement")))
	for _, name := range []string{"out/country=FR/*.parquet", "out/country=PT/*.parquet", "statement/_privacy.json", "statement/_model.arrow"} {
		if names, _ := filepath.Glob(filepath.Join(dir, name)); len(names) != 1 {
			t.Errorf("%s: %q", name, names)
		}
	}
	b, err := os.ReadFile("b_partitions.go")
	must(t, err)
	code := 0
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			code++
		}
	}
	if code > 40 {
		t.Errorf("Parquet to partitioned Parquet takes %d lines", code)
	}
}

func TestC(t *testing.T) {
	dir := t.TempDir()
	var homes []Home
	for _, o := range records(4000) {
		homes = append(homes, Home{o.Customer, "PT"})
	}
	out := filepath.Join(dir, "out")
	must(t, joins(t.Context(), write(t, records(4000), filepath.Join(dir, "o"), "parquet"), write(t, homes, filepath.Join(dir, "h"), "csv"),
		write(t, []Tax{{"FR", 20}, {"IT", 22}, {"PT", 23}}, filepath.Join(dir, "t"), "csv"), out))
	if names, _ := filepath.Glob(filepath.Join(out, "*.parquet")); len(names) != 8 {
		t.Errorf("files %q", names)
	}
}

func TestD(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	var patients []Patient
	var visits []Visit
	for i := range 600 {
		patients = append(patients, Patient{fmt.Sprint("p", i), []string{"F", "M"}[i%2]})
		for j := range i % 4 {
			visits = append(visits, Visit{fmt.Sprint("p", i), []string{"A", "B"}[j%2]})
		}
	}
	must(t, people(t.Context(), patients, visits, out))
	if n := lines(t, filepath.Join(out, "people", "*.csv")); n != 501 {
		t.Errorf("%d lines of people", n)
	}
}

func TestE(t *testing.T) { must(t, method(t.Context())) }

func init() { register.Function1x1(dry) }

func dry(o Order) bool { return o.Country != "" && o.Items >= 1 && o.Customer == "" }

// F: tests of a pipeline, with passert: by a run of its own, and with dry rows, for which nothing is drawn.
func TestF(t *testing.T) {
	p, s, col := ptest.CreateList(records(2000))
	rows, _ := synth.Synthesize(s, col, synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 500})
	passert.Count(s, rows, "rows", 500)
	ptest.RunAndValidate(t, p)

	p, s, col = ptest.CreateList(records(10))
	rows, _ = synthtest.Synthesize(s, col, synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Rows: 500})
	passert.Count(s, rows, "dry rows", 500)
	passert.True(s, rows, dry)
	ptest.RunAndValidate(t, p)
}

// G: records in windows are refused while the pipeline is built.
func TestG(t *testing.T) {
	_, s := beam.NewPipelineWithRoot()
	windowed := beam.WindowInto(s, window.NewFixedWindows(time.Hour), beam.CreateList(s, records(10)))
	said := refused(func() { synth.Synthesize(s, windowed, synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9}) })
	if !strings.Contains(said, "each window would spend") {
		t.Errorf("said %q", said)
	}
}

func TestH(t *testing.T) {
	must(t, budget(t.Context(), false))
	if said := refused(func() { _ = budget(t.Context(), true) }); !strings.Contains(said, "does not fit") {
		t.Errorf("said %q", said)
	}
}

func TestIAndN(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	for range 2 { // the second start adopts the release, and publishes nothing else
		must(t, stored(t.Context(), filepath.Join(dir, "store"), out))
	}
	more := filepath.Join(dir, "more")
	must(t, saved(t.Context(), out+".release", more))
	if names, _ := filepath.Glob(filepath.Join(more, "*.parquet")); len(names) != 1 {
		t.Errorf("files %q", names)
	}
}

// Q: two nights are paid for, the second one once though its job is started twice; a third one does not fit the book. The refusal of a
// finding is a sentence, without Beam's plan around it.
func TestQ(t *testing.T) {
	dir := t.TempDir()
	store, book, small := filepath.Join(dir, "store"), filepath.Join(dir, "book"), filepath.Join(dir, "small")
	program := filepath.Join(dir, "dapple") // who keeps the book has the command
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-o", program, "./pipelines/dapple").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for at, epsilon := range map[string]dp.Epsilon{book: 1.2, small: .1} {
		ledger := exec.CommandContext(t.Context(), program, "ledger", at, "--create=orders", "--input=orders", "--privacy_id=customer", fmt.Sprintf("--epsilon=%g", epsilon), "--delta=1e-6")
		if out, err := ledger.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	for _, night := range []string{"1", "2", "2"} {
		must(t, nightly(t.Context(), night, store, book, filepath.Join(dir, night)))
	}
	if err := nightly(t.Context(), "3", store, book, filepath.Join(dir, "3")); err == nil || !strings.Contains(err.Error(), "the book of orders, has no room for this") {
		t.Errorf("said %v", err)
	}
	if err := nightly(t.Context(), "4", store, small, filepath.Join(dir, "4")); err == nil || !strings.Contains(err.Error(), small+", the book of orders, ") || strings.Contains(err.Error(), "\n") {
		t.Errorf("said %v", err)
	}
}

// J: a graph for an engine has one branch.
func TestJ(t *testing.T) {
	size := map[string]int{}
	for _, runner := range []string{"prism", "flink"} {
		p, s := beam.NewPipelineWithRoot()
		synth.Synthesize(s, beam.CreateList(s, records(10)), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9, Runner: runner, NoStore: "nothing is run"})
		edges, _, err := p.Build()
		must(t, err)
		size[runner] = len(edges)
	}
	if max(size["flink"], size["prism"]) > 30 {
		t.Errorf("transforms %v", size)
	}
}

func TestK(t *testing.T) { must(t, again(t.Context())) }

func TestL(t *testing.T) {
	if said := refused(func() { warehouse("bq://p.d", "gs://b/stage", t.TempDir()) }); !strings.Contains(said, "Output: ") {
		t.Errorf("said %q", said)
	}
}

func init() { register.Function1x2(fails) }

func fails(o Order) (Order, error) { return o, errors.New("as it should") }

// M: no release and no row of a job that failed before the stage.
func TestM(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	p, s := beam.NewPipelineWithRoot()
	_, release := synth.Synthesize(s, beam.ParDo(s, fails, beam.CreateList(s, records(100))), synth.Params{Domain: orders, Epsilon: 1, Delta: 1e-9})
	tables.Write(s, tables.Sample{Release: release}, table.Target{Output: out})
	if _, err := beam.Run(context.Background(), "prism", p); err == nil {
		t.Error("the job ended well")
	}
	for _, pattern := range []string{out + "/*.parquet", out + ".release/_privacy.json"} {
		if names, _ := filepath.Glob(pattern); len(names) > 0 {
			t.Errorf("there is %q", names)
		}
	}
}

// P: one program has dapple's Parquet, arrow-go's, and BigQuery's client.
func TestP(t *testing.T) {
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "n", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1, HasFallback: true}}}
	f, err := os.Create(filepath.Join(t.TempDir(), "p.parquet"))
	must(t, err)
	defer f.Close() // its writes were looked at
	rows, err := linkedParquet(f, d, &domain.Chunk{Rows: 3, Columns: []domain.Column{{Form: domain.Ints, Ints: []int64{1, 2, 3}}}})
	if must(t, err); rows != 3 {
		t.Errorf("%d rows", rows)
	}
}
