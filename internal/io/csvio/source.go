package csvio

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

func init() {
	table.RegisterFormat(table.Format{
		Name: "csv", Extensions: []string{".csv", ""}, Text: true,
		Check: checkAll, Each: EachInfo, Advise: advise, Read: Read, ReadApart: readApart, Columns: Columns, Describe: describe, CheckOutput: CheckOutput,
		NewWriter: func(w io.Writer, d *domain.Domain, null string) (table.RowWriter, error) {
			return NewWriter(w, d, null)
		},
	})
}

// Read returns the records of CSV files as *domain.Chunk. One file is one element of work, since a quoted cell may
// contain line ends. A file that does not match its Info when it is read ends the run.
func Read(s beam.Scope, list []files.Info, d *domain.Domain, opts schema.CSV) beam.PCollection {
	return table.ReadFiles(s.Scope("csvio.Read"), "csv", list, d, opts)
}

func readApart(s beam.Scope, list []files.Info, d *domain.Domain, opts schema.CSV) beam.PCollection {
	return table.ReadFilesApart(s.Scope("csvio.Read"), "csv", list, d, opts)
}

// checkAll checks all files except those that can be read only once.
func checkAll(ctx context.Context, list []files.Info, d *domain.Domain, opts schema.CSV) error {
	var errs errtext.Errors
	for _, f := range list {
		if !f.Once {
			errs.Add(Check(ctx, f, d, opts))
		}
	}
	return errs.Err()
}

// describe names the columns: the declared ones, or the header line's.
func describe(ctx context.Context, f files.Info, declared schema.CSV) (columns []table.Column, form schema.CSV, err error) {
	form = declared
	names := form.Columns
	if len(names) == 0 {
		if names, err = guess(ctx, f, &form); err != nil {
			return nil, form, err
		}
	}
	for _, name := range names {
		columns = append(columns, table.Column{Name: name, Untyped: true, Nullable: true})
	}
	return columns, form, nil
}

// guess returns the names of the header line. It guesses separator and encoding from that line where form declares none, and
// trims cells if there are blanks around names. What the first records say of the encoding is a suggestion: no record decides
// how a table is read.
func guess(ctx context.Context, f files.Info, form *schema.CSV) (names []string, err error) {
	var block []byte
	err = withFile(ctx, f, func(r io.Reader) error {
		c, err := open(r, f.Name, *form)
		if err != nil {
			return err
		}
		if form.Encoding == "" {
			if form.Encoding = encodingOf(c.scan.headerLine()); form.Encoding == "" {
				form.Suggested.Encoding = c.scan.encoding()
			}
		}
		block = c.scan.buf[:c.scan.end]
		return nil
	})
	if err != nil {
		return nil, err
	}
	commas := []rune{0, ';', '\t', '|'}
	if form.Comma != 0 {
		commas = []rune{form.Comma}
	}
	for i, comma := range commas {
		got, err := Columns(ctx, f, schema.CSV{Comma: comma, Encoding: form.Encoding, Escape: form.Escape, MaxRecord: form.MaxRecord})
		if err != nil && i == 0 {
			return nil, err
		}
		if err == nil && len(got) > max(len(names), 1) || i == 0 {
			names, form.Comma = got, comma
		}
		if len(names) > 1 {
			break
		}
	}
	comma := byte(',')
	if form.Comma != 0 {
		comma = byte(form.Comma)
	}
	form.Suggested.Escape = escaped(block, comma)
	if !form.Header {
		if err := checkNames(names); err != nil {
			return nil, fmt.Errorf("csv: %s: %w", f.Name, err)
		}
	}
	for i, name := range names {
		if names[i] = strings.TrimSpace(name); names[i] != name {
			form.Trim = true
		}
	}
	return names, nil
}
