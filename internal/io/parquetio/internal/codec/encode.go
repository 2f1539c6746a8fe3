package codec

import (
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/metadata"
	"github.com/golang/snappy"
)

// fewEntries is a dictionary that needs no comparison with PLAIN: its indices take a byte.
const fewEntries = 256

// encoder turns the batches of one column into the pages of column chunks. A chunk begins with a
// dictionary if that makes its first page smaller, and goes on without one if it no longer pays.
type encoder struct {
	optional bool

	index    index
	indexing bool // the next page may use the dictionary
	useless  bool // an earlier chunk was better off without one

	pages   blocks // of the chunk, without the dictionary page
	plain   int    // bytes of the pages, uncompressed
	cells   int
	nulls   int
	indexed int // pages with indices
	direct  int // pages without
	ends    ends

	values []int64 // the cells of a page that are not NULL

	*store // of the file
}

// add makes a page of the n cells that the column holds.
func (e *encoder) add(c *Column, n int) {
	if e.cells == 0 {
		e.indexing = !e.useless && !c.Plain && c.Physical != parquet.Types.Boolean
	}
	e.cells, e.nulls = e.cells+n, e.nulls+c.nulls
	e.encodeLevels(c, n)
	p := page{cells: n, nulls: c.nulls, encoding: parquet.Encodings.Plain}
	switch {
	case c.Plain:
		e.body = e.encodeTexts(e.body[:0], c)
	case e.encodeIndices(c):
		p.encoding = parquet.Encodings.RLEDict
		e.indexed++
	default:
		e.body = c.appendPlain(e.body[:0], e.values)
		e.ends.widen(c, e.values)
	}
	if p.encoding == parquet.Encodings.Plain {
		e.direct++
	}
	e.appendPage(&p)
}

// encodeLevels sets levels and values from the cells.
func (e *encoder) encodeLevels(c *Column, n int) {
	e.values, e.levels = c.Cells, e.levels[:0]
	if !e.optional {
		return
	}
	e.bits = sized(e.bits, n)
	if c.nulls == 0 {
		for i := range e.bits {
			e.bits[i] = 1
		}
	} else {
		for i := range e.bits {
			e.bits[i] = uint32(c.valid[i>>3] >> (i & 7) & 1)
		}
		if !c.Plain {
			e.valid = compact(e.valid[:0], c.Cells, c.valid)
			e.values = e.valid
		}
	}
	e.levels = appendHybrid(e.levels, e.bits, 1)
}

// compact appends the values whose bit is set.
func compact(dst, values []int64, valid []byte) []int64 {
	for i, v := range values {
		if bitutil.BitIsSet(valid, i) {
			dst = append(dst, v)
		}
	}
	return dst
}

func (e *encoder) encodeTexts(dst []byte, c *Column) []byte {
	for i := range len(c.offsets) - 1 {
		text := c.bytes[c.offsets[i]:c.offsets[i+1]]
		dst = appendText(dst, text)
		e.ends.widenText(text)
	}
	return dst
}

// encodeIndices writes the values as indices, if that pays.
func (e *encoder) encodeIndices(c *Column) bool {
	if !e.indexing || len(e.values) == 0 && len(e.index.entries) == 0 {
		return false // a page of NULLs before any value says nothing of the dictionary
	}
	if cap(e.index.entries) == 0 {
		e.index = take(&e.indexes)
	}
	before := len(e.index.entries)
	// An entry for every second cell costs more than it saves, for every width of a value.
	e.numbers = sized(e.numbers, len(e.values))
	numbers := e.index.number(e.numbers, c, e.values, e.cells/2)
	if numbers != nil {
		width := bitWidth(len(e.index.entries))
		e.body = appendHybrid(append(e.body[:0], byte(width)), numbers, width)
		if e.indexed > 0 || len(e.index.entries) <= fewEntries || e.pays(c) {
			return true
		}
	}
	e.index.entries = e.index.entries[:before]
	e.indexing, e.useless = false, e.indexed == 0
	if e.useless {
		e.dropIndex()
	}
	return false
}

