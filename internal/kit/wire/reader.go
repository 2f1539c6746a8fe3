// Package wire reads the binary forms in which values travel between workers and into files. One Reader
// replaces a check after every number: what is not there is zero, and said once at the end.
//
//	r := wire.Reader{Rest: b}
//	n, name := r.Uvarint(), r.Text()
//	if !r.Done() {
//		return errMalformed
//	}
package wire

import (
	"encoding/binary"
	"math"
)

// Reader reads from the front of Rest. Reading what is not there sets Bad, drops the rest and returns zero.
type Reader struct {
	Rest []byte
	Bad  bool
}

// Fail makes the reader bad: what it has read cannot be right.
func (r *Reader) Fail() { r.Rest, r.Bad = nil, true }

// Done reports whether everything was read and nothing was missing.
func (r *Reader) Done() bool { return !r.Bad && len(r.Rest) == 0 }

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if len(r.Rest) == 0 {
		r.Fail()
		return 0
	}
	v := r.Rest[0]
	r.Rest = r.Rest[1:]
	return v
}

// Uvarint reads an unsigned number of variable length.
func (r *Reader) Uvarint() uint64 {
	v, n := binary.Uvarint(r.Rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Uvarints reads as many unsigned numbers of variable length as dst holds. Most are of one byte.
func (r *Reader) Uvarints(dst []uint64) {
	for i := 0; i < len(dst); i++ {
		rest := r.Rest[:min(len(r.Rest), len(dst)-i)]
		for k, b := range rest {
			if b >= 0x80 {
				rest = rest[:k]
				break
			}
			dst[i+k] = uint64(b)
		}
		i += len(rest)
		if r.Rest = r.Rest[len(rest):]; i < len(dst) {
			dst[i] = r.Uvarint()
		}
	}
}

// Varint reads a signed number of variable length.
func (r *Reader) Varint() int64 {
	v, n := binary.Varint(r.Rest)
	if n <= 0 {
		r.Fail()
		return 0
	}
	r.Rest = r.Rest[n:]
	return v
}

// Count reads an unsigned number that an int64 holds.
func (r *Reader) Count() int64 {
	v := r.Uvarint()
	if v > math.MaxInt64 {
		r.Fail()
		return 0
	}
	return int64(v)
}

// Length reads how many things follow, at most limit.
func (r *Reader) Length(limit int) int {
	v := r.Uvarint()
	if v > uint64(limit) {
		r.Fail()
		return 0
	}
	return int(v)
}

// Take reads n bytes. They belong to the reader's input; nil if there are fewer.
func (r *Reader) Take(n uint64) []byte {
	if n > uint64(len(r.Rest)) {
		r.Fail()
		return nil
	}
	t := r.Rest[:n]
	r.Rest = r.Rest[n:]
	return t
}

// Text reads a length and as many bytes.
func (r *Reader) Text() string { return string(r.Take(r.Uvarint())) }

// Floats reads n numbers of eight bytes, the low byte first; none if there are fewer.
func (r *Reader) Floats(n int) []float64 {
	if n < 0 || n > len(r.Rest)/8 {
		r.Fail()
		return []float64{}
	}
	raw := r.Take(8 * uint64(n))
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
	}
	return v
}

// AppendText appends the length of s and its bytes.
func AppendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// AppendFloats appends numbers of eight bytes each, the low byte first.
func AppendFloats(b []byte, v []float64) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}
