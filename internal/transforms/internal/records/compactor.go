package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// compactor finds the different rows of each unit of a log. Its tables are used again for every log.
type compactor struct {
	width   int
	slots   []uint64 // open addressing, linear probing: hash tag in the high half, entry+1 in the low
	entries []entry
	order   []entry  // scratch of sorted
	starts  []uint32 // scratch of sorted
}

// entry is where a log holds a row of a unit.
type entry struct {
	hash  uint64 // of the ID
	start uint32 // of the ID, which the number of equal rows stands before
	end   uint32 // of the ID, where the row starts
}

// distinct keeps in data, a log of n records, every row of a unit once, with how often the unit has it, and
// returns what is left of data. It leaves the rows in c.entries.
func (c *compactor) distinct(data []byte, n int) []byte {
	c.reserve(n)
	kept := 0
	for at := 0; at < len(data); {
		hash := binary.LittleEndian.Uint64(data[at:])
		start := at + recordHead
		end := start + int(binary.LittleEndian.Uint32(data[at+8:]))
		next := end + c.width
		place := fold(hash, Hash(data[end:next])|1)
		slot, found := c.find(data, place, hash, data[start:next])
		if found >= 0 {
			times := data[c.entries[found].start-timesSize:]
			binary.LittleEndian.PutUint64(times, add(binary.LittleEndian.Uint64(times), binary.LittleEndian.Uint64(data[start-timesSize:])))
		} else {
			shift := at - kept
			if shift > 0 {
				copy(data[kept:], data[at:next])
			}
			kept += next - at
			c.entries = append(c.entries, entry{hash: hash, start: uint32(start - shift), end: uint32(end - shift)})
			c.slots[slot] = place<<32 | uint64(len(c.entries))
		}
		at = next
	}
	return data[:kept]
}

// list leaves all records of data, a log of n records, in c.entries.
func (c *compactor) list(data []byte, n int) {
	c.entries = slices.Grow(c.entries[:0], n)
	for at := 0; at < len(data); {
		start := uint32(at + recordHead)
		end := start + binary.LittleEndian.Uint32(data[at+8:])
		c.entries = append(c.entries, entry{hash: binary.LittleEndian.Uint64(data[at:]), start: start, end: end})
		at = int(end) + c.width
	}
}

// add returns a + b, or the largest number if that is larger: both ways of grouping a sum agree.
func add(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	return sum | -carry
}

// reserve empties the tables and makes room for n rows.
func (c *compactor) reserve(n int) {
	c.entries = slices.Grow(c.entries[:0], n)
	size := max(1<<6, 1<<bits.Len(uint(n+n/2)))
	if cap(c.slots) < size {
		c.slots = make([]uint64, size)
		return
	}
	c.slots = c.slots[:size]
	clear(c.slots)
}

// find returns the number of the entry with the given ID and row, or −1 and the slot where it belongs. The first
// bits of place choose the slot, the last 32 are its tag.
func (c *compactor) find(data []byte, place, hash uint64, idRow []byte) (slot, found int) {
	mask := uint64(len(c.slots) - 1)
	for i := place >> bits.LeadingZeros64(mask); ; i = (i + 1) & mask {
		v := c.slots[i]
		if v == 0 {
			return int(i), -1
		}
		if v>>32 == place&(1<<32-1) {
			e := int(uint32(v)) - 1
			if u := &c.entries[e]; u.hash == hash && bytes.Equal(data[u.start:int(u.end)+c.width], idRow) {
				return int(i), e
			}
		}
	}
}

// sorted returns c.entries in ascending order of (hash, ID, row): scattered to about as many buckets as there
// are entries, by the first bits that tell hashes of one log apart, and each bucket sorted.
func (c *compactor) sorted(data []byte) []entry {
	n := len(c.entries)
	shift := 64 - bits.Len(uint(n))
	bucket := func(e *entry) uint64 { return e.hash << (64 - partShift) >> shift }
	c.starts = slices.Grow(c.starts[:0], 1<<(64-shift)+1)[:1<<(64-shift)+1]
	clear(c.starts)
	for i := range c.entries {
		c.starts[bucket(&c.entries[i])+1]++
	}
	for b := 1; b < len(c.starts); b++ {
		c.starts[b] += c.starts[b-1]
	}
	c.order = slices.Grow(c.order[:0], n)[:n]
	for i := range c.entries {
		b := bucket(&c.entries[i])
		c.order[c.starts[b]] = c.entries[i]
		c.starts[b]++ // now the end of bucket b
	}
	from := uint32(0)
	for _, to := range c.starts[:len(c.starts)-1] {
		if to-from > 1 {
			slices.SortFunc(c.order[from:to], func(a, b entry) int {
				if d := cmp.Compare(a.hash, b.hash); d != 0 {
					return d
				}
				if d := bytes.Compare(data[a.start:a.end], data[b.start:b.end]); d != 0 {
					return d
				}
				return bytes.Compare(data[a.end:int(a.end)+c.width], data[b.end:int(b.end)+c.width])
			})
		}
		from = to
	}
	return c.order
}

// appendTo appends sorted entries of a log to units, equal rows of a unit as one.
func (c *compactor) appendTo(u *Units, data []byte, entries []entry) {
	for i := range entries {
		e := &entries[i]
		row, times := data[e.end:int(e.end)+c.width], binary.LittleEndian.Uint64(data[e.start-timesSize:])
		if i == 0 || e.hash != entries[i-1].hash || !bytes.Equal(data[e.start:e.end], data[entries[i-1].start:entries[i-1].end]) {
			u.addUnit(e.hash, data[e.start:e.end])
		} else if last := len(u.times) - 1; bytes.Equal(row, u.row(last)) {
			u.times[last] = add(u.times[last], times)
			continue
		}
		u.addRow(row, times)
	}
}
