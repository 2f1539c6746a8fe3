package codec

import "github.com/dapple-dp/dapple/internal/kit/wire"

// thrift reads Thrift's compact protocol until something is bad.
//
// Source: Apache Thrift, compact protocol.
type thrift struct{ wire.Reader }

// maxDepth is how deep structs may lie in each other: some ten times as deep as the format's own structs.
const maxDepth = 64

// fields calls f for each field of a struct, and passes over those that f does not take.
func (t *thrift) fields(depth int, f func(id, kind int) bool) {
	t.Bad = t.Bad || depth > maxDepth
	for id := 0; !t.Bad; {
		b := t.Byte()
		kind := int(b & 15)
		if b == 0 {
			return
		}
		if b>>4 != 0 {
			id += int(b >> 4)
		} else {
			id = int(t.Varint())
		}
		if !f(id, kind) {
			t.skip(kind, depth+1)
		}
	}
}

// list calls f for each element of a list of structs, numbers or lists, which reads it.
func (t *thrift) list(f func(kind int)) {
	b := t.Byte()
	n := uint64(b >> 4)
	if n == 15 {
		n = t.Uvarint()
	}
	for ; n > 0 && !t.Bad; n-- {
		f(int(b & 15))
	}
}

// skip passes over the value of a field. Booleans have no bytes of their own but in lists.
func (t *thrift) skip(kind, depth int) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.Take(1)
	case thriftInt16, thriftInt32, thriftInt64:
		t.Varint()
	case thriftDouble:
		t.Take(8)
	case thriftText:
		t.text()
	case thriftList, thriftSet:
		if t.Bad = t.Bad || depth > maxDepth; !t.Bad {
			t.list(func(kind int) { t.element(kind, depth+1) })
		}
	case thriftMap:
		t.pairs(depth)
	case thriftStruct:
		t.fields(depth, func(int, int) bool { return false })
	case thriftUUID:
		t.Take(16)
	default:
		t.Bad = true
	}
}

// element passes over an element of a list.
func (t *thrift) element(kind, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		t.Take(1)
		return
	}
	t.skip(kind, depth)
}

// pairs passes over a map.
func (t *thrift) pairs(depth int) {
	n := t.Uvarint()
	if n == 0 || t.Bad || depth > maxDepth {
		t.Bad = t.Bad || depth > maxDepth
		return
	}
	kinds := t.Byte()
	for ; n > 0 && !t.Bad; n-- {
		t.element(int(kinds>>4), depth+1)
		t.element(int(kinds&15), depth+1)
	}
}

func (t *thrift) text() []byte { return t.Take(t.Uvarint()) }

// number reads a field that is one of dst, the fields 1, 2, … of a struct.
func (t *thrift) number(id, kind int, dst ...*int64) bool {
	if id < 1 || id > len(dst) || dst[id-1] == nil || kind != thriftInt16 && kind != thriftInt32 && kind != thriftInt64 {
		return false
	}
	*dst[id-1] = t.Varint()
	return true
}
