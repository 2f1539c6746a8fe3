package parquetio

// thrift reads Thrift's compact protocol until something is bad.
//
// Source: Apache Thrift, compact protocol.
type thrift struct{ varints }

// maxDepth is how deep structs may lie in each other: some ten times as deep as those of the format do.
const maxDepth = 64

// fields calls f for each field of a struct, and passes over those that f does not take.
func (t *thrift) fields(depth int, f func(id, kind int) bool) {
	t.bad = t.bad || depth > maxDepth
	for id := 0; !t.bad; {
		b := t.byte()
		kind := int(b & 15)
		if b == 0 {
			return
		}
		if b>>4 != 0 {
			id += int(b >> 4)
		} else {
			id = int(t.signed())
		}
		if !f(id, kind) {
			t.skip(kind, depth+1)
		}
	}
}

// list calls f for each element of a list of structs, numbers or lists, which reads it.
func (t *thrift) list(f func(kind int)) {
	b := t.byte()
	n := uint64(b >> 4)
	if n == 15 {
		n = t.unsigned()
	}
	for ; n > 0 && !t.bad; n-- {
		f(int(b & 15))
	}
}

// skip passes over the value of a field. Booleans have no bytes of their own but in lists.
func (t *thrift) skip(kind, depth int) {
	switch kind {
	case thriftTrue, thriftFalse:
	case thriftByte:
		t.take(1)
	case thriftInt16, thriftInt32, thriftInt64:
		t.signed()
	case thriftDouble:
		t.take(8)
	case thriftText:
		t.text()
	case thriftList, thriftSet:
		if t.bad = t.bad || depth > maxDepth; !t.bad {
			t.list(func(kind int) { t.element(kind, depth+1) })
		}
	case thriftMap:
		t.pairs(depth)
	case thriftStruct:
		t.fields(depth, func(int, int) bool { return false })
	case thriftUUID:
		t.take(16)
	default:
		t.bad = true
	}
}

// element passes over an element of a list.
func (t *thrift) element(kind, depth int) {
	if kind == thriftTrue || kind == thriftFalse {
		t.take(1)
		return
	}
	t.skip(kind, depth)
}

// pairs passes over a map.
func (t *thrift) pairs(depth int) {
	n := t.unsigned()
	if n == 0 || t.bad || depth > maxDepth {
		t.bad = t.bad || depth > maxDepth
		return
	}
	kinds := t.byte()
	for ; n > 0 && !t.bad; n-- {
		t.element(int(kinds>>4), depth+1)
		t.element(int(kinds&15), depth+1)
	}
}

func (t *thrift) byte() byte {
	if b := t.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (t *thrift) text() []byte { return t.take(t.unsigned()) }

// take returns the next n bytes, or nil if there are not so many.
func (t *thrift) take(n uint64) []byte {
	if t.bad = t.bad || n > uint64(len(t.src)); t.bad {
		return nil
	}
	b := t.src[:n]
	t.src = t.src[n:]
	return b
}

// number reads a field that is one of dst, the fields 1, 2, … of a struct.
func (t *thrift) number(id, kind int, dst ...*int64) bool {
	if id < 1 || id > len(dst) || dst[id-1] == nil || kind != thriftInt16 && kind != thriftInt32 && kind != thriftInt64 {
		return false
	}
	*dst[id-1] = t.signed()
	return true
}
