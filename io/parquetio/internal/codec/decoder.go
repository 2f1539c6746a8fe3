package codec

import "github.com/apache/arrow/go/v15/parquet"

// Cells are the cells of a column chunk. NULL is a zero of the others.
type Cells struct {
	Ints   []int64
	Floats []float64 // if Values says so, in place of Ints
	Nulls  []bool    // nil: none is NULL
}

// Decoder reads the pages of column chunks. Its zero value is ready, and its memory is used again.
type Decoder struct {
	*Values
	rows int // of the row group
	at   int // rows decoded
	out  *Cells

	raw    []int64 // scratch: values of a page
	levels []int64 // scratch: definition levels of a page
	nulls  []bool  // memory for the NULLs of the column
	page   textPage

	table   []int64 // the cell of each entry of the page dictionary
	hasDict bool
}

// Read decodes all pages of a column chunk of so many rows, in the memory of out if it is large enough. It returns an
// error that says what is wrong with them or not supported.
func (d *Decoder) Read(p *Pages, v *Values, rows int, out *Cells) error {
	d.Values, d.rows, d.at, d.out, d.table, d.hasDict = v, rows, 0, out, nil, false
	d.nulls, out.Nulls = out.Nulls, nil
	if v.Float {
		out.Floats = sized(out.Floats, rows)
	} else {
		out.Ints = sized(out.Ints, rows)
	}
	for d.at < d.rows && p.more() {
		err := p.next()
		if err == nil {
			switch p.kind {
			case dictionaryPage:
				err = d.dictionary(p)
			case dataPage, dataPageV2:
				err = d.cells(p)
			}
		}
		if err != nil {
			return err
		}
	}
	if d.at < d.rows {
		return ErrShort
	}
	return nil
}

// AllNull makes a column of NULLs.
func (c *Cells) AllNull(rows int, float bool) {
	if float {
		c.Floats = sized(c.Floats, rows)
		clear(c.Floats)
	} else {
		c.Ints = sized(c.Ints, rows)
		clear(c.Ints)
	}
	c.Nulls = sized(c.Nulls, rows)
	for i := range c.Nulls {
		c.Nulls[i] = true
	}
}

// sized returns s, or a new slice if s is too small, with length n and any content.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (d *Decoder) dictionary(p *Pages) error {
	n, data := int(p.cells), p.body
	// Each entry but a boolean takes at least a byte, which bounds what a false count can allocate.
	if d.hasDict || n > len(data) {
		return ErrPage
	}
	d.hasDict, d.table = true, make([]int64, n)
	if d.Text == nil {
		return d.plain(d.table, data)
	}
	return d.decodeTexts(d.table, parquet.Encodings.Plain, data)
}

// cells decodes the cells of a data page.
func (d *Decoder) cells(p *Pages) (err error) {
	if p.cells > int64(d.rows-d.at) {
		return ErrPage
	}
	n, data := int(p.cells), p.body
	valid := n
	if d.levels = sized(d.levels, n); d.Optional {
		if data, err = p.definitions(d.levels); err != nil {
			return err
		}
		valid = count(d.levels)
	}
	return d.values(n, valid, p.encodingOf(), data)
}

func count(levels []int64) int {
	n := 0
	for _, l := range levels {
		n += int(l)
	}
	return n
}

// values decodes the valid values of a page of n cells and spreads them over the column.
func (d *Decoder) values(n, valid int, enc parquet.Encoding, data []byte) error {
	direct := valid == n && !d.Float
	var dst []int64
	if direct {
		dst = d.out.Ints[d.at : d.at+n]
	} else {
		d.raw = sized(d.raw, valid)
		dst = d.raw
	}
	if err := d.decode(dst, enc, data); err != nil {
		return err
	}
	switch {
	case d.Float:
		d.spreadFloats(n, valid)
	case !direct:
		spread(d.out.Ints[d.at:d.at+n], d.raw, d.levels, func(v int64) int64 { return v })
	}
	if valid < n {
		d.markNulls(n)
	}
	d.at += n
	return nil
}

func (d *Decoder) markNulls(n int) {
	if d.out.Nulls == nil {
		d.out.Nulls = sized(d.nulls, d.rows)
		clear(d.out.Nulls)
	}
	for i, l := range d.levels[:n] {
		d.out.Nulls[d.at+i] = l == 0
	}
}

// decode reads exactly len(dst) values: codes of a column of texts, else numbers.
func (d *Decoder) decode(dst []int64, enc parquet.Encoding, data []byte) error {
	if len(dst) == 0 {
		return nil
	}
	switch enc {
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		return d.lookUp(dst, data)
	case parquet.Encodings.DeltaBinaryPacked:
		if d.Physical != parquet.Types.Int32 && d.Physical != parquet.Types.Int64 {
			break
		}
		if _, err := delta(dst, data); err != nil {
			return err
		}
		if d.Physical == parquet.Types.Int32 { // 32-bit deltas wrap at 32 bits
			for i, v := range dst {
				dst[i] = int64(int32(v))
			}
		}
		d.convert(dst)
		return nil
	case parquet.Encodings.RLE:
		if d.Physical != parquet.Types.Boolean || len(data) < 4 {
			break
		}
		return hybrid(dst, data[4:], 1)
	case parquet.Encodings.Plain:
		if d.Text == nil {
			return d.plain(dst, data)
		}
		return d.decodeTexts(dst, enc, data)
	case byteStreamSplit:
		size := d.size()
		if size == 0 || len(data) != size*len(dst) {
			break
		}
		if d.Text == nil {
			return d.plain(dst, joined(data, size))
		}
		return d.decodeTexts(dst, enc, data)
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		if d.Text == nil && d.Bytes == nil {
			break
		}
		return d.decodeTexts(dst, enc, data)
	}
	return unsupported(enc)
}

// decodeTexts reads exactly len(dst) byte arrays, as codes of texts or as numbers.
func (d *Decoder) decodeTexts(dst []int64, enc parquet.Encoding, data []byte) error {
	if err := d.page.start(enc, d.Values, len(dst), data); err != nil {
		return err
	}
	for i := range dst {
		b, err := d.page.next()
		if err == nil && d.Text != nil {
			dst[i], err = d.Text(b)
		} else if err == nil {
			dst[i] = d.Bytes(b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lookUp reads indices into the page dictionary and looks them up.
func (d *Decoder) lookUp(dst []int64, data []byte) error {
	if err := indices(dst, data); err != nil {
		return err
	}
	for i, x := range dst {
		if uint64(x) >= uint64(len(d.table)) {
			return ErrPage
		}
		dst[i] = d.table[x]
	}
	return nil
}

// indices reads indices into a page dictionary, which may lie outside of it.
func indices(dst []int64, data []byte) error {
	if len(data) == 0 {
		return ErrPage
	}
	return hybrid(dst, data[1:], int(data[0]))
}
