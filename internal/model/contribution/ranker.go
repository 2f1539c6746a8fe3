package contribution

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"
)

const (
	// RunKeySize is the length of a run key in bytes.
	RunKeySize = 16
	// RankSize is the length of a rank in bytes.
	RankSize = aes.BlockSize
)

// Ranker orders the records of one privacy unit by the CBC-MAC of AES-128 under the run key. What it is taken of is how
// many equal records come before, since they have no order, and the length of the ID, both of 8 bytes, big-endian; the
// ID; and the row. ID and row are each filled up to whole blocks with zeros. The ID belongs in the rank, or else all
// units would prefer the same rows.
//
// All rows of a table have one width, so that no text is the beginning of another: ranks under a random key are as good
// as random. Who knows the key can make records of a rank that it wants, and decides by them which of its own is used.
type Ranker struct {
	block cipher.Block
	state [RankSize]byte

	size int            // of the last ID
	head [RankSize]byte // what a text of such an ID begins with, of a record that no equal one comes before
}

// NewRanker returns the order of a run key of RunKeySize bytes.
func NewRanker(runKey []byte) *Ranker {
	if len(runKey) != RunKeySize {
		panic("contribution: a run key of another length")
	}
	block, err := aes.NewCipher(runKey)
	if err != nil {
		panic(err) // keys of this length have none
	}
	return &Ranker{block: block, size: -1}
}

// Rank returns the rank of a row that the unit has had so many times before; ranks compare as bytes do.
func (r *Ranker) Rank(id, row []byte, before uint64) [RankSize]byte {
	r.begin(id, before)
	r.append(row)
	return r.state
}

// begin takes in what the texts of all rows of the unit begin with.
func (r *Ranker) begin(id []byte, before uint64) {
	if before == 0 && len(id) == r.size {
		r.state = r.head
	} else {
		binary.BigEndian.PutUint64(r.state[:8], before)
		binary.BigEndian.PutUint64(r.state[8:], uint64(len(id)))
		r.block.Encrypt(r.state[:], r.state[:])
		if before == 0 {
			r.size, r.head = len(id), r.state
		}
	}
	r.append(id)
}

func (r *Ranker) append(b []byte) {
	for ; len(b) >= RankSize; b = b[RankSize:] {
		r.mix(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
	}
	if n := len(b); n > 8 {
		r.mix(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])>>(8*(RankSize-n)))
	} else if n > 0 {
		word := uint64(0)
		for i, c := range b {
			word |= uint64(c) << (8 * i)
		}
		r.mix(word, 0)
	}
}

// mix takes in a block of two little-endian halves.
func (r *Ranker) mix(low, high uint64) {
	s := r.state[:RankSize]
	binary.LittleEndian.PutUint64(s, binary.LittleEndian.Uint64(s)^low)
	binary.LittleEndian.PutUint64(s[8:], binary.LittleEndian.Uint64(s[8:])^high)
	r.block.Encrypt(s, s)
}

// Least returns which of the unit's different rows, all of one width and one after the other, belongs to its record
// of least rank, if the unit has row i times[i] times.
func (r *Ranker) Least(id, rows []byte, times []uint64) (best int) {
	if len(times) == 1 {
		return 0
	}
	r.begin(id, 0)
	first, width := r.state, len(rows)/len(times)
	var high, low uint64 // of the least rank
	for i, n := range times {
		row := rows[i*width : (i+1)*width]
		for before := range n {
			if r.state = first; before > 0 {
				r.begin(id, before)
			}
			r.append(row)
			h, l := binary.BigEndian.Uint64(r.state[:8]), binary.BigEndian.Uint64(r.state[8:])
			if i == 0 && before == 0 || h < high || h == high && l < low {
				high, low, best = h, l, i
			}
		}
	}
	return best
}
