package bounding

import (
	"bytes"
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
}

// NewRanker returns the order of a run key of RunKeySize bytes.
func NewRanker(runKey []byte) *Ranker {
	if len(runKey) != RunKeySize {
		panic("bounding: a run key of another length")
	}
	block, err := aes.NewCipher(runKey)
	if err != nil {
		panic(err) // keys of this length have none
	}
	return &Ranker{block: block}
}

// Rank returns the rank of a row that the unit has had so many times before; ranks compare as bytes do.
func (r *Ranker) Rank(id, row []byte, before uint64) [RankSize]byte {
	return r.rank(r.begin(id, before), row)
}

// begin returns what all rows of the unit begin with.
func (r *Ranker) begin(id []byte, before uint64) [RankSize]byte {
	binary.BigEndian.PutUint64(r.state[:8], before)
	binary.BigEndian.PutUint64(r.state[8:], uint64(len(id)))
	r.block.Encrypt(r.state[:], r.state[:])
	r.append(id)
	return r.state
}

func (r *Ranker) rank(start [RankSize]byte, row []byte) [RankSize]byte {
	r.state = start
	r.append(row)
	return r.state
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

// mix takes in a block, both halves of which are little-endian.
func (r *Ranker) mix(low, high uint64) {
	s := r.state[:RankSize]
	binary.LittleEndian.PutUint64(s, binary.LittleEndian.Uint64(s)^low)
	binary.LittleEndian.PutUint64(s[8:], binary.LittleEndian.Uint64(s[8:])^high)
	r.block.Encrypt(s, s)
}

// Least returns which of the unit's different rows, all of one width and one after the other, is that of its record
// of least rank, if the unit has row i times[i] times.
func (r *Ranker) Least(id, rows []byte, times []uint64) (best int) {
	if len(times) == 1 {
		return 0
	}
	var least [RankSize]byte
	first, width := r.begin(id, 0), len(rows)/len(times)
	for i, n := range times {
		row := rows[i*width : (i+1)*width]
		for before := range n {
			start := first
			if before > 0 {
				start = r.begin(id, before)
			}
			if rank := r.rank(start, row); i == 0 && before == 0 || bytes.Compare(rank[:], least[:]) < 0 {
				least, best = rank, i
			}
		}
	}
	return best
}
