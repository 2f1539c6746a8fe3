package parquetio

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
)

// decoder reads the pages of one column chunk into a domain.Column.
type decoder struct {
	*leaf
	rows  int   // of the row group
	limit int64 // bytes that texts may take
	at    int   // rows decoded
	out   *domain.Column

	raw    []int64 // scratch: values of a page
	levels []int64 // scratch: definition levels of a page
	nulls  []bool  // memory for the NULLs of the column
	ids    *texts  // scratch: of a column whose texts are apart

	numbers []int64 // the page dictionary of a column of numbers
	texts   *texts  // the dictionary of a column of texts
	codes   []int64 // the code of each text of the page dictionary
	hasDict bool
	apart   bool // the texts are IDs: nearly all differ, and are not compared with each other
}

// texts numbers the texts of one column chunk.
type texts struct {
	codes map[string]int64 // nil where every text gets a number of its own
	list  []string
	bytes int64

	arena []byte // without codes: the texts, one after the other, in place of list
	ends  []uint32
}

func (t *texts) code(b []byte) int64 {
	if t.codes == nil {
		t.bytes += int64(len(b))
		t.arena = append(t.arena, b...)
		t.ends = append(t.ends, uint32(len(t.arena)))
		return int64(len(t.ends)) - 1
	}
	if c, ok := t.codes[string(b)]; ok {
		return c
	}
	c := int64(len(t.list))
	s := string(b)
	t.codes[s], t.list, t.bytes = c, append(t.list, s), t.bytes+int64(len(s))
	return c
}

// reserve makes room for the n texts of a page of so many bytes.
func (t *texts) reserve(n, bytes int) {
	if t.codes != nil {
		return
	}
	if len(t.arena)+bytes > cap(t.arena) {
		t.arena = slices.Grow(t.arena, max(bytes, cap(t.arena)))
	}
	if len(t.ends)+n > cap(t.ends) {
		t.ends = slices.Grow(t.ends, max(n, cap(t.ends)))
	}
}

// read decodes all pages. It returns an error that says what is wrong with them or not supported.
func (d *decoder) read(p *pageReader) error {
	d.start()
	for d.at < d.rows && len(p.data) > 0 {
		err := p.next()
		if err == nil {
			switch p.kind {
			case dictionaryPage:
				err = d.dictionary(p)
			case dataPage:
				err = d.pageV1(p)
			case dataPageV2:
				err = d.pageV2(p)
			}
		}
		if err != nil {
			return err
		}
	}
	if d.at < d.rows {
		return errShort
	}
	switch {
	case d.apart && d.texts != nil:
		return d.spell()
	case d.texts != nil:
		d.out.Dict = d.texts.list
	}
	return nil
}

// spell turns numbers of texts into the texts themselves.
func (d *decoder) spell() error {
	t, c := d.texts, d.out
	text := func(x int64) []byte {
		start := uint32(0)
		if x > 0 {
			start = t.ends[x-1]
		}
		return t.arena[start:t.ends[x]]
	}
	if !d.hasDict && c.Nulls == nil { // each cell is the next text
		c.Form, c.Offsets = domain.Text, append(append(sized(c.Offsets, d.rows+1)[:0], 0), t.ends...)
		c.Bytes, t.arena = t.arena, c.Bytes
		return nil
	}
	total := int64(0)
	for i, x := range c.Ints {
		if !c.Null(i) {
			total += int64(len(text(x)))
		}
	}
	if total > min(d.limit, 1<<32-1) {
		return errLarge
	}
	c.Bytes, c.Offsets = sized(c.Bytes, int(total))[:0], sized(c.Offsets, len(c.Ints)+1)[:1]
	c.Offsets[0] = 0
	for i, x := range c.Ints {
		if !c.Null(i) {
			c.Bytes = append(c.Bytes, text(x)...)
		}
		c.Offsets = append(c.Offsets, uint32(len(c.Bytes)))
	}
	c.Form, c.Dict = domain.Text, nil
	return nil
}

func (d *decoder) start() {
	d.nulls, d.out.Nulls = d.out.Nulls, nil
	switch d.typ {
	case domain.String:
		if d.texts = d.ids; !d.apart {
			d.texts = &texts{codes: map[string]int64{}}
		}
		d.texts.arena, d.texts.ends, d.texts.bytes = d.texts.arena[:0], d.texts.ends[:0], 0
		d.out.Form = domain.Dictionary
	case domain.Float64:
		d.out.Form, d.out.Floats = domain.Floats, sized(d.out.Floats, d.rows)
		return
	default:
		d.out.Form = domain.Ints
	}
	d.out.Ints = sized(d.out.Ints, d.rows)
}

// sized returns s, or a new slice where s is too small, with length n and any content.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func (d *decoder) dictionary(p *pageReader) error {
	n, data := int(p.cells), p.body
	// Each entry but a boolean takes at least a byte, which bounds what a false count can allocate.
	if d.hasDict || n > len(data) {
		return errPage
	}
	d.hasDict = true
	if d.texts == nil {
		d.numbers = make([]int64, n)
		return d.plain(d.numbers, data)
	}
	d.codes = make([]int64, n)
	d.texts.reserve(n, len(data))
	return eachText(data, n, func(i int, b []byte) { d.codes[i] = d.texts.code(b) })
}

