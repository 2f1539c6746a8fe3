package parquetio

import (
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/io/parquetio/internal/codec"
)

// idBytes is how many bytes of privacy IDs a chunk holds before it ends, with however many rows: in a file an ID of
// megabytes may take a bit for each of its records, and no ID may end a run.
const idBytes = 8 << 20

// idReader reads the privacy IDs of one row group in pieces.
type idReader struct {
	*leaf
	numbers cellReader    // IDs that are numbers
	cells   domain.Column // of them that are spelled out
	texts   codec.Stream
}

// start turns to the IDs of the row group that f was turned to, which has so many rows.
func (d *idReader) start(f *codec.File, l *leaf, rows int) error {
	if d.leaf = l; d.form == domain.Ints {
		return d.numbers.start(f, l, rows, 0)
	}
	d.texts.Start(&l.Values, rows)
	return d.named(f.Load(&d.texts.Pages, d.index, rows))
}

// take sets out to the IDs of the next n rows, or of fewer rows if the IDs are long; at least one.
func (d *idReader) take(n int, out *domain.Column) (rows int, err error) {
	switch {
	case d.form == domain.Ints && !d.unsigned:
		return n, d.numbers.take(n, out)
	case d.form == domain.Ints:
		if err := d.numbers.take(n, &d.cells); err != nil {
			return 0, err
		}
		spellUnsigned(out, &d.cells)
		return n, nil
	}
	out.Form, out.Nulls = domain.Text, slices.Grow(out.Nulls[:0], n)
	out.Bytes, out.Offsets = out.Bytes[:0], append(slices.Grow(out.Offsets[:0], n+1), 0)
	for rows < n && len(out.Bytes) < idBytes {
		b, null, err := d.texts.Next()
		switch {
		case err != nil:
			return 0, d.named(err)
		case d.uuid && !null:
			out.Bytes = appendUUID(out.Bytes, b)
		default:
			out.Bytes = append(out.Bytes, b...)
		}
		out.Offsets, out.Nulls = append(out.Offsets, uint32(len(out.Bytes))), append(out.Nulls, null)
		rows++
	}
	if !slices.Contains(out.Nulls, true) {
		out.Nulls = nil
	}
	return rows, nil
}

// spellUnsigned turns the bits of unsigned numbers into their digits.
func spellUnsigned(out, c *domain.Column) {
	out.Form, out.Nulls = domain.Text, slices.Clone(c.Nulls)
	out.Bytes, out.Offsets = out.Bytes[:0], append(slices.Grow(out.Offsets[:0], len(c.Ints)+1), 0)
	for i, x := range c.Ints {
		if !c.Null(i) {
			out.Bytes = strconv.AppendUint(out.Bytes, uint64(x), 10)
		}
		out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
	}
}
