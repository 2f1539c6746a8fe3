package parquetio

import (
	"encoding/binary"
	"errors"
	"io"
)

// cached is a source that answers from the bytes of the last column chunk, which are walked before the
// library reads them.
type cached struct {
	Source
	from int64
	data []byte
}

func (c *cached) ReadAt(p []byte, at int64) (int, error) {
	if at >= c.from && at-c.from <= int64(len(c.data)) && int64(len(p)) <= int64(len(c.data))-(at-c.from) {
		return copy(p, c.data[at-c.from:]), nil
	}
	return c.Source.ReadAt(p, at)
}

// walk reads size bytes at from and makes sure that no page header claims more bytes than there are: the
// library takes memory for what a header claims, up to 2 GiB, before it looks at what follows.
func (c *cached) walk(from, size int64) error {
	c.from, c.data = from, sized(c.data, int(size))
	if n, err := c.Source.ReadAt(c.data, from); n < len(c.data) {
		c.data = c.data[:0]
		if err == nil || errors.Is(err, io.EOF) {
			return errPage
		}
		return err
	}
	for rest := c.data; len(rest) > 0; {
		h := thrift{src: rest}
		packed := h.packedSize()
		switch {
		case h.bad: // what follows the last page; the library reports what it cannot read
			return nil
		case packed < 0 || packed > int64(len(h.src)):
			return errPage
		}
		rest = h.src[packed:]
	}
	return nil
}

// thrift reads Thrift's compact protocol until something is bad.
//
// Source: Apache Thrift, compact protocol.
type thrift struct {
	src []byte
	bad bool
}

// packedSize reads a PageHeader and returns its compressed_page_size, field 3.
func (t *thrift) packedSize() (size int64) {
	found := false
	t.fields(0, func(id, kind int) bool {
		if id != 3 || kind != thriftInt32 {
			return false
		}
		size, found = t.varint(), true
		return true
	})
	t.bad = t.bad || !found
	return size
}

// fields calls f for each field of a struct, and passes over those that f does not take.
func (t *thrift) fields(depth int, f func(id, kind int) bool) {
	for id := 0; !t.bad; {
		b := t.byte()
		kind := int(b & 15)
		if b == 0 {
			return
		}
		if b>>4 != 0 {
			id += int(b >> 4)
		} else {
			id = int(t.varint())
		}
		if !f(id, kind) {
			t.skip(kind, depth+1)
		}
	}
}

// skip passes over a value. Booleans have no bytes of their own but in lists, which hold none here.
func (t *thrift) skip(kind, depth int) {
	switch {
	case depth > 8:
		t.bad = true
	case kind == thriftTrue || kind == thriftFalse:
	case kind == 3:
		t.take(1)
	case kind >= 4 && kind <= 6:
		t.varint()
	case kind == 7:
		t.take(8)
	case kind == 8:
		t.take(t.uvarint())
	case kind == thriftStruct:
		t.fields(depth, func(int, int) bool { return false })
	default:
		t.bad = true // lists, sets and maps, of which a page header has none
	}
}

func (t *thrift) byte() byte {
	if len(t.src) == 0 {
		t.bad = true
		return 0
	}
	b := t.src[0]
	t.src = t.src[1:]
	return b
}

func (t *thrift) take(n uint64) {
	if n > uint64(len(t.src)) {
		t.bad = true
		return
	}
	t.src = t.src[n:]
}

func (t *thrift) uvarint() uint64 {
	v, n := binary.Uvarint(t.src)
	if n <= 0 {
		t.bad = true
		return 0
	}
	t.src = t.src[n:]
	return v
}

func (t *thrift) varint() int64 {
	u := t.uvarint()
	return int64(u>>1) ^ -int64(u&1)
}
