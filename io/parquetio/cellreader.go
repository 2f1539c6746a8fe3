package parquetio

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// cellReader reads the column chunk of one column in pieces.
type cellReader struct {
	*leaf
	values  codec.Values
	decoder codec.Decoder
	found   *texts // nil: the cells are no texts
}

// start turns to a column chunk of so many rows in the row group that f was turned to. Its texts may take so many bytes.
func (c *cellReader) start(f *codec.File, l *leaf, rows int, textBytes int64) error {
	c.leaf, c.values, c.found = l, l.Values, nil
	if l.form == domain.Dictionary {
		c.found = newTexts(l, textBytes)
		c.values.Text = c.found.take
	}
	if l.null {
		return nil
	}
	c.decoder.Start(&c.values, rows)
	return l.named(f.Load(&c.decoder.Pages, l.index, rows))
}

// take sets out to the next n cells, in its memory if it is large enough.
func (c *cellReader) take(n int, out *domain.Column) (err error) {
	cells := codec.Cells{Ints: out.Ints, Floats: out.Floats, Nulls: out.Nulls}
	if c.null {
		cells.AllNull(n, c.Float)
	} else {
		err = c.decoder.Take(n, &cells)
	}
	out.Form, out.Dict = c.form, nil
	out.Ints, out.Floats, out.Nulls = cells.Ints, cells.Floats, cells.Nulls
	switch {
	case c.found == nil:
	case c.null:
		out.Dict = []string{""}
	default:
		out.Dict = slices.Clip(c.found.list) // which grows from here on
	}
	return c.named(err)
}
