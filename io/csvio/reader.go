package csvio

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/schema"
)

const (
	chunkRows  = 4096    // records of a full chunk
	chunkBytes = 4 << 20 // a chunk with longer cells ends early
	maxRecord  = 1 << 28 // bytes; a quote that does not end would otherwise collect the whole file

	nullText = `\N`
)

// Reader reads the records of one CSV file.
type Reader struct {
	name   string
	opts   schema.CSV
	csv    *csv.Reader
	from   records // what csv reads
	needs  []int   // field of the privacy ID (−1: none), then of each attribute
	header bool    // the file has a header line
	guard  *guard
	line   int // where the last record began
}

// guard fails once more is read for one record than a record can have.
type guard struct {
	r           io.Reader
	limit, left int
}

var errLong = errors.New("a record is longer than 256 MiB; a closing quote may be missing")

func (g *guard) Read(b []byte) (int, error) {
	if g.left < 0 {
		return 0, errLong
	}
	n, err := g.r.Read(b)
	g.left -= n
	return n, err
}

// NewReader returns a reader of r's records with the columns of d and its privacy ID. It reads the
// header line, unless opts names the columns. The name stands for the file in errors; nothing is
// closed.
func NewReader(r io.Reader, name string, d *domain.Domain, opts schema.CSV) (*Reader, error) {
	out, err := open(r, name, opts)
	if err != nil {
		return nil, err
	}
	columns, err := out.columns()
	if err != nil {
		return nil, err
	}
	out.csv.FieldsPerRecord = len(columns)
	out.from.one = len(columns) == 1
	out.needs, err = out.match(columns, d)
	return out, err
}

// open returns a reader that has read nothing but a byte order mark, and knows of no columns.
func open(r io.Reader, name string, opts schema.CSV) (*Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if mark, err := b.Peek(3); err == nil && string(mark) == "\ufeff" {
		if _, err := b.Discard(3); err != nil {
			return nil, fmt.Errorf("csv: %s: %w", name, err)
		}
	}
	lines := &lineCounter{r: b}
	g := &guard{r: lines, limit: maxRecord, left: maxRecord}
	c := csv.NewReader(g)
	c.ReuseRecord = true
	if opts.Comma != 0 {
		c.Comma = opts.Comma
	}
	// encoding/csv would take a blank that separates cells for one around a cell.
	c.TrimLeadingSpace = opts.Trim && !unicode.IsSpace(c.Comma)
	out := &Reader{name: name, opts: opts, csv: c, guard: g, header: len(opts.Columns) == 0}
	out.from = records{csv: c, lines: lines, next: 1}
	return out, nil
}

// columns returns the names of the file's columns.
func (r *Reader) columns() ([]string, error) {
	if !r.header {
		return r.opts.Columns, nil
	}
	record, err := r.csv.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("csv: %s: the file is empty; a header line is needed, or csv: columns in the domain file", r.name)
	case err != nil:
		return nil, r.fault(err)
	}
	line, _ := r.csv.FieldPos(0)
	r.from.next = line + linesOf(record)
	names := slices.Clone(record)
	for i := range names {
		names[i] = strings.Clone(r.trim(names[i]))
	}
	return names, nil
}

// match returns the field of each needed column, or an error that lists all that are missing. It does
// not show the first line of the file: without a header, that would be a record.
func (r *Reader) match(columns []string, d *domain.Domain) ([]int, error) {
	need := make([]string, 1, d.Len()+1)
	need[0] = d.PrivacyID
	for i := range d.Attributes {
		need = append(need, d.Attributes[i].Name)
	}
	var errs []error
	fields := make([]int, len(need))
	for i, name := range need {
		fields[i] = slices.Index(columns, name)
		switch {
		case i == 0 && name == "":
			fields[i] = -1
		case fields[i] < 0:
			errs = append(errs, fmt.Errorf("csv: %s: %s no column %q; %s", r.name, r.rule(), name, r.mend()))
		case slices.Contains(columns[fields[i]+1:], name):
			errs = append(errs, fmt.Errorf("csv: %s: two columns are called %q; rename one", r.name, name))
		}
	}
	return fields, errors.Join(errs...)
}

// Offset returns how many bytes of the file have been read, without a byte order mark.
func (r *Reader) Offset() int64 { return r.csv.InputOffset() }

