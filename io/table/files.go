package table

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/bounded"
	"github.com/dapple-dp/dapple/internal/dirsink"
	"github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/files"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/io/schema"
)

// Files is a table in files of one format.
type Files struct {
	Files   []files.Info // at least one, as they were when they were found
	Parquet bool         // else CSV
	Null    string       // a text that stands for NULL, as the manifest of a run says; empty: none but the form's
}

// NullText is the key, in a manifest's description of a column, of what stands for NULL.
const NullText = "null"

// findFiles finds the files that input names, and opens none of them.
func findFiles(ctx context.Context, input string) (*Files, error) {
	list, null, err := find(ctx, input)
	if err != nil {
		return nil, err
	}
	parquet, other := "", ""
	for _, f := range list {
		if isParquet(f) {
			parquet = cmp.Or(parquet, f.Name)
		} else {
			other = cmp.Or(other, f.Name)
		}
	}
	if parquet != "" && other != "" {
		return nil, fmt.Errorf("table: %s is Parquet and %s is not; name files of one format, such as dir/*.parquet", parquet, other)
	}
	return &Files{Files: list, Parquet: parquet != "", Null: null}, nil
}

func isParquet(f files.Info) bool { return strings.EqualFold(path.Ext(f.Name), ".parquet") }

func find(ctx context.Context, input string) (list []files.Info, null string, err error) {
	isDir, err := files.IsDir(ctx, input)
	if err != nil {
		return nil, "", fmt.Errorf("table: %w", err)
	}
	if !isDir {
		list, err = files.Expand(ctx, input)
		if err != nil {
			return nil, "", fmt.Errorf("table: %w", err)
		}
		return list, "", nil
	}
	fix := "name files, such as " + files.Join(input, "*.csv") + " or " + files.Join(input, "*.parquet")
	o, err := dirsink.Open(ctx, input)
	if errors.Is(err, fs.ErrNotExist) {
		if list, err := dirsink.Rows(ctx, input); err != nil || len(list) > 0 {
			return list, "", err
		}
		return nil, "", fmt.Errorf("table: %s is a directory, and neither in it nor next to it is the manifest of a finished run; %s", input, fix)
	}
	if err == nil {
		list, err = o.Files(ctx)
	}
	if err != nil {
		return nil, "", fmt.Errorf("table: %w", err)
	}
	if len(list) == 0 {
		return nil, "", fmt.Errorf("table: %s holds no rows; %s", input, fix)
	}
	return list, nullOf(o), nil
}

// nullOf returns the text that stands for NULL in the parts of an output.
func nullOf(o *dirsink.Output) string {
	var columns []map[string]string
	if json.Unmarshal(o.Schema, &columns) != nil || len(columns) == 0 {
		return ""
	}
	return columns[0][NullText]
}

// form adds the output's own text for NULL to the form of CSV.
func (t *Files) form(form schema.CSV) schema.CSV {
	if t.Null != "" {
		form.Null = append(slices.Clone(form.Null), t.Null)
	}
	return form
}

// Bytes returns the size of all files.
func (t *Files) Bytes() (n int64) {
	for _, f := range t.Files {
		n += f.Size
	}
	return n
}

// Identity names all files with their sizes and times; of a pipe nothing is known.
func (t *Files) Identity() (id string, known bool) {
	var b strings.Builder
	for _, f := range t.Files {
		name := f.Name
		if !files.Remote(name) {
			abs, err := filepath.Abs(name)
			if err != nil {
				return "", false
			}
			name = abs
		}
		if f.Once || f.Version == "" {
			return "", false
		}
		fmt.Fprintf(&b, "%q %d %s\n", name, f.Size, f.Version)
	}
	return b.String(), true
}

// ByMetadata returns false: the columns of a file are known from the file itself.
func (t *Files) ByMetadata() bool { return false }

// Note returns nothing: files are read as they were found, or not at all.
func (t *Files) Note() string { return "" }

// Check compares the columns of the files with those of d: it reads header lines or footers, and no
// record. The errors of all columns and files are joined. What can be read only once is left out.
func (t *Files) Check(ctx context.Context, d *domain.Domain, form schema.CSV) error {
	if t.Parquet {
		return parquetio.Check(ctx, t.Files, d)
	}
	var errs bounded.Errors
	for _, f := range t.Files {
		if !f.Once {
			errs.Add(csvio.Check(ctx, f, d, form))
		}
	}
	return errs.Err()
}

// Read returns the records in a pipeline, as *domain.Chunk.
func (t *Files) Read(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection {
	if t.Parquet {
		return parquetio.Read(s, t.Files, d)
	}
	return csvio.Read(s, t.Files, d, t.form(form))
}

// Each hands all records to yield, chunk by chunk. A chunk is valid until the next one. An error of
// yield ends the reading and is returned as it is.
func (t *Files) Each(ctx context.Context, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error {
	each := func(f files.Info) error { return csvio.EachInfo(ctx, f, d, t.form(form), yield) }
	if t.Parquet {
		each = func(f files.Info) error { return eachGroup(ctx, f, d, yield) }
	}
	for _, f := range t.Files {
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}

// eachGroup hands the row groups of a Parquet file to yield.
func eachGroup(ctx context.Context, f files.Info, d *domain.Domain, yield func(*domain.Chunk) error) (err error) {
	r, err := parquetio.OpenInfo(ctx, f, d, parquetio.ReadOptions{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	for chunk, err := range r.Chunks() {
		if err != nil {
			return err
		}
		if err := yield(chunk); err != nil {
			return err
		}
	}
	return nil
}
