package pipelines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/private"
	_ "github.com/dapple-dp/dapple/io/bigqueryio"
)

// customers is a table of the shop: n rows, in the forms that parquetio writes.
func customers(from, n int) *domain.Chunk {
	c := &domain.Chunk{Rows: n, Columns: []domain.Column{
		{Form: domain.Text, Offsets: []uint32{0}}, {Form: domain.Dictionary, Dict: []string{"basic", "plus", "pro", "trial"}},
		{Form: domain.Ints}, {Form: domain.Ints},
	}}
	for i := from; i < from+n; i++ {
		id := &c.Columns[0]
		id.Bytes = fmt.Appendf(id.Bytes, "c%d", i)
		id.Offsets = append(id.Offsets, uint32(len(id.Bytes)))
		for k, v := range []int{i % 4, 18 + i*i%80, (2 - min(i%3, 1)) % 2} {
			c.Columns[k+1].Ints = append(c.Columns[k+1].Ints, int64(v))
		}
	}
	return c
}

// shopColumns are the columns of a Parquet file of the shop.
func shopColumns() []domain.Attribute {
	return []domain.Attribute{
		{Name: "customer", Type: domain.String}, {Name: "plan", Type: domain.String, Values: []string{"basic"}},
		{Name: "age", Type: domain.Int64}, {Name: "active", Type: domain.Bool},
	}
}

func writeParquet(t testing.TB, path string, columns []domain.Attribute, c *domain.Chunk) {
	t.Helper()
	f, err := os.Create(path)
	must.Do(t, err)
	w := must.Value(parquetio.NewWriter(f, &domain.Domain{Attributes: columns}, parquetio.Options{GroupRows: 100}))(t)
	err = w.Write(c)
	_, closing := w.Close()
	must.Do(t, errors.Join(err, closing, f.Close()))
}

// parquetShop is shop with its table in two Parquet files.
func parquetShop(t testing.TB) Config {
	t.Helper()
	c := shop(t, 1)
	dir := filepath.Dir(c.Domain)
	writeParquet(t, filepath.Join(dir, "a.parquet"), shopColumns(), customers(0, 300))
	writeParquet(t, filepath.Join(dir, "b.parquet"), shopColumns(), customers(300, 50))
	c.Input = filepath.Join(dir, "*.parquet")
	return c
}

// Under Replace the number of units is public: the rows are as many as the customers, without noise, and tell
// whether every file was read once.
func TestRunReadsParquet(t *testing.T) {
	for _, runner := range []string{"prism", "direct"} {
		c := parquetShop(t)
		c.Runner, c.Neighbouring = runner, dp.Replace
		rows := mustRun(t, c).Privacy.Rows
		must.Hold(t, rows == 350, "%s: %d rows for 350 customers", runner, rows)
	}
}

// A directory that a run wrote is an input, without its staged and foreign files, for a domain without a
// privacy ID. Every row is a unit, and under Replace their number is public.
func TestRunReadsItsOutput(t *testing.T) {
	for _, format := range []string{"parquet", "csv"} {
		c := parquetShop(t)
		c.Format, c.Rows = format, 200
		mustRun(t, c)
		again := shop(t, 1)
		again.Input, again.Neighbouring = c.Output, dp.Replace
		must.Do(t, os.WriteFile(again.Domain, []byte(strings.Replace(shopDomain, "privacy_id: customer", "privacy_id: none", 1)), 0o666))
		r := mustValidate(t, again)
		must.Hold(t, len(r.source.(*table.Files).Files) == 2, "%s: inputs %v", format, r.source)
		rows := mustRun(t, again).Privacy.Rows
		must.Hold(t, rows == 200, "%s: %d rows of 200", format, rows)
	}
}

