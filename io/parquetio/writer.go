package parquetio

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/parquet/pqarrow"

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
		columns[i] = newColumn(a.Name, a.Type, a.Scale, a.Null)
		if a.Type == domain.String {
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
// Dictionary or Text for STRING; INT64 and BOOL may also come as Dictionary. Its ID is ignored. After an error every call fails with the same error. c is not kept.
func (w *Writer) Write(c *domain.Chunk) error {
	return w.t.keep(w.t.write(c))
}

// Close finishes the file and returns the number of rows written to it. The file is complete only
// where the error is nil. A second Close returns the same as the first.
func (w *Writer) Close() (rows int64, err error) { return w.t.close() }

// table is a file being written: columns that fill up batches, and pqarrow's writer.
type table struct {
	columns []*column
	held    int // rows in the columns
	rows    int64
	group   int64 // rows of a full row group
	inGroup int64 // rows in the current one
	schema  *arrow.Schema
	sink    *sink
	w       *pqarrow.FileWriter
	err     error // the first one
	closed  bool
}

func newTable(w io.Writer, columns []*column, o Options) (*table, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, errors.New("parquet: a file without columns cannot hold rows")
	}
	fields := make([]arrow.Field, len(columns))
	for i, c := range columns {
		fields[i] = c.field()
	}
	t := &table{columns: columns, group: o.groupRows(), schema: arrow.NewSchema(fields, nil), sink: &sink{w: w}}
	err := protect("starting the file", func() (err error) {
		t.w, err = pqarrow.NewFileWriter(t.schema, t.sink, o.properties(columns), pqarrow.NewArrowWriterProperties())
		return err
	})
	if err = errors.Join(t.sink.err, err); err != nil {
		return nil, fmt.Errorf("parquet: starting the file: %w", err)
	}
	return t, nil
}

// keep remembers the first error. The destination's own error comes first: what the library makes of
// it is often silence.
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

// batch returns how many rows make the next batch: one that would cross the end of a row group is cut
// there, since pqarrow fails on the slices that it cuts itself.
func (t *table) batch() int { return int(min(batchRows, t.group-t.inGroup)) }

// advance counts n rows that every column has taken in, and passes a full batch on.
func (t *table) advance(n int) error {
	t.held += n
	if t.held < t.batch() {
		return nil
	}
	return t.flush()
}

func (t *table) flush() error {
	if t.held == 0 {
		return nil
	}
	arrays := make([]arrow.Array, len(t.columns))
	for i, c := range t.columns {
		a, err := c.take(t.held)
		if err != nil {
			return fmt.Errorf("parquet: %w", err)
		}
		defer a.Release()
		arrays[i] = a
	}
	rec := array.NewRecord(t.schema, arrays, int64(t.held))
	defer rec.Release()
	return protect("writing a batch", func() error {
		if t.inGroup == 0 {
			t.w.NewBufferedRowGroup()
		}
		t.rows, t.inGroup, t.held = t.rows+rec.NumRows(), t.inGroup+rec.NumRows(), 0
		if err := t.w.WriteBuffered(rec); err != nil {
			return fmt.Errorf("parquet: writing a batch: %w", err)
		}
		if t.inGroup == t.group {
			t.inGroup = 0
		}
		return nil
	})
}

func (t *table) close() (int64, error) {
	if t.closed || t.err != nil {
		t.closed = true
		return t.rows, t.err
	}
	t.closed = true
	if err := t.keep(t.flush()); err != nil {
		return t.rows, err
	}
	err := protect("finishing the file", t.w.Close)
	if err != nil {
		err = fmt.Errorf("parquet: finishing the file: %w", err)
	}
	return t.rows, t.keep(err)
}
