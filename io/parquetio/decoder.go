package parquetio

import (
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
	page   textPage

	table   []int64 // the cell of each entry of the page dictionary
	texts   *texts  // the dictionary of a column of texts
	hasDict bool
}

// read decodes all pages. It returns an error that says what is wrong with them or not supported.
func (d *decoder) read(p *pageReader) error {
	d.start()
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
		return errShort
	}
	if d.texts != nil {
		d.out.Dict = d.texts.list
	}
	return nil
}

func (d *decoder) start() {
	d.nulls, d.out.Nulls = d.out.Nulls, nil
	d.out.Form, d.out.Dict = d.form, nil
	if d.form == domain.Floats {
		d.out.Floats = sized(d.out.Floats, d.rows)
		return
	}
	if d.form == domain.Dictionary {
		d.texts = newTexts(d.leaf, d.limit)
	}
	d.out.Ints = sized(d.out.Ints, d.rows)
}

// allNull makes a column of NULLs.
func (d *decoder) allNull() {
	d.start()
	clear(d.out.Ints)
	clear(d.out.Floats)
	d.out.Nulls = sized(d.nulls, d.rows)
	for i := range d.out.Nulls {
		d.out.Nulls[i] = true
	}
	if d.texts != nil {
		d.out.Dict = []string{""}
	}
}

// sized returns s, or a new slice if s is too small, with length n and any content.
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
	d.hasDict, d.table = true, make([]int64, n)
	if d.texts == nil {
		return d.plain(d.table, data)
	}
	return d.decodeTexts(d.table, parquet.Encodings.Plain, data)
}

// cells decodes the cells of a data page.
func (d *decoder) cells(p *pageReader) (err error) {
	if p.cells > int64(d.rows-d.at) {
		return errPage
	}
	n, data := int(p.cells), p.body
	valid := n
	if d.levels = sized(d.levels, n); d.optional {
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
func (d *decoder) values(n, valid int, enc parquet.Encoding, data []byte) error {
	direct := valid == n && d.form != domain.Floats
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
	case d.form == domain.Floats:
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
		return d.lookUp(dst, data)
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
		return d.decodeTexts(dst, enc, data)
	case byteStreamSplit:
		size := d.size()
		if size == 0 || len(data) != size*len(dst) {
			break
		}
		if d.texts == nil {
			return d.plain(dst, joined(data, size))
		}
		return d.decodeTexts(dst, enc, data)
	case parquet.Encodings.DeltaLengthByteArray, parquet.Encodings.DeltaByteArray:
		if d.texts == nil && d.bytes == nil {
			break
		}
		return d.decodeTexts(dst, enc, data)
	}
	return unsupported(enc)
}

// decodeTexts reads exactly len(dst) byte arrays, as codes of texts or as numbers.
func (d *decoder) decodeTexts(dst []int64, enc parquet.Encoding, data []byte) error {
	if err := d.page.start(enc, &d.numbers, len(dst), data); err != nil {
		return err
	}
	for i := range dst {
		b, err := d.page.next()
		switch {
		case err != nil:
			return err
		case d.texts == nil:
			dst[i] = d.bytes(b)
			continue
		}
		if dst[i] = d.texts.code(b); d.texts.bytes > d.limit && !d.texts.full {
			return errLarge // of a column without categories, which none but infer reads
		}
	}
	return nil
}

// lookUp reads indices into the page dictionary and looks them up.
func (d *decoder) lookUp(dst []int64, data []byte) error {
	if err := indices(dst, data); err != nil {
		return err
	}
	for i, x := range dst {
		if uint64(x) >= uint64(len(d.table)) {
			return errPage
		}
		dst[i] = d.table[x]
	}
	return nil
}

// indices reads indices into a page dictionary, which may lie outside of it.
func indices(dst []int64, data []byte) error {
	if len(data) == 0 {
		return errPage
	}
	return hybrid(dst, data[1:], int(data[0]))
}
