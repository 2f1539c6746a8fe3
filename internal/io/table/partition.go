package table

import (
	"context"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
)

// Hive, Spark and others put the values of some columns into the names of directories alone, such as
// year=2024/sex=F/part-0.parquet. Such columns are read from there, as text, for files of every format.

// noPartition is the name of the directory of NULL.
const noPartition = "__HIVE_DEFAULT_PARTITION__"

// partition returns the columns that are in the names of a file's directories, and their values as they are written there.
// A directory that input names stands for no column.
func partition(input, name string) (columns, values []string) {
	named, dirs := strings.Split(input, "/"), strings.Split(name, "/")
	for _, dir := range dirs[:len(dirs)-1] {
		if column, value, is := strings.Cut(dir, "="); is && column != "" && !slices.Contains(named, dir) {
			columns, values = append(columns, unescaped(column)), append(values, value)
		}
	}
	return columns, values
}

// unescaped takes the escapes off that Hive writes for special characters.
func unescaped(text string) string {
	if plain, err := url.PathUnescape(text); err == nil {
		return plain
	}
	return text
}

// partitionColumns returns the columns in the names of directories, which are the same for all files.
func partitionColumns(input string, list []files.Info) ([]string, error) {
	first, _ := partition(input, list[0].Name)
	for i, column := range first {
		if slices.Contains(first[:i], column) {
			return nil, fmt.Errorf("table: %s: two directories of one path are called %s=…; rename one", input, column)
		}
	}
	for _, f := range list {
		if columns, _ := partition(input, f.Name); !slices.Equal(columns, first) {
			return nil, fmt.Errorf("table: %s: files are in directories of other columns than %q; name files of one table", input, first)
		}
	}
	return first, nil
}

// partitionFiles returns the files below a directory of directories such as year=2024; none if it is no such directory.
func partitionFiles(ctx context.Context, dir string) ([]files.Info, error) {
	names, _ := files.Names(ctx, dir) // what cannot be listed is none
	if !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(files.Base(files.Clean(name)), "=") }) {
		return nil, nil
	}
	if files.Remote(dir) {
		list, err := files.Expand(ctx, files.Join(dir, "**"))
		if err != nil {
			return nil, fmt.Errorf("table: %w", err)
		}
		return slices.DeleteFunc(list, func(f files.Info) bool { return !isPart(dir, f.Name) }), nil
	}
	var list []files.Info
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isPart(filepath.ToSlash(dir), filepath.ToSlash(name)) {
			return err
		}
		found, err := files.Expand(ctx, name)
		list = append(list, found...)
		return err //nolint:wrapcheck // named below
	})
	if err != nil {
		return nil, fmt.Errorf("table: %w", err)
	}
	return list, nil
}

// isPart reports whether a file is of the table: no checksum, no mark of success, and nothing that is in no partition.
func isPart(dir, name string) bool {
	base := files.Base(name)
	columns, _ := partition(dir, name)
	return len(columns) > 0 && !strings.HasPrefix(base, ".") && !strings.HasPrefix(base, "_")
}

// inFiles returns what of a domain is in the files of a table: all but the partitions.
func inFiles(d *domain.Domain, partitions []string) *domain.Domain {
	if len(partitions) == 0 {
		return d
	}
	inside := &domain.Domain{PrivacyID: d.PrivacyID}
	if slices.Contains(partitions, d.PrivacyID) {
		inside.PrivacyID = ""
	}
	for i := range d.Attributes {
		if !slices.Contains(partitions, d.Attributes[i].Name) {
			inside.Attributes = append(inside.Attributes, d.Attributes[i])
		}
	}
	return inside
}

// withPartitions returns a yield that adds the columns of a file's directories to its chunks.
func withPartitions(input, name string, d *domain.Domain, yield func(*domain.Chunk) error) func(*domain.Chunk) error {
	columns, values := partition(input, name)
	if len(columns) == 0 {
		return yield
	}
	return func(c *domain.Chunk) error {
		full := *c
		full.Columns = slices.Clone(c.Columns)
		for i := range d.Attributes {
			if k := slices.Index(columns, d.Attributes[i].Name); k >= 0 {
				full.Columns = slices.Insert(full.Columns, i, repeated(values[k], c.Rows))
			}
		}
		if k := slices.Index(columns, d.PrivacyID); k >= 0 {
			full.ID = repeated(values[k], c.Rows)
		}
		return yield(&full)
	}
}

// repeated is a column of one value.
func repeated(value string, rows int) domain.Column {
	c := domain.Column{Form: domain.Text, Offsets: make([]uint32, rows+1)}
	if value == noPartition {
		c.Nulls = slices.Repeat([]bool{true}, rows)
		return c
	}
	text := unescaped(value)
	c.Bytes = []byte(strings.Repeat(text, rows))
	for i := range c.Offsets {
		c.Offsets[i] = uint32(i * len(text))
	}
	return c
}

// readPartitions is Read for files in partitions: a part of a file is one element of work.
func (t *Files) readPartitions(s beam.Scope, d *domain.Domain, form schema.CSV, apart bool) beam.PCollection {
	s = s.Scope("table.Read")
	spread := beam.Reshuffle
	if apart {
		spread = Apart
	}
	read := &readPieceFn{Format: t.format.Name, Domain: *d, Form: form, Input: t.input, Partitions: t.partitions}
	return beam.ParDo(s, read, spread(s, pieces(s, &piecesFn{Format: t.format.Name, Apart: apart}, t.Files)))
}
