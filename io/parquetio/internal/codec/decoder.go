package codec

import "github.com/apache/arrow/go/v15/parquet"

// Cells are cells of a column chunk. NULL is a zero of the others.
type Cells struct {
	Ints   []int64
	Floats []float64 // if Values says so, in place of Ints
	Nulls  []bool    // nil: none is NULL
}

// Decoder reads the cells of one column chunk in pieces: of its pages, one is in memory. Its zero value is ready, and
// its memory is used again.
type Decoder struct {
	Pages Pages
	*Values
	rows int // of the row group
	read int // those whose pages were turned to

	left     int  // cells of the page that were not taken
	optional bool // some of them are NULL
	levels   runs // then

	values  source // of those that are not NULL
	data    []byte // values of encoding PLAIN
	indices runs   // into the page dictionary, or bits
	texts   textPage
	decoded []int64 // values of an encoding that is decoded as a whole
	delta   []int64 // the memory of decoded

	raw     []int64 // scratch
	scratch []int64 // of levels

	table   []int64 // the cell of each entry of the page dictionary
	hasDict bool
}

// source says where a page's values come from.
type source uint8

const (
	fromNothing source = iota
	fromTable
	fromBits
	fromPlain
	fromTexts
	fromDecoded
)

// Start begins with a column chunk of so many rows, to whose pages the decoder has been turned.
func (d *Decoder) Start(v *Values, rows int) {
	d.Values, d.rows, d.read, d.left, d.table, d.hasDict = v, rows, 0, 0, nil, false
}

