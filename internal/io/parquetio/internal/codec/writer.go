package codec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// stated is what the library's footer states of every file.
var stated = parquet.NewWriterProperties(parquet.WithVersion(parquet.V2_LATEST), parquet.WithCompression(compress.Codecs.Snappy),
	parquet.WithCreatedBy("dapple"))

// Writer is a file being written: columns that fill up pages, and encoders that hold the pages of a row
// group until it is full. It holds one row group and one page in memory, whatever the number of rows.
type Writer struct {
	columns  []*Column
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

// NewWriter starts a file of the columns on w, which it never closes. A row group has at most groupRows rows.
func NewWriter(w io.Writer, columns []*Column, groupRows int64) (*Writer, error) {
	if len(columns) == 0 {
		return nil, errors.New("parquet: a file without columns cannot hold rows")
	}
	t := &Writer{columns: columns, group: groupRows, budget: groupBytes(len(columns)), sink: &sink{w: w}, page: pageRows(len(columns)), at: int64(len(Magic))}
	shared := stores.Get().(*store)
	fields := make([]schema.Node, len(columns))
	for i, c := range columns {
		node, err := c.Node()
		if err != nil {
			return nil, fmt.Errorf("parquet: column %q: its name cannot be written", c.Name)
		}
		fields[i], t.encoders = node, append(t.encoders, &encoder{store: shared, optional: c.Nullable})
		c.Cells = take(&shared.cells)
	}
	// Readers take a REPEATED root for a list, or end with an error.
	root, err := schema.NewGroupNode("schema", parquet.Repetitions.Required, fields, -1)
	if err != nil {
		return nil, errors.New("parquet: the columns' names cannot be written")
	}
	if t.footer, err = newFooter(schema.NewSchema(root), stated); err != nil {
		return nil, err
	}
	if _, err := t.sink.Write([]byte(Magic)); err != nil {
		return nil, fmt.Errorf("parquet: starting the file: %w", err)
	}
	return t, nil
}

// pageRows returns the rows of a page. Those of very wide tables are short, so that the cells held of all
// columns take 32 MiB.
func pageRows(columns int) int64 {
	return max(1<<12, min(BatchRows, 1<<22/int64(columns)))
}

// groupBytes returns the bytes that a row group holds before it is written: 8 MiB, and more if a column
// chunk would be below 64 KiB, of which its description in the footer is 1/400. BigQuery advises 16 MiB for
// large files. But writers hold their groups all at once, and 8 MiB are 200,000 rows of 15 mixed columns,
// where DuckDB writes 122,880: enough for one dictionary.
func groupBytes(columns int) int { return max(8<<20, columns<<16) }

// Keep remembers the first error; the destination's own one comes first.
func (w *Writer) Keep(err error) error {
	if w.err == nil && w.sink.err != nil {
		w.err = fmt.Errorf("parquet: writing: %w", w.sink.err)
	}
	if w.err == nil {
		w.err = err
	}
	return w.err
}

// Ready returns why no rows can be written: the first error, or that the file was closed.
func (w *Writer) Ready() error {
	if w.err == nil && w.closed {
		return errors.New("parquet: write after close")
	}
	return w.err
}

// Room returns how many rows the columns take until they make a page, at least one.
func (w *Writer) Room() int { return w.batch() - w.held }

// Held returns the number of rows that the columns hold.
func (w *Writer) Held() int { return w.held }

// Reserve makes room for n more cells of every column.
func (w *Writer) Reserve(n int) {
	for _, c := range w.columns {
		c.reserve(n, int(w.page))
	}
}

// batch returns how many rows make the next page: none crosses the end of a row group.
func (w *Writer) batch() int { return int(min(w.page, w.group-w.inGroup)) }

// Advance counts n rows that every column has taken in, and makes pages of full columns.
func (w *Writer) Advance(n int) error {
	w.held += n
	if w.held < w.batch() {
		return nil
	}
	return w.flush()
}

// flush makes pages of the rows held, and writes a full row group.
func (w *Writer) flush() error {
	if w.held > 0 {
		for i, c := range w.columns {
			w.encoders[i].add(c, w.held)
			c.empty()
		}
		w.rows, w.inGroup, w.held = w.rows+int64(w.held), w.inGroup+int64(w.held), 0
	}
	if w.inGroup < w.group && w.bytes() < w.budget {
		return nil
	}
	return w.endGroup()
}

// bytes returns what the current row group holds. Pages begin at rows of their own, so equal rows make
// equal groups.
func (w *Writer) bytes() (n int) {
	for _, e := range w.encoders {
		n += e.held()
	}
	return n
}

// endGroup writes the pages of a row group.
func (w *Writer) endGroup() error {
	if w.inGroup == 0 {
		return nil
	}
	if w.groups > math.MaxInt16 {
		return errors.New("parquet: more than 32,768 row groups; give them more rows")
	}
	if err := w.footer.add(w.inGroup, w.writeGroup); err != nil {
		return fmt.Errorf("parquet: writing a row group: %w", err)
	}
	w.groups, w.inGroup = w.groups+1, 0
	return nil
}

// writeGroup writes the chunks of a row group and describes them in g.
func (w *Writer) writeGroup(g *metadata.RowGroupMetaDataBuilder) error {
	g.SetNumRows(int(w.inGroup))
	total := int64(0)
	for i, e := range w.encoders {
		packed, plain, err := e.finish(w.columns[i], w.sink, w.at, g.NextColumnChunk())
		if err != nil {
			return err
		}
		w.at, total = w.at+packed, total+plain
	}
	return g.Finish(total, int16(w.groups))
}

// Close finishes the file and returns the number of rows written to it. A second one returns the same.
func (w *Writer) Close() (int64, error) {
	if w.closed || w.err != nil {
		w.closed = true
		return w.rows, w.err
	}
	w.closed = true
	err := w.Keep(w.flush())
	if err == nil {
		err = w.Keep(w.endGroup())
	}
	if err == nil {
		err = w.Keep(Protect("finishing the file", w.writeFooter))
	}
	if err == nil {
		w.release()
	}
	return w.rows, err
}

// writeFooter writes the file's description, its length and the mark of a whole file.
func (w *Writer) writeFooter() error {
	b := w.footer.bytes()
	b = append(binary.LittleEndian.AppendUint32(b, uint32(len(b))), Magic...)
	if _, err := w.sink.Write(b); err != nil {
		return fmt.Errorf("parquet: finishing the file: %w", err)
	}
	return nil
}

// sink is a destination that keeps its first error: every later write of such a file must fail too.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return n, err
}

// Protect runs f and turns a panic of the Parquet library into an error.
func Protect(what string, f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			// The library's panic texts can quote cells: they are dropped.
			err = fmt.Errorf("parquet: %s: the file cannot be processed", what)
		}
	}()
	return f()
}
