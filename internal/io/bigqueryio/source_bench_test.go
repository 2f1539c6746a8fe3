package bigqueryio

import (
	"math/big"
	"testing"
	"time"

	"cloud.google.com/go/bigquery"
	"cloud.google.com/go/civil"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// A batch of the Storage Read API with a number and a text a row.
func BenchmarkArrowBatch(b *testing.B) {
	schema, batches := serialized(b, longRecord(0, chunkRows))
	d := must.Value(newArrowDecoder(longSource(Client{}), schema))(b)
	b.ReportAllocs()
	for b.Loop() {
		must.Value(d.decode(batches[0], chunkRows))(b)
	}
	b.ReportMetric(float64(chunkRows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// What the client's values cost after the client has made them: a row of five types.
func BenchmarkLoadRow(b *testing.B) {
	src := &Source{Columns: []Column{{As: domain.Int64}, {As: domain.String}, {As: domain.Numeric, Scale: 2}, {As: domain.Timestamp}, {As: domain.Date}}}
	row := []bigquery.Value{int64(7), "a text", big.NewRat(1239, 100), time.Unix(1, 0), civil.Date{Year: 2024, Month: 2, Day: 29}}
	r := newRows(src)
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, r.Load(row, nil))
		if r.full() {
			r.next()
		}
	}
}