// TestInputFaults: what can be known of a Parquet input before the run is listed at once.
func TestInputFaults(t *testing.T) {
	put := func(t *testing.T, path, content string) {
		t.Helper()
		must.Do(t, os.WriteFile(path, []byte(content), 0o666))
	}
	for _, tt := range []struct {
		name  string
		spoil func(t *testing.T, c *Config, dir string)
		plan  bool // found without opening a file
		want  []string
	}{
		{"mixed", func(t *testing.T, c *Config, dir string) { c.Input = filepath.Join(dir, "*.[pc]*") }, true,
			[]string{"a.parquet is parquet and", "shop.csv is csv; name files of one format"}},
		{"nothing", func(t *testing.T, c *Config, dir string) { c.Input = filepath.Join(dir, "x*.parquet") }, true, []string{"no such file"}},
		{"foreign directory", func(t *testing.T, c *Config, dir string) { c.Input = dir }, true,
			[]string{"and no output of dapple", "*.parquet"}},
		{"scheme", func(t *testing.T, c *Config, dir string) { c.Input = "s3://b/x.parquet" }, true, []string{"s3:// are not known"}},
		{"not Parquet", func(t *testing.T, c *Config, dir string) {
			put(t, filepath.Join(dir, "b.parquet"), "customer,SECRET\n")
		}, false,
			[]string{"b.parquet: the footer cannot be read; is this a whole Parquet file?"}},
		{"empty file", func(t *testing.T, c *Config, dir string) { put(t, filepath.Join(dir, "a.parquet"), "") }, false,
			[]string{"a.parquet: the footer cannot be read"}},
		{"other columns", func(t *testing.T, c *Config, dir string) {
			columns := shopColumns()
			columns[0].Name, columns[1].Type, columns[2].Type = "client", domain.Int64, domain.Numeric
			for _, name := range []string{"a.parquet", "b.parquet"} {
				writeParquet(t, filepath.Join(dir, name), columns, withInts(customers(0, 5), 1))
			}
		}, false, []string{`a.parquet: column "customer": the file has no such column`, `column "plan": INT64 Int(bitWidth=64, isSigned=true) does not read as STRING`,
			`column "age": FIXED_LEN_BYTE_ARRAY Decimal(precision=38, scale=9) does not read as INT64`}},
		{"files that differ", func(t *testing.T, c *Config, dir string) {
			columns := shopColumns()
			columns[2].Type, columns[3].Name = domain.Date, "inactive"
			writeParquet(t, filepath.Join(dir, "b.parquet"), columns, customers(0, 5))
		}, false, []string{`b.parquet: column "age": INT32 Date REQUIRED here, INT64 Int(bitWidth=64, isSigned=true) REQUIRED in the first file`,
			`b.parquet: column "inactive": the first file has no such column`, `b.parquet: column "active": the first file has it`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := parquetShop(t)
			tt.spoil(t, &c, filepath.Dir(c.Domain))
			_, faults := validate(context.Background(), c)
			must.Hold(t, (len(faults) > 0) == tt.plan, "planning: error %v, want one: %v", faults, tt.plan)
			c.Epsilon = -1 // listed with the rest
			_, err := ValidateRun(context.Background(), c)
			must.Need(t, IsRequest(err) && strings.Contains(err.Error(), "--epsilon"), "error %v", err)
			for _, want := range tt.want {
				must.Hold(t, strings.Contains(err.Error(), want), "no %q in\n%v", want, err)
			}
			must.Hold(t, !strings.Contains(err.Error(), "SECRET") && strings.Count(err.Error(), "--input") >= len(tt.want)-1,
				"faults are not one a line, or show a cell:\n%v", err)
		})
	}
}

// withInts makes column k one of numbers.
func withInts(c *domain.Chunk, k int) *domain.Chunk {
	c.Columns[k].Form = domain.Ints
	return c
}

// A file that changes after its check ends the run before anything is spent, also where its size stays.
func TestRunRefusesChangedParquet(t *testing.T) {
	c := parquetShop(t)
	r := mustValidate(t, c)
	name := r.source.(*table.Files).Files[1].Name
	writeParquet(t, name, shopColumns(), customers(300, 50)) // of the same size
	// The clock of a file system ticks every few milliseconds: without this both states could have one time.
	later := time.Now().Add(time.Minute)
	must.Do(t, os.Chtimes(name, later, later))
	_, err := Run(context.Background(), r)
	must.Fail(t, err, "b.parquet: the file has changed since the run was planned\nnothing was written")
}

// A list that was cut before it became faults still counts as many as it had.
func TestFaultsAreCounted(t *testing.T) {
	var list errtext.Errors
	for i := range 50 {
		list.Addf("csv: fault %d", i)
	}
	faults := append(Faults{{Where: "--rows", What: "is wrong"}}, ErrorFaults("--input", list.Err())...)
	lines := faults.Lines()
	n := faults.Count()
	must.Hold(t, n == 51 && len(lines) == 21 && lines[19] == "--input: fault 18" && lines[20] == "and 31 more", "%d faults: %q", n, lines)
}

