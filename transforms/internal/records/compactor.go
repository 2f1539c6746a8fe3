package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/internal/bounding"
)

// compactor finds the units of a log. Its tables are used again for every log.
type compactor struct {
	width  int
	rank   bounding.Ranker
	slots  []uint64 // open addressing, linear probing: hash tag in the high half, unit+1 in the low
	units  []unit
	order  []unit   // scratch of sorted
	starts []uint32 // scratch of sorted
}

// unit is where a log holds the record of one unit.
type unit struct {
	hash  uint64
	rank  uint64 // first 8 bytes of the row's rank; 0 if it was never needed
	start uint32 // of its ID
	end   uint32 // of its ID, where the row starts
}

// distinct keeps in data, a log of n records, the row of least rank of each unit, and returns what is
// left of data. It leaves the units in c.units.
func (c *compactor) distinct(data []byte, n int) []byte {
	c.reserve(n)
	kept := 0
	for at := 0; at < len(data); {
		hash := binary.LittleEndian.Uint64(data[at:])
		start := at + recordHead
		end := start + int(binary.LittleEndian.Uint32(data[at+8:]))
		next := end + c.width
		slot, found := c.find(data, hash, data[start:end])
		if found >= 0 {
			c.contest(data, &c.units[found], data[end:next])
		} else {
			shift := at - kept
			if shift > 0 {
				copy(data[kept:], data[at:next])
			}
			kept += next - at
			c.units = append(c.units, unit{hash: hash, start: uint32(start - shift), end: uint32(end - shift)})
			c.slots[slot] = hash<<32 | uint64(len(c.units))
		}
		at = next
	}
	return data[:kept]
}

// reserve empties the tables and makes room for n units.
func (c *compactor) reserve(n int) {
	c.units = slices.Grow(c.units[:0], n)
	size := max(1<<6, 1<<bits.Len(uint(n+n/2)))
	if cap(c.slots) < size {
		c.slots = make([]uint64, size)
		return
	}
	c.slots = c.slots[:size]
	clear(c.slots)
}

// find returns the number of the unit with the given ID, or −1 and the slot where it belongs. The hash's
// first bits are those of the whole log: the ones after them choose the slot, the last 32 are its tag.
func (c *compactor) find(data []byte, hash uint64, id []byte) (slot, found int) {
	mask := uint64(len(c.slots) - 1)
	for i := hash << (64 - partShift) >> bits.LeadingZeros64(mask); ; i = (i + 1) & mask {
		v := c.slots[i]
		if v == 0 {
			return int(i), -1
		}
		if v>>32 == hash&(1<<32-1) {
			e := int(uint32(v)) - 1
			if u := &c.units[e]; u.hash == hash && bytes.Equal(data[u.start:u.end], id) {
				return int(i), e
			}
		}
	}
}

// contest keeps the row of lower rank. The kept row's rank is remembered by its first 8 bytes, so that
// a unit with many rows costs one hash a row.
func (c *compactor) contest(data []byte, u *unit, row []byte) {
	id, kept := data[u.start:u.end], data[u.end:int(u.end)+c.width]
	if bytes.Equal(kept, row) {
		return
	}
	if u.rank == 0 {
		r := c.rank.Rank(id, kept)
		u.rank = binary.BigEndian.Uint64(r[:])
	}
	r := c.rank.Rank(id, row)
	switch first := binary.BigEndian.Uint64(r[:]); {
	case first > u.rank:
	case first < u.rank || c.rank.Less(id, row, kept):
		copy(kept, row)
		u.rank = first
	}
}

// sorted returns c.units in ascending order of (hash, ID): scattered to about as many buckets as there
// are units, by the first bits that tell hashes of one log apart, and each bucket sorted.
func (c *compactor) sorted(data []byte) []unit {
	n := len(c.units)
	shift := 64 - bits.Len(uint(n))
	bucket := func(u *unit) uint64 { return u.hash << (64 - partShift) >> shift }
	c.starts = slices.Grow(c.starts[:0], 1<<(64-shift)+1)[:1<<(64-shift)+1]
	clear(c.starts)
	for i := range c.units {
		c.starts[bucket(&c.units[i])+1]++
	}
	for b := 1; b < len(c.starts); b++ {
		c.starts[b] += c.starts[b-1]
	}
	c.order = slices.Grow(c.order[:0], n)[:n]
	for i := range c.units {
		b := bucket(&c.units[i])
		c.order[c.starts[b]] = c.units[i]
		c.starts[b]++ // now the end of bucket b
	}
	from := uint32(0)
	for _, to := range c.starts[:len(c.starts)-1] {
		if to-from > 1 {
			slices.SortFunc(c.order[from:to], func(a, b unit) int {
				if d := cmp.Compare(a.hash, b.hash); d != 0 {
					return d
				}
				return bytes.Compare(data[a.start:a.end], data[b.start:b.end])
			})
		}
		from = to
	}
	return c.order
}

// appendTo appends units of a log to a run.
func (c *compactor) appendTo(r *run, data []byte, units []unit) {
	for i := range units {
		u := &units[i]
		r.add(u.hash, data[u.start:u.end], data[u.end:int(u.end)+c.width])
	}
}
