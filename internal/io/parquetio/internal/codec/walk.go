package codec

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"math/bits"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// The types of pages. Others hold no cells.
const (
	dataPage       = 0
	dictionaryPage = 2
	dataPageV2     = 3
)

// head is what the header of a page states.
type head struct {
	kind          int64
	plain, packed int64 // bytes of the body before and after compression, its levels among them
	cells         int64
	encoding      int64
	levelEncoding int64 // V1: of the definition levels
	def, rep      int64 // V2: bytes of the levels
	raw           bool  // V2: the values are not compressed
	sum           int64 // CRC-32 of the body as it is in the file
	summed        bool
}

// Pages reads the pages of one column chunk in order, in memory that is used again.
type Pages struct {
	head
	levels []byte // V2: repetition levels, then definition levels
	body   []byte // unpacked, valid until the next page

	src          io.ReaderAt
	at           int64  // where the next bytes of the column chunk are
	left         int64  // bytes of the column chunk from there on
	ahead        int64  // bytes that are read at a time, but for longer pages
	window       []byte // the memory of data
	data         []byte // bytes that were read, from the next page on
	codec        compress.Compression
	budget       int64 // bytes that the pages may still unpack to
	packedAlways bool  // pages of V2 are compressed, whatever they say
	max          int64 // bytes that one page may unpack to
	unpacker
}

// errSum is a file that was damaged after it was written.
var errSum = errors.New("a page does not have the checksum that its header states: the file is damaged")

// errStated is a chunk whose pages unpack to far more than the footer states.
var errStated = errors.New("its pages state more bytes than the footer does")

// How much of a column chunk is read at a time, but for longer pages: an object takes a request for each. Many columns
// that are read at once share what one of them may take.
const (
	mostWindow  = 8 << 20
	leastWindow = 1 << 20
	allWindows  = 64 << 20
)

// load turns to the size bytes of a column chunk at from.
func (p *Pages) load(src io.ReaderAt, from, size int64) error {
	p.src, p.at, p.left, p.data = src, from, size, nil
	return p.fill(p.ahead)
}

// more reports whether there is a page.
func (p *Pages) more() bool { return len(p.data) > 0 || p.left > 0 }

// fill reads on until there are n bytes, or all that are left.
func (p *Pages) fill(n int64) error {
	held := int64(len(p.data))
	if n <= held || p.left == 0 {
		return nil
	}
	take := min(p.left, max(n, p.ahead)-held)
	if total := held + take; total > int64(cap(p.window)) {
		p.window = make([]byte, total)
	}
	window := p.window[:held+take]
	copy(window, p.data)
	p.data = window
	got, err := p.src.ReadAt(window[held:], p.at)
	p.at, p.left = p.at+take, p.left-take
	switch {
	case int64(got) == take:
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return ErrPage
	}
	return err
}

// header reads the header of the next page, and returns the bytes of it.
func (p *Pages) header() (size int64, err error) {
	for n := int64(1 << 10); ; n *= 8 { // most headers are below 100 bytes, but they may hold statistics
		if err := p.fill(n); err != nil {
			return 0, err
		}
		h := thrift{wire.Reader{Rest: p.data}}
		if p.head = h.head(); !h.Bad {
			return int64(len(p.data) - len(h.Rest)), nil
		}
		if p.left == 0 || n > mostWindow {
			return 0, ErrPage
		}
	}
}

// next reads a page. No header is believed: its body lies in what is left of the chunk, and unpacks to as
// many bytes as it says and as are left of the budget.
func (p *Pages) next() error {
	start, err := p.header()
	if err != nil {
		return err
	}
	end := start + p.packed
	cells := p.kind == dataPage || p.kind == dictionaryPage || p.kind == dataPageV2
	switch {
	case end > int64(len(p.data))+p.left:
		return ErrPage
	case cells && p.plain > p.max:
		return ErrLarge
	case cells && p.plain > p.budget:
		return errStated
	}
	if err := p.fill(end); err != nil {
		return err
	}
	body := p.data[start:end]
	p.data, p.levels = p.data[end:], nil
	if !cells {
		return nil
	}
	if p.summed && crc32.ChecksumIEEE(body) != uint32(p.sum) {
		return errSum
	}
	p.budget -= p.plain
	codec := p.codec
	if p.kind == dataPageV2 {
		n := p.def + p.rep
		if n > p.plain || n > p.packed {
			return ErrPage
		}
		p.levels, body, p.plain = body[:n], body[n:], p.plain-n
		if p.raw && !p.packedAlways {
			codec = compress.Codecs.Uncompressed
		}
	}
	p.body, err = p.unpack(codec, body, int(p.plain))
	return err
}

