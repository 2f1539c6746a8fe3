package parquetio

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	tables "github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/background"
)

func init() {
	register.Emitter1[tables.Piece]()
	register.Emitter1[*domain.Chunk]()
	beam.RegisterType(reflect.TypeFor[files.Info]())
	// Called once for each file or row group: a wrapper that saves microseconds would be 6 MB of binary.
	beam.RegisterDoFn(reflect.TypeFor[splitFn]())
	beam.RegisterDoFn(reflect.TypeFor[readGroupFn]())
}

// chunkRows is how many records of a row group go on together: their cells and codes stay in the cache.
const chunkRows = 1 << 14

// Read returns the records of Parquet files as *domain.Chunk. A row group is one element of work, with a page of
// each column in memory. Footers are read where the data is; call Check before, so that faults
// show at launch. A file that is not as its Info says when it is read ends the run. Read panics if no
// file is given.
func Read(s beam.Scope, list []files.Info, d *domain.Domain) beam.PCollection {
	return read(s, list, d, &splitFn{}, func(s beam.Scope, groups beam.PCollection) beam.PCollection { return beam.Reshuffle(s, groups) })
}

func readApart(s beam.Scope, list []files.Info, d *domain.Domain, _ schema.CSV) beam.PCollection {
	return read(s, list, d, &splitFn{Width: len(d.Sizes()) + 16}, tables.Apart)
}

func read(s beam.Scope, list []files.Info, d *domain.Domain, split *splitFn, spread func(beam.Scope, beam.PCollection) beam.PCollection) beam.PCollection {
	s = s.Scope("parquetio.Read")
	if len(list) == 0 {
		panic("parquetio: no file to read")
	}
	return beam.ParDo(s, &readGroupFn{Domain: *d}, spread(s, beam.ParDo(s, split, beam.CreateList(s, list))))
}

// splitFn emits the row groups of files, or parts of them if Width says how many bytes a record has at least when it is decoded.
type splitFn struct{ Width int }

func (fn *splitFn) ProcessElement(ctx context.Context, f files.Info, emit func(tables.Piece)) error {
	src, _, err := files.OpenAt(ctx, f)
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	defer src.Close() // only read from
	r, err := openFooter(src, f.Name, ReadOptions{})
	if err != nil {
		return err
	}
	for i := range r.Groups() {
		bytes := int64(0)
		if fn.Width > 0 {
			rows := min(max(r.file.GroupRows(i), 0), r.Rows(), 1<<31)
			bytes = rows * max(int64(fn.Width), 4*f.Size/max(r.Rows(), 1)) // nearly no file has less than a fourth of it
		}
		for _, p := range (tables.Piece{File: f, Group: i}).Parts(bytes) {
			emit(p)
		}
	}
	return nil
}

// readGroupFn reads row groups. It keeps the last file open: a footer can be larger than a row group.
type readGroupFn struct {
	Domain domain.Domain

	file   files.Info
	reader *Reader
}

func (f *readGroupFn) ProcessElement(ctx context.Context, g tables.Piece, emit func(*domain.Chunk)) error {
	if err := f.turnTo(ctx, g.File); err != nil {
		return err
	}
	if g.Group < 0 || g.Group >= f.reader.Groups() {
		return errChanged(g.File.Name)
	}
	pass := g.Take(func(c *domain.Chunk) error {
		emit(c)
		return ctx.Err()
	})
	for c, err := range background.Ahead(f.reader.groupChunks(g.Group)) {
		if err == nil {
			err = pass(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *readGroupFn) FinishBundle(func(*domain.Chunk)) error { return f.close() }

// turnTo opens a file, unless it is the one that is open. The context of a bundle's first element is good
// for all of them.
func (f *readGroupFn) turnTo(ctx context.Context, file files.Info) error {
	if f.reader != nil && f.file == file {
		return nil
	}
	if err := f.close(); err != nil {
		return err
	}
	r, err := OpenInfo(ctx, file, &f.Domain, ReadOptions{})
	if err != nil {
		return err
	}
	f.file, f.reader = file, r
	return nil
}

func (f *readGroupFn) close() error {
	if f.reader == nil {
		return nil
	}
	err := f.reader.Close()
	f.reader = nil
	if err != nil {
		return fmt.Errorf("parquet: %w", err)
	}
	return nil
}
