package codec

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Values says how the values of a column become arrays.
type Values struct {
	Type  arrow.DataType                 // of the arrays; for texts String, and arrays may come with a dictionary
	Bytes func(value []byte) int64       // of values that are bytes and become numbers of 64 bits
	Spell func(dst, value []byte) []byte // of bytes that become texts; nil: they are texts
}

const (
	keptBytes  = 16 << 20 // of a dictionary of texts that goes on with the arrays
	textBytes  = 8 << 20  // of the texts of an array, if they are several
	textsAhead = 1 << 12  // texts of a page that are looked at together
)

// Arrays reads the cells of a column chunk in pieces, as arrays of Arrow, which are valid until the next one. The readers of
// arrow-go decode; pages are handed to them one by one, and no cell of a page is decoded before it is asked for. The zero
// value is ready, and its memory is used again.
type Arrays struct {
	Values
	pages    Pages
	width    int // bytes of a value, at least
	optional bool
	rows     int // of the row group whose pages were not turned to
	left     int // cells of the page that were not decoded

	column  *schema.Column
	values  file.ColumnChunkReader
	forVals handed
	kept    file.ColumnChunkReader // of indices in texts
	forKept handed
	texts   arrow.Array // the dictionary that goes on with the indices; nil: no dictionary
	indices []int32
	inKept  bool // the page is one of them
	hasDict bool
	shared  bool // texts of the page begin as the one before them does
	last    int  // bytes of the last text
	bound   int  // bytes of the page

	levels []int16 // of the cells: 0 is NULL
	memory any     // of the values
	whole  []byte  // a page that is not in the memory of pages

	ahead    [][]byte // texts that were decoded, and not taken
	nulls    []int16  // the levels of cells that were decoded, and not taken
	bytes    []byte
	offsets  []int32
	pool     sync.Pool
	longs    []int64
	validity []byte
}

// handed hands pages to a reader of the library.
type handed struct {
	file.PageReader // what else there is of it is not called
	next            []file.Page
	page            file.Page
}

func (h *handed) Next() bool {
	if len(h.next) == 0 {
		return false
	}
	h.page, h.next = h.next[0], h.next[1:]
	return true
}

func (h *handed) Page() file.Page                                  { return h.page }
func (h *handed) Err() error                                       { return nil }
func (h *handed) Close() error                                     { return nil }
func (h *handed) GetDictionaryPage() (*file.DictionaryPage, error) { return nil, nil } //nolint:nilnil // no dictionary is shown

// Start turns to column i of the row group that f was turned to, which has so many rows. Its cells are taken in a lane of f.
func (d *Arrays) Start(f *File, i, rows, lane int, v Values) error {
	field := &f.Leaves[i]
	levels, repeats := int16(0), parquet.Repetitions.Required
	if field.Optional {
		levels, repeats = 1, parquet.Repetitions.Optional
	}
	node, err := schema.NewPrimitiveNode("x", repeats, field.Physical, -1, int32(field.Width))
	if err != nil {
		return ErrPage
	}
	d.Values, d.width, d.optional, d.rows, d.left = v, widthOf(field), field.Optional, rows, 0
	d.column, d.forVals, d.forKept = schema.NewColumn(node, levels, 0), handed{}, handed{}
	//nolint:staticcheck // deprecated, and the one way to hand arrow-go pages whose sizes were checked; its version is pinned
	d.values, d.texts, d.inKept, d.hasDict = file.NewColumnReader(d.column, &d.forVals, memory.DefaultAllocator, &d.pool), nil, false, false
	d.ahead, d.nulls, d.last = d.ahead[:0], d.nulls[:0], 0
	return f.Load(&d.pages, i, rows, lane)
}

// widthOf returns the fewest bytes that a value takes in a dictionary.
func widthOf(f *Field) int {
	switch f.Physical {
	case parquet.Types.Int32, parquet.Types.Float, parquet.Types.ByteArray:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	}
	return max(1, f.Width)
}