// encodingOf returns the encoding of the page's values.
func (h *head) encodingOf() parquet.Encoding { return parquet.Encoding(h.encoding) }

// head reads a PageHeader. All numbers of a good one are from 0 to MaxInt32.
//
// Source: Apache Parquet format, parquet.thrift, PageHeader.
func (t *thrift) head() (h head) {
	h.kind, h.plain, h.packed, h.cells, h.encoding = -1, -1, -1, -1, -1
	t.fields(0, func(id, kind int) bool {
		if kind == thriftStruct {
			return t.pageFields(id, &h)
		}
		h.summed = h.summed || id == 4 && kind == thriftInt32
		return t.number(id, kind, &h.kind, &h.plain, &h.packed, &h.sum)
	})
	numbers := []int64{h.kind, h.plain, h.packed, h.def, h.rep}
	if h.kind == dataPage || h.kind == dictionaryPage || h.kind == dataPageV2 {
		numbers = append(numbers, h.cells, h.encoding)
	}
	for _, n := range numbers {
		t.Bad = t.Bad || n < 0 || n > math.MaxInt32
	}
	return h
}

// pageFields reads field id of a PageHeader if it is the struct of the page's kind.
func (t *thrift) pageFields(id int, h *head) bool {
	switch {
	case id == 5 && h.kind == dataPage:
		t.numbers(&h.cells, &h.encoding, &h.levelEncoding)
	case id == 7 && h.kind == dictionaryPage:
		t.numbers(&h.cells, &h.encoding)
	case id == 8 && h.kind == dataPageV2:
		var nulls, rows int64
		h.raw = t.numbers(&h.cells, &nulls, &rows, &h.encoding, &h.def, &h.rep)
	default:
		return false
	}
	return true
}

// numbers reads a struct whose fields 1, 2, … are dst, and reports whether its field 7 is false.
func (t *thrift) numbers(dst ...*int64) (raw bool) {
	t.fields(1, func(id, kind int) bool {
		raw = raw || id == 7 && kind == thriftFalse
		return t.number(id, kind, dst...)
	})
	return raw
}

// split returns the definition levels of a page's cells, as a page of its version holds them, and the bytes of its values.
func (p *Pages) split(optional bool) (levels, values []byte, err error) {
	data, size := p.body, int64(0)
	switch {
	case p.kind == dataPageV2:
		return p.levels[p.rep:], data, nil
	case !optional:
		return nil, data, nil
	case parquet.Encoding(p.levelEncoding) == parquet.Encodings.BitPacked:
		size = (p.cells + 7) / 8
		if size <= int64(len(data)) {
			reverse(data[:size])
		}
	case len(data) >= 4:
		size = 4 + int64(binary.LittleEndian.Uint32(data))
	default:
		size = 4
	}
	if size > int64(len(data)) {
		return nil, nil, ErrPage
	}
	return data[:size], data[size:], nil
}

// reverse turns the bits of each byte around, for an encoding that starts at the most significant one.
func reverse(b []byte) {
	for i, x := range b {
		b[i] = bits.Reverse8(x)
	}
}

// deltasFit reports whether numbers of DELTA_BINARY_PACKED that begin the values of a page are at most n: the library makes room
// for as many as they say.
func deltasFit(e parquet.Encoding, values []byte, n int) bool {
	lists := 1
	switch e {
	case parquet.Encodings.DeltaBinaryPacked, parquet.Encodings.DeltaLengthByteArray:
	case parquet.Encodings.DeltaByteArray:
		lists = 2
	default:
		return true
	}
	for in := (wire.Reader{Rest: values}); lists > 0 && len(values) > 0; lists-- { // a page of NULLs may have none
		block, minis, total := in.Uvarint(), in.Uvarint(), in.Uvarint()
		in.Varint()
		if in.Bad || total > uint64(n) || minis == 0 || block > 1<<20 || minis > block || block%minis != 0 || block/minis%8 != 0 {
			return false
		}
		for left := int64(total) - 1; left > 0 && !in.Bad; {
			in.Varint()
			for _, width := range in.Take(minis) {
				if left > 0 {
					in.Take(uint64(width) * (block / minis) / 8)
					left -= int64(block / minis)
				}
			}
		}
		if in.Bad {
			return false
		}
	}
	return true
}
