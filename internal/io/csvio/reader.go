package csvio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

const (
	chunkRows  = 4096    // records of a full chunk
	chunkBytes = 4 << 20 // a chunk with longer cells ends early

	nullText = `\N`
)

// Reader reads the records of one CSV file.
type Reader struct {
	name    string
	opts    schema.CSV
	scan    *scanner
	header  bool  // the file has a header line
	columns int   // of the file
	needs   []int // field of the privacy ID (−1: none), then of each attribute
	uses    []int // the inverse: of each field the place in needs, or −1
	into    []*domain.Column
	needed  []int        // bytes of the cells of each in the last full chunk
	written []form       // of each place in needs, if not in the usual way
	marked  [2][256]bool // what texts of NULL begin with, of attributes and of the privacy ID
	buf     []byte
}

// form is how the cells of a column are written.
type form struct {
	schema.Written
	latest int // year
}

// NewReader returns a reader of r's records with the columns of d and its privacy ID. It reads the header line,
// unless opts names the columns. Errors begin with the name, and its ending gives the compression; nothing is closed.
func NewReader(r io.Reader, name string, d *domain.Domain, opts schema.CSV) (*Reader, error) {
	out, err := open(r, name, opts)
	if err != nil {
		return nil, err
	}
	columns, err := out.names()
	if err != nil {
		return nil, err
	}
	out.columns = len(columns)
	out.scan.one = len(columns) == 1
	if out.needs, err = out.match(columns, d); err != nil {
		return nil, err
	}
	if out.header && !opts.Header {
		if err := checkNames(columns); err != nil {
			return nil, out.fault(err)
		}
	}
	out.uses = slices.Repeat([]int{-1}, len(columns))
	for i, field := range out.needs {
		if field >= 0 {
			out.uses[field] = i
		}
	}
	out.into, out.needed = make([]*domain.Column, len(out.needs)), make([]int, len(out.needs))
	out.written = make([]form, len(out.needs))
	for i, marks := range [][]string{opts.Null, opts.NullID} {
		for _, mark := range append(marks[:len(marks):len(marks)], nullText) {
			out.marked[i][(mark + "\x00")[0]] = true
		}
	}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		f := form{Written: opts.Written[a.Name], latest: cellkind.LatestShort} // of a range that is to be found
		if n := len(a.Cuts); n > 0 && a.Type.Facts().Calendar {
			f.latest = a.Type.Time(a.Cuts[n-1]).Year()
		}
		out.written[i+1] = f
	}
	return out, nil
}

// Read fills the chunk with the next records, at most 4096 of them, in columns of Form Text, with the
// line of each. The chunk's memory is used again if it is large enough. At the end it returns
// io.EOF and no record.
func (r *Reader) Read(chunk *domain.Chunk) error {
	r.reset(chunk)
	for size := 0; chunk.Rows < chunkRows && size < chunkBytes && r.scan.record(); chunk.Rows++ {
		chunk.Lines = append(chunk.Lines, r.scan.line)
		n, err := r.add(chunk.Rows, r.scan.line)
		if err != nil {
			chunk.Rows = 0
			return err
		}
		size += n
	}
	if r.scan.err != nil {
		chunk.Rows = 0
		return r.fault(r.scan.err)
	}
	if chunk.Rows == 0 {
		return io.EOF
	}
	r.finish(chunk.Rows)
	return nil
}

// reset empties the chunk and keeps its memory.
func (r *Reader) reset(chunk *domain.Chunk) {
	chunk.Rows, chunk.Source, chunk.Lines = 0, "csv: "+r.name, chunk.Lines[:0]
	if len(chunk.Columns) != len(r.needs)-1 {
		chunk.Columns = make([]domain.Column, len(r.needs)-1)
	}
	for i, field := range r.needs {
		c := &chunk.ID
		if i > 0 {
			c = &chunk.Columns[i-1]
		}
		if n := r.needed[i]; cap(c.Bytes) == 0 && n > 0 { // a new chunk: what the last one needed, and an eighth
			c.Bytes, c.Offsets = make([]byte, 0, n+n/8), make([]uint32, 0, chunkRows+1)
		}
		*c = domain.Column{Form: domain.Text, Bytes: c.Bytes[:0], Offsets: append(c.Offsets[:0], 0), Nulls: c.Nulls[:0]}
		if field < 0 {
			*c = domain.Column{}
		}
		r.into[i] = c
	}
}

