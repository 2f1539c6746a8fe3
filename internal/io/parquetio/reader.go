package parquetio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/columns"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/kit/background"
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

// Reader reads one Parquet file row group by row group. It is not safe for concurrent use.
type Reader struct {
	name    string
	src     *watched
	file    *codec.File
	fields  []*field
	records *columns.Reader
	closer  io.Closer
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
	if err := r.find(d); err != nil {
		return nil, err
	}
	return r, nil
}

// find finds the columns of d.
func (r *Reader) find(d *domain.Domain) error {
	return codec.Protect(r.name, func() error {
		schema, fields, err := fieldsOf(r.file, d)
		if err != nil {
			return fmt.Errorf("parquet: %s: %w", r.name, err)
		}
		r.records, err = columns.NewReader("parquet", r.name, schema, d)
		if err == nil {
			r.fields = r.fields[:0]
			for _, i := range r.records.Fields() {
				r.fields = append(r.fields, fields[i])
			}
			r.file.Divide(len(r.fields))
		}
		return err
	})
}

// openFooter reads the footer of src. The reader knows of no columns yet.
func openFooter(src Source, name string, o ReadOptions) (*Reader, error) {
	r := &Reader{name: name, src: &watched{Source: src}}
	if o.MaxPageBytes == 0 {
		o.MaxPageBytes = math.MaxInt32
	}
	size, err := src.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", name, err)
	}
	if o.Size != 0 && o.Size != size {
		return nil, errChanged(name)
	}
	r.file, err = codec.Open(r.src, size, o.MaxPageBytes)
	if unread := r.src.err.Load(); unread != nil {
		return nil, fmt.Errorf("parquet: %w", *unread)
	}
	if err != nil {
		return nil, fmt.Errorf("parquet: %s: %w", name, err)
	}
	return r, nil
}

// checkMark reads the mark that a file begins with.
func (r *Reader) checkMark() error {
	var mark [4]byte
	_, err := r.src.ReadAt(mark[:], 0)
	if unread := r.src.err.Load(); unread != nil {
		return fmt.Errorf("parquet: %w", *unread)
	}
	if err != nil || string(mark[:]) != codec.Magic {
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

// start turns to the rows of row group i, and returns how many there are.
func (r *Reader) start(i int) (rows int, err error) {
	n, err := r.file.TurnTo(i)
	if err == nil && n < 0 {
		err = codec.ErrPage
	}
	for k, f := range r.fields {
		f.piece = nil
		if err == nil && f.Type.ID() != arrow.NULL {
			err = f.named(f.cells.Start(r.file, f.index, int(n), k%codec.Lanes, f.Values))
		}
	}
	return int(n), err
}

// take returns the next rows of the row group that was started, at most n of them, in memory of their own.
func (r *Reader) take(n int, source string) (list []*domain.Chunk, err error) {
	left, failed := make([]int, len(r.fields)), make([]error, len(r.fields))
	err = background.OnAllCores(context.Background(), codec.Lanes, func(next func() (int, bool)) {
		for lane, ok := next(); ok; lane, ok = next() {
			for k := lane; k < len(r.fields); k += codec.Lanes {
				left[k], failed[k] = r.fields[k].take(n)
			}
		}
	})
	for k := range r.fields {
		if err = cmp.Or(err, failed[k]); err != nil {
			return nil, err
		}
		n = min(n, left[k])
	}
	pieces := make([]arrow.Array, len(r.fields))
	for k, f := range r.fields {
		pieces[k] = array.NewSlice(f.piece, int64(f.at), int64(f.at+n))
		f.at += n
	}
	err = r.records.Chunks(n, pieces, source, func(c *domain.Chunk) error {
		list = append(list, c)
		return nil
	})
	return list, err
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

// Chunks yields all rows in order, each chunk in memory of its own. An error ends the sequence. STRING columns come as Dictionary
// or Text, FLOAT64 as Floats, INT64 as Ints or Floats, as the file has them, all others as Ints in the native unit. Numbers finer
// than the native unit are rounded down. If a number is beyond the type, the column comes as Text, and the number as one that the
// type cannot use. A privacy ID comes as texts, or as Ints if all numbers of its type are int64; no two IDs become one.
func (r *Reader) Chunks() iter.Seq2[*domain.Chunk, error] {
	return func(yield func(*domain.Chunk, error) bool) {
		for i := range r.Groups() {
			for c, err := range r.groupChunks(i) {
				if !yield(c, err) || err != nil {
					return
				}
			}
		}
	}
}

// groupChunks yields the rows of row group i.
func (r *Reader) groupChunks(i int) iter.Seq2[*domain.Chunk, error] {
	return func(yield func(*domain.Chunk, error) bool) {
		rows, source := 0, fmt.Sprintf("parquet: %s: row group %d", r.name, i)
		err := r.within(i, func() (err error) {
			rows, err = r.start(i)
			return err
		})
		for from := 0; from < rows && err == nil; {
			var list []*domain.Chunk
			err = r.within(i, func() (err error) { // columns whose pieces ended before meet the others there
				list, err = r.take(min(chunkRows-from%chunkRows, rows-from), source)
				return err
			})
			for _, c := range list {
				if !yield(c, nil) {
					return
				}
				from += c.Rows
			}
		}
		if err != nil {
			yield(nil, err)
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
