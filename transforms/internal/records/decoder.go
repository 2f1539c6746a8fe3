package records

import "encoding/binary"

// decoder reads from the front of b. A reading beyond the end sets bad and returns zero.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.b, d.bad = nil, true
		return 0
	}
	d.b = d.b[n:]
	return v
}

// take returns the next n bytes. They belong to the decoder's input.
func (d *decoder) take(n uint64) []byte {
	if n > uint64(len(d.b)) {
		d.b, d.bad = nil, true
		return nil
	}
	t := d.b[:n]
	d.b = d.b[n:]
	return t
}

// copy returns a copy of the next n bytes.
func (d *decoder) copy(n uint64) []byte { return append([]byte(nil), d.take(n)...) }