// Take returns the next n cells, or fewer of them, but one at least. It returns an error that says what is wrong with the pages
// or not supported.
func (d *Arrays) Take(n int) (a arrow.Array, err error) {
	defer func() { // of the library, whose words can quote cells
		if recover() != nil {
			a, err = nil, ErrPage
		}
	}()
	if len(d.nulls) == 0 {
		if err := d.turn(); err != nil {
			return nil, err
		}
	}
	bytes := d.column.PhysicalType()
	switch {
	case d.inKept && len(d.nulls) == 0:
		return d.entries(n)
	case d.Type.ID() == arrow.STRING && bytes == parquet.Types.ByteArray:
		return texts[parquet.ByteArray](d, n)
	case d.Type.ID() == arrow.STRING:
		return texts[parquet.FixedLenByteArray](d, n)
	}
	switch bytes {
	case parquet.Types.Boolean:
		return truths(d, n)
	case parquet.Types.Int32:
		return numbers[int32](d, n)
	case parquet.Types.Int64:
		return numbers[int64](d, n)
	case parquet.Types.Float:
		return numbers[float32](d, n)
	case parquet.Types.Double:
		return numbers[float64](d, n)
	case parquet.Types.Int96:
		return fromBytes(d, n, func(v *parquet.Int96) int64 { return d.Bytes(v[:]) })
	case parquet.Types.ByteArray:
		return fromBytes(d, n, func(v *parquet.ByteArray) int64 { return d.Bytes(*v) })
	}
	return fromBytes(d, n, func(v *parquet.FixedLenByteArray) int64 { return d.Bytes(*v) })
}