// dropIndex leaves the memory of the index to the next chunk that wants one.
func (e *encoder) dropIndex() {
	if cap(e.index.entries) > 0 {
		e.index.reset()
		e.indexes, e.index = append(e.indexes, e.index), index{}
	}
}

// pays compares the first page of a chunk with what it would be without a dictionary. Half of the dictionary is
// charged to the page: nearly all chunks have a second one, which needs few entries more.
func (e *encoder) pays(c *Column) bool {
	indices := len(e.body)
	e.whole = c.appendPlain(e.whole[:0], e.index.entries)
	entries := len(e.compress(e.whole))
	e.whole = c.appendPlain(e.whole[:0], e.values)
	return indices+entries/2 < len(e.compress(e.whole))
}

// compress returns src compressed, in memory that is used again: the library's own writer takes tables from the heap for each page.
func (e *encoder) compress(src []byte) []byte {
	e.packed = snappy.Encode(sized(e.packed, snappy.MaxEncodedLen(len(src))), src)
	return e.packed
}

// appendPage appends a page of the levels, which stay as they are, and the body.
func (e *encoder) appendPage(p *page) {
	packed := e.compress(e.body)
	p.levels, p.plain, p.packed = len(e.levels), len(e.levels)+len(e.body), len(e.levels)+len(packed)
	e.header = p.appendHeader(e.header[:0])
	e.plain += len(e.header) + p.plain
	for _, b := range [][]byte{e.header, e.levels, packed} {
		e.pages.append(e.store, b)
	}
}

// finish writes the chunk to w, which stands at byte offset at, describes it in m, and begins the next one. It
// returns the bytes written and their number before compression.
func (e *encoder) finish(c *Column, w *sink, at int64, m *metadata.ColumnChunkMetaDataBuilder) (packed, plain int64, err error) {
	var head []byte
	size := e.pages.size
	info := metadata.ChunkMetaInfo{NumValues: int64(e.cells), IndexPageOffset: -1, DataPageOffset: at}
	if e.indexed > 0 {
		head = e.dictionaryPage(c)
		info.DictPageOffset, info.DataPageOffset = at, at+int64(len(head))
		e.ends.widen(c, e.index.entries)
	}
	if len(head) > 0 {
		if _, err := w.Write(head); err != nil {
			return 0, 0, err
		}
	}
	if err := e.pages.writeTo(w, e.store); err != nil {
		return 0, 0, err
	}
	info.CompressedSize, info.UncompressedSize = int64(len(head)+size), int64(e.plain)
	m.SetStats(e.ends.statistics(c, int64(e.nulls)))
	err = m.Finish(info, e.indexed > 0, e.indexed > 0 && e.direct > 0, metadata.EncodingStats{})
	m.Contents().FileOffset = 0 // of a copy of the description that is not there
	e.dropIndex()
	e.plain, e.cells, e.nulls, e.indexed, e.direct, e.ends = 0, 0, 0, 0, 0, ends{}
	return info.CompressedSize, info.UncompressedSize, err
}

// held returns the bytes that the chunk takes until its row group is written, a number of its rows alone:
// an entry of a dictionary takes 8 and 4 to 8 for finding it.
func (e *encoder) held() int { return e.pages.size + 16*len(e.index.entries) }

// dictionaryPage returns the page of the chunk's dictionary, in memory that is used again.
func (e *encoder) dictionaryPage(c *Column) []byte {
	e.body = c.appendPlain(e.body[:0], e.index.entries)
	packed := e.compress(e.body)
	p := page{dictionary: true, plain: len(e.body), packed: len(packed), cells: len(e.index.entries), encoding: parquet.Encodings.Plain}
	e.header = p.appendHeader(e.header[:0])
	e.plain += len(e.header) + len(e.body)
	e.whole = append(append(e.whole[:0], e.header...), packed...)
	return e.whole
}
