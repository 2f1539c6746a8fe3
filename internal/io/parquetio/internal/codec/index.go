package codec

// index numbers the values of one column chunk: entry i of its dictionary is entries[i].
type index struct {
	entries []int64

	byCode []uint32 // STRING: 1 + the number of each text of the file's dictionary; 0: none yet
	slots  []uint32 // others: a hash table of 1 + number
	shift  int      // from 64-bit hash to slot
}

// reset begins a new dictionary.
func (x *index) reset() {
	x.entries = x.entries[:0]
	clear(x.byCode)
	clear(x.slots)
}

// number writes the number of each value to dst, which has the length of values, and returns it. It gives
// up, and returns nil, if there are more than limit entries.
func (x *index) number(dst []uint32, c *Column, values []int64, limit int) []uint32 {
	if c.Texts != nil {
		return x.numberTexts(dst, len(c.Texts.list), values, limit)
	}
	for i, v := range values {
		if len(x.entries) >= len(x.slots)/2 {
			x.grow()
		}
		at := x.find(v)
		if x.slots[at] == 0 {
			if len(x.entries) == limit {
				return nil
			}
			x.entries = append(x.entries, v)
			x.slots[at] = uint32(len(x.entries))
		}
		dst[i] = x.slots[at] - 1
	}
	return dst
}

func (x *index) numberTexts(dst []uint32, texts int, codes []int64, limit int) []uint32 {
	if missing := texts - len(x.byCode); missing > 0 {
		x.byCode = append(x.byCode, make([]uint32, missing)...)
	}
	for i, code := range codes {
		if x.byCode[code] == 0 {
			if len(x.entries) == limit {
				return nil
			}
			x.entries = append(x.entries, code)
			x.byCode[code] = uint32(len(x.entries))
		}
		dst[i] = x.byCode[code] - 1
	}
	return dst
}

// find returns the slot of v, or the empty one where it belongs.
func (x *index) find(v int64) int {
	const golden = 0x9e3779b97f4a7c15 // 2^64 over the golden ratio: Knuth, The Art of Computer Programming 3, 6.4
	at := int(uint64(v) * golden >> x.shift)
	for x.slots[at] != 0 && x.entries[x.slots[at]-1] != v {
		at = (at + 1) & (len(x.slots) - 1)
	}
	return at
}

// grow doubles the table, of which at most half is in use.
func (x *index) grow() {
	size := max(1024, 2*len(x.slots))
	x.slots, x.shift = make([]uint32, size), 65-bitWidth(size+1)
	for i, v := range x.entries {
		x.slots[x.find(v)] = uint32(i + 1)
	}
}
