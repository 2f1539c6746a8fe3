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
	at    int           // those that were taken
	whole domain.Column // IDs that are numbers
	texts codec.Stream
}

// start turns to the row group whose chunks r has read.
func (d *idReader) start(r *Reader, rows int) error {
	d.leaf, d.at = r.id, 0
	if d.form == domain.Ints {
		return r.readColumn(d.leaf, rows, &d.whole)
	}
	d.texts.Start(&d.leaf.Values, rows)
	return d.named(r.file.Load(&d.texts.Pages, d.index, rows))
}

// take sets out to the IDs of the next n rows, or of fewer rows if the IDs are long; at least one.
func (d *idReader) take(out *domain.Column, n int) (rows int, err error) {
	if d.form == domain.Ints {
		ids := rowsOf(&d.whole, d.at, d.at+n)
		d.at += n
		if d.unsigned {
			spellUnsigned(out, &ids)
		} else {
			*out = ids
		}
		return n, nil
	}
	out.Form, out.Nulls = domain.Text, slices.Grow(out.Nulls[:0], n)
	out.Bytes, out.Offsets = out.Bytes[:0], append(slices.Grow(out.Offsets[:0], n+1), 0)
	for rows < n && len(out.Bytes) < idBytes {
		b, null, err := d.texts.Next()
		switch {
		case err != nil:
			return 0, err
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
	d.at += rows
	return rows, nil
}

// spellUnsigned turns the bits of unsigned numbers into their digits.
func spellUnsigned(out, c *domain.Column) {
	out.Form, out.Nulls = domain.Text, c.Nulls
	out.Bytes, out.Offsets = out.Bytes[:0], append(slices.Grow(out.Offsets[:0], len(c.Ints)+1), 0)
	for i, x := range c.Ints {
		if !c.Null(i) {
			out.Bytes = strconv.AppendUint(out.Bytes, uint64(x), 10)
		}
		out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
	}
}
