package counts

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
	"github.com/dapple-dp/dapple/internal/transforms/internal/dofn"
	"github.com/dapple-dp/dapple/internal/transforms/private"
)

func init() {
	dofn.Register[parseFn](dofn.Method2x1("ProcessElement", (*parseFn).ProcessElement))
}

const (
	chunkLines  = 4096
	totalChunks = 250 // about a million records
)

// csvText returns chunks of CSV lines: a privacy ID, one for three lines, and
// seven columns of text.
var csvText = sync.OnceValue(func() [][]byte {
	rng, d := rand.New(rand.NewPCG(6, 6)), adult("id")
	out := make([][]byte, totalChunks)
	for c := range out {
		var b []byte
		for range chunkLines {
			b = fmt.Appendf(b, "person-%07d", rng.IntN(totalChunks*chunkLines/3))
			for _, a := range d.Attributes {
				v := min(rng.IntN(len(a.Values)), rng.IntN(len(a.Values)))
				b = append(append(b, ','), a.Values[v]...)
			}
			b = append(b, '\n')
		}
		out[c] = b
	}
	return out
})

// parseFn splits lines at commas.
type parseFn struct{}

func (*parseFn) ProcessElement(chunk int, emit func(*domain.Chunk)) error {
	text := csvText()[chunk]
	c := &domain.Chunk{Rows: chunkLines, Columns: make([]domain.Column, 7)}
	columns := []*domain.Column{&c.ID}
	for a := range c.Columns {
		columns = append(columns, &c.Columns[a])
	}
	for _, col := range columns {
		col.Form, col.Offsets, col.Bytes = domain.Text, make([]uint32, 1, chunkLines+1), make([]byte, 0, 16*chunkLines)
	}
	for len(text) > 0 {
		for i, col := range columns {
			end := byte(',')
			if i == len(columns)-1 {
				end = '\n'
			}
			n := bytes.IndexByte(text, end)
			col.Bytes = append(col.Bytes, text[:n]...)
			col.Offsets = append(col.Offsets, uint32(len(col.Bytes)))
			text = text[n+1:]
		}
	}
	emit(c)
	return nil
}

// BenchmarkEncodeBoundCount runs text to tables on prism, in process, and reports records per second
// of CPU time of the whole process: parsing, Beam and the runner included.
func BenchmarkEncodeBoundCount(b *testing.B) {
	for _, id := range []string{"", "id"} {
		name := "units"
		if id == "" {
			name = "records"
		}
		b.Run(name, func(b *testing.B) {
			csvText()
			chunks := make([]int, totalChunks)
			for i := range chunks {
				chunks[i] = i
			}
			d := adult(id)
			w := query.AllMarginals(d.Sizes(), 3, 10000)
			b.ReportAllocs()
			start := cpuTime(b)
			for b.Loop() {
				p, s := beam.NewPipelineWithRoot()
				text := beam.ParDo(s, &parseFn{}, transformtest.Create(s, chunks...))
				Count(s, private.Bound(s, private.Encode(s, text, d, private.EncodeParams{}), private.BoundParams{}), w, Params{})
				must.Do(b, transformtest.RunOn("prism", p))
			}
			records := float64(b.N) * totalChunks * chunkLines
			b.ReportMetric(records/(cpuTime(b)-start).Seconds(), "records/cpu-s")
		})
	}
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	must.Do(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