func (d *decoder) pageV1(p *pageReader) error {
	n, data := int(p.cells), p.body
	if err := d.begin(n); err != nil || !d.optional {
		return d.values(err, n, n, p.encodingOf(), data)
	}
	if parquet.Encoding(p.levelEncoding) == parquet.Encodings.BitPacked {
		size := (n + 7) / 8
		if len(data) < size {
			return errPage
		}
		for i := range d.levels { // this encoding starts at the most significant bit
			d.levels[i] = int64(data[i/8] >> (7 - i%8) & 1)
		}
		return d.values(nil, n, count(d.levels), p.encodingOf(), data[size:])
	}
	if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
		return errPage
	}
	size := binary.LittleEndian.Uint32(data)
	err := hybrid(d.levels, data[4:4+size], 1)
	return d.values(err, n, count(d.levels), p.encodingOf(), data[4+size:])
}

func (d *decoder) pageV2(p *pageReader) error {
	n := int(p.cells)
	err := d.begin(n)
	valid := n
	if err == nil && d.optional {
		err = hybrid(d.levels, p.levels[p.rep:], 1)
		valid = count(d.levels)
	}
	return d.values(err, n, valid, p.encodingOf(), p.body)
}

// begin makes room for the definition levels of a page of n cells.
func (d *decoder) begin(n int) error {
	if n > d.rows-d.at {
		return errPage
	}
	d.levels = sized(d.levels, n)
	return nil
}

func count(levels []int64) int {
	n := 0
	for _, l := range levels {
		n += int(l)
	}
	return n
}

// values decodes the valid values of a page of n cells and spreads them over the column, unless
// reading the levels failed with err.
func (d *decoder) values(err error, n, valid int, enc parquet.Encoding, data []byte) error {
	if err != nil {
		return err
	}
	direct := valid == n && d.typ != domain.Float64
	if direct {
		d.raw, d.levels = d.raw[:0], d.levels[:0]
		err = d.decode(d.out.Ints[d.at:d.at+n], enc, data)
	} else {
		d.raw = sized(d.raw, valid)
		err = d.decode(d.raw, enc, data)
	}
	if err != nil {
		return err
	}
	switch {
	case d.typ == domain.Float64:
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

func (d *decoder) markNulls(n int) {
	if d.out.Nulls == nil {
		d.out.Nulls = sized(d.nulls, d.rows)
		clear(d.out.Nulls)
	}
	for i, l := range d.levels[:n] {
		d.out.Nulls[d.at+i] = l == 0
	}
}

// decode reads exactly len(dst) values: codes of a column of texts, else numbers.
func (d *decoder) decode(dst []int64, enc parquet.Encoding, data []byte) error {
	if len(dst) == 0 {
		return nil
	}
	switch enc {
	case parquet.Encodings.PlainDict, parquet.Encodings.RLEDict:
		return d.indices(dst, data)
	case parquet.Encodings.DeltaBinaryPacked:
		if d.physical != parquet.Types.Int32 && d.physical != parquet.Types.Int64 {
			break
		}
		if _, err := delta(dst, data); err != nil {
			return err
		}
		if d.physical == parquet.Types.Int32 { // 32-bit deltas wrap at 32 bits
			for i, v := range dst {
				dst[i] = int64(int32(v))
			}
		}
		d.convert(dst)
		return nil
	case parquet.Encodings.RLE:
		if d.physical != parquet.Types.Boolean || len(data) < 4 {
			break
		}
		return hybrid(dst, data[4:], 1)
	case parquet.Encodings.Plain:
		if d.texts == nil {
			return d.plain(dst, data)
		}
		d.texts.reserve(len(dst), len(data))
		return d.bounded(eachText(data, len(dst), func(i int, b []byte) { dst[i] = d.texts.code(b) }))
	case byteStreamSplit:
		size := d.size()
		if size == 0 || len(data) != size*len(dst) {
			break
		}
		return d.plain(dst, joined(data, size))
	case parquet.Encodings.DeltaLengthByteArray:
		return d.bounded(eachDeltaLength(data, len(dst), d.value(dst)))
	case parquet.Encodings.DeltaByteArray:
		return d.bounded(eachDelta(data, len(dst), d.limit, d.value(dst)))
	}
	return fmt.Errorf("encoding %s is not supported here; rewrite the file", enc)
}

// value stores the i-th text as a code, or as a decimal.
func (d *decoder) value(dst []int64) func(int, []byte) {
	if d.texts == nil {
		return func(i int, b []byte) { dst[i] = decimal(b, d.places) }
	}
	return func(i int, b []byte) { dst[i] = d.texts.code(b) }
}

func (d *decoder) bounded(err error) error {
	if err == nil && d.texts != nil && d.texts.bytes > min(d.limit, 1<<32-1) {
		return errLarge
	}
	return err
}

// indices reads indices into the page dictionary and looks them up.
func (d *decoder) indices(dst []int64, data []byte) error {
	if len(data) == 0 {
		return errPage
	}
	if err := hybrid(dst, data[1:], int(data[0])); err != nil {
		return err
	}
	table := d.numbers
	if d.texts != nil {
		table = d.codes
	}
	for i, x := range dst {
		if uint64(x) >= uint64(len(table)) {
			return errPage
		}
		dst[i] = table[x]
	}
	return nil
}
