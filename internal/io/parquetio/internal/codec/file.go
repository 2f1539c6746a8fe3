package codec

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
)

// Errors of a file that cannot be read.
var (
	ErrPage            = errors.New("a page is damaged")
	ErrShort           = errors.New("fewer rows than the footer states")
	ErrLarge           = errors.New("it is too large to hold; rewrite the file with smaller row groups")
	ErrEncryptedColumn = errors.New("it is encrypted; write the file again without encryption, or leave the column out of the domain")
)

// Magic is what a file begins and ends with.
const Magic = "PAR1"

// File is a file that is read: what its footer states, and the row group that was turned to.
type File struct {
	*Meta
	src    io.ReaderAt
	size   int64
	max    int64   // bytes that a page may unpack to
	window int64   // bytes of a column chunk that are read at a time
	chunks []chunk // of the row group

	decompressors [Lanes]decompressors
}

// Open reads the footer of a file of size bytes, whose pages may unpack to maxPage bytes each.
func Open(src io.ReaderAt, size, maxPage int64) (*File, error) {
	b, err := readFooter(src, size)
	if err != nil {
		return nil, err
	}
	m, err := readMeta(b)
	if err != nil {
		return nil, err
	}
	return &File{Meta: m, src: src, size: size, max: maxPage, window: mostWindow}, nil
}

// Divide divides the memory for what is read ahead among so many columns that are read at once.
func (f *File) Divide(columns int) {
	f.window = min(max(allWindows/int64(max(columns, 1)), leastWindow), mostWindow)
}

// Groups returns the number of row groups.
func (f *File) Groups() int { return len(f.groups) }

// GroupRows returns the rows that the footer states of row group i, which may be negative.
func (f *File) GroupRows(i int) int64 { return f.groups[i].rows }

// TurnTo reads what the footer states of the columns of row group i, and returns the rows that it states, which
// may be negative.
func (f *File) TurnTo(i int) (rows int64, err error) {
	g := &f.groups[i]
	if f.chunks, err = g.columns(f.chunks[:0]); err != nil {
		return 0, err
	}
	if len(f.chunks) != len(f.Leaves) {
		return 0, ErrPage
	}
	return g.rows, nil
}

// Encrypted reports for each column whether the first row group has it encrypted.
func (f *File) Encrypted() ([]bool, error) {
	list := make([]bool, len(f.Leaves))
	if len(f.groups) == 0 {
		return list, nil
	}
	chunks, err := f.groups[0].columns(nil)
	for i := range min(len(list), len(chunks)) {
		list[i] = chunks[i].encrypted
	}
	return list, err
}

// Check refuses encodings of column i that cannot be read, and offsets outside the file. The row group has so
// many rows.
func (f *File) Check(i, rows int) error {
	c := &f.chunks[i]
	switch {
	case c.encrypted:
		return ErrEncryptedColumn
	case !c.present || parquet.Type(c.physical) != f.Leaves[i].Physical:
		return ErrPage
	}
	for _, e := range c.encodings {
		if !readable(e) {
			return fmt.Errorf("encoding %s is not supported; rewrite the file", e)
		}
	}
	if codec := compress.Compression(c.codec); !unpacks(codec) {
		return fmt.Errorf("codec %s is not supported; rewrite the file with Snappy or Zstd", codec)
	}
	start, size := c.extent()
	switch {
	case start < 0 || size < 0 || size > f.size-start || c.plain < 0 || c.plain > 1<<50:
		return ErrPage
	case c.values < int64(rows):
		return ErrShort
	case c.values > int64(rows):
		return ErrPage
	}
	return nil
}

// Lanes is how many goroutines can read columns of a file at once, each its own.
const Lanes = 2

// Load turns p to the pages of column i in the row group, which has so many rows. A lane reads one column at a time.
func (f *File) Load(p *Pages, i, rows, lane int) error {
	if err := f.Check(i, rows); err != nil {
		return err
	}
	// Twice what the footer states, and 64 MiB for footers that state it wrongly.
	c := &f.chunks[i]
	p.codec, p.max, p.ahead, p.decompressors = compress.Compression(c.codec), f.max, f.window, &f.decompressors[lane]
	p.budget = 2*c.plain + 64<<20
	p.packedAlways = f.packedAlways()
	start, size := c.extent()
	return p.load(f.src, start, size)
}

// extent returns the place of a column chunk in the file, and its bytes.
func (c *chunk) extent() (start, size int64) {
	start = c.dataPage
	if c.dictPage > 0 {
		start = min(start, c.dictPage)
	}
	return start, c.packed
}

func readable(e parquet.Encoding) bool {
	switch e {
	case parquet.Encodings.Plain, parquet.Encodings.PlainDict, parquet.Encodings.RLEDict, parquet.Encodings.RLE,
		parquet.Encodings.BitPacked, parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray,
		parquet.Encodings.DeltaByteArray, parquet.Encodings.ByteStreamSplit:
		return true
	}
	return false
}
