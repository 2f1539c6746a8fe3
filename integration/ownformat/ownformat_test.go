package ownformat

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/pipelines"
	"github.com/dapple-dp/dapple/internal/request/evaluate"
	"github.com/dapple-dp/dapple/internal/request/infer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// pairsFormat is a format of this test's own: a record is a line of name=number pairs in any order.
func pairsFormat() table.Format {
	return table.Format{Name: "pairs", Extensions: []string{".pairs"}, Each: eachPairs, Describe: describePairs, NewWriter: newPairs}
}

func TestMain(m *testing.M) { transformtest.Main(m) }

func init() { table.RegisterFormat(pairsFormat()) }

func eachPairs(ctx context.Context, f table.FileInfo, d *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	r, err := table.OpenFile(ctx, f)
	if err != nil {
		return err
	}
	defer r.Close() // only read from
	names := []string{d.PrivacyID}
	for i := range d.Attributes {
		names = append(names, d.Attributes[i].Name)
	}
	columns := make([]domain.Column, len(names))
	for i := range columns {
		columns[i].Form = domain.Ints
	}
	rows := 0
	for lines := bufio.NewScanner(r); lines.Scan(); rows++ {
		cells := map[string]string{}
		for _, pair := range strings.Fields(lines.Text()) {
			name, cell, _ := strings.Cut(pair, "=")
			cells[name] = cell
		}
		for i, name := range names {
			n, err := strconv.ParseInt(cells[name], 10, 64)
			if err != nil && name != "" {
				return fmt.Errorf("%s: line %d, column %q: not a number", f.Name, rows+1, name)
			}
			columns[i].Ints = append(columns[i].Ints, n)
		}
	}
	if d.PrivacyID == "" {
		columns[0] = domain.Column{}
	}
	return yield(&domain.Chunk{Rows: rows, ID: columns[0], Columns: columns[1:]})
}

func describePairs(ctx context.Context, f table.FileInfo, _ schema.CSV) (columns []table.Column, form schema.CSV, err error) {
	r, err := table.OpenFile(ctx, f)
	if err != nil {
		return nil, form, err
	}
	defer r.Close() // only read from
	start, err := io.ReadAll(io.LimitReader(r, 1<<10))
	line, _, _ := bytes.Cut(start, []byte("\n"))
	for _, pair := range strings.Fields(string(line)) {
		name, _, _ := strings.Cut(pair, "=")
		columns = append(columns, table.Column{Name: name, Type: domain.Int64})
	}
	return columns, form, err
}

// pairsWriter writes the numbers of chunks.
type pairsWriter struct {
	w io.Writer
	d *domain.Domain
}

func newPairs(w io.Writer, d *domain.Domain, _ string) (table.RowWriter, error) {
	return pairsWriter{w, d}, nil
}

func (p pairsWriter) Write(c *domain.Chunk) error {
	for i := range c.Rows {
		for k := range c.Columns {
			if _, err := fmt.Fprintf(p.w, "%s=%d ", p.d.Attributes[k].Name, c.Columns[k].Ints[i]); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(p.w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

func (pairsWriter) Close() error { return nil }

// A format is one registration: the whole job reads it, releases, and writes and publishes it, rows are sampled in it,
// a domain is inferred from it and tables of it are evaluated. No other package knows of it.
func TestFormatOfOnesOwn(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	var people strings.Builder
	rng := rand.New(rand.NewPCG(1, 2))
	for id := range 4000 {
		size := rng.IntN(3)
		fmt.Fprintf(&people, "size=%d id=%d visits=%d\n", size, id, size+rng.IntN(2))
	}
	input := write("people.pairs", people.String())
	dom := write("people.yaml", "privacy_id: id\ncolumns:\n- {name: visits, type: INT64, values: [0, 1, 2, 3], fallback: 0}\n- {name: size, type: INT64, values: [0, 1, 2], fallback: 0}\n")

	out := filepath.Join(dir, "out")
	request, err := pipelines.ValidateRun(ctx, pipelines.Config{Domain: dom, Input: input, Output: out, Format: "pairs", Epsilon: 5, Delta: 1e-6, Shards: 2})
	must.Do(t, err)
	result := must.Value(pipelines.Run(ctx, request))(t)
	parts, err := filepath.Glob(filepath.Join(out, "part-*-of-00002.pairs"))
	if err != nil || len(parts) != 2 || result.Written.Files != 2 || result.Privacy.Releases == 0 {
		t.Errorf("files %q (%v); %+v", parts, err, result.Written)
	}
	if v, err := pipelines.Verify(ctx, &pipelines.VerifyRequest{VerifyConfig: pipelines.VerifyConfig{Dir: out, Digest: result.Written.Digest}}); err != nil || v.Output.Rows != result.Written.Rows {
		t.Errorf("verify: %v", err)
	}

	more := filepath.Join(dir, "more")
	sample, err := pipelines.ValidateSample(ctx, pipelines.SampleConfig{Model: out, Output: more, Format: "pairs", Rows: 500, Where: "size=2"})
	must.Do(t, err)
	if drawn, err := pipelines.RunSample(ctx, sample); err != nil || drawn.Rows != 500 {
		t.Errorf("sample: %+v, %v", drawn, err)
	}
	rows := 0
	again := must.Value(table.Find(ctx, more, nil))(t)
	released := *request.File.Domain
	released.PrivacyID = ""
	if err := again.Each(ctx, &released, schema.CSV{}, func(c *domain.Chunk) error {
		for _, size := range c.Columns[1].Ints {
			must.Hold(t, size == 2, "a row does not meet the condition")
		}
		rows += c.Rows
		return nil
	}); err != nil || rows != 500 {
		t.Errorf("%d sampled rows, %v", rows, err)
	}

	var text bytes.Buffer
	if err := evaluate.Run(ctx, evaluate.Config{Domain: dom, Input: input, Synthetic: out}, &text); err != nil || text.Len() == 0 {
		t.Errorf("evaluate: %v", err)
	}
	src := must.Value(infer.Open(ctx, infer.Params{Input: input, FromData: true, PrivacyID: "id"}))(t)
	if proposal, err := src.Propose(ctx); err != nil || !strings.Contains(string(proposal), "visits") {
		t.Errorf("infer: %v\n%s", err, proposal)
	}
}

func TestFormatsAreRegisteredOnce(t *testing.T) {
	defer func() {
		must.Hold(t, recover() != nil, "two formats of one name")
	}()
	table.RegisterFormat(pairsFormat())
}
