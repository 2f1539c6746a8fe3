package synth

import (
	"crypto/sha256"
	"encoding/binary"
)

// words are the random numbers of one sampling of one model: a function of the model's hash and the
// sampling seed, so that a shard repeats its rows however often and wherever it is written.
type words struct {
	rows uint64 // seed of the order and rounding of rows
	key  uint64
}

func newWords(modelSHA256 string, seed uint64) words {
	b := append([]byte("dapple/sample/v1"), modelSHA256...)
	sum := sha256.Sum256(binary.LittleEndian.AppendUint64(b, seed))
	return words{rows: binary.LittleEndian.Uint64(sum[:]), key: binary.LittleEndian.Uint64(sum[8:])}
}

// at returns the i-th word of SplitMix64 started at the key (Steele, Lea, Flood 2014,
// "Fast splittable pseudorandom number generators", with Stafford's mixing function 13), which can be
// computed at any position. Privacy does not depend on it.
func (w words) at(i uint64) uint64 {
	z := w.key + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// What words are for, beside the values of cells.
const (
	repairs = iota + 1 // of rows that are not in order
	keys               // that are generated
	_
	_
	personValues // of columns that are the same in all rows of a person
)

// of returns the words of number n of a purpose.
func (w words) of(purpose, n uint64) words {
	return words{key: words{key: w.key ^ purpose<<32}.at(n)}
}
