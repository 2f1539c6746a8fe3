package records

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// Units holds one row for each of some privacy units, and merges with other Units. A unit's ID appears
// once in its canonical form, so that whatever counts Units counts each privacy unit once.
type Units struct {
	runs []*run // each in ascending order of (hash, ID), lengths roughly halving
}

// run is a canonical list of units: ascending by (hash, ID), no ID twice.
type run struct {
	width  int
	hashes []uint64
	ends   []uint64 // of the IDs in ids
	ids    []byte
	rows   []byte
}

func newRun(width, capacity int) *run {
	return &run{
		width:  width,
		hashes: make([]uint64, 0, capacity),
		ends:   make([]uint64, 0, capacity),
		rows:   make([]byte, 0, capacity*width),
	}
}

func (r *run) len() int { return len(r.hashes) }

func (r *run) id(i int) []byte {
	start := uint64(0)
	if i > 0 {
		start = r.ends[i-1]
	}
	return r.ids[start:r.ends[i]]
}

func (r *run) row(i int) []byte { return r.rows[i*r.width : (i+1)*r.width] }

func (r *run) add(hash uint64, id, row []byte) {
	r.ids = append(r.ids, id...)
	r.hashes = append(r.hashes, hash)
	r.ends = append(r.ends, uint64(len(r.ids)))
	r.rows = append(r.rows, row...)
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
type Merger struct{ rank ranker }

// NewMerger returns a Merger for units that were bounded with the given run key.
func NewMerger(runKey []byte) *Merger {
	if len(runKey) != RunKeySize {
		panic("records: a run key has 16 bytes")
	}
	return &Merger{ranker{runKey: runKey}}
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
	out := newRun(a.width, a.len()+b.len())
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
			if m.rank.less(b.id(j), b.row(j), row) {
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

// single returns the one run of canonical units, or nil where there are none.
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

// Each unit is on the wire as (uvarint length, ID) in canonical order, and the rows follow all IDs.
// Hashes are recomputed: that is cheaper than sending them. Units under merge are several such lists.

// Encode returns the units' encoding. Equal canonical units have equal encodings.
func (u *Units) Encode() []byte {
	size := binary.MaxVarintLen64
	for _, r := range u.runs {
		size += 2*binary.MaxVarintLen64 + len(r.ids) + 2*r.len() + len(r.rows)
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(len(u.runs)))
	for _, r := range u.runs {
		b = binary.AppendUvarint(b, uint64(r.width))
		b = binary.AppendUvarint(b, uint64(r.len()))
		for i := range r.len() {
			id := r.id(i)
			b = binary.AppendUvarint(b, uint64(len(id)))
			b = append(b, id...)
		}
		b = append(b, r.rows...)
	}
	return b
}

// errUnits says only that bytes were not made by Encode: they are private.
var errUnits = errors.New("records: malformed encoding of units")

// DecodeUnits reads what Encode wrote.
func DecodeUnits(b []byte) (*Units, error) {
	d := decoder{b: b}
	u := &Units{}
	for n := d.uvarint(); n > 0 && !d.bad; n-- {
		u.runs = append(u.runs, d.run())
	}
	if d.bad || len(d.b) != 0 {
		return nil, errUnits
	}
	return u, nil
}

func (d *decoder) run() *run {
	width, n := d.uvarint(), d.uvarint()
	if left := uint64(len(d.b)); n > left || width > left || n*width > left {
		d.bad = true
		return nil
	}
	r := newRun(int(width), int(n))
	for range n {
		id := d.take(d.uvarint())
		r.ids = append(r.ids, id...)
		r.ends = append(r.ends, uint64(len(r.ids)))
		r.hashes = append(r.hashes, Hash(id))
	}
	r.rows = d.copy(n * width)
	if d.bad {
		return nil
	}
	return r
}
