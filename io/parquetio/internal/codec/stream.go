package codec

import "github.com/apache/arrow/go/v15/parquet"

// Stream reads the texts of one column chunk one by one: all of them together may be longer than memory.
type Stream struct {
	Pages Pages
	*Values
	rows int // of the row group
	read int // those whose pages were read

	levels  []int64 // of the cells of the page
	cell    int     // the next of them
	texts   textPage
	raw     []int64
	indices []int64 // into the dictionary, of the cells that are not NULL
	indexed bool
	dict    []byte // the texts of the dictionary page, one after the other
	ends    []int  // where they end
	hasDict bool
}

// Start begins with a column chunk of so many rows, to whose pages the stream has been turned.
func (d *Stream) Start(v *Values, rows int) {
	d.Values, d.rows, d.read = v, rows, 0
	d.levels, d.cell, d.hasDict, d.dict, d.ends = d.levels[:0], 0, false, d.dict[:0], d.ends[:0]
}

// Next returns the next cell, whose text is valid until the one after it.
func (d *Stream) Next() (text []byte, null bool, err error) {
	for d.cell == len(d.levels) {
		if err := d.page(); err != nil {
			return nil, false, err
		}
	}
	null = d.levels[d.cell] == 0
	d.cell++
	if !null {
		text, err = d.value()
	}
	return text, null, err
}

// value returns the next text of the page.
func (d *Stream) value() ([]byte, error) {
	if !d.indexed {
		return d.texts.next()
	}
	x := d.indices[0]
	d.indices = d.indices[1:]
	if uint64(x) >= uint64(len(d.ends)) {
		return nil, ErrPage
	}
	from := 0
	if x > 0 {
		from = d.ends[x-1]
	}
	return d.dict[from:d.ends[x]], nil
}

// page reads the next page, which may be one without cells.
func (d *Stream) page() error {
	d.levels, d.cell = d.levels[:0], 0
	p := &d.Pages
	if hasCells, err := p.turn(d.rows-d.read, func() error { return d.dictionary(p) }); err != nil || !hasCells {
		return err
	}
	d.read += int(p.cells)
	d.levels = sized(d.levels, int(p.cells))
	data := p.body
	if fill(d.levels, 1); d.Optional {
		levels, values, err := p.definitions()
		if err == nil {
			err = levels.read(d.levels)
		}
		if err != nil {
			return err
		}
		data = values
	}
	valid := count(d.levels)
	switch e := p.encodingOf(); e {
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		d.indexed, d.raw = true, sized(d.raw, valid)
		d.indices = d.raw
		if valid == 0 {
			return nil
		}
		indices, err := indicesOf(data, valid)
		if err != nil {
			return err
		}
		return indices.read(d.indices)
	default:
		d.indexed = false
		return d.texts.start(e, d.Values, valid, data)
	}
}

// dictionary keeps the texts of a dictionary page.
func (d *Stream) dictionary(p *Pages) error {
	if d.hasDict {
		return ErrPage
	}
	d.hasDict = true
	if err := d.texts.start(parquet.Encodings.Plain, d.Values, int(p.cells), p.body); err != nil {
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
