package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow/go/v15/parquet/file"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
)

// Source is a file to read: a local file, or range reads of an object store.
type Source interface {
	io.ReaderAt
	io.Seeker
}

// ReadOptions says how a file is read. Zero fields mean their defaults.
type ReadOptions struct {
	MaxGroupBytes int64 // uncompressed bytes of a row group's columns; default 512 MiB
	Size          int64 // the size that the file had when it was planned; 0: any
}

var (
	errShort = errors.New("fewer rows than the footer states")
	errLarge = errors.New("it is too large to hold; rewrite the file with smaller row groups")
)

// Reader reads one Parquet file row group by row group. It is not safe for concurrent use.
type Reader struct {
	name   string
	src    *watched
	r      *file.Reader
	attrs  []leaf
	id     *leaf
	max    int64
	size   int64
	closer io.Closer

	pages       pageReader // of the column chunk that is read
	raw, levels []int64    // scratch of the decoders
	ids         texts      // the same
}

// OpenFile opens a file by its name, whatever its state; Close closes it.
func OpenFile(name string, d *domain.Domain, o ReadOptions) (*Reader, error) {
	return OpenInfo(context.Background(), files.Info{Name: name}, d, o)
}

// OpenInfo opens a file; Close closes it. It is an error if the file has changed since f was looked at.
// An object is read until ctx ends.
func OpenInfo(ctx context.Context, f files.Info, d *domain.Domain, o ReadOptions) (*Reader, error) {
	src, _, err := files.OpenAt(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	r, err := Open(src, f.Name, d, o)
	if err != nil {
		return nil, errors.Join(err, src.Close())
	}
	r.closer = src
	return r, nil
}

// Open reads the footer of src and finds the columns of d, by name. Where d names a privacy ID its
// column is read too; clear it to read files without one, such as those that Writer makes. All
// mismatches are listed at once. name stands in errors.
func Open(src Source, name string, d *domain.Domain, o ReadOptions) (*Reader, error) {
	r, err := openFooter(src, name, o)
	if err != nil {
		return nil, err
	}
	if err := r.checkMark(); err != nil {
		return nil, err
	}
	err = protect(name, func() error {
		var faults []string
		r.attrs, r.id, faults = mapColumns(r.r.MetaData().Schema, d)
		return faultsError(name, faults)
	})
	if err != nil {
		return nil, err
	}
	return r, nil
}

// openFooter reads the footer of src. The reader knows of no columns yet.
func openFooter(src Source, name string, o ReadOptions) (*Reader, error) {
	r := &Reader{name: name, src: &watched{Source: src}, max: o.MaxGroupBytes}
	if r.max == 0 {
		r.max = 512 << 20
	}
	var err error
	if r.size, err = src.Seek(0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", name, err)
	}
	if o.Size != 0 && o.Size != r.size {
		return nil, errChanged(name)
	}
	err = protect(name, func() (err error) {
		r.r, err = file.NewParquetReader(r.src)
		return err
	})
	if r.src.err != nil {
		return nil, fmt.Errorf("parquet: %w", r.src.err)
	}
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: the footer cannot be read; is this a whole Parquet file?", name)
	}
	return r, nil
}

// checkMark reads the mark that a file begins with. The library looks at that of its end alone.
func (r *Reader) checkMark() error {
	var mark [4]byte
	if _, err := r.src.ReadAt(mark[:], 0); r.src.err != nil {
		return fmt.Errorf("parquet: %w", r.src.err)
	} else if err != nil || string(mark[:]) != "PAR1" {
		return fmt.Errorf("parquet: %s: it does not begin as Parquet files do; is this a whole Parquet file?", r.name)
	}
	return nil
}

func errChanged(name string) error {
	return fmt.Errorf("parquet: %s: the file has changed since the run was planned", name)
}

// Groups returns the number of row groups.
func (r *Reader) Groups() int { return r.r.NumRowGroups() }

// Rows returns the number of rows that the footer states.
func (r *Reader) Rows() int64 { return r.r.NumRows() }

// Size returns the size of the file in bytes, for ReadOptions.Size.
func (r *Reader) Size() int64 { return r.size }

// ReadGroup reads row group i into dst, whose memory is used again where it is large enough. STRING
// columns come as Dictionary, FLOAT64 as Floats, all others as Ints in the native unit; a privacy ID
// as Text, or as Ints where all numbers of its type are int64. Numbers finer than the native unit are rounded down,
// numbers beyond int64 become the nearest one, but in a privacy ID, of which no two values become one.
func (r *Reader) ReadGroup(i int, dst *domain.Chunk) error {
	if i < 0 || i >= r.Groups() {
		panic("parquetio: no such row group")
	}
	where := fmt.Sprintf("%s: row group %d", r.name, i)
	return protect(where, func() error {
		if err := r.readGroup(i, dst); err != nil {
			return fmt.Errorf("parquet: %s: %w", where, err)
		}
		return nil
	})
}

// Chunks yields every row group in order, in one chunk that is used again: it is valid until the next
// one. An error ends the sequence.
func (r *Reader) Chunks() iter.Seq2[*domain.Chunk, error] {
	return func(yield func(*domain.Chunk, error) bool) {
		var c domain.Chunk
		for i := range r.Groups() {
			if err := r.ReadGroup(i, &c); err != nil {
				yield(nil, err)
				return
			}
			if !yield(&c, nil) {
				return
			}
		}
	}
}

// Close closes what OpenFile opened.
func (r *Reader) Close() error {
	if r.closer == nil {
		return nil
	}
	return r.closer.Close()
}

func (r *Reader) readGroup(i int, dst *domain.Chunk) error {
	g := r.r.RowGroup(i)
	rows, err := r.checkGroup(g)
	if err != nil {
		return err
	}
	dst.Rows = rows
	dst.Columns = sized(dst.Columns, len(r.attrs))
	for k := range r.attrs {
		if err := r.readColumn(g, &r.attrs[k], rows, &dst.Columns[k]); err != nil {
			return err
		}
	}
	if r.id == nil {
		dst.ID = domain.Column{}
		return nil
	}
	return r.readColumn(g, r.id, rows, &dst.ID)
}

// load reads the bytes of a column chunk that checkColumn has passed.
func (r *Reader) load(g *file.RowGroupReader, l *leaf) error {
	c, err := g.MetaData().ColumnChunk(l.index)
	if err != nil {
		return errPage
	}
	start, size := extent(c)
	return r.pages.load(r.src, start, size)
}

// readColumn reads one column chunk.
func (r *Reader) readColumn(g *file.RowGroupReader, l *leaf, rows int, out *domain.Column) error {
	d := &decoder{leaf: l, rows: rows, limit: r.max, out: out, apart: l == r.id, raw: r.raw, levels: r.levels, ids: &r.ids}
	err := r.checkColumn(g, l, rows)
	if err == nil {
		err = r.load(g, l)
	}
	if err == nil {
		err = d.read(&r.pages)
	}
	if err == nil && l.unsigned {
		spellUnsigned(out)
	}
	r.raw, r.levels = d.raw, d.levels
	if err == nil || errors.Is(err, errShort) {
		return err
	}
	return fmt.Errorf("column %q: %w", l.name, err)
}