// Read fills the chunk with the next records, at most 4096 of them, in columns of Form Text, with the
// line of each. The chunk's memory is used again where it is large enough. At the end it returns
// io.EOF and no record.
func (r *Reader) Read(chunk *domain.Chunk) error {
	r.reset(chunk)
	for size := 0; chunk.Rows < chunkRows && size < chunkBytes; chunk.Rows++ {
		r.guard.left = r.guard.limit
		record, line, err := r.from.read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			chunk.Rows = 0
			return r.fault(err)
		}
		r.line = line
		chunk.Lines = append(chunk.Lines, r.line)
		size += r.add(chunk, record)
	}
	if chunk.Rows == 0 {
		return io.EOF
	}
	r.finish(chunk)
	return nil
}

// reset empties the chunk and keeps its memory.
func (r *Reader) reset(chunk *domain.Chunk) {
	chunk.Rows, chunk.Source, chunk.Lines = 0, "csv: "+r.name, chunk.Lines[:0]
	if len(chunk.Columns) != len(r.needs)-1 {
		chunk.Columns = make([]domain.Column, len(r.needs)-1)
	}
	for i, field := range r.needs {
		c := column(chunk, i)
		*c = domain.Column{Form: domain.Text, Bytes: c.Bytes[:0], Offsets: append(c.Offsets[:0], 0), Nulls: c.Nulls[:0]}
		if field < 0 {
			*c = domain.Column{}
		}
	}
}

// column returns the privacy ID for i = 0, and attribute i−1 after it.
func column(chunk *domain.Chunk, i int) *domain.Column {
	if i == 0 {
		return &chunk.ID
	}
	return &chunk.Columns[i-1]
}

// add appends a record and returns its size.
func (r *Reader) add(chunk *domain.Chunk, record []string) int {
	n := 0
	for i, field := range r.needs {
		if field < 0 {
			continue
		}
		c, s := column(chunk, i), record[field]
		if r.opts.Trim {
			s = r.trim(s)
		}
		n += len(s)
		if r.null(s) {
			// Nulls grows to the last NULL only: most columns have none.
			c.Nulls = append(c.Nulls, falses(chunk.Rows-len(c.Nulls))...)
			c.Nulls = append(c.Nulls, true)
		} else {
			c.Bytes = append(c.Bytes, s...)
		}
		c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
	}
	return n
}

var noNulls [chunkRows]bool

func falses(n int) []bool { return noNulls[:n] }

// finish completes Nulls, or drops it where no cell is NULL.
func (r *Reader) finish(chunk *domain.Chunk) {
	for i := range r.needs {
		c := column(chunk, i)
		if len(c.Nulls) == 0 {
			c.Nulls = nil
			continue
		}
		c.Nulls = append(c.Nulls, falses(chunk.Rows-len(c.Nulls))...)
	}
}

// trim takes the blanks off that do not belong to a cell.
func (r *Reader) trim(s string) string {
	if !r.opts.Trim {
		return s
	}
	return strings.TrimSpace(s)
}

// null reports whether a cell is NULL.
func (r *Reader) null(s string) bool {
	if s == "" || s == nullText {
		return true
	}
	for _, mark := range r.opts.Null {
		if s == mark {
			return true
		}
	}
	return false
}

// fault words an error of encoding/csv, whose own text holds no cell either: file, line, column, rule.
func (r *Reader) fault(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return fmt.Errorf("csv: %s: after line %d: %w", r.name, r.line, err)
	}
	switch {
	case errors.Is(p.Err, csv.ErrFieldCount):
		return fmt.Errorf("csv: %s: line %d: not as many cells as %s", r.name, p.StartLine, r.rule())
	case errors.Is(p.Err, csv.ErrBareQuote):
		return fmt.Errorf("csv: %s: line %d, byte %d: a quote inside a cell without quotes; put the cell in quotes and double the quote", r.name, p.Line, p.Column)
	case errors.Is(p.Err, csv.ErrQuote):
		return fmt.Errorf("csv: %s: line %d, byte %d: a quoted cell does not end, or goes on after its quote; the record begins on line %d", r.name, p.Line, p.Column, p.StartLine)
	}
	return fmt.Errorf("csv: %s: line %d: %w", r.name, p.Line, p.Err)
}

// rule says where the names and the number of columns come from.
func (r *Reader) rule() string {
	if r.header {
		return "the header line has"
	}
	return "csv: columns in the domain file has"
}

// mend says what to do about a missing column.
func (r *Reader) mend() string {
	if r.header {
		return "add it, or name the file's columns under csv: columns in the domain file if it has no such line"
	}
	return "name all columns of the file there, in their order"
}
