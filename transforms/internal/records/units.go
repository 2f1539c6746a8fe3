package records

import (
	"bytes"

	"github.com/dapple-dp/dapple/internal/bounding"
)

// Units holds the different rows of each of some privacy units, and how often it has each. They merge with other
// Units: counts of equal rows add, so that the result is that of all records in whatever order and bundles they
// came.
type Units struct {
	runs []*run // each in ascending order of (hash, ID), lengths roughly halving
}

// run is a canonical list of units: ascending by (hash, ID), no ID twice, and the rows of a unit ascending, none
// twice.
type run struct {
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

// newRun returns an empty run with room for so many units, rows and bytes of IDs.
func newRun(width, units, rows, ids int) *run {
	return &run{
		width:  width,
		hashes: make([]uint64, 0, units),
		ends:   make([]uint64, 0, units),
		ids:    make([]byte, 0, max(ids, 0)),
		last:   make([]uint64, 0, units),
		times:  make([]uint64, 0, rows),
		rows:   make([]byte, 0, rows*width),
	}
}

func (r *run) len() int { return r.n }

func (r *run) id(i int) []byte {
	start := uint64(0)
	if i > 0 {
		start = r.ends[i-1]
	}
	return r.ids[start:r.ends[i]]
}

// span returns the numbers of the first row of unit i and of the one behind its last.
func (r *run) span(i int) (from, to int) {
	if i > 0 {
		from = int(r.last[i-1])
	}
	return from, int(r.last[i])
}

func (r *run) row(j int) []byte { return r.rows[j*r.width : (j+1)*r.width] }

// addUnit begins a unit; addRow adds a row to the last one.
func (r *run) addUnit(hash uint64, id []byte) {
	r.n++
	r.ids = append(r.ids, id...)
	r.hashes = append(r.hashes, hash)
	r.ends = append(r.ends, uint64(len(r.ids)))
	r.last = append(r.last, uint64(len(r.times)))
}

func (r *run) addRow(row []byte, times uint64) {
	r.times = append(r.times, times)
	r.rows = append(r.rows, row...)
	r.last[r.n-1]++
}

// addRows adds the rows from … to−1 of o to the last unit.
func (r *run) addRows(o *run, from, to int) {
	r.times = append(r.times, o.times[from:to]...)
	r.rows = append(r.rows, o.rows[from*o.width:to*o.width]...)
	r.last[r.n-1] += uint64(to - from)
}

// index finds the IDs and their hashes in what was decoded. Only merging wants them, and a choice.
func (r *run) index() {
	if r.hashes != nil || r.n == 0 {
		return
	}
	r.hashes, r.ends = make([]uint64, r.n), make([]uint64, r.n)
	sizes := idSizes(r.sizes)
	end := uint64(0)
	for i := range r.n {
		id := r.ids[end:]
		id = id[:sizes.next()]
		end += uint64(len(id))
		r.hashes[i], r.ends[i] = Hash(id), end
	}
	r.sizes = nil
}

// compare orders unit i of r and unit j of o by (hash, ID).
func (r *run) compare(i int, o *run, j int) int {
	switch a, b := r.hashes[i], o.hashes[j]; {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return bytes.Compare(r.id(i), o.id(j))
}

// Merge adds the units of o to u and returns u. It is commutative and associative in the canonical form of its
// result, and costs O(log) merges a row however many small Units arrive. Both belong to the result.
func (u *Units) Merge(o *Units) *Units {
	for _, r := range o.runs {
		u.runs = append(u.runs, r)
		for n := len(u.runs); n > 1 && len(u.runs[n-2].times) < 2*len(u.runs[n-1].times); n = len(u.runs) {
			u.runs = append(u.runs[:n-2], zip(u.runs[n-2], u.runs[n-1]))
		}
	}
	return u
}

// Canonical merges all that was added to u into one list. Len and One want it.
func (u *Units) Canonical() *Units {
	for n := len(u.runs); n > 1; n = len(u.runs) {
		u.runs = append(u.runs[:n-2], zip(u.runs[n-2], u.runs[n-1]))
	}
	return u
}

func zip(a, b *run) *run {
	a.index()
	b.index()
	out := newRun(a.width, a.len()+b.len(), len(a.times)+len(b.times), len(a.ids)+len(b.ids))
	copyUnit := func(r *run, i int) {
		from, to := r.span(i)
		out.addUnit(r.hashes[i], r.id(i))
		out.addRows(r, from, to)
	}
	i, j := 0, 0
	for i < a.len() && j < b.len() {
		switch c := a.compare(i, b, j); {
		case c < 0:
			copyUnit(a, i)
			i++
		case c > 0:
			copyUnit(b, j)
			j++
		default:
			out.addUnit(a.hashes[i], a.id(i))
			out.union(a, i, b, j)
			i++
			j++
		}
	}
	for ; i < a.len(); i++ {
		copyUnit(a, i)
	}
	for ; j < b.len(); j++ {
		copyUnit(b, j)
	}
	return out
}

// union adds the rows of unit i of a and of unit j of b, the same one, to the last unit of r.
func (r *run) union(a *run, i int, b *run, j int) {
	x, xEnd := a.span(i)
	y, yEnd := b.span(j)
	for x < xEnd && y < yEnd {
		switch c := bytes.Compare(a.row(x), b.row(y)); {
		case c < 0:
			r.addRow(a.row(x), a.times[x])
			x++
		case c > 0:
			r.addRow(b.row(y), b.times[y])
			y++
		default:
			r.addRow(a.row(x), add(a.times[x], b.times[y]))
			x++
			y++
		}
	}
	r.addRows(a, x, xEnd)
	r.addRows(b, y, yEnd)
}

// single returns the one run of canonical units, or nil if there are none.
func (u *Units) single() *run {
	switch len(u.runs) {
	case 0:
		return nil
	case 1:
		return u.runs[0]
	}
	panic("records: units are not in canonical form")
}

// Len returns the number of canonical units.
func (u *Units) Len() int {
	if r := u.single(); r != nil {
		return r.len()
	}
	return 0
}

// One returns a batch without IDs of one row for each of canonical units: that of least rank among all records of the
// unit.
func (u *Units) One(rank *bounding.Ranker) *Batch {
	b := &Batch{}
	u.each(func(id, rows []byte, times []uint64) {
		i, width := rank.Least(id, rows, times), len(rows)/len(times)
		b.Rows = append(b.Rows, rows[i*width:(i+1)*width]...)
		b.N++
	})
	return b
}

// Shared returns a batch without IDs of the weighted rows of canonical units.
func (u *Units) Shared(rank *bounding.Ranker, summary *bounding.Summary) *Batch {
	b := &Batch{}
	if r := u.single(); r != nil {
		b.Rows = make([]byte, 0, len(r.times)*summary.OutWidth())
	}
	u.each(func(id, rows []byte, times []uint64) {
		var n int
		b.Rows, n = summary.Append(b.Rows, rank, id, rows, times)
		b.N += n
	})
	return b
}

// each visits canonical units in order: their ID, their different rows, and how often they have each.
func (u *Units) each(visit func(id, rows []byte, times []uint64)) {
	r := u.single()
	if r == nil {
		return
	}
	r.index()
	for i := range r.n {
		from, to := r.span(i)
		visit(r.id(i), r.rows[from*r.width:to*r.width], r.times[from:to])
	}
}
