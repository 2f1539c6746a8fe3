package records

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// Units holds the different rows of each of some privacy units, and how often it has each: ascending by (hash, ID),
// no ID twice, and the rows of a unit ascending, none twice.
type Units struct {
	width  int
	n      int
	hashes []uint64 // nil in what was just decoded; see index
	ends   []uint64 // of the IDs in ids; nil as hashes are
	sizes  []byte   // of the IDs as they were on the wire, for index
	ids    []byte
	last   []uint64 // number of the row behind each unit's
	times  []uint64 // of each row, at least 1
	rows   []byte
}

// reset leaves no units, with room for so many of a row each and the bytes of their IDs.
func (u *Units) reset(width, units, ids int) {
	*u = Units{
		width:  width,
		hashes: slices.Grow(u.hashes[:0], units),
		ends:   slices.Grow(u.ends[:0], units),
		ids:    slices.Grow(u.ids[:0], max(ids, 0)),
		last:   slices.Grow(u.last[:0], units),
		times:  slices.Grow(u.times[:0], units),
		rows:   slices.Grow(u.rows[:0], units*width),
	}
}

// Len returns the number of units.
func (u *Units) Len() int { return u.n }

func (u *Units) id(i int) []byte {
	start := uint64(0)
	if i > 0 {
		start = u.ends[i-1]
	}
	return u.ids[start:u.ends[i]]
}

// span returns the numbers of the first row of unit i and of the one behind its last.
func (u *Units) span(i int) (from, to int) {
	if i > 0 {
		from = int(u.last[i-1])
	}
	return from, int(u.last[i])
}

func (u *Units) row(j int) []byte { return u.rows[j*u.width : (j+1)*u.width] }

// addUnit begins a unit; addRow adds a row to the last one.
func (u *Units) addUnit(hash uint64, id []byte) {
	u.n++
	u.ids = append(u.ids, id...)
	u.hashes = append(u.hashes, hash)
	u.ends = append(u.ends, uint64(len(u.ids)))
	u.last = append(u.last, uint64(len(u.times)))
}

func (u *Units) addRow(row []byte, times uint64) {
	u.times = append(u.times, times)
	u.rows = append(u.rows, row...)
	u.last[u.n-1]++
}

// index finds the IDs and their hashes in what was decoded. Only Each wants them.
func (u *Units) index() {
	if u.hashes != nil || u.n == 0 {
		return
	}
	u.hashes, u.ends = make([]uint64, u.n), make([]uint64, u.n)
	sizes := idSizes(u.sizes)
	end := uint64(0)
	for i := range u.n {
		id := u.ids[end:]
		id = id[:sizes.next()]
		end += uint64(len(id))
		u.hashes[i], u.ends[i] = Hash(id), end
	}
	u.sizes = nil
}

// part is a unit of one of several lists.
type part struct {
	hash uint64
	list int32
	unit int32
}

// Each visits every unit of some lists once: its ID, its different rows ascending, and how often it has each in all
// lists together. What visit gets is its own only until it returns. The order of visits, and all else, is the same
// however records are spread over lists.
//
// It costs the same for a unit in any number of lists: parts of units are scattered by their hashes to about as many
// buckets as there are parts, and each bucket is sorted.
func Each(lists []*Units, visit func(id, rows []byte, times []uint64)) {
	parts := scattered(lists)
	var rows merger
	for len(parts) > 0 {
		first := parts[0]
		u := lists[first.list]
		id := u.id(int(first.unit))
		n := 1
		for n < len(parts) && parts[n].hash == first.hash && bytes.Equal(lists[parts[n].list].id(int(parts[n].unit)), id) {
			n++
		}
		if from, to := u.span(int(first.unit)); n == 1 {
			visit(id, u.rows[from*u.width:to*u.width], u.times[from:to])
		} else {
			rows.merge(lists, parts[:n])
			visit(id, rows.rows, rows.times)
		}
		parts = parts[n:]
	}
}

