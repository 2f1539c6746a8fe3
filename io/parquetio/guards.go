package parquetio

import (
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/file"
	"github.com/apache/arrow/go/v15/parquet/metadata"
)

// checkGroup bounds what a row group will take before anything of it is read.
func (r *Reader) checkGroup(g *file.RowGroupReader) (rows int, err error) {
	n, columns := g.NumRows(), int64(len(r.attrs)+1)
	// A few bytes of run lengths can stand for any number of rows: 8 bytes a cell is what they take here.
	if n < 0 || n > 4*r.max/(8*columns) {
		return 0, errLarge
	}
	total := int64(0)
	leaves := r.attrs
	if r.id != nil {
		leaves = append(leaves[:len(leaves):len(leaves)], *r.id)
	}
	for _, l := range leaves {
		c, err := g.MetaData().ColumnChunk(l.index)
		if err != nil {
			return 0, errPage
		}
		size := c.TotalUncompressedSize()
		if size < 0 || size > r.max-total {
			return 0, errLarge
		}
		total += size
	}
	return int(n), nil
}

// checkColumn refuses encodings that cannot be read and offsets outside the file, and sets what the
// pages may allocate.
func (r *Reader) checkColumn(g *file.RowGroupReader, l *leaf, rows int) error {
	c, err := g.MetaData().ColumnChunk(l.index)
	if err != nil {
		return errPage
	}
	for _, e := range c.Encodings() {
		if !readable(e) {
			return fmt.Errorf("encoding %s is not supported; rewrite the file", e)
		}
	}
	if !unpacks(c.Compression()) {
		return fmt.Errorf("codec %s is not supported; rewrite the file with Snappy or Zstd", c.Compression())
	}
	start, size := extent(c)
	switch {
	case start < 0 || size < 0 || size > r.size-start:
		return errPage
	case c.NumValues() < int64(rows):
		return errShort
	case c.NumValues() > int64(rows):
		return errPage
	}
	// Twice what the footer states, and 64 MiB for footers that state it wrongly.
	r.pages.codec, r.pages.max = c.Compression(), r.max
	r.pages.budget = 2*c.TotalUncompressedSize() + 64<<20
	return nil
}

// extent returns the place of a column chunk in the file, and its bytes.
func extent(c *metadata.ColumnChunkMetaData) (start, size int64) {
	start = c.DataPageOffset()
	if c.HasDictionaryPage() && c.DictionaryPageOffset() > 0 {
		start = min(start, c.DictionaryPageOffset())
	}
	return start, c.TotalCompressedSize()
}

// byteStreamSplit has no name in arrow/go v15, whose own decoders do not know it.
const byteStreamSplit = parquet.Encoding(9)

func readable(e parquet.Encoding) bool {
	switch e {
	case parquet.Encodings.Plain, parquet.Encodings.PlainDict, parquet.Encodings.RLEDict, parquet.Encodings.RLE,
		parquet.Encodings.BitPacked, parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray,
		parquet.Encodings.DeltaByteArray, byteStreamSplit:
		return true
	}
	return false
}
