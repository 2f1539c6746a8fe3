package private

import (
	"bytes"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/testkit/transformtest"
)

// FuzzDecodeChunk feeds the coder of chunks arbitrary bytes: it refuses them, in memory bounded by their
// length, or returns a chunk that can be encoded and read back.
func FuzzDecodeChunk(f *testing.F) {
	text := transformtest.Chunk([][]string{{"F", "30"}, {"", "x"}}, []string{"a", "b"})
	text.Source, text.Lines = "people.csv", []int{2, 3}
	typed := &domain.Chunk{Rows: 2, Columns: []domain.Column{
		{Form: domain.Ints, Ints: []int64{1, -1}, Nulls: []bool{false, true}},
		{Form: domain.Floats, Floats: []float64{0.5, 2}},
		{Form: domain.Dictionary, Dict: []string{"x", "y"}, Ints: []int64{1, 0}},
		{},
	}}
	for _, c := range []*domain.Chunk{text, typed, {}} {
		f.Add(encodeChunk(c))
	}
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 7, 1, 0})
	f.Add([]byte{0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var c *domain.Chunk
		dptest.WithinMemory(t, 1<<16+512*uint64(len(b)), func() { c, _ = decodeChunk(b) })
		if c == nil {
			return
		}
		first := encodeChunk(c)
		again, err := decodeChunk(first)
		must.Hold(t, err == nil && bytes.Equal(encodeChunk(again), first), "a chunk that was read cannot be read again: %v", err)
	})
}