// Take sets out to the next n cells, in its memory if it is large enough. It returns an error that says what is wrong
// with the pages or not supported.
func (d *Decoder) Take(n int, out *Cells) error {
	memory := out.Nulls
	out.Nulls = nil
	if d.Float {
		out.Floats = sized(out.Floats, n)
	} else {
		out.Ints = sized(out.Ints, n)
	}
	for at := 0; at < n; {
		if d.left == 0 {
			if err := d.turn(); err != nil {
				return err
			}
			continue
		}
		k := min(n-at, d.left)
		if d.optional && out.Nulls == nil {
			out.Nulls = sized(memory, n)
			clear(out.Nulls)
		}
		if err := d.cells(out, at, k); err != nil {
			return err
		}
		at, d.left = at+k, d.left-k
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

// turn turns to the next page, which may be one without cells.
func (d *Decoder) turn() error {
	p := &d.Pages
	if hasCells, err := p.turn(d.rows-d.read, d.dictionary); err != nil || !hasCells {
		return err
	}
	n, data := int(p.cells), p.body
	valid := n
	if d.Optional {
		var err error
		if d.levels, data, err = p.definitions(); err != nil {
			return err
		}
		if valid, err = d.levels.ones(); err != nil {
			return err
		}
	}
	d.optional, d.left, d.read = valid < n, n, d.read+n
	return d.begin(p.encodingOf(), data, valid)
}

// dictionary decodes the page's values.
func (d *Decoder) dictionary() error {
	n, data := int(d.Pages.cells), d.Pages.body
	// Each entry but a boolean takes at least a byte, which bounds what a false count can allocate.
	if d.hasDict || n > len(data) {
		return ErrPage
	}
	if err := d.begin(parquet.Encodings.Plain, data, n); err != nil {
		return err
	}
	d.hasDict, d.table = true, make([]int64, n)
	return d.next(d.table)
}

func count(levels []int64) int {
	n := 0
	for _, l := range levels {
		if l != 0 {
			n++
		}
	}
	return n
}

// cells writes the next n cells of the page to out, from number at on.
func (d *Decoder) cells(out *Cells, at, n int) error {
	valid := n
	if d.optional {
		d.scratch = sized(d.scratch, n)
		if err := d.levels.read(d.scratch); err != nil {
			return err
		}
		valid = count(d.scratch)
	}
	if valid == n && !d.Float {
		return d.next(out.Ints[at : at+n])
	}
	d.raw = sized(d.raw, valid)
	if err := d.next(d.raw); err != nil {
		return err
	}
	switch {
	case d.Float:
		d.spreadFloats(out.Floats[at:at+n], valid)
	default:
		spread(out.Ints[at:at+n], d.raw, d.scratch, func(v int64) int64 { return v })
	}
	if valid < n {
		for i, l := range d.scratch {
			out.Nulls[at+i] = l == 0
		}
	}
	return nil
}

// begin turns to exactly n values of an encoding: texts, or else numbers.
func (d *Decoder) begin(enc parquet.Encoding, data []byte, n int) (err error) {
	if d.values = fromNothing; n == 0 {
		return nil
	}
	switch enc {
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		d.values = fromTable
		d.indices, err = indicesOf(data, n)
		return err
	case parquet.Encodings.DeltaBinaryPacked:
		if d.Physical != parquet.Types.Int32 && d.Physical != parquet.Types.Int64 {
			break
		}
		return d.decodeDelta(data, n)
	case parquet.Encodings.RLE:
		if d.Physical != parquet.Types.Boolean || len(data) < 4 {
			break
		}
		d.values = fromBits
		d.indices, err = newRuns(data[4:], 1, n)
		return err
	case parquet.Encodings.Plain:
		if d.Text == nil && d.Physical != parquet.Types.ByteArray {
			return d.beginPlain(data, n)
		}
		return d.beginTexts(enc, data, n)
	case byteStreamSplit:
		size := d.size()
		if size == 0 || len(data) != size*n {
			break
		}
		if d.Text == nil {
			return d.beginPlain(joined(data, size), n)
		}
		return d.beginTexts(enc, data, n)
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		if d.Text == nil && d.Bytes == nil {
			break
		}
		return d.beginTexts(enc, data, n)
	}
	return unsupported(enc)
}

func (d *Decoder) beginPlain(data []byte, n int) error {
	if d.Physical == parquet.Types.Boolean {
		if len(data) < (n+7)/8 {
			return ErrPage
		}
		d.values, d.indices = fromBits, packedRun(data, 1, n)
		return nil
	}
	if size := d.size(); size == 0 || len(data)/size < n {
		return ErrPage
	}
	d.values, d.data = fromPlain, data
	return nil
}

func (d *Decoder) beginTexts(enc parquet.Encoding, data []byte, n int) error {
	d.values = fromTexts
	return d.texts.start(enc, d.Values, n, data)
}

// decodeDelta decodes all numbers of a page.
func (d *Decoder) decodeDelta(data []byte, n int) error {
	d.delta = sized(d.delta, n)
	if _, err := delta(d.delta, data); err != nil {
		return err
	}
	if d.Physical == parquet.Types.Int32 { // 32-bit deltas wrap at 32 bits
		for i, v := range d.delta {
			d.delta[i] = int64(int32(v))
		}
	}
	d.convert(d.delta)
	d.values, d.decoded = fromDecoded, d.delta
	return nil
}

// next decodes the page's next values, of which there are as many: codes of a column of texts, else numbers.
func (d *Decoder) next(dst []int64) error {
	switch d.values {
	case fromTable:
		return d.lookUp(dst)
	case fromBits:
		return d.indices.read(dst)
	case fromPlain:
		d.plain(dst, d.data)
		d.data = d.data[len(dst)*d.size():]
	case fromTexts:
		return d.nextTexts(dst)
	case fromDecoded:
		d.decoded = d.decoded[copy(dst, d.decoded):]
	}
	return nil
}

// nextTexts reads byte arrays, as codes of texts or as numbers.
func (d *Decoder) nextTexts(dst []int64) error {
	for i := range dst {
		b, err := d.texts.next()
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
func (d *Decoder) lookUp(dst []int64) error {
	if err := d.indices.read(dst); err != nil {
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

// indicesOf returns n indices into a page dictionary, which may lie outside of it.
func indicesOf(data []byte, n int) (runs, error) {
	if len(data) == 0 {
		return runs{}, ErrPage
	}
	return newRuns(data[1:], int(data[0]), n)
}