// add appends a record, which begins on the given line, and returns its size. A record of too few cells has NULL in
// the missing cells; extra cells are dropped. Only a strict reader returns an error.
func (r *Reader) add(row, line int) (size int, err error) {
	cells, fault := 0, ""
	for more := true; more; cells++ {
		i, k := -1, nothing
		if cells < len(r.uses) {
			if i = r.uses[cells]; i == 0 {
				k = orItsHash
			} else if i > 0 {
				k = theText
			}
		}
		more = r.scan.next(k)
		if r.scan.stray && fault == "" {
			fault = "a quote is inside a cell without quotes, or text follows a quoted cell; put the cell in quotes and double the quotes in it"
		}
		if i < 0 {
			continue
		}
		text, null := r.cell(i)
		if w := &r.written[i]; w.Written != "" && !null {
			if plain, ok := w.Canonical(r.buf, text, w.latest); ok {
				text, r.buf = plain, plain
			}
		}
		if long := len(text) > r.scan.limit-size; i > 0 && (long || r.scan.long) {
			text, null, fault = nil, true, fmt.Sprintf("its cells are longer than %d MiB together; raise max_record_mib under csv: in the domain file", r.scan.limit>>20)
		}
		size += len(text)
		r.put(r.into[i], row, text, null)
	}
	for _, i := range r.uses[min(cells, len(r.uses)):] {
		if i >= 0 {
			r.put(r.into[i], row, nil, true)
		}
	}
	switch {
	case r.scan.err != nil:
		return 0, r.openFault(r.scan.err, line)
	case !r.opts.Strict:
		return size, nil
	case cells != r.columns:
		return 0, fmt.Errorf("csv: %s: line %d: %d cells, and %s %d", r.name, line, cells, r.rule(), r.columns)
	case fault != "":
		return 0, fmt.Errorf("csv: %s: line %d: %s", r.name, line, fault)
	}
	return size, nil
}

// put appends a cell to a column. Nulls grows to the last NULL only: most columns have none.
func (r *Reader) put(c *domain.Column, row int, text []byte, null bool) {
	if null {
		c.Nulls = append(append(c.Nulls, falses(row-len(c.Nulls))...), true)
	} else {
		c.Bytes = append(c.Bytes, text...)
	}
	c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
}

// cell returns the last cell read, as the privacy ID for i = 0 or as a cell of an attribute. Trimming and the texts
// of NULL are declared separately for the two: otherwise an ID keeps every byte, so that two IDs never become one.
func (r *Reader) cell(i int) (text []byte, null bool) {
	trim, marks, marked := r.opts.Trim, r.opts.Null, &r.marked[0]
	if i == 0 {
		trim, marks, marked = r.opts.TrimID, r.opts.NullID, &r.marked[1]
	}
	switch text = r.scan.text; {
	case i == 0 && r.scan.long:
		return lines.AppendHashed(nil, text), false
	case trim && len(text) > 0 && !(visible(text[0]) && visible(text[len(text)-1])):
		text = bytes.TrimSpace(text)
	case !trim && r.scan.outer:
		text = r.scan.raw
	}
	if len(text) == 0 || marked[text[0]] && (string(text) == nullText || slices.ContainsFunc(marks, func(m string) bool { return m == string(text) })) {
		return nil, true
	}
	if i == 0 && bytes.HasPrefix(text, []byte(lines.HashedID)) {
		return []byte(lines.ID(string(text))), false
	}
	return text, false
}

// visible reports whether a byte is a sign of ASCII, and no blank: most cells begin and end with one.
func visible(c byte) bool { return ' ' < c && c < 0x7f }

var noNulls [chunkRows]bool

func falses(n int) []bool { return noNulls[:n] }

// finish completes Nulls, or drops it if no cell is NULL.
func (r *Reader) finish(rows int) {
	for i, c := range r.into {
		if rows == chunkRows {
			r.needed[i] = len(c.Bytes)
		}
		if len(c.Nulls) == 0 {
			c.Nulls = nil
			continue
		}
		c.Nulls = append(c.Nulls, falses(rows-len(c.Nulls))...)
	}
}

// fault wraps an error of reading. It omits the position, which would depend on the records before it.
func (r *Reader) fault(err error) error { return fmt.Errorf("csv: %s: %w", r.name, err) }

// openFault wraps an error in a record. Only a strict reader reports where a quote opens.
func (r *Reader) openFault(err error, line int) error {
	const fix = "write a quote inside a quoted cell twice, and close the cell"
	switch {
	case !errors.Is(err, errOpen):
		return r.fault(err)
	case r.opts.Strict:
		return fmt.Errorf("csv: %s: the record that begins on line %d: %w; %s", r.name, line, err, fix)
	}
	return fmt.Errorf("csv: %s: %w; %s (a strict run says on which line)", r.name, err, fix)
}

// trimmed takes the blanks off a name of the header line.
func (r *Reader) trimmed(name string) string {
	if r.opts.Trim || r.opts.TrimID {
		return strings.TrimSpace(name)
	}
	return name
}
