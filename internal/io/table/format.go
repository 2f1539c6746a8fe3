package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
)

// Format is a file format: how tables are read from files and written to them. Name, Extensions, and Each or EachPart
// are required; a format without NewWriter is read-only.
type Format struct {
	Name       string   // for messages, as --format has it, and the extension of files that are written
	Extensions []string // of files that are read, such as ".csv"; "" stands for all that no other format has
	Text       bool     // cells are text: the form that a domain file declares for CSV applies
	Unnamed    bool     // the names of columns are in the records alone, which Describe then reads: what it says is NOT public

	// Check compares the columns of files with the columns of d and reads no record. It joins the errors of all columns.
	Check func(ctx context.Context, list []files.Info, d *domain.Domain, form schema.CSV) error
	// Advise says what may be wrong with the form that is declared for a file, after a look at its first records; the
	// advice is NOT private. Default: no advice.
	Advise func(ctx context.Context, f files.Info, form schema.CSV) (advice string, err error)
	// Each passes the records of one file to yield, chunk by chunk; yield may keep a chunk only if Read is nil. Default:
	// the one part of EachPart.
	Each func(ctx context.Context, f files.Info, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
	// Parts returns into how many parts a file can be cut that are read by themselves, and EachPart is Each for one of them,
	// 0..of−1. What a file is cut by is public: its size, or a table of contents. Default: a file is one part.
	Parts    func(ctx context.Context, f files.Info) (parts int, err error)
	EachPart func(ctx context.Context, f files.Info, part, of int, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error
	// Read returns the records of files in a pipeline, as *domain.Chunk. Default: a part of a file is one element of work.
	Read func(s beam.Scope, list []files.Info, d *domain.Domain, form schema.CSV) beam.PCollection
	// ReadApart is Read for runners to which Apart matters. Default: ReadFilesApart if Read is nil, else Read.
	ReadApart func(s beam.Scope, list []files.Info, d *domain.Domain, form schema.CSV) beam.PCollection
	// Columns returns the names of the columns of a file in order, from its header line in a form. Default: by Describe.
	Columns func(ctx context.Context, f files.Info, form schema.CSV) ([]string, error)
	// Describe returns the columns of a file in order, and the form in which its cells are to be read: what is declared of
	// it, and of the rest what the header line tells.
	Describe func(ctx context.Context, f files.Info, declared schema.CSV) ([]Column, schema.CSV, error)

	// CheckOutput returns the faults of a domain that files cannot hold. null is the text of NULL.
	CheckOutput func(d *domain.Domain, null string) error
	// NewWriter begins a file.
	NewWriter func(w io.Writer, d *domain.Domain, null string) (RowWriter, error)
	// Instead says what makes a file of the format of rows that were written, if it has no NewWriter.
	Instead string
}

// RowWriter writes the rows of one file. Close ends the file, and leaves what is below it open.
type RowWriter interface {
	Write(c *domain.Chunk) error
	Close() error
}

// Column describes a column of a table before a domain is declared for it.
type Column struct {
	Name     string
	Untyped  bool        // a column of text, whose Type is to be found out
	Type     domain.Type // of the values
	Scale    int         // of a NUMERIC, 0 to 9
	Digits   int         // of a NUMERIC, in all; 0: not known
	Nullable bool
	Fault    string // why the column cannot be read; empty if it can
}

// Places are the decimal places of a NUMERIC for a domain that is to be found: all that are declared if an int64 holds all such
// numbers, else at most some, so that large ones have room.
func (c Column) Places(most int) int {
	if 0 < c.Digits && c.Digits <= 18 {
		return c.Scale
	}
	return min(c.Scale, most)
}

// formats are the registered formats in order of registration.
var formats []*Format

// RegisterFormat registers a format. Packages call it from an init function. It panics if its name or an extension is
// taken.
func RegisterFormat(f Format) {
	if f.Each == nil && f.EachPart != nil {
		f.Each = func(ctx context.Context, file files.Info, d *domain.Domain, form schema.CSV, yield func(*domain.Chunk) error) error {
			return f.EachPart(ctx, file, 0, 1, d, form, yield)
		}
	}
	if f.Name == "" || f.Each == nil || len(f.Extensions) == 0 {
		panic("table: a format needs a name, an extension and a way to be read")
	}
	for _, other := range formats {
		if other.Name == f.Name || slices.ContainsFunc(f.Extensions, func(e string) bool { return slices.Contains(other.Extensions, e) }) {
			panic("table: a name or an extension of format " + f.Name + " is taken")
		}
	}
	formats = append(formats, &f)
}

// FormatOf returns the format of a name, if it is registered.
func FormatOf(name string) (*Format, bool) {
	i := slices.IndexFunc(formats, func(f *Format) bool { return f.Name == name })
	if i < 0 {
		return nil, false
	}
	return formats[i], true
}

// NotWritten says why rows are not written in a format, and what to do instead; "" if they are, or if it is not registered.
func NotWritten(name string) string {
	f, known := FormatOf(name)
	if !known || f.NewWriter != nil {
		return ""
	}
	return strings.TrimSuffix(fmt.Sprintf("files of %s are read, and not written; %s", name, f.Instead), "; ")
}

// Writable returns the names of the formats in which rows can be written; def, if it is among them, comes first.
func Writable(def string) (names []string) {
	for _, f := range formats {
		if f.NewWriter != nil {
			names = append(names, f.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		if (a == def) != (b == def) {
			return map[bool]int{true: -1, false: 1}[a == def]
		}
		return strings.Compare(a, b)
	})
	return names
}

// formatOfFile returns the format that the name of a file has. An extension may have two parts, such as .jsonl.gz.
func formatOfFile(f files.Info) (*Format, error) {
	name := strings.ToLower(f.Name)
	last := path.Ext(name)
	for _, ext := range []string{path.Ext(strings.TrimSuffix(name, last)) + last, last, ""} {
		for _, format := range formats {
			if slices.Contains(format.Extensions, ext) {
				return format, nil
			}
		}
	}
	fix := "import the package that registers it"
	if own := map[string]string{".csv": "csvio", ".parquet": "parquetio", ".jsonl": "jsonio", ".avro": "avroio", ".arrow": "arrowio"}[last]; own != "" {
		fix = fmt.Sprintf("import _ \"github.com/dapple-dp/dapple/io/%s\"", own)
	}
	return nil, fmt.Errorf("table: %s: no format is registered for files of this name; %s", f.Name, fix)
}

// EachChunk passes new chunks that read fills to yield, until read returns io.EOF. Any other error is returned as it is.
func EachChunk(read, yield func(*domain.Chunk) error) error {
	for {
		chunk := &domain.Chunk{}
		err := read(chunk)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = yield(chunk)
		}
		if err != nil {
			return err
		}
	}
}

// partBytes is how many bytes of a file a part has at most, where files are cut by their size.
const partBytes = 64 << 20

// PartsBySize returns the number of parts of a file that is cut by its size.
func PartsBySize(f files.Info) int { return int(max(1, (f.Size+partBytes-1)/partBytes)) }

// PartRange returns which bytes of a file of a size belong to a part of it, 0..of−1: from … to−1.
func PartRange(size int64, part, of int) (from, to int64) {
	bound := func(i int) int64 { return size/int64(of)*int64(i) + min(size%int64(of), int64(i)) }
	return bound(part), bound(part + 1)
}

// ReadFiles returns the records of files of a registered format, as *domain.Chunk. A part of a file is one element of
// work. A file that does not match its Info when it is read ends the run.
func ReadFiles(s beam.Scope, format string, list []files.Info, d *domain.Domain, form schema.CSV) beam.PCollection {
	return beam.ParDo(s, &readPieceFn{Format: format, Domain: *d, Form: form}, beam.Reshuffle(s, pieces(s, &piecesFn{Format: format}, list)))
}

// ReadFilesApart is ReadFiles for runners to which Apart matters. A large part of a file is read several times, each time
// for some of its records.
func ReadFilesApart(s beam.Scope, format string, list []files.Info, d *domain.Domain, form schema.CSV) beam.PCollection {
	return beam.ParDo(s, &readPieceFn{Format: format, Domain: *d, Form: form}, Apart(s, pieces(s, &piecesFn{Format: format, Apart: true}, list)))
}

func pieces(s beam.Scope, fn *piecesFn, list []files.Info) beam.PCollection {
	return beam.ParDo(s, fn, beam.CreateList(s, list))
}