// People take as many shards as the bytes of both tables ask for; how far the reading is, is known if both sizes are.
func TestBytesOfRowsAndPeople(t *testing.T) {
	sized := func(n int64) table.Source { return sizedTable{n: n} }
	rows, people := sized(20<<30), sized(10<<30)
	r := &Request{source: rows}
	n, whole := r.inputBytes()
	must.Hold(t, n == 20<<30 && whole, "rows alone: %d, %v", n, whole)
	r.people = people
	if n, whole := r.inputBytes(); n != 30<<30 || !whole {
		t.Errorf("both: %d, %v", n, whole)
	}
	p := boundParams(r, launch{})
	must.Hold(t, p.Shards == 30<<30/(4<<20), "%d shards", p.Shards)
	r.source = sized(0)
	if n, whole := r.inputBytes(); n != 10<<30 || whole {
		t.Errorf("rows of unknown size: %d, %v", n, whole)
	}
}

// Beam's runners in Java take only so much of a bundle. A table of BigQuery is not read in parts, so that a large one ends
// the run in words there, unless its people wait in a file; nowhere else is there this limit.
func TestBundlesOfRunnersInJava(t *testing.T) {
	bq := must.Value(table.Find(t.Context(), "bq://project.shop.bought", table.Options{}))(t)
	_, parts := bq.(interface {
		ReadApart(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection
	})
	must.Hold(t, !parts, "tables of BigQuery are read in parts")
	spill := private.NewSpill(t.TempDir())
	defer spill.Close()
	for _, tt := range []struct {
		runner, environment string
		here                bool
		bundle              int64
		shards              int
	}{
		{"flink", "PROCESS", false, 190 << 20, 4096},
		{"spark", "EXTERNAL", false, 190 << 20, 4096},
		{"flink", "LOOPBACK", true, 190 << 20, 256}, // the limit is not for what a spill keeps
		{"dataflow", "DOCKER", false, -1, 256},
		{"universal", "PROCESS", false, 190 << 20, 4096}, // it may be one of them
		{"prism", "PROCESS", false, 0, 256},
		{"prism", "", true, 0, 256},
	} {
		r := &Request{source: sizedTable{n: 1 << 30}}
		if r.Runner = tt.runner; tt.environment != "" {
			r.Engine = Engine{Endpoint: "localhost:1", Environment: tt.environment}
		}
		if tt.runner == "dataflow" {
			r.Engine.Endpoint = dataflowScheme + "project/region"
		}
		r.Engine = r.Engine.withDefaults(tt.runner)
		here, l := !r.Engine.runner.Elsewhere, launch{}
		if here {
			l.spill = spill
		}
		if p := boundParams(r, l); here != tt.here || p.MaxBundle != tt.bundle || p.Shards != tt.shards {
			t.Errorf("%s with %s: %v, %d bytes, %d shards", tt.runner, tt.environment, here, p.MaxBundle, p.Shards)
		}
	}
}

// sizedTable is a table of n bytes, which nobody reads.
type sizedTable struct {
	table.Source
	n int64
}

func (s sizedTable) Bytes() int64 { return s.n }

// TestStrictRunsSaySo: that a strict run has ended well shows that every cell was usable, which no guarantee
// covers. Its statement and its closing words say so, and other runs list nothing.
func TestStrictRunsSaySo(t *testing.T) {
	for _, strict := range []bool{false, true} {
		c := shop(t, 20)
		c.Strict, c.Delta = strict, 0
		res := mustRun(t, c)
		var words bytes.Buffer
		must.Do(t, res.WriteText(&words))
		statement := must.Value(res.Privacy.JSON())(t)
		listed := len(res.Privacy.NotPrivate)
		said := strings.Contains(words.String(), "note    NOT PRIVATE: that there is a release: ")
		written := bytes.Contains(statement, []byte(`"that there is a release: `))
		must.Hold(t, listed == map[bool]int{true: 1}[strict] && said == strict && written == strict,
			"strict %v: %d figures listed; said %v, written %v", strict, listed, said, written)
	}
}
