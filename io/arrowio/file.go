package arrowio

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/columns"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

func init() {
	table.RegisterFormat(table.Format{
		Name: "arrow", Extensions: []string{".arrow", ".feather", ".ipc"},
		Check: check, Describe: describe,
		Parts: parts, EachPart: eachPart,
		NewWriter: func(w io.Writer, d *domain.Domain, _ string) (table.RowWriter, error) { return newWriter(w, d) },
	})
}

const (
	maxBatch = 4 << 30 // bytes that a batch, or all dictionaries, may take: more than the texts of a column of utf8
	maxRows  = 1 << 28 // of a batch
	begin    = "ARROW1"
)

var (
	errDamaged = errors.New("it is damaged, cut off, or no Arrow file; is the file whole?")
	errLarge   = fmt.Errorf("a batch takes more than %d MiB or %d rows; write the file in smaller batches", maxBatch>>20, maxRows)
)

// limited is an allocator that panics with errLarge beyond a limit. What it gave out is collected as garbage.
type limited struct {
	memory.GoAllocator
	left int64
}

func (l *limited) take(n int) {
	if l.left -= int64(n); n < 0 || l.left < 0 {
		panic(errLarge)
	}
}

func (l *limited) Allocate(n int) []byte {
	l.take(n)
	return l.GoAllocator.Allocate(n)
}

func (l *limited) Reallocate(n int, b []byte) []byte {
	l.take(max(0, n-len(b)))
	return l.GoAllocator.Reallocate(n, b)
}

// protect turns a panic of the library, which damaged bytes cause, into an error without the panic's text.
func protect(name string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("arrowio: %s: %w", name, errDamaged)
			if e, ok := p.(error); ok && errors.Is(e, errLarge) {
				err = fmt.Errorf("arrowio: %s: %w", name, errLarge)
			}
		}
	}()
	return do()
}

// file is an open file.
type file struct {
	name string
	mem  limited
	*ipc.FileReader
}

// withFile opens a file and reads its schema and dictionaries.
func withFile(ctx context.Context, f files.Info, read func(*file) error) (err error) {
	src, f, err := files.OpenAt(ctx, f)
	if err != nil {
		return fmt.Errorf("arrowio: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	out := &file{name: f.Name, mem: limited{left: maxBatch}}
	watched := &watched{SectionReader: io.NewSectionReader(src, 0, f.Size)}
	err = protect(f.Name, func() error {
		first := make([]byte, len(begin))
		if _, err := watched.ReadAt(first, 0); err != nil || string(first) != begin {
			if string(first[:4]) == "\xff\xff\xff\xff" {
				return fmt.Errorf("arrowio: %s: it is a stream of Arrow; write it as a file, which has a table of contents", f.Name)
			}
			return fmt.Errorf("arrowio: %s: %w", f.Name, errDamaged)
		}
		checkFooter(watched)
		r, err := ipc.NewFileReader(watched, ipc.WithAllocator(&out.mem))
		if err != nil {
			return fmt.Errorf("arrowio: %s: %w", f.Name, errDamaged)
		}
		out.FileReader = r
		return read(out)
	})
	if watched.err != nil { // the library's errors do not tell a damaged file from one that cannot be read
		return fmt.Errorf("arrowio: %w", watched.err)
	}
	return err
}

// watched keeps the error of reading.
type watched struct {
	*io.SectionReader
	err error
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.SectionReader.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err //nolint:wrapcheck // passed on
}

// batch reads batch i.
func (f *file) batch(i int) (arrow.RecordBatch, error) {
	f.mem.left = maxBatch
	b, err := f.RecordBatchAt(i)
	if err != nil {
		return nil, fmt.Errorf("arrowio: %s: batch %d: %w", f.name, i, errDamaged)
	}
	if b.NumRows() < 0 || b.NumRows() > maxRows {
		return nil, fmt.Errorf("arrowio: %s: batch %d: %w", f.name, i, errLarge)
	}
	for _, c := range b.Columns() {
		if int64(c.Len()) != b.NumRows() {
			return nil, fmt.Errorf("arrowio: %s: batch %d: %w", f.name, i, errDamaged)
		}
	}
	return b, nil
}

// parts returns the number of batches, which a file lists at its end.
func parts(ctx context.Context, f files.Info) (n int, err error) {
	err = withFile(ctx, f, func(f *file) error {
		n = max(1, f.NumRecords())
		return nil
	})
	return n, err
}

// eachPart reads some of the batches. Every chunk is a new one.
func eachPart(ctx context.Context, info files.Info, part, of int, d *domain.Domain, _ schema.CSV, yield func(*domain.Chunk) error) error {
	var stop error // of yield, whose panics are not of the file
	err := withFile(ctx, info, func(f *file) error {
		r, err := columns.NewReader("arrowio", f.name, f.Schema(), d)
		if err != nil {
			return err
		}
		from, to := table.PartRange(int64(f.NumRecords()), part, of)
		for i := from; i < to; i++ {
			b, err := f.batch(int(i))
			if err != nil {
				return err
			}
			cells := make([]arrow.Array, 0, len(r.Fields()))
			for _, k := range r.Fields() {
				cells = append(cells, b.Column(k))
			}
			err = r.Chunks(int(b.NumRows()), cells, fmt.Sprintf("arrowio: %s: batch %d", f.name, i), func(c *domain.Chunk) error {
				stop = yield(c)
				return stop
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if stop != nil {
		return stop
	}
	return err
}

// check compares the schemas of files with d, and reads no record.
func check(ctx context.Context, list []files.Info, d *domain.Domain, _ schema.CSV) error {
	var errs errtext.Errors
	for _, f := range list {
		errs.Add(withFile(ctx, f, func(f *file) error {
			_, err := columns.NewReader("arrowio", f.name, f.Schema(), d)
			return err
		}))
	}
	return errs.Err()
}

// describe returns the columns of a file's schema.
func describe(ctx context.Context, info files.Info, _ schema.CSV) (list []table.Column, form schema.CSV, err error) {
	err = withFile(ctx, info, func(f *file) error {
		list = columns.Describe(f.Schema())
		return nil
	})
	return list, form, err
}
