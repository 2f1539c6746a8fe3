package synth

import (
	"context"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// BenchmarkRows decodes rows of a small domain: what sampling costs besides writing.
func BenchmarkRows(b *testing.B) {
	const n = 1 << 20
	src, err := newTestSource(n, Refined)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := src.each(context.Background(), oneTable, 0, n, newChunk, func(*domain.Chunk) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
