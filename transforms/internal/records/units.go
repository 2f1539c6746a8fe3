package records

import (
	"bytes"

	"github.com/dapple-dp/dapple/internal/bounding"
)

// Units holds one row for each of some privacy units, and merges with other Units. A unit's ID appears
// once in its canonical form, so that whatever counts Units counts each privacy unit once.
type Units struct {
	runs []*run // each in ascending order of (hash, ID), lengths roughly halving
}

// run is a canonical list of units: ascending by (hash, ID), no ID twice.
type run struct {
	width  int
	n      int
	hashes []uint64 // nil in what was just decoded; see index
	ends   []uint64 // of the IDs in ids; nil as hashes are
	sizes  []byte   // of the IDs as they were on the wire, for index
	ids    []byte
	rows   []byte
}

// newRun returns an empty run with room for units of so many bytes together.
func newRun(width, capacity, bytes int) *run {
	return &run{
		width:  width,
		hashes: make([]uint64, 0, capacity),
		ends:   make([]uint64, 0, capacity),
		ids:    make([]byte, 0, max(0, bytes-capacity*width)),
		rows:   make([]byte, 0, capacity*width),
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

func (r *run) row(i int) []byte { return r.rows[i*r.width : (i+1)*r.width] }

func (r *run) add(hash uint64, id, row []byte) {
	r.n++
	r.ids = append(r.ids, id...)
	r.hashes = append(r.hashes, hash)
	r.ends = append(r.ends, uint64(len(r.ids)))
	r.rows = append(r.rows, row...)
}

// index finds the IDs and their hashes in what was decoded. Only merging wants them, and most units are
// counted as they come.
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

// Merger merges Units. It is not safe for concurrent use.
type Merger struct{ rank bounding.Ranker }

// NewMerger returns a Merger for units that were bounded with the given run key.
func NewMerger(runKey []byte) *Merger {
	return &Merger{bounding.NewRanker(runKey)}
}

// Merge adds the units of b to a and returns a: of a unit that is in both, the row of lower rank. It is
// commutative and associative in the canonical form of its result, and costs O(log) merges a unit
// however many small Units arrive. Both arguments belong to the result.
func (m *Merger) Merge(a, b *Units) *Units {
	for _, r := range b.runs {
		a.runs = append(a.runs, r)
		for n := len(a.runs); n > 1 && a.runs[n-2].len() < 2*a.runs[n-1].len(); n = len(a.runs) {
			a.runs = append(a.runs[:n-2], m.zip(a.runs[n-2], a.runs[n-1]))
		}
	}
	return a
}

// Canonical merges all that was added to u into one list. The other methods of Units want it.
func (m *Merger) Canonical(u *Units) *Units {
	for n := len(u.runs); n > 1; n = len(u.runs) {
		u.runs = append(u.runs[:n-2], m.zip(u.runs[n-2], u.runs[n-1]))
	}
	return u
}

func (m *Merger) zip(a, b *run) *run {
	a.index()
	b.index()
	out := newRun(a.width, a.len()+b.len(), len(a.ids)+len(b.ids)+len(a.rows)+len(b.rows))
	i, j := 0, 0
	for i < a.len() && j < b.len() {
		switch c := a.compare(i, b, j); {
		case c < 0:
			out.add(a.hashes[i], a.id(i), a.row(i))
			i++
		case c > 0:
			out.add(b.hashes[j], b.id(j), b.row(j))
			j++
		default:
			row := a.row(i)
			if m.rank.Less(b.id(j), b.row(j), row) {
				row = b.row(j)
			}
			out.add(a.hashes[i], a.id(i), row)
			i++
			j++
		}
	}
	for ; i < a.len(); i++ {
		out.add(a.hashes[i], a.id(i), a.row(i))
	}
	for ; j < b.len(); j++ {
		out.add(b.hashes[j], b.id(j), b.row(j))
	}
	return out
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

// Rows returns the packed rows of canonical units, in their order. They belong to u.
func (u *Units) Rows() []byte {
	if r := u.single(); r != nil {
		return r.rows
	}
	return nil
}
