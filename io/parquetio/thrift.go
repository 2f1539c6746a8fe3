package parquetio

// thrift reads Thrift's compact protocol until something is bad.
//
// Source: Apache Thrift, compact protocol.
type thrift struct{ varints }

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
			id = int(t.signed())
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
		t.signed()
	case kind == 7:
		t.take(8)
	case kind == 8:
		t.take(t.unsigned())
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
