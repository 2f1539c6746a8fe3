package noise

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math/big"
)

// Inputs digests everything that enters a call, so that its stream can be bound to it. Each entry is
// preceded by its kind and length: different sequences of entries never give the same bytes.
type Inputs struct {
	hash hash.Hash
	buf  []byte
}

// The kinds of entries.
const (
	kindText byte = iota + 1
	kindInts
	kindRat
)

// NewInputs returns an empty digest.
func NewInputs() *Inputs { return &Inputs{hash: sha256.New(), buf: make([]byte, 0, 4096)} }

func (in *Inputs) open(kind byte, length int) {
	in.buf = binary.BigEndian.AppendUint64(append(in.buf, kind), uint64(length))
}

func (in *Inputs) flush() {
	in.hash.Write(in.buf)
	in.buf = in.buf[:0]
}

// Text adds a text.
func (in *Inputs) Text(s string) *Inputs {
	in.open(kindText, len(s))
	in.buf = append(in.buf, s...)
	in.flush()
	return in
}

// Int64s adds a list of integers as one entry.
func (in *Inputs) Int64s(list []int64) *Inputs {
	in.open(kindInts, len(list))
	for _, v := range list {
		if len(in.buf) > 4000 {
			in.flush()
		}
		in.buf = binary.BigEndian.AppendUint64(in.buf, uint64(v))
	}
	in.flush()
	return in
}

// Int64 adds one integer.
func (in *Inputs) Int64(v int64) *Inputs { return in.Int64s([]int64{v}) }

// Rat adds a rational in lowest terms.
func (in *Inputs) Rat(r *big.Rat) *Inputs {
	in.open(kindRat, 1)
	in.flush()
	return in.Text(r.RatString())
}

// Sum returns the SHA-256 digest of all entries so far.
func (in *Inputs) Sum() (sum [sha256.Size]byte) {
	in.flush()
	in.hash.Sum(sum[:0])
	return sum
}
