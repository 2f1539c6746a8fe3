package synth

import (
	"context"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// BenchmarkRows decodes rows of a small domain: what sampling costs besides writing.
func BenchmarkRows(b *testing.B) {
	const n = 1 << 20
	src := must.Value(newTestSource(n, Refined))(b)
	b.ReportAllocs()
	for b.Loop() {
		must.Do(b, src.each(context.Background(), oneTable, 0, n, newChunk, func(*domain.Chunk) error { return nil }))
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
