package bounding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// RunKeySize is the length of a run key in bytes.
const RunKeySize = 16

// Ranker orders the distinct rows of one privacy unit by SHA-256(runKey ‖ uvarint(len ID) ‖ ID ‖ row).
// The ID belongs in the rank, or else all units would prefer the same rows.
type Ranker struct {
	runKey []byte
	buf    []byte
}

// NewRanker returns the order of a run key of RunKeySize bytes.
func NewRanker(runKey []byte) Ranker {
	if len(runKey) != RunKeySize {
		panic("bounding: a run key of another length")
	}
	return Ranker{runKey: runKey}
}

// Rank returns the rank of a row of the unit; ranks compare as bytes do.
func (r *Ranker) Rank(id, row []byte) [sha256.Size]byte {
	r.buf = append(r.buf[:0], r.runKey...)
	r.buf = binary.AppendUvarint(r.buf, uint64(len(id)))
	r.buf = append(r.buf, id...)
	r.buf = append(r.buf, row...)
	return sha256.Sum256(r.buf)
}

// Less reports whether row a of the unit ranks below row b. Equal rows rank equal.
func (r *Ranker) Less(id, a, b []byte) bool {
	if bytes.Equal(a, b) {
		return false
	}
	ra, rb := r.Rank(id, a), r.Rank(id, b)
	return bytes.Compare(ra[:], rb[:]) < 0
}
