package parquetio

import (
	"errors"
	"fmt"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/compress"
)

var errEncryptedColumn = errors.New("it is encrypted; write the file again without encryption, or leave the column out of the domain")

// maxCells is how many cells of a row group are held at a time, in 2 GiB of memory.
const maxCells = 1 << 28

// turnTo reads what the footer states of the columns of row group i, and bounds what the group will take
// before anything of it is read.
func (r *Reader) turnTo(i int) (rows int, err error) {
	g := &r.m.groups[i]
	if r.chunks, err = g.columns(r.chunks[:0]); err != nil {
		return 0, err
	}
	if len(r.chunks) != len(r.m.leaves) {
		return 0, errPage
	}
	// A few bytes of run lengths can stand for any number of rows: 8 bytes a cell is what they take here. What
	// pages take is bounded one by one.
	if g.rows < 0 || g.rows > maxCells/int64(len(r.attrs)+1) {
		return 0, errLarge
	}
	return int(g.rows), nil
}

// leaves returns the columns that are read.
func (r *Reader) leaves() []*leaf {
	list := make([]*leaf, 0, len(r.attrs)+1)
	for k := range r.attrs {
		list = append(list, &r.attrs[k])
	}
	if r.id != nil {
		list = append(list, r.id)
	}
	return list
}

// checkColumn refuses encodings that cannot be read and offsets outside the file, and sets what the
// pages may allocate.
func (r *Reader) checkColumn(p *pageReader, l *leaf, rows int) error {
	c := &r.chunks[l.index]
	switch {
	case c.encrypted:
		return errEncryptedColumn
	case !c.present || parquet.Type(c.physical) != l.physical:
		return errPage
	}
	for _, e := range c.encodings {
		if !readable(e) {
			return fmt.Errorf("encoding %s is not supported; rewrite the file", e)
		}
	}
	codec := compress.Compression(c.codec)
	if !unpacks(codec) {
		return fmt.Errorf("codec %s is not supported; rewrite the file with Snappy or Zstd", codec)
	}
	start, size := c.extent()
	switch {
	case start < 0 || size < 0 || size > r.size-start || c.plain < 0 || c.plain > 1<<50:
		return errPage
	case c.values < int64(rows):
		return errShort
	case c.values > int64(rows):
		return errPage
	}
	// Twice what the footer states, and 64 MiB for footers that state it wrongly.
	p.codec, p.max = codec, r.max
	p.budget = 2*c.plain + 64<<20
	p.packedAlways = r.m.packedAlways()
	return nil
}

// extent returns the place of a column chunk in the file, and its bytes.
func (c *chunk) extent() (start, size int64) {
	start = c.dataPage
	if c.dictPage > 0 {
		start = min(start, c.dictPage)
	}
	return start, c.packed
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
