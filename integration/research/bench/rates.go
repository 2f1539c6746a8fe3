package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/io/csvio"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

// rates prints rows per CPU-second and allocations of counting and of sampling, beside what limits
// them: reading and splitting the CSV alone, and decoding alone.
func rates(w *tabwriter.Writer) error {
	dir, err := os.MkdirTemp("", "dapple-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const rows = 600_000
	path := filepath.Join(dir, "people.csv")
	d := sevenColumns()
	if err := writePeople(path, d, rows); err != nil {
		return err
	}
	for _, id := range []string{"", "person_id"} {
		with := *d
		with.PrivacyID = id
		name := "without ID"
		if id != "" {
			name = "with ID, 3 rows for each"
		}
		read := func() error {
			return csvio.EachFile(path, &with, schema.CSV{}, func(*domain.Chunk) error { return nil })
		}
		if err := rate(w, "read 7 columns of CSV, "+name, rows, read); err != nil {
			return err
		}
		if err := rate(w, "read, encode, bound, count, "+name, rows, func() error { return count(path, &with) }); err != nil {
			return err
		}
	}
	m := &population.Model{Sizes: d.Sizes()}
	k, _, _ := d.Universe()
	rng := rand.New(rand.NewPCG(1, 2))
	for range k {
		m.Weights = append(m.Weights, rng.ExpFloat64())
	}
	const sampled = 4_000_000
	if err := rate(w, "sample 7 columns, systematic", sampled, func() error { return draw(m, d, sampled) }); err != nil {
		return err
	}
	return w.Flush()
}

// rate runs f once and prints a line.
func rate(w io.Writer, what string, rows int, f func() error) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := cpu()
	if err := f(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	seconds := cpu() - start
	runtime.ReadMemStats(&after)
	fmt.Fprintf(w, "%s\t%d rows\t\t\t\t\t\t\t\t\t\t\t\t\t\t%.0f\t%.2f\t\n", what, rows, float64(rows)/seconds, float64(after.Mallocs-before.Mallocs)/float64(rows))
	return nil
}

// sevenColumns is a domain of adult7's sizes.
func sevenColumns() *domain.Domain {
	d := &domain.Domain{}
	for a, k := range []int{2, 2, 5, 7, 15, 16, 10} {
		at := domain.Attribute{Name: fmt.Sprint("column", a), Type: domain.String, HasFallback: true}
		for v := range k {
			at.Values = append(at.Values, fmt.Sprint("value-", v))
		}
		d.Attributes = append(d.Attributes, at)
	}
	return d
}

func writePeople(path string, d *domain.Domain, rows int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	b.WriteString("person_id," + strings.Join(d.Names(), ","))
	rng := rand.New(rand.NewPCG(3, 4))
	for r := range rows {
		fmt.Fprintf(b, "\nperson-%07d", r/3)
		for i := range d.Attributes {
			b.WriteString("," + d.Attributes[i].Values[rng.IntN(len(d.Attributes[i].Values))])
		}
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// count runs the private side of a pipeline on prism, in process.
func count(path string, d *domain.Domain) error {
	beamlog.SetLogger(silent{})
	beam.Init()
	slog.SetDefault(slog.New(slog.DiscardHandler)) // prism's log; Init sets one of its own
	p, s := beam.NewPipelineWithRoot()
	records := private.Encode(s, csvio.Read(s, []files.Info{{Name: path}}, d, schema.CSV{}), d, private.EncodeParams{})
	counts.Count(s, private.Bound(s, records, private.BoundParams{}), query.AllMarginals(d.Sizes(), 3, 10_000), counts.Params{})
	_, err := beam.Run(context.Background(), "prism", p)
	return err
}

type silent struct{}

func (silent) Log(context.Context, beamlog.Severity, int, string) {}

// draw reads and decodes n rows.
func draw(m *population.Model, d *domain.Domain, n int64) error {
	rows := population.Systematic(m, n, 1)
	decoder := domain.NewDecoder(d)
	codes := make([]domain.Code, 4096*d.Len())
	var chunk domain.Chunk
	for from := int64(0); from < n; {
		got := rows.Read(from, codes)
		decoder.Decode(&chunk, codes[:got*d.Len()], func(int, int) uint64 { return 0 })
		from += int64(got)
	}
	return nil
}