// scattered returns the units of all lists, ascending by (hash, ID).
func scattered(lists []*Units) []part {
	n, low, high := 0, uint64(math.MaxUint64), uint64(0)
	for _, u := range lists {
		if u.index(); u.n > 0 {
			n, low, high = n+u.n, min(low, u.hashes[0]), max(high, u.hashes[u.n-1])
		}
	}
	if n == 0 {
		return nil
	}
	shift := max(0, bits.Len64(high-low)-bits.Len(uint(n)))
	starts := make([]uint32, (high-low)>>shift+2)
	for _, u := range lists {
		for _, h := range u.hashes {
			starts[(h-low)>>shift+1]++
		}
	}
	for b := 1; b < len(starts); b++ {
		starts[b] += starts[b-1]
	}
	parts := make([]part, n)
	for l, u := range lists {
		for i, h := range u.hashes {
			b := (h - low) >> shift
			parts[starts[b]] = part{h, int32(l), int32(i)}
			starts[b]++ // now the end of bucket b
		}
	}
	from := uint32(0)
	for _, to := range starts[:len(starts)-1] {
		if to-from > 1 {
			slices.SortFunc(parts[from:to], func(a, b part) int {
				if d := cmp.Compare(a.hash, b.hash); d != 0 {
					return d
				}
				return bytes.Compare(lists[a.list].id(int(a.unit)), lists[b.list].id(int(b.unit)))
			})
		}
		from = to
	}
	return parts
}

// merger adds up the rows of one unit.
type merger struct {
	rows  []byte
	times []uint64

	found []counted
}

// counted is row at of a list.
type counted struct {
	head     uint64 // of the row, which orders nearly all of them; no pointer, which would want write barriers
	list, at int32
}

func (m *merger) merge(lists []*Units, parts []part) {
	m.rows, m.times, m.found = m.rows[:0], m.times[:0], m.found[:0]
	for _, p := range parts {
		u := lists[p.list]
		for j, to := u.span(int(p.unit)); j < to; j++ {
			m.found = append(m.found, counted{head(u.row(j)), p.list, int32(j)})
		}
	}
	sortRows(m.found, lists)
	rows, times := m.rows, m.times
	for i, f := range m.found {
		row, n := lists[f.list].row(int(f.at)), lists[f.list].times[f.at]
		if i > 0 && bytes.Equal(row, rows[len(rows)-len(row):]) {
			last := len(times) - 1
			times[last] = add(times[last], n)
			continue
		}
		rows, times = append(rows, row...), append(times, n)
	}
	m.rows, m.times = rows, times
}

// sortRows sorts rows of lists: few of them by insertion, as sorting them through a function takes three times as long.
func sortRows(found []counted, lists []*Units) {
	compare := func(a, b counted) int {
		if d := cmp.Compare(a.head, b.head); d != 0 {
			return d
		}
		return bytes.Compare(lists[a.list].row(int(a.at)), lists[b.list].row(int(b.at)))
	}
	if len(found) > 16 {
		slices.SortFunc(found, compare)
		return
	}
	for i := 1; i < len(found); i++ {
		f, j := found[i], i
		for ; j > 0 && (f.head < found[j-1].head || f.head == found[j-1].head && compare(f, found[j-1]) < 0); j-- {
			found[j] = found[j-1]
		}
		found[j] = f
	}
}

// head returns the first bytes of a row as a number; numbers are ordered as the bytes are.
func head(row []byte) (h uint64) {
	if len(row) >= 8 {
		return binary.BigEndian.Uint64(row)
	}
	for _, b := range row {
		h = h<<8 | uint64(b)
	}
	return h
}

// One returns a batch without IDs of one row for each unit of some lists: the row of least rank among all records of the
// unit.
func One(lists []*Units, rank *contribution.Ranker) *Batch {
	b := &Batch{}
	Each(lists, func(id, rows []byte, times []uint64) {
		i, width := rank.Least(id, rows, times), len(rows)/len(times)
		b.Rows = append(b.Rows, rows[i*width:(i+1)*width]...)
		b.N++
	})
	return b
}

// Shared returns a batch without IDs of the weighted rows of all units of some lists.
func Shared(lists []*Units, rank *contribution.Ranker, summary *contribution.Summary) *Batch {
	b, most := &Batch{}, 0
	for _, u := range lists {
		most += len(u.times)
	}
	b.Rows = make([]byte, 0, most*summary.OutWidth())
	Each(lists, func(id, rows []byte, times []uint64) {
		var n int
		b.Rows, n = summary.Append(b.Rows, rank, id, rows, times)
		b.N += n
	})
	return b
}
