package parquetio

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/metadata"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Writer writes chunks of rows to one Parquet file. It is not safe for concurrent use.
type Writer struct{ t *table }

// NewWriter starts a file on w with a column for each attribute of d. The privacy ID is not among
// them. w is never closed, whatever methods it has.
func NewWriter(w io.Writer, d *domain.Domain, o Options) (*Writer, error) {
	columns := make([]*column, d.Len())
	for i := range d.Attributes {
		a := &d.Attributes[i]
		if a.Type == domain.Numeric && (a.Scale < 0 || a.Scale > numericScale) {
			return nil, fmt.Errorf("parquet: column %q: scale %d: want 0 to %d", a.Name, a.Scale, numericScale)
		}
		columns[i] = newColumn(a.Name, a.Type, a.Scale, a.Null && o.Nulls == NullsOptional)
		if a.Type == domain.Numeric && o.Decimals == DecimalsDeclared {
			columns[i].declare(a)
		}
		if columns[i].dict != nil {
			columns[i].dict = newDictionary(categories(a)...)
		}
	}
	t, err := newTable(w, columns, o)
	if err != nil {
		return nil, err
	}
	return &Writer{t}, nil
}

// categories returns what the cells of a categorical attribute are written as.
func categories(a *domain.Attribute) []string {
	if !a.Other {
		return a.Values
	}
	return append(slices.Clone(a.Values), a.OtherValue)
}

// Write appends the rows of c, in the forms that domain.Decoder makes: Ints, Floats for FLOAT64,
// Dictionary or Text for STRING; INT64 and BOOL may also come as Dictionary. Its ID is ignored. After
// an error every call fails with the same error. c is not kept.
func (w *Writer) Write(c *domain.Chunk) error {
	return w.t.keep(w.t.write(c))
}

// Close finishes the file and returns the number of rows written to it. The file is complete only
// if the error is nil. A second Close returns the same as the first.
func (w *Writer) Close() (rows int64, err error) { return w.t.close() }

// table is a file being written: columns that fill up pages, and encoders that hold the pages of a row
// group until it is full. Memory is that of one row group and one page, whatever the number of rows.
type table struct {
	columns  []*column
	encoders []*encoder
	page     int64 // rows of a page
	held     int   // rows in the columns
	rows     int64
	group    int64 // most rows of a row group
	budget   int   // bytes held that end a row group
	inGroup  int64 // rows in the pages of the current one
	groups   int
	at       int64 // bytes written
	footer   *footer
	sink     *sink
	err      error // the first one
	closed   bool
}

const magic = "PAR1"

func newTable(w io.Writer, columns []*column, o Options) (*table, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, errors.New("parquet: a file without columns cannot hold rows")
	}
	t := &table{columns: columns, group: o.groupRows(), budget: groupBytes(len(columns)), sink: &sink{w: w}, page: pageRows(len(columns)), at: int64(len(magic))}
	shared := stores.Get().(*store)
	fields := make([]schema.Node, len(columns))
	for i, c := range columns {
		node, err := c.node()
		if err != nil {
			return nil, fmt.Errorf("parquet: column %q: its name cannot be written", c.name)
		}
		fields[i], t.encoders = node, append(t.encoders, newEncoder(o, c.nullable, shared))
		c.ints = take(&shared.cells)
	}
	// Readers take a REPEATED root for a list, or end with an error.
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, errors.New("parquet: the columns' names cannot be written")
	}
	if t.footer, err = newFooter(schema.NewSchema(root), o.properties()); err != nil {
		return nil, err
	}
	if _, err := t.sink.Write([]byte(magic)); err != nil {
		return nil, fmt.Errorf("parquet: starting the file: %w", err)
	}
	return t, nil
}

// pageRows returns the rows of a page. Those of very wide tables are short, so that the cells held of all
// columns take 32 MiB.
func pageRows(columns int) int64 {
	return max(1<<12, min(batchRows, 1<<22/int64(columns)))
}

