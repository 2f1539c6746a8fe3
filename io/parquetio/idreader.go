package parquetio

import (
	"slices"
	"strconv"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
)

// idBytes is how many bytes of privacy IDs a chunk holds before it ends, whatever its rows: in a file an ID
// of megabytes may take a bit for each of its records, and no ID must end a run.
const idBytes = 8 << 20

// idReader reads the privacy IDs of one row group in pieces.
type idReader struct {
	*leaf
	rows     int // of the row group
	at, read int // those that were taken; those whose pages were read
	pages    pageReader

	whole domain.Column // IDs that are numbers
	raw   []int64

	levels  []int64 // of the cells of the page
	cell    int     // the next of them
	texts   textPage
	indices []int64 // into the dictionary, of the cells that are not NULL
	indexed bool
	dict    []byte // the texts of the dictionary page, one after the other
	ends    []int  // where they end
	hasDict bool
}

// start turns to the row group whose chunks r has read.
func (d *idReader) start(r *Reader, rows int) error {
	d.leaf, d.rows, d.at, d.read = r.id, rows, 0, 0
	d.levels, d.cell, d.hasDict, d.dict, d.ends = d.levels[:0], 0, false, d.dict[:0], d.ends[:0]
	if d.form == domain.Ints {
		return r.readColumn(d.leaf, rows, &d.whole)
	}
	return d.named(r.load(&d.pages, d.leaf, rows))
}

// take sets out to the IDs of the next n rows, or of fewer if they are long; at least one.
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
	out.Form, out.Nulls = domain.Text, sized(out.Nulls, n)[:0]
	out.Bytes, out.Offsets = out.Bytes[:0], append(sized(out.Offsets, n+1)[:0], 0)
	for rows < n && len(out.Bytes) < idBytes {
		for d.cell == len(d.levels) {
			if err := d.page(); err != nil {
				return 0, err
			}
		}
		null := d.levels[d.cell] == 0
		if !null {
			b, err := d.next()
			if err != nil {
				return 0, err
			}
			if d.uuid {
				out.Bytes = appendUUID(out.Bytes, b)
			} else {
				out.Bytes = append(out.Bytes, b...)
			}
		}
		out.Offsets, out.Nulls = append(out.Offsets, uint32(len(out.Bytes))), append(out.Nulls, null)
		d.cell++
		rows++
	}
	if !slices.Contains(out.Nulls, true) {
		out.Nulls = nil
	}
	d.at += rows
	return rows, nil
}

// next returns the next text of the page.
func (d *idReader) next() ([]byte, error) {
	if !d.indexed {
		return d.texts.next()
	}
	x := d.indices[0]
	d.indices = d.indices[1:]
	if uint64(x) >= uint64(len(d.ends)) {
		return nil, errPage
	}
	from := 0
	if x > 0 {
		from = d.ends[x-1]
	}
	return d.dict[from:d.ends[x]], nil
}

// page reads the next page, which may be one without cells.
func (d *idReader) page() error {
	d.levels, d.cell = d.levels[:0], 0
	p := &d.pages
	if !p.more() {
		return errShort
	}
	if err := p.next(); err != nil {
		return err
	}
	switch p.kind {
	case dictionaryPage:
		return d.dictionary(p)
	case dataPage, dataPageV2:
	default:
		return nil
	}
	if p.cells > int64(d.rows-d.read) {
		return errPage
	}
	d.read += int(p.cells)
	d.levels = sized(d.levels, int(p.cells))
	data := p.body
	var err error
	if d.optional {
		data, err = p.definitions(d.levels)
	} else {
		fill(d.levels, 1)
	}
	if err != nil {
		return err
	}
	valid := count(d.levels)
	switch e := p.encodingOf(); e {
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		d.indexed, d.raw = true, sized(d.raw, valid)
		d.indices = d.raw
		if valid == 0 {
			return nil
		}
		return indices(d.indices, data)
	default:
		d.indexed = false
		return d.texts.start(e, &d.numbers, valid, data)
	}
}

// dictionary keeps the texts of a dictionary page.
func (d *idReader) dictionary(p *pageReader) error {
	if d.hasDict {
		return errPage
	}
	d.hasDict = true
	if err := d.texts.start(parquet.Encodings.Plain, &d.numbers, int(p.cells), p.body); err != nil {
		return err
	}
	for range p.cells {
		b, err := d.texts.next()
		if err != nil {
			return err
		}
		d.dict = append(d.dict, b...)
		d.ends = append(d.ends, len(d.dict))
	}
	return nil
}

// spellUnsigned turns the bits of unsigned numbers into their digits.
func spellUnsigned(out, c *domain.Column) {
	out.Form, out.Nulls = domain.Text, c.Nulls
	out.Bytes, out.Offsets = out.Bytes[:0], append(sized(out.Offsets, len(c.Ints)+1)[:0], 0)
	for i, x := range c.Ints {
		if !c.Null(i) {
			out.Bytes = strconv.AppendUint(out.Bytes, uint64(x), 10)
		}
		out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
	}
}
