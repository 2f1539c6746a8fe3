package parquetio

import (
	"context"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/files"
)

func init() {
	register.Function3x1(splitFile)
	register.Emitter1[rowGroup]()
	register.Emitter1[*domain.Chunk]()
	beam.RegisterType(reflect.TypeFor[files.Info]())
	beam.RegisterType(reflect.TypeFor[rowGroup]())
	// Called once for each row group: a wrapper that saves microseconds would be 6 MB of binary.
	beam.RegisterDoFn(reflect.TypeFor[readGroupFn]())
}

// chunkRows is how many records of a row group go on together: their cells and codes stay in the cache.
const chunkRows = 1 << 14

// rowGroup is a piece of work. All of it is public.
type rowGroup struct {
	File  files.Info
	Index int
}

// Read returns the records of Parquet files as *domain.Chunk. A row group is one element of work, of which a page of
// each column is in memory. Footers are read where the data is; call Check before, so that faults
// show at launch. A file that is not as its Info says when it is read ends the run. Read panics if no
// file is given.
func Read(s beam.Scope, list []files.Info, d *domain.Domain) beam.PCollection {
	s = s.Scope("parquetio.Read")
	if len(list) == 0 {
		panic("parquetio: no file to read")
	}
	groups := beam.ParDo(s, splitFile, beam.CreateList(s, list))
	return beam.ParDo(s, &readGroupFn{Domain: *d}, beam.Reshuffle(s, groups))
}

// splitFile emits the row groups of a file.
func splitFile(ctx context.Context, f files.Info, emit func(rowGroup)) error {
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
		emit(rowGroup{File: f, Index: i})
	}
	return nil
}

// readGroupFn reads row groups. It keeps the last file open: a footer can be larger than a row group.
type readGroupFn struct {
	Domain domain.Domain

	file   files.Info
	reader *Reader
}

func (f *readGroupFn) ProcessElement(ctx context.Context, g rowGroup, emit func(*domain.Chunk)) error {
	if err := f.turnTo(ctx, g.File); err != nil {
		return err
	}
	if g.Index < 0 || g.Index >= f.reader.Groups() {
		return errChanged(g.File.Name)
	}
	for c, err := range f.reader.groupChunks(g.Index, true) {
		if err != nil {
			return err
		}
		c.Source = fmt.Sprintf("parquet: %s: row group %d", g.File.Name, g.Index)
		emit(c)
		if err := ctx.Err(); err != nil {
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
