package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
)

// maxSetBytes bounds the bytes of IDs or rows that a Set holds before it is full, so that 32-bit
// offsets suffice and an emitted shard stays far below the 2 GiB of a gRPC message.
const maxSetBytes = 1 << 28

// Set keeps one row for each privacy unit: the row of least rank among those added, which does not
// depend on the order they came in. It grows with the number of units, not of rows. The zero Set is
// not usable; see NewSet.
type Set struct {
	width   int
	max     int
	rank    ranker
	slots   []uint64 // open addressing, linear probing: hash tag in the high half, entry+1 in the low
	entries []entry
	data    []byte // each unit's ID and then its row: one cache miss for both
	touched byte   // see touch
}

type entry struct {
	hash  uint64
	rank  uint64 // first 8 bytes of the kept row's rank; 0 where it was never needed
	start uint32 // of the ID in data
	end   uint32 // of the ID, where the row starts
}

// NewSet returns an empty set of rows of the given width that is full at maxUnits units. Ranks depend
// on the run key, of RunKeySize bytes.
func NewSet(width, maxUnits int, runKey []byte) *Set {
	if len(runKey) != RunKeySize {
		panic("records: a run key has 16 bytes")
	}
	return &Set{width: width, max: maxUnits, rank: ranker{runKey: runKey}, slots: make([]uint64, 1<<10)}
}

// Len returns the number of units.
func (s *Set) Len() int { return len(s.entries) }

// Full reports whether the set should be emptied before more is added.
func (s *Set) Full() bool { return len(s.entries) >= s.max || len(s.data) >= maxSetBytes }

// window is the number of records whose memory is asked for at once.
const window = 64

// AddBatch adds the records of b from number from on, until the set is full, and returns the number of
// the first record that was not added.
func (s *Set) AddBatch(b *Batch, from int) int {
	var hashes [window]uint64
	for ; from < b.N && !s.Full(); from += window {
		n := min(window, b.N-from)
		for i := range n {
			hashes[i] = Hash(b.ID(from + i))
		}
		s.touch(hashes[:n])
		for i := range n {
			if s.Full() {
				return from + i
			}
			s.add(hashes[i], b.ID(from+i), b.Row(from+i))
		}
	}
	return min(from, b.N)
}

// touch reads what adding units of these hashes will read. The reads do not depend on each other, so
// that their cache misses overlap; add would wait for them one by one.
func (s *Set) touch(hashes []uint64) {
	var slots [window]uint64
	var starts [window]uint32
	mask := uint64(len(s.slots) - 1)
	for i, h := range hashes {
		slots[i] = s.slots[h&mask]
	}
	for i := range hashes {
		if slots[i] != 0 {
			starts[i] = s.entries[uint32(slots[i])-1].start
		}
	}
	for i := range hashes {
		if slots[i] != 0 {
			s.touched ^= s.data[starts[i]]
		}
	}
}

// Add adds a row of the unit with the given ID. An empty ID names nobody: its row is dropped.
func (s *Set) Add(id, row []byte) { s.add(Hash(id), id, row) }

func (s *Set) add(h uint64, id, row []byte) {
	if len(id) == 0 {
		return
	}
	if len(row) != s.width {
		panic("records: length of a row differs from the set's")
	}
	mask := uint64(len(s.slots) - 1)
	for i := h & mask; ; i = (i + 1) & mask {
		switch slot := s.slots[i]; {
		case slot == 0:
			s.insert(i, h, id, row)
			return
		case slot>>32 == h>>32:
			if e := int(uint32(slot)) - 1; s.entries[e].hash == h && bytes.Equal(s.id(e), id) {
				s.contest(e, id, row)
				return
			}
		}
	}
}

func (s *Set) insert(slot, h uint64, id, row []byte) {
	start := uint32(len(s.data))
	s.data = append(append(s.data, id...), row...)
	s.entries = append(s.entries, entry{hash: h, start: start, end: start + uint32(len(id))})
	s.slots[slot] = h>>32<<32 | uint64(len(s.entries))
	if 3*len(s.entries) > 2*len(s.slots) {
		s.grow()
	}
}

// contest keeps the row of lower rank. The kept row's rank is remembered by its first 8 bytes, so that
// a unit with many rows costs one hash a row.
func (s *Set) contest(e int, id, row []byte) {
	kept := s.row(e)
	if bytes.Equal(kept, row) {
		return
	}
	en := &s.entries[e]
	if en.rank == 0 {
		r := s.rank.rank(id, kept)
		en.rank = binary.BigEndian.Uint64(r[:])
	}
	r := s.rank.rank(id, row)
	switch first := binary.BigEndian.Uint64(r[:]); {
	case first > en.rank:
	case first < en.rank || s.rank.less(id, row, kept):
		copy(kept, row)
		en.rank = first
	}
}

func (s *Set) id(e int) []byte { return s.data[s.entries[e].start:s.entries[e].end] }

func (s *Set) row(e int) []byte {
	at := int(s.entries[e].end)
	return s.data[at : at+s.width]
}

func (s *Set) grow() {
	s.slots = make([]uint64, 2*len(s.slots))
	mask := uint64(len(s.slots) - 1)
	for e := range s.entries {
		h := s.entries[e].hash
		i := h & mask
		for s.slots[i] != 0 {
			i = (i + 1) & mask
		}
		s.slots[i] = h>>32<<32 | uint64(e+1)
	}
}

// Shard returns the shard of an ID's hash. It takes the high bits of a product, so that the units of
// one shard still spread over all slots of a Set.
func Shard(hash uint64, shards int) int {
	hi, _ := bits.Mul64(hash, uint64(shards))
	return int(hi)
}

// Flush hands the units of each shard that has any to emit, in canonical form and in ascending order
// of shards, and empties the set.
func (s *Set) Flush(shards int, emit func(shard int, u *Units)) {
	type ref struct {
		hash  uint64
		entry int32
	}
	refs := make([]ref, len(s.entries))
	for e := range s.entries {
		refs[e] = ref{s.entries[e].hash, int32(e)}
	}
	slices.SortFunc(refs, func(a, b ref) int {
		if c := cmp.Compare(a.hash, b.hash); c != 0 {
			return c
		}
		return bytes.Compare(s.id(int(a.entry)), s.id(int(b.entry)))
	})
	for len(refs) > 0 {
		shard := Shard(refs[0].hash, shards)
		n := 1
		for n < len(refs) && Shard(refs[n].hash, shards) == shard {
			n++
		}
		r := newRun(s.width, n)
		for _, x := range refs[:n] {
			r.add(x.hash, s.id(int(x.entry)), s.row(int(x.entry)))
		}
		emit(shard, &Units{runs: []*run{r}})
		refs = refs[n:]
	}
	s.reset()
}

func (s *Set) reset() {
	clear(s.slots)
	s.entries, s.data = s.entries[:0], s.data[:0]
}
