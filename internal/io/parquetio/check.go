package parquetio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Check reads the footers of files, and no page of data. It returns an error for each fault that would
// end a run later: no file at all, a file that is not Parquet, columns of d that the files lack
// or have with another type, files whose columns differ, row groups of too many rows, encodings
// that cannot be read. The errors are joined and name file and column.
func Check(ctx context.Context, list []files.Info, d *domain.Domain) error {
	if len(list) == 0 {
		return errors.New("parquet: no file to read")
	}
	errs := make([]error, len(list))
	var first *codec.Meta
	first, errs[0] = checkFile(ctx, list[0], d, nil)
	var all sync.WaitGroup
	slots := make(chan struct{}, footersAtOnce)
	for i, f := range list[1:] {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			_, errs[i+1] = checkFile(ctx, f, d, first)
		})
	}
	all.Wait()
	var out errtext.Errors
	for _, err := range errs {
		out.Add(err)
	}
	return out.Err()
}

// footersAtOnce is how many files are open at a time: a footer of an object takes some 50 ms, nearly all
// of it waiting.
const footersAtOnce = 16

// checkFile returns the schema of a file, or nil if its footer cannot be read. If first is the schema of an earlier
// file, the domain has been compared with that.
func checkFile(ctx context.Context, f files.Info, d *domain.Domain, first *codec.Meta) (*codec.Meta, error) {
	src, _, err := files.OpenAt(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("parquet: %w", err)
	}
	defer src.Close() // only read from
	path := f.Name
	r, err := openFooter(src, path, ReadOptions{})
	if err == nil && !files.Remote(path) { // the beginning of an object would be one more request: it is looked at when it is read
		err = r.checkMark()
	}
	if err != nil {
		return nil, err
	}
	var errs errtext.Errors
	if first != nil {
		for _, fault := range differences(first, r.file.Meta) {
			errs.Addf("parquet: %s: %s", path, fault)
		}
	}
	if errs.Err() == nil {
		if err = r.find(d); err == nil {
			err = r.checkGroups()
		}
		errs.Add(err)
	}
	return r.file.Meta, errs.Err()
}

// differences describes how the columns of a file differ from those of the first file.
func differences(first, m *codec.Meta) (faults []string) {
	types := map[string]string{}
	for i := range first.Leaves {
		types[nameOf(&first.Leaves[i])] = columnType(&first.Leaves[i])
	}
	for i := range m.Leaves {
		path, got := nameOf(&m.Leaves[i]), columnType(&m.Leaves[i])
		want, ok := types[path]
		delete(types, path)
		switch {
		case !ok:
			faults = append(faults, fmt.Sprintf("column %s: the first file has no such column; all files need the same columns", quoted(path)))
		case got != want:
			faults = append(faults, fmt.Sprintf("column %s: %s here, %s in the first file; all files need the same types", quoted(path), got, want))
		}
	}
	for i := range first.Leaves {
		if path := nameOf(&first.Leaves[i]); types[path] != "" {
			faults = append(faults, fmt.Sprintf("column %s: the first file has it, and this one does not; all files need the same columns", quoted(path)))
		}
	}
	return faults
}

func nameOf(f *codec.Field) string { return strings.Join(f.Path, ".") }

// columnType describes the possible content of a column.
func columnType(f *codec.Field) string {
	switch s := f.TypeName(); {
	case f.Repeated:
		return s + " REPEATED"
	case f.Optional:
		return s + " OPTIONAL"
	default:
		return s + " REQUIRED"
	}
}

// checkGroups applies to every row group what ReadGroup checks before it reads a page.
func (r *Reader) checkGroups() error {
	for i := range r.Groups() {
		err := r.within(i, func() error {
			rows, err := r.file.TurnTo(i)
			if err != nil {
				return err
			}
			for _, f := range r.fields {
				if err := f.named(r.file.Check(f.index, int(rows))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// watched is a source that keeps the error of reading it: the library's errors do not distinguish a damaged file from
// one that could not be read.
type watched struct {
	Source
	err atomic.Pointer[error]
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.Source.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err.Store(&err)
	}
	return n, err
}

// quoted shortens a name of a file for messages: it may have any length.
func quoted(name string) string {
	const most = 100
	if len(name) > most {
		return fmt.Sprintf("%q … (a name of %d bytes)", strings.ToValidUTF8(name[:most], ""), len(name))
	}
	return fmt.Sprintf("%q", name)
}
