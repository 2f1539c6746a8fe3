package population

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
)

// Fingerprint is a hash of the sizes, the columns and the exact weights: models that are written as
// different rows for any seed have different fingerprints.
func (m *Model) Fingerprint() [sha256.Size]byte {
	h := sha256.New()
	buf := make([]byte, 0, 1<<14)
	put := func(x uint64) {
		if buf = binary.LittleEndian.AppendUint64(buf, x); len(buf)+8 > cap(buf) {
			h.Write(buf) // a hash never returns an error
			buf = buf[:0]
		}
	}
	put(uint64(len(m.Sizes)))
	for _, s := range m.Sizes {
		put(uint64(s))
	}
	put(uint64(len(m.Columns)))
	for _, col := range m.Columns {
		put(uint64(len(col)))
		for _, c := range col {
			put(uint64(c))
		}
	}
	put(uint64(len(m.Weights)))
	for _, w := range m.Weights {
		put(math.Float64bits(w + 0)) // −0 and 0 weigh the same
	}
	for _, e := range m.StructuralZeros { // rows are kept from them
		put(uint64(len(e.Clique)))
		for i, a := range e.Clique {
			put(uint64(a))
			put(uint64(len(e.Codes[i])))
			for _, c := range e.Codes[i] {
				put(uint64(c))
			}
		}
	}
	h.Write(buf)
	return [sha256.Size]byte(h.Sum(nil))
}
