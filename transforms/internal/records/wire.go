package records

import (
	"encoding/binary"
	"errors"

	"github.com/dapple-dp/dapple/internal/wire"
)

// A run is on the wire as its width, the number of its units, the lengths of all IDs, the bytes of all IDs
// in canonical order, the number of rows of each, how often it has each row, and the rows. The lengths are one
// uvarint, the length plus 1, if all are equal, else a 0 and a uvarint for each ID. Hashes are recomputed: that is
// cheaper than sending them. Units under merge are several such lists.

// Encode returns the units' encoding. Equal canonical units have equal encodings.
func (u *Units) Encode() []byte {
	size := binary.MaxVarintLen64
	for _, r := range u.runs {
		size += 3*binary.MaxVarintLen64 + 3*r.len() + len(r.ids) + len(r.times) + len(r.rows)
	}
	b := binary.AppendUvarint(make([]byte, 0, size), uint64(len(u.runs)))
	for _, r := range u.runs {
		b = binary.AppendUvarint(b, uint64(r.width))
		b = binary.AppendUvarint(b, uint64(r.len()))
		b = r.appendSizes(b)
		b = append(b, r.ids...)
		from := uint64(0)
		for _, last := range r.last {
			b = binary.AppendUvarint(b, last-from)
			from = last
		}
		for _, n := range r.times {
			b = binary.AppendUvarint(b, n)
		}
		b = append(b, r.rows...)
	}
	return b
}

// appendSizes appends the lengths of the IDs.
func (r *run) appendSizes(b []byte) []byte {
	if r.hashes == nil {
		return append(b, r.sizes...) // as they came
	}
	first, equal := len(r.ids), true
	for i := range r.n {
		if size := len(r.id(i)); i == 0 {
			first = size
		} else if size != first {
			equal = false
			break
		}
	}
	if equal {
		return binary.AppendUvarint(b, uint64(first)+1)
	}
	b = append(b, 0)
	for i := range r.n {
		b = binary.AppendUvarint(b, uint64(len(r.id(i))))
	}
	return b
}

// sizeReader reads the lengths of IDs one after the other.
type sizeReader struct {
	each uint64 // of every ID, plus 1; 0 if they differ
	rest []byte
}

// idSizes reads lengths that readRun has found to be well formed.
func idSizes(b []byte) sizeReader {
	each, n := binary.Uvarint(b)
	return sizeReader{each, b[n:]}
}

func (s *sizeReader) next() uint64 {
	if s.each > 0 {
		return s.each - 1
	}
	v, n := binary.Uvarint(s.rest)
	s.rest = s.rest[n:]
	return v
}

// errUnits says only that bytes were not made by Encode: they are private.
var errUnits = errors.New("records: malformed encoding of units")

// DecodeUnits reads what Encode wrote. The units share b's memory, which must not change.
func DecodeUnits(b []byte) (*Units, error) {
	d := wire.Reader{Rest: b}
	u := &Units{}
	for n := d.Uvarint(); n > 0 && !d.Bad; n-- {
		u.runs = append(u.runs, readRun(&d))
	}
	if !d.Done() {
		return nil, errUnits
	}
	return u, nil
}

func readRun(d *wire.Reader) *run {
	width, n := d.Uvarint(), d.Uvarint()
	sizes := d.Rest
	total := idBytes(d, n)
	sizes = sizes[:len(sizes)-len(d.Rest)]
	if left := uint64(len(d.Rest)); d.Bad || n > left || width > left {
		d.Fail()
		return nil
	}
	r := &run{width: int(width), n: int(n), sizes: sizes, ids: d.Take(total), last: make([]uint64, n)}
	rows := uint64(0)
	for i := range r.last {
		k := d.Uvarint()
		if k == 0 || k > uint64(len(d.Rest)) || rows+k > uint64(len(d.Rest)) {
			d.Fail()
			return nil
		}
		rows += k
		r.last[i] = rows
	}
	r.times = make([]uint64, rows)
	for j := range r.times {
		if r.times[j] = d.Uvarint(); r.times[j] == 0 {
			d.Fail()
		}
	}
	if d.Bad || width > 0 && rows > uint64(len(d.Rest))/width {
		d.Fail()
		return nil
	}
	r.rows = d.Take(rows * width)
	return r
}

// idBytes reads the lengths of n IDs and returns their sum.
func idBytes(d *wire.Reader, n uint64) uint64 {
	left := uint64(len(d.Rest))
	if each := d.Uvarint(); each > 0 {
		if n > 0 && (each-1) > left/n {
			d.Fail()
			return 0
		}
		return n * (each - 1)
	}
	total := uint64(0)
	for ; n > 0 && !d.Bad; n-- {
		size := d.Uvarint()
		if size > left || total > left {
			d.Fail()
		}
		total += size
	}
	return total
}
