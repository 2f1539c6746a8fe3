package records

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

const (
	// parts is the number of logs of a Set. The table of a part of 2²⁰/256 units stays in a core's cache
	// while its log is compacted; a single table of all units would miss it on nearly every record.
	parts     = 256
	partShift = 64 - 8 // parts are runs of hashes: their order is the order of hashes

	// minCompact is the size in bytes at which a log is first compacted: 64 MB for all of them. A million records of 14
	// columns take less.
	minCompact = 1 << 18

	minLog = 1 << 11 // bytes that a log begins with

	// maxSetBytes bounds the bytes of a Set before it is full, so that 32-bit offsets suffice and an
	// emitted shard stays far below the 2 GiB of a gRPC message.
	maxSetBytes = 1 << 28

	// recordHead is what stands before a record's ID in a log: its hash, the length of the ID, and of how many
	// equal records it is made.
	recordHead = 8 + 4 + timesSize
	timesSize  = 8
)

// Set keeps the different rows of each privacy unit, and how often it has each. The zero Set is not usable; see
// NewSet.
//
// Records are appended to one of some logs by the first bits of their ID's hash, which writes memory in
// order. A log that has doubled is compacted to one record for each different row of a unit, so that every record
// is looked at a few times, in a cache.
type Set struct {
	width int
	max   int
	full  bool
	held  int // records in all logs
	bytes int
	logs  [parts]unitLog
	compactor
}

// unitLog is a list of records: hash, length of the ID, ID, row.
type unitLog struct {
	data    []byte
	records int
	limit   int // bytes at which it is compacted
}

// NewSet returns an empty set of rows of the given width. It is full when it holds nearly maxRows different rows of
// all units together.
func NewSet(width, maxRows int) *Set {
	s := &Set{width: width, max: maxRows, compactor: compactor{width: width}}
	for p := range s.logs {
		s.logs[p].limit = minCompact
	}
	return s
}

// Len returns the number of records held: at least the different rows of all units.
func (s *Set) Len() int { return s.held }

// Full reports whether the set should be emptied before more is added.
func (s *Set) Full() bool { return s.full }

// AddBatch adds the records of b from number from on, until the set is full, and returns the number of
// the first record that was not added.
func (s *Set) AddBatch(b *Batch, from int) int {
	if from >= b.N {
		return b.N
	}
	if len(b.Rows) != b.N*s.width {
		panic("records: length of a row differs from the set's")
	}
	start := uint32(0)
	if from > 0 {
		start = b.IDEnds[from-1]
	}
	for i, end := range b.IDEnds[from:b.N] {
		id := b.IDs[start:end]
		start = end
		if len(id) == 0 {
			continue
		}
		at := (from + i) * s.width
		if s.add(Hash(id), id, b.Rows[at:at+s.width]); s.full {
			return from + i + 1
		}
	}
	return b.N
}

// Add adds a row of the unit with the given ID. An empty ID names nobody: its row is dropped.
func (s *Set) Add(id, row []byte) {
	if len(row) != s.width {
		panic("records: length of a row differs from the set's")
	}
	if len(id) > 0 {
		s.add(Hash(id), id, row)
	}
}

func (s *Set) add(h uint64, id, row []byte) {
	l, size := &s.logs[h>>partShift], recordHead+len(id)+len(row)
	if len(l.data)+size > l.limit {
		s.compactLog(l)
		l.limit = max(minCompact, 2*len(l.data)+size)
	}
	if len(l.data)+size > cap(l.data) {
		l.data = slices.Grow(l.data, max(size, cap(l.data), minLog)) // append would grow by a quarter
	}
	l.data = l.data[:len(l.data)+size] // no new pointer, and so no write barrier
	record := l.data[len(l.data)-size:]
	binary.LittleEndian.PutUint64(record, h)
	binary.LittleEndian.PutUint32(record[8:], uint32(len(id)))
	binary.LittleEndian.PutUint64(record[recordHead-timesSize:], 1)
	copy(record[recordHead:], id)
	copy(record[recordHead+len(id):], row)
	l.records++
	s.held++
	if s.bytes += size; s.held >= s.max || s.bytes >= maxSetBytes {
		s.full = !s.compact()
	}
}

// compact leaves one record for each different row of a unit, and reports whether that has freed a quarter: less is not
// worth doing again for a quarter more. It gives up once an eighth of the records has freed less than a quarter of its own.
func (s *Set) compact() bool {
	all, seen, freed := s.bytes, 0, 0
	for p := range s.logs {
		l := &s.logs[p]
		before := len(l.data)
		s.compactLog(l)
		seen, freed = seen+before, freed+before-len(l.data)
		if seen >= all/8 && freed < seen/4 {
			return false
		}
	}
	return s.held < s.max-s.max/4 && s.bytes < maxSetBytes-maxSetBytes/4
}

func (s *Set) compactLog(l *unitLog) {
	s.held, s.bytes = s.held-l.records, s.bytes-len(l.data)
	l.data = s.distinct(l.data, l.records)
	l.records = len(s.entries)
	s.held, s.bytes = s.held+l.records, s.bytes+len(l.data)
}

// Shard returns the shard of an ID's hash. It takes the high bits of a product, so that shards, like
// parts, are runs of hashes.
func Shard(hash uint64, shards int) int {
	hi, _ := bits.Mul64(hash, uint64(shards))
	return int(hi)
}

// Flush hands the units of each shard that has any to emit, in ascending order of shards, and empties the set. They are
// emit's only until it returns.
func (s *Set) Flush(shards int, emit func(shard int, u *Units)) {
	shard, u := 0, &Units{} // of shard so far
	for p := range s.logs {
		l := &s.logs[p]
		if l.records == 0 {
			continue
		}
		if len(l.data) > minCompact {
			s.compactLog(l)
		} else {
			s.list(l.data, l.records) // sorting finds equal rows too, of so few in less time
		}
		for entries := s.sorted(l.data); len(entries) > 0; {
			next := Shard(entries[0].hash, shards)
			n := 1
			for n < len(entries) && Shard(entries[n].hash, shards) == next {
				n++
			}
			if u.n > 0 && next != shard {
				emit(shard, u)
				u.n = 0
			}
			if shard = next; u.n == 0 {
				u.reset(s.width, n, (len(l.data)/len(s.entries)-recordHead-s.width)*n)
			}
			s.appendTo(u, l.data, entries[:n])
			entries = entries[n:]
		}
		l.data, l.records, l.limit = l.data[:0], 0, minCompact
	}
	if u.n > 0 {
		emit(shard, u)
	}
	s.held, s.bytes, s.full = 0, 0, false
}
