package bigquery

import (
	"math/rand/v2"
	"testing"

	bq "cloud.google.com/go/bigquery"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/services"
	"github.com/dapple-dp/dapple/internal/release/dirsink"
	"github.com/dapple-dp/dapple/io/bigqueryio"
)

const (
	longRows = 10
	longText = 2 << 20 // bytes of a row
)

// long returns a domain of one column, and rows of its categories that no codec makes shorter than 16 MiB, which is
// what the client sends in one request.
func long() (domain.Domain, *domain.Chunk) {
	r := rand.New(rand.NewPCG(1, 2))
	c := domain.Column{Form: domain.Text, Bytes: make([]byte, longRows*longText), Offsets: []uint32{0}}
	for i := range c.Bytes {
		c.Bytes[i] = byte('0' + r.IntN(64))
	}
	a := domain.Attribute{Name: "s", Type: domain.String, Other: true}
	for i := range longRows {
		c.Offsets = append(c.Offsets, uint32((i+1)*longText))
		a.Values = append(a.Values, string(c.Bytes[i*longText:(i+1)*longText]))
	}
	return domain.Domain{Attributes: []domain.Attribute{a}}, &domain.Chunk{Rows: longRows, Columns: []domain.Column{c}}
}

// Rows that are sent from this machine in several requests are loaded once, whichever of them is lost, or its
// answer.
func TestLargeMediaUnderFaults(t *testing.T) {
	for name, faults := range map[string]struct{ chunks, job []services.Fault }{
		"no fault":              {},
		"chunk before503":       {chunks: []services.Fault{services.Before503}},
		"chunk after503":        {chunks: []services.Fault{services.After503}},
		"chunk afterdrop":       {chunks: []services.Fault{services.AfterDrop}},
		"job before503":         {job: []services.Fault{services.Before503}},
		"job after503":          {job: []services.Fault{services.After503}},
		"job afterdrop":         {job: []services.Fault{services.AfterDrop}},
		"chunk and job dropped": {[]services.Fault{services.AfterDrop}, []services.Fault{services.AfterDrop}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, true)
			p := services.StartProxy(t, r.BigQuery, faults.job...)
			p.LoseChunks(faults.chunks...)
			s, ctx := r.sink(p, "run-1"), services.Deadline(t)
			d, rows := long()
			s.Domain, s.Shards = d, 1
			for range 2 {
				part, err := r.dir(s).Create(ctx, 0)
				if err != nil {
					t.Fatal(err)
				}
				if err := write(s, part, rows); err != nil {
					t.Fatal(err)
				}
				ref, err := part.Commit(longRows)
				if err != nil {
					t.Fatal(err)
				}
				if ref.Bytes <= 16<<20 {
					t.Fatalf("%d bytes go in one request", ref.Bytes)
				}
				if _, err := s.Publish(ctx, bigqueryio.Staged{Model: "m", Parts: []dirsink.FileRef{ref}}); err != nil {
					t.Fatal(err)
				}
			}
			if n := p.Pending(); n != 0 {
				t.Errorf("%d faults were not met", n)
			}
			it, err := r.Client(t).Query("SELECT COUNT(*), COUNT(DISTINCT s), SUM(LENGTH(s)) FROM `test.d.t`").Read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			var got []bq.Value
			if err := it.Next(&got); err != nil {
				t.Fatal(err)
			}
			if got[0] != int64(longRows) || got[1] != int64(longRows) || got[2] != int64(longRows*longText) || p.Loads() != 1 {
				t.Errorf("rows, different ones and bytes %v after %d loads; want %d, %d, %d after 1", got, p.Loads(), longRows, longRows, longRows*longText)
			}
		})
	}
}
