package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/dirsink"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Files is a table in files of one format.
type Files struct {
	Files []files.Info // at least one, as they were when they were found

	own        *schema.CSV // the form that a run has written, as its manifest says; nil: the form is declared
	format     *Format
	input      string   // that named the files
	partitions []string // columns in the names of their directories
}

// nullText is the key of the text of NULL, in a manifest's description of a column.
const nullText = "null"

// findFiles finds the files that match input, and opens none of them; files of people too if a run has written two tables.
func findFiles(ctx context.Context, input string) (rows, people *Files, err error) {
	if err := known(input); err != nil {
		return nil, nil, err
	}
	ofPeople, list, own, err := find(ctx, input)
	if err != nil {
		return nil, nil, err
	}
	if len(ofPeople) > 0 {
		if people, err = ofOneFormat(ofPeople, own); err != nil {
			return nil, nil, err
		}
	}
	if rows, err = ofOneFormat(list, own); err != nil {
		return nil, nil, err
	}
	rows.input = input
	rows.partitions, err = partitionColumns(input, list)
	return rows, people, err
}

// ofOneFormat returns the table in files.
func ofOneFormat(list []files.Info, own *schema.CSV) (*Files, error) {
	format, err := formatOfFile(list[0])
	if err != nil {
		return nil, err
	}
	for _, f := range list {
		switch other, err := formatOfFile(f); {
		case err != nil:
			return nil, err
		case other != format:
			return nil, fmt.Errorf("table: %s is %s and %s is %s; name files of one format, such as dir/*.%s", list[0].Name, format.Name, f.Name, other.Name, format.Name)
		}
	}
	return &Files{Files: list, own: own, format: format}, nil
}

func find(ctx context.Context, input string) (people, list []files.Info, own *schema.CSV, err error) {
	isDir, err := files.IsDir(ctx, input)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("table: %w", err)
	}
	if !isDir {
		list, err = files.Expand(ctx, input)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("table: %w", err)
		}
		if err := checkLake(ctx, files.Dir(list[0].Name)); err != nil {
			return nil, nil, nil, err
		}
		return nil, list, ofRun(ctx, list), nil
	}
	if err := checkLake(ctx, files.Clean(input)); err != nil {
		return nil, nil, nil, err
	}
	fix := "name files, such as " + files.Join(input, "*.csv") + " or " + files.Join(input, "*.parquet")
	o, err := dirsink.Open(ctx, input)
	if errors.Is(err, fs.ErrNotExist) {
		if list, err := dirsink.Rows(ctx, input); err != nil || len(list) > 0 {
			return nil, list, nil, err
		}
		if list, err := partitionFiles(ctx, input); err != nil || len(list) > 0 {
			return nil, list, nil, err
		}
		return nil, nil, nil, fmt.Errorf("table: %s is a directory, and no output of dapple; %s", input, fix)
	}
	if err == nil {
		list, err = o.Files(ctx)
	}
	if err != nil {
		return nil, nil, nil, fmt.Errorf("table: %w", err)
	}
	if len(list) == 0 {
		return nil, nil, nil, fmt.Errorf("table: %s holds no rows; %s", input, fix)
	}
	people, list = list[:o.OfPeople()], list[o.OfPeople():]
	return people, list, ownForm(o), nil
}

// ofRun returns the form of files of which a finished run has written each; nil if a manifest does not say so.
func ofRun(ctx context.Context, list []files.Info) *schema.CSV {
	dir := files.Dir(list[0].Name)
	table := ""
	if base := files.Base(dir); slices.Contains(dirsink.TableNames, base) {
		dir, table = files.Dir(dir), base+"/"
	}
	o, err := dirsink.Open(ctx, dir)
	if err != nil {
		return nil
	}
	for _, f := range list {
		if !slices.ContainsFunc(o.Parts, func(p dirsink.File) bool { return p.Name == table+files.Base(f.Name) }) {
			return nil
		}
	}
	return ownForm(o)
}

// ownForm returns the form that a run writes, with its own text of NULL.
func ownForm(o *dirsink.Output) *schema.CSV {
	own := &schema.CSV{Header: true}
	var columns []map[string]string
	if json.Unmarshal(o.Schema, &columns) == nil && len(columns) > 0 && columns[0][nullText] != "" {
		own.Null = []string{columns[0][nullText]}
	}
	return own
}

// form returns the form that the files are read in: their own, or the declared one.
func (t *Files) form(declared schema.CSV) schema.CSV {
	if t.own == nil {
		return declared
	}
	own := *t.own
	own.Strict, own.MaxRecord = declared.Strict, declared.MaxRecord
	return own
}

// OfRun reports whether a run has written the files, as its manifest says: their rows have no privacy IDs.
func (t *Files) OfRun() bool { return t.own != nil }

// Bytes returns the size of all files.
func (t *Files) Bytes() (n int64) {
	for _, f := range t.Files {
		n += f.Size
	}
	return n
}

// Identity names all files with their sizes and times; a pipe has no identity.
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

