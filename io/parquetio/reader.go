package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// Source is a file to read: a local file, or range reads of an object store.
type Source interface {
	io.ReaderAt
	io.Seeker
}

// ReadOptions are the settings of reading a file. Zero fields mean their defaults.
type ReadOptions struct {
	MaxPageBytes int64 // before compression; default: what the format allows, 2 GiB
	Size         int64 // the size that the file had when it was planned; 0: any
}

// maxTexts is the largest size in bytes of the texts of a column in a row group, not counting its categories.
const maxTexts = 512 << 20

// Reader reads one Parquet file row group by row group. It is not safe for concurrent use.
type Reader struct {
	name   string
	src    *watched
	file   *codec.File
	attrs  []leaf
	id     *leaf
	max    int64
	size   int64
	closer io.Closer

	columns []cellReader // of the attributes
	ids     idReader
}

// OpenFile opens a file by its name, whatever its state; Close closes it.
func OpenFile(name string, d *domain.Domain, o ReadOptions) (*Reader, error) {
	return OpenInfo(context.Background(), files.Info{Name: name}, d, o)
}

// OpenInfo opens a file; Close closes it. It is an error if the file has changed since f was obtained. An object is
// read until ctx ends.
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

// Open reads the footer of src and finds the columns of d, by name. If d names a privacy ID its
// column is read too; clear it to read files without one, such as those that Writer makes. All
// mismatches are listed at once. Errors begin with name.
func Open(src Source, name string, d *domain.Domain, o ReadOptions) (*Reader, error) {
	r, err := openFooter(src, name, o)
	if err != nil {
		return nil, err
	}
	if err := r.checkMark(); err != nil {
		return nil, err
	}
	err = codec.Protect(name, func() error {
		var faults []string
		r.attrs, r.id, faults = mapColumns(r.file.Meta, d)
		return faultsError(name, faults)
	})
	if err != nil {
		return nil, err
	}
	r.columns = make([]cellReader, len(r.attrs))
	r.file.Divide(len(r.leaves()))
	return r, nil
}

// openFooter reads the footer of src. The reader knows of no columns yet.
func openFooter(src Source, name string, o ReadOptions) (*Reader, error) {
	r := &Reader{name: name, src: &watched{Source: src}, max: o.MaxPageBytes}
	if r.max == 0 {
		r.max = math.MaxInt32
	}
	var err error
	if r.size, err = src.Seek(0, io.SeekEnd); err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", name, err)
	}
	if o.Size != 0 && o.Size != r.size {
		return nil, errChanged(name)
	}
	r.file, err = codec.Open(r.src, r.size, r.max)
	if r.src.err != nil {
		return nil, fmt.Errorf("parquet: %w", r.src.err)
	}
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", name, err)
	}
	return r, nil
}

// checkMark reads the mark that a file begins with.
func (r *Reader) checkMark() error {
	var mark [4]byte
	if _, err := r.src.ReadAt(mark[:], 0); r.src.err != nil {
		return fmt.Errorf("parquet: %w", r.src.err)
	} else if err != nil || string(mark[:]) != codec.Magic {
		return fmt.Errorf("parquet: %s: it does not begin as Parquet files do; is this a whole Parquet file?", r.name)
	}
	return nil
}

func errChanged(name string) error {
	return fmt.Errorf("parquet: %s: the file has changed since the run was planned", name)
}

// Groups returns the number of row groups.
func (r *Reader) Groups() int { return r.file.Groups() }

// Rows returns the number of rows that the footer states.
func (r *Reader) Rows() int64 { return r.file.Rows }

// Size returns the size of the file in bytes, for ReadOptions.Size.
func (r *Reader) Size() int64 { return r.size }

// ReadGroup reads the attributes of row group i into dst, all rows at once; their memory is used again if it is large
// enough. STRING columns come as Dictionary, FLOAT64 as Floats, INT64 as Ints or Floats, as the file has
// them, all others as Ints in the native unit. Numbers finer than the native unit are rounded down,
// numbers beyond int64 become the nearest one. Privacy IDs come by Chunks alone.
func (r *Reader) ReadGroup(i int, dst *domain.Chunk) error {
	if i < 0 || i >= r.Groups() {
		panic("parquetio: no such row group")
	}
	rows, err := r.start(i, false)
	if err != nil {
		return err
	}
	dst.ID = domain.Column{}
	return r.within(i, func() error { return r.take(rows, dst) })
}

// start turns to the rows of row group i, and returns how many there are.
func (r *Reader) start(i int, ids bool) (rows int, err error) {
	err = r.within(i, func() error {
		if rows, err = r.turnTo(i); err != nil {
			return err
		}
		for k := range r.attrs {
			if err := r.columns[k].start(r.file, &r.attrs[k], rows, min(r.max, maxTexts)); err != nil {
				return err
			}
		}
		if ids {
			return r.ids.start(r.file, r.id, rows)
		}
		return nil
	})
	return rows, err
}

// take sets dst to the next n rows of the row group that was started.
func (r *Reader) take(n int, dst *domain.Chunk) error {
	dst.Rows, dst.Columns = n, slices.Grow(dst.Columns[:0], len(r.columns))[:len(r.columns)]
	for k := range r.columns {
		if err := r.columns[k].take(n, &dst.Columns[k]); err != nil {
			return err
		}
	}
	return nil
}

// within says of an error in which row group it is.
func (r *Reader) within(i int, f func() error) error {
	where := fmt.Sprintf("%s: row group %d", r.name, i)
	return codec.Protect(where, func() error {
		if err := f(); err != nil {
			return fmt.Errorf("parquet: %s: %w", where, err)
		}
		return nil
	})
}

// Chunks yields all rows in order, in chunks that are valid until the next one. An error ends the sequence.
// A privacy ID comes as Text, or as Ints if all numbers of its type are int64; no two IDs become one.
func (r *Reader) Chunks() iter.Seq2[*domain.Chunk, error] {
	return func(yield func(*domain.Chunk, error) bool) {
		for i := range r.Groups() {
			for c, err := range r.groupChunks(i, false) {
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

// groupChunks yields the rows of row group i, each chunk in memory of its own if it may be kept.
func (r *Reader) groupChunks(i int, own bool) iter.Seq2[*domain.Chunk, error] {
	return func(yield func(*domain.Chunk, error) bool) {
		rows, err := r.start(i, r.id != nil)
		if err != nil {
			yield(nil, err)
			return
		}
		c := new(domain.Chunk)
		for from := 0; from < rows; from += c.Rows {
			if own {
				c = new(domain.Chunk)
			}
			err := r.within(i, func() (err error) {
				n := min(chunkRows, rows-from)
				if r.id != nil {
					if n, err = r.ids.take(n, &c.ID); err != nil {
						return err
					}
				}
				return r.take(n, c)
			})
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(c, nil) {
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

// named says of an error in which column it is.
func (l *leaf) named(err error) error {
	if err == nil || errors.Is(err, codec.ErrShort) {
		return err
	}
	return fmt.Errorf("column %q: %w", l.name, err)
}
