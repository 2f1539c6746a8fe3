package codec

import "sync"

// blockBytes is the size of the pieces in which pages wait for the end of their row group.
const blockBytes = 1 << 14

// store is the memory that the encoders of one file share: blocks for pages, used again for every row
// group, and what making one page takes. Only one encoder makes a page at any time.
type store struct {
	free    [][]byte  // empty blocks
	cells   [][]int64 // empty pages of columns
	indexes []index   // empty ones

	valid   []int64  // the cells of a page that are not NULL
	bits    []uint32 // levels
	numbers []uint32 // indices
	levels  []byte   // encoded levels
	body    []byte   // encoded values
	whole   []byte   // values encoded for a comparison; a dictionary's page
	packed  []byte   // compressed bytes
	header  []byte
}

// stores holds the memory of files that are finished, for the next ones.
var stores = sync.Pool{New: func() any { return new(store) }}

// take returns the last of a list and drops it there; the zero value of an empty list.
func take[T any](list *[]T) (v T) {
	if n := len(*list) - 1; n >= 0 {
		v, *list = (*list)[n], (*list)[:n]
	}
	return v
}

// release keeps the memory of a finished file for the next one.
func (w *Writer) release() {
	s := w.encoders[0].store
	for _, c := range w.columns {
		s.cells = append(s.cells, c.Cells[:0])
	}
	w.columns, w.encoders = nil, nil
	stores.Put(s)
}

// block returns an empty block.
func (s *store) block() []byte {
	if b := take(&s.free); b != nil {
		return b
	}
	return make([]byte, 0, blockBytes)
}

// blocks are the pages of a column chunk, in blocks of a store.
type blocks struct {
	list [][]byte // all but the last are full
	size int
}

// append appends b in blocks of s.
func (p *blocks) append(s *store, b []byte) {
	p.size += len(b)
	for len(b) > 0 {
		last := len(p.list) - 1
		if last < 0 || len(p.list[last]) == blockBytes {
			p.list = append(p.list, s.block())
			last++
		}
		at := len(p.list[last])
		n := copy(p.list[last][at:blockBytes], b)
		p.list[last] = p.list[last][:at+n]
		b = b[n:]
	}
}

// writeTo writes the pages and gives their blocks back to s.
func (p *blocks) writeTo(w *sink, s *store) error {
	for _, b := range p.list {
		if _, err := w.Write(b); err != nil {
			return err
		}
		s.free = append(s.free, b[:0])
	}
	clear(p.list)
	p.list, p.size = p.list[:0], 0
	return nil
}

// sized returns s, or a new slice if s is too small, with length n and any content.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