// Note returns nothing: files are read in the state in which they were found, or not at all.
func (t *Files) Note() string { return "" }

// Check compares the columns of the files with the columns of d: it reads header lines or footers, and no
// record. The errors of all columns and files are joined.
func (t *Files) Check(ctx context.Context, d *domain.Domain, form schema.CSV) error {
	if t.format.Check == nil {
		return nil
	}
	return t.format.Check(ctx, t.Files, inFiles(d, t.partitions), t.form(form))
}

// Advise says what may be wrong with the form declared for the files, after a look at their first records; the advice is
// NOT private.
func (t *Files) Advise(ctx context.Context, form schema.CSV) (advice []string, err error) {
	for _, f := range t.Files {
		if t.format.Advise == nil || f.Once {
			continue
		}
		text, err := t.format.Advise(ctx, f, t.form(form))
		if err != nil {
			return nil, err
		}
		if text != "" {
			advice = append(advice, text)
		}
	}
	return advice, nil
}

// Form returns the form of cells that are text: the declared one, or of rows of a run their own.
func (t *Files) Form(declared schema.CSV) schema.CSV {
	if t.format.Text {
		return t.form(declared)
	}
	return schema.CSV{}
}

// Unnamed reports whether the names of columns are in the records alone, so that what Describe says is NOT public.
func (t *Files) Unnamed() bool { return t.format.Unnamed }

// Typed reports whether files declare the types of their columns, apart from their records. To describe others takes a header
// line, which a file may lack.
func (t *Files) Typed() bool { return !t.format.Text && !t.format.Unnamed }

// Columns returns the names of the columns of the first file; nil if it can be read only once, or only its records have them.
func (t *Files) Columns(ctx context.Context, form schema.CSV) (names []string, err error) {
	f := t.Files[0]
	switch {
	case f.Once || t.format.Unnamed:
		return nil, nil
	case t.format.Columns != nil:
		names, err = t.format.Columns(ctx, f, t.Form(form))
		return append(names, t.partitions...), err
	}
	columns, _, err := t.Describe(ctx, form)
	return Names(columns), err
}

// Names returns the names of columns.
func Names(columns []Column) []string {
	return lists.Of(columns, func(c Column) string { return c.Name })
}

// pandasIndex is the name of an index without a name, in files of all formats that pandas writes from Arrow.
var pandasIndex = regexp.MustCompile(`^__index_level_[0-9]+__$`)

// Describe describes the columns of the first file. What can be read only once is refused.
func (t *Files) Describe(ctx context.Context, declared schema.CSV) ([]Column, schema.CSV, error) {
	for _, f := range t.Files {
		if f.Once {
			return nil, schema.CSV{}, fmt.Errorf("table: %s: not a regular file, and this table is read several times; write it to a file first", f.Name)
		}
	}
	if t.format.Describe == nil {
		return nil, schema.CSV{}, fmt.Errorf("table: files of %s do not say what their columns are", t.format.Name)
	}
	columns, form, err := t.format.Describe(ctx, t.Files[0], t.Form(declared))
	columns = slices.DeleteFunc(columns, func(c Column) bool { return slices.Contains(t.partitions, c.Name) })
	for i := range columns {
		if c := &columns[i]; c.Fault == "" && pandasIndex.MatchString(c.Name) {
			c.Fault = "it is the index that pandas numbers rows by; name it in pandas if it says more"
		}
	}
	for _, name := range t.partitions {
		columns = append(columns, Column{Name: name, Untyped: true, Nullable: true})
	}
	return columns, form, err
}

// Read returns the records in a pipeline, as *domain.Chunk.
func (t *Files) Read(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection {
	switch {
	case len(t.partitions) > 0:
		return t.readPartitions(s, d, t.form(form), false)
	case t.format.Read == nil:
		return ReadFiles(s.Scope("table.Read"), t.format.Name, t.Files, d, t.form(form))
	}
	return t.format.Read(s, t.Files, d, t.form(form))
}

// ReadApart is Read for runners to which Apart matters.
func (t *Files) ReadApart(s beam.Scope, d *domain.Domain, form schema.CSV) beam.PCollection {
	switch {
	case len(t.partitions) > 0:
		return t.readPartitions(s, d, t.form(form), true)
	case t.format.ReadApart != nil:
		return t.format.ReadApart(s, t.Files, d, t.form(form))
	case t.format.Read == nil:
		return ReadFilesApart(s.Scope("table.Read"), t.format.Name, t.Files, d, t.form(form))
	}
	return t.Read(s, d, form)
}

// Each passes all records to yield, chunk by chunk. A chunk is valid until the next one. An error of yield ends the
// reading and is returned unchanged.
func (t *Files) Each(ctx context.Context, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error {
	for _, f := range t.Files {
		take := yield
		if len(t.partitions) > 0 {
			take = withPartitions(t.input, f.Name, d, yield)
		}
		if err := t.format.Each(ctx, f, inFiles(d, t.partitions), t.form(form), take); err != nil {
			return err
		}
	}
	return nil
}