// turn turns to the next page with cells if none are left of the page.
func (d *Arrays) turn() error {
	for d.left == 0 {
		if !d.pages.more() {
			return ErrShort
		}
		err := d.pages.next()
		if err == nil && d.pages.kind == dictionaryPage {
			err = d.dictionary()
		} else if err == nil && (d.pages.kind == dataPage || d.pages.kind == dataPageV2) {
			err = d.page()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dictionary hands on a dictionary, which outlives its page.
func (d *Arrays) dictionary() error {
	p := &d.pages
	if d.hasDict || p.cells > int64(len(p.body)/d.width) { // the library makes room for as many entries as are stated
		return ErrPage
	}
	d.hasDict = true
	body, n, encoding := bytes.Clone(p.body), int32(p.cells), p.encodingOf()
	if d.Type.ID() != arrow.STRING || d.column.PhysicalType() != parquet.Types.ByteArray || len(p.body) > keptBytes {
		d.forVals.next = append(d.forVals.next, file.NewDictionaryPage(memory.NewBufferBytes(body), n, encoding))
		return nil
	}
	if encoding != parquet.Encodings.Plain && encoding != parquet.Encodings.PlainDict {
		return ErrPage
	}
	list, err := byteArrays(body, n, parquet.Encodings.Plain)
	if err != nil {
		return err
	}
	texts, numbers := array.NewStringBuilder(memory.DefaultAllocator), make([]int32, n)
	for i, s := range list {
		texts.Append(string(s))
		numbers[i] = int32(i)
	}
	d.texts = texts.NewArray()
	// The library decodes indices as fast as it can if they stand for the numbers 0, 1, 2 …
	node, err := schema.NewPrimitiveNode("x", d.column.SchemaNode().RepetitionType(), parquet.Types.Int32, -1, 0)
	if err != nil {
		return ErrPage
	}
	column := schema.NewColumn(node, d.column.MaxDefinitionLevel(), 0)
	//nolint:staticcheck // as above
	d.kept = file.NewColumnReader(column, &d.forKept, memory.DefaultAllocator, &d.pool)
	d.forKept.next = append(d.forKept.next, file.NewDictionaryPage(memory.NewBufferBytes(arrow.GetBytes(numbers)), n, parquet.Encodings.Plain))
	return nil
}

// byteArrays returns n texts, or bytes, of a page without NULL. They are in its memory.
func byteArrays(body []byte, n int32, encoding parquet.Encoding) ([]parquet.ByteArray, error) {
	column, list := schema.NewColumn(schema.NewByteArrayNode("x", parquet.Repetitions.Required, -1), 0, 0), make([]parquet.ByteArray, n)
	if n == 0 {
		return list, nil
	}
	pages := &handed{next: []file.Page{file.NewDataPageV1(memory.NewBufferBytes(body), n, encoding, parquet.Encodings.RLE, parquet.Encodings.RLE, int32(len(body)))}}
	//nolint:staticcheck // as above
	_, read, err := file.NewColumnReader(column, pages, memory.DefaultAllocator, new(sync.Pool)).(*file.ByteArrayColumnChunkReader).ReadBatchInPage(int64(n), list, nil, nil)
	if err != nil || read != len(list) {
		return nil, ErrPage
	}
	return list, nil
}

// page hands on a page of cells.
func (d *Arrays) page() error {
	p := &d.pages
	encoding := p.encodingOf()
	levels, values, err := p.split(d.optional)
	switch {
	case err != nil:
		return err
	case !readable(encoding):
		return fmt.Errorf("encoding %s is not supported here; rewrite the file", encoding)
	case p.cells > int64(d.rows) || !deltasFit(encoding, values, int(p.cells)):
		return ErrPage
	case p.cells == 0:
		return nil
	}
	d.shared = encoding == parquet.Encodings.DeltaByteArray
	whole := p.body // levels and values
	if d.shared && d.column.PhysicalType() == parquet.Types.FixedLenByteArray {
		if values, err = d.fixed(values); err != nil {
			return err
		}
		whole, encoding, d.shared = nil, parquet.Encodings.Plain, false
	}
	if whole == nil || p.kind == dataPageV2 && len(levels) > 0 {
		d.whole = append(append(d.whole[:0], levels...), values...)
		whole = d.whole
	}
	body, n := memory.NewBufferBytes(whole), int32(p.cells)
	var page file.Page
	if p.kind == dataPageV2 {
		page = file.NewDataPageV2(body, n, 0, n, encoding, int32(len(levels)), 0, int32(len(whole)), false)
	} else {
		page = file.NewDataPageV1(body, n, encoding, parquet.Encoding(p.levelEncoding), parquet.Encodings.RLE, int32(len(whole)))
	}
	d.bound = len(whole)
	d.left, d.rows = int(n), d.rows-int(n)
	if d.inKept = d.texts != nil && (encoding == parquet.Encodings.RLEDict || encoding == parquet.Encodings.PlainDict); d.inKept {
		d.forKept.next = append(d.forKept.next, page)
	} else {
		d.forVals.next = append(d.forVals.next, page)
	}
	return nil
}

// fixed returns values of one length in encoding PLAIN: the library knows DELTA_BYTE_ARRAY of values of any length alone.
func (d *Arrays) fixed(values []byte) (plain []byte, err error) {
	in := wire.Reader{Rest: values}
	in.Uvarints(make([]uint64, 2))
	n := in.Uvarint() // which deltasFit has looked at
	list, err := byteArrays(values, int32(n), parquet.Encodings.DeltaByteArray)
	for _, v := range list {
		if len(v) != d.column.TypeLength() {
			return nil, ErrPage
		}
		plain = append(plain, v...)
	}
	return plain, err
}

// entries returns up to n texts with their dictionary.
func (d *Arrays) entries(n int) (arrow.Array, error) {
	d.indices, d.levels = sized(d.indices, n), sized(d.levels, n)
	at := 0
	for at < n && d.inKept {
		cells, levels := d.indices[at:min(n, at+d.left)], d.levels[at:min(n, at+d.left)]
		valid, err := decode(d, d.kept, cells, levels)
		if err != nil {
			return nil, err
		}
		spread(cells, cells[:valid], levels)
		if at += len(cells); at < n {
			if err := d.turn(); err != nil {
				return nil, err
			}
		}
	}
	return d.array(dictionaryType, arrow.GetBytes(d.indices), at, nil)
}

var dictionaryType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