// groupBytes returns the bytes that a row group holds before it is written: 8 MiB, and more if a column
// chunk would be below 64 KiB, of which its description in the footer is 1/400. BigQuery advises 16 MiB for
// large files. But writers hold their groups all at once, and 8 MiB are 200,000 rows of 15 mixed columns,
// where DuckDB writes 122,880: enough for one dictionary.
func groupBytes(columns int) int { return max(8<<20, columns<<16) }

// keep remembers the first error; the destination's own one comes first.
func (t *table) keep(err error) error {
	if t.err == nil && t.sink.err != nil {
		t.err = fmt.Errorf("parquet: writing: %w", t.sink.err)
	}
	if t.err == nil {
		t.err = err
	}
	return t.err
}

func (t *table) write(c *domain.Chunk) error {
	switch {
	case t.err != nil:
		return t.err
	case t.closed:
		return errors.New("parquet: write after close")
	case len(c.Columns) != len(t.columns):
		return fmt.Errorf("parquet: a chunk of %d columns for a file of %d", len(c.Columns), len(t.columns))
	}
	for lo := 0; lo < c.Rows; {
		hi := min(c.Rows, lo+t.batch()-t.held)
		for i, col := range t.columns {
			col.reserve(hi-lo, int(t.page))
			if err := col.add(&c.Columns[i], lo, hi, t.held); err != nil {
				return fmt.Errorf("parquet: column %q: %w", col.name, err)
			}
		}
		if err := t.advance(hi - lo); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// batch returns how many rows make the next page: none crosses the end of a row group.
func (t *table) batch() int { return int(min(t.page, t.group-t.inGroup)) }

// advance counts n rows that every column has taken in, and makes pages of full columns.
func (t *table) advance(n int) error {
	t.held += n
	if t.held < t.batch() {
		return nil
	}
	return t.flush()
}

// flush makes pages of the rows held, and writes a full row group.
func (t *table) flush() error {
	if t.held > 0 {
		for i, c := range t.columns {
			t.encoders[i].add(c, t.held)
			c.empty()
		}
		t.rows, t.inGroup, t.held = t.rows+int64(t.held), t.inGroup+int64(t.held), 0
	}
	if t.inGroup < t.group && t.bytes() < t.budget {
		return nil
	}
	return t.endGroup()
}

// bytes returns what the current row group holds. Pages begin at rows of their own, so equal rows make
// equal groups.
func (t *table) bytes() (n int) {
	for _, e := range t.encoders {
		n += e.held()
	}
	return n
}

// endGroup writes the pages of a row group.
func (t *table) endGroup() error {
	if t.inGroup == 0 {
		return nil
	}
	if t.groups > math.MaxInt16 {
		return errors.New("parquet: more than 32,768 row groups; give them more rows")
	}
	if err := t.footer.add(t.inGroup, t.writeGroup); err != nil {
		return fmt.Errorf("parquet: writing a row group: %w", err)
	}
	t.groups, t.inGroup = t.groups+1, 0
	return nil
}

// writeGroup writes the chunks of a row group and describes them in g.
func (t *table) writeGroup(g *metadata.RowGroupMetaDataBuilder) error {
	g.SetNumRows(int(t.inGroup))
	total := int64(0)
	for i, e := range t.encoders {
		packed, plain, err := e.finish(t.columns[i], t.sink, t.at, g.NextColumnChunk())
		if err != nil {
			return err
		}
		t.at, total = t.at+packed, total+plain
	}
	return g.Finish(total, int16(t.groups))
}

func (t *table) close() (int64, error) {
	if t.closed || t.err != nil {
		t.closed = true
		return t.rows, t.err
	}
	t.closed = true
	err := t.keep(t.flush())
	if err == nil {
		err = t.keep(t.endGroup())
	}
	if err == nil {
		err = t.keep(protect("finishing the file", t.writeFooter))
	}
	if err == nil {
		t.release()
	}
	return t.rows, err
}

// writeFooter writes the file's description, its length and the mark of a whole file.
func (t *table) writeFooter() error {
	b := t.footer.bytes()
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), magic...)
	if _, err := t.sink.Write(b); err != nil {
		return fmt.Errorf("parquet: finishing the file: %w", err)
	}
	return nil
}
