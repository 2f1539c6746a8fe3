package evaluate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/csvio"
	"github.com/dapple-dp/dapple/io/dirsink"
	"github.com/dapple-dp/dapple/io/parquetio"
	"github.com/dapple-dp/dapple/io/schema"
)

// ReadTrue reads a true table, CSV in the form that the domain file declares or Parquet: a file, a
// pattern such as dir/*.parquet, or a released directory. Where the domain has a privacy ID the table
// holds one record of each privacy unit; see Builder.
//
// Errors name files and columns, never a value.
func ReadTrue(ctx context.Context, input string, f *schema.File) (*Table, error) {
	return read(ctx, input, f.Domain, f.CSV)
}

// ReadSynthetic reads a synthetic table, CSV with a header line or Parquet: a released directory, of
// which it trusts only the manifest, a file, or a pattern. Every row counts: synthetic rows have no IDs.
func ReadSynthetic(ctx context.Context, input string, f *schema.File) (*Table, error) {
	d := *f.Domain
	d.PrivacyID = ""
	return read(ctx, input, &d, schema.CSV{})
}

func read(ctx context.Context, input string, d *domain.Domain, form schema.CSV) (*Table, error) {
	files, err := expand(input)
	if err != nil {
		return nil, err
	}
	b := NewBuilder(d)
	for _, name := range files {
		add := func(chunk *domain.Chunk) error {
			b.Add(chunk)
			return ctx.Err()
		}
		if strings.HasSuffix(name, ".parquet") {
			err = eachParquet(name, d, add)
		} else {
			err = csvio.EachFile(name, d, form, add)
		}
		if err != nil {
			return nil, fmt.Errorf("evaluate: %w", err)
		}
	}
	return b.Table(), nil
}

// expand returns the files that input names.
func expand(input string) ([]string, error) {
	if strings.Contains(input, "://") {
		return nil, fmt.Errorf("evaluate: %s: want a local file, pattern or directory; copy the table first", input)
	}
	if info, err := os.Stat(input); err == nil && info.IsDir() {
		m, err := dirsink.ReadManifest(input)
		if err != nil {
			return nil, fmt.Errorf("evaluate: %w", err)
		}
		files, err := m.Files(input)
		if err != nil {
			return nil, fmt.Errorf("evaluate: %w", err)
		}
		return files, nil
	}
	files, err := csvio.Expand(input)
	if err != nil {
		return nil, fmt.Errorf("evaluate: %s: no such file; name a file, a pattern such as dir/*.csv, or a released directory", input)
	}
	return files, nil
}

// eachParquet hands the row groups of a file to yield. Its chunks are valid until the next one.
func eachParquet(name string, d *domain.Domain, yield func(*domain.Chunk) error) (err error) {
	r, err := parquetio.OpenFile(name, d, parquetio.ReadOptions{})
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
