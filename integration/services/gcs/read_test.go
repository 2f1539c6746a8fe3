package gcs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// readAll reads a table whole and returns its number of rows.
func readAll(t *testing.T, tab table.Source) (rows int, err error) {
	t.Helper()
	f := must.Value(schema.Parse("domain.yaml", []byte(shopDomain)))(t)
	err = tab.Each(ctx, f.Domain, schema.CSV{}, func(c *domain.Chunk) error {
		rows += c.Rows
		return nil
	})
	return rows, err
}

// A table is read whole through failures, cut connections among them, or not at all.
func TestReadingThroughFailures(t *testing.T) {
	s, _ := shop(t)
	putParquet(t, s, "gs://shop/in/p.parquet", 0, 1000)
	put(s, "gs://shop/in/large.csv", shopCSV(20_000))
	p := startProxy(t, s)
	for input, want := range map[string]int{"gs://shop/in/p.parquet": 1000, "gs://shop/in/large.csv": 20_000} {
		tab := must.Value(table.Find(ctx, input, table.Options{}))(t)
		for _, f := range []fault{before503, afterDrop, halfway} {
			p.inject(read, f, 0, 2)
			rows, err := readAll(t, tab)
			_, failed := p.seen(read)
			must.Hold(t, err == nil && rows == want && failed != 0, "%s, %s: %d rows of %d, %d failures, %v", input, f, rows, want, failed, err)
		}
		p.inject(read, denied, 0, 1)
		must.Fails(readAll(t, tab))(t, input+": not allowed; grant this account", "%s", input)
	}
}

// Reading takes few requests: one for the ends of a small Parquet file, one for its column chunks
// together, and one for a CSV file.
func TestRequestsOfReading(t *testing.T) {
	s, _ := shop(t)
	putParquet(t, s, "gs://shop/in/p.parquet", 0, 100_000)
	p := startProxy(t, s)
	for input, most := range map[string]int{"gs://shop/in/p.parquet": 4, "gs://shop/in/customers.csv": 1} {
		tab := must.Value(table.Find(ctx, input, table.Options{}))(t)
		p.inject(read, before503, 0, 0)
		must.Value(readAll(t, tab))(t)
		n, _ := p.seen(read)
		must.Hold(t, n >= 1 && n <= most, "%s: %d requests, want at most %d", input, n, most)
	}
}

// A pattern of many objects is looked at in little time, and every fault is found.
func TestManyFooters(t *testing.T) {
	s, c := shop(t)
	for i := range 40 {
		putParquet(t, s, fmt.Sprintf("gs://shop/many/p-%03d.parquet", i), i*10, i*10+10)
	}
	c.Input = "gs://shop/many/*.parquet"
	mustRun(t, c)
	put(s, "gs://shop/many/p-017.parquet", "not Parquet")
	put(s, "gs://shop/many/p-031.parquet", "not Parquet")
	c.Output = "gs://shop/other"
	_, err := run(t, c)
	must.Hold(t, err != nil && strings.Count(err.Error(), "the footer cannot be read") == 2 && strings.Index(err.Error(), "p-017") <= strings.Index(err.Error(), "p-031"),
		"%v", err)
}
