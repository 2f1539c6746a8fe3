package parquetio

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
	"github.com/dapple-dp/dapple/internal/kit/lists"
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
		if a.Type == domain.Numeric && !o.Wide {
			columns[i].declare(a)
		}
		if columns[i].Texts != nil {
			columns[i].Texts = codec.NewDictionary(categories(a)...)
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
	return w.t.Keep(w.t.write(c))
}

// Close finishes the file and returns the number of rows written to it. The file is complete only
// if the error is nil. A second Close returns the same as the first.
func (w *Writer) Close() (rows int64, err error) { return w.t.Close() }

// table is a file being written, and how cells come to its columns.
type table struct {
	*codec.Writer
	columns []*column
}

func newTable(w io.Writer, columns []*column, o Options) (*table, error) {
	list := lists.Of(columns, func(c *column) *codec.Column { return c.Column })
	f, err := codec.NewWriter(w, list, cmp.Or(o.GroupRows, 1<<18))
	if err != nil {
		return nil, err
	}
	return &table{f, columns}, nil
}

func (t *table) write(c *domain.Chunk) error {
	if err := t.Ready(); err != nil {
		return err
	}
	if len(c.Columns) != len(t.columns) {
		return fmt.Errorf("parquet: a chunk of %d columns for a file of %d", len(c.Columns), len(t.columns))
	}
	for lo := 0; lo < c.Rows; {
		hi := min(c.Rows, lo+t.Room())
		t.Reserve(hi - lo)
		for i, col := range t.columns {
			if err := col.add(&c.Columns[i], lo, hi, t.Held()); err != nil {
				return fmt.Errorf("parquet: column %q: %w", col.Name, err)
			}
		}
		if err := t.Advance(hi - lo); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// Options are the settings of a written file. Zero fields mean their defaults.
type Options struct {
	// Wide writes NUMERIC as DECIMAL(38, 9), BigQuery's NUMERIC. Else a column has as many digits as the range or the values of the
	// attribute, with its decimal places.
	Wide      bool
	GroupRows int64 // most rows of a row group, which ends earlier at 8 MiB; default 1<<18
}
