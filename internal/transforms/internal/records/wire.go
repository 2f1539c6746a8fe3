package records

import (
	"encoding/binary"
	"errors"
	"reflect"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Units are on the wire as their width, their number, the lengths of all IDs, the bytes of all IDs in order, the
// number of rows of each, how often it has each row, and the rows. The lengths are one uvarint, the length plus 1, if
// all are equal, else a 0 and a uvarint for each ID. Hashes are recomputed: that is cheaper than sending them.

// Encode appends the units' encoding to b. Equal units have equal encodings.
func (u *Units) Encode(b []byte) []byte {
	b = slices.Grow(b, 3*binary.MaxVarintLen64+3*u.n+len(u.ids)+len(u.times)+len(u.rows))
	b = binary.AppendUvarint(b, uint64(u.width))
	b = binary.AppendUvarint(b, uint64(u.n))
	b = u.appendSizes(b)
	b = append(b, u.ids...)
	from := uint64(0)
	for _, last := range u.last {
		b = binary.AppendUvarint(b, last-from)
		from = last
	}
	for _, n := range u.times {
		b = binary.AppendUvarint(b, n)
	}
	return append(b, u.rows...)
}

// appendSizes appends the lengths of the IDs.
func (u *Units) appendSizes(b []byte) []byte {
	if u.hashes == nil {
		return append(b, u.sizes...) // as they came
	}
	first, equal := len(u.ids), true
	for i := range u.n {
		if size := len(u.id(i)); i == 0 {
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
	for i := range u.n {
		b = binary.AppendUvarint(b, uint64(len(u.id(i))))
	}
	return b
}

// sizeReader reads the lengths of IDs one after the other.
type sizeReader struct {
	each uint64 // of every ID, plus 1; 0 if they differ
	rest []byte
}

// idSizes reads lengths that readUnits has found to be well formed.
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
	if u := readUnits(&d); d.Done() {
		return u, nil
	}
	return nil, errUnits
}

func readUnits(d *wire.Reader) *Units {
	width, n := d.Uvarint(), d.Uvarint()
	sizes := d.Rest
	total := idBytes(d, n)
	sizes = sizes[:len(sizes)-len(d.Rest)]
	left := uint64(len(d.Rest))
	if d.Bad || n > left || width > left {
		d.Fail()
		return nil
	}
	u := &Units{width: int(width), n: int(n), sizes: sizes, ids: d.Take(total), last: make([]uint64, n)}
	d.Uvarints(u.last)
	rows := uint64(0)
	for i, k := range u.last {
		if k == 0 || k > left || rows+k > left {
			d.Fail()
			return nil
		}
		rows += k
		u.last[i] = rows
	}
	if rows > uint64(len(d.Rest)) {
		d.Fail()
		return nil
	}
	u.times = make([]uint64, rows)
	d.Uvarints(u.times)
	if slices.Contains(u.times, 0) {
		d.Fail()
	}
	if d.Bad || width > 0 && rows > uint64(len(d.Rest))/width {
		d.Fail()
		return nil
	}
	u.rows = d.Take(rows * width)
	return u
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

// A registered coder: Java runners decode structs by row coders and die on a nil slice, and Beam's row
// coder drops unexported fields.
func init() {
	beam.RegisterCoder(reflect.TypeFor[*Batch](), encodeBatch, DecodeBatch)
}

func encodeBatch(b *Batch) []byte { return b.Encode() }
