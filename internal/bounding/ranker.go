package bounding

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// RunKeySize is the length of a run key in bytes.
const RunKeySize = 16

// Ranker orders the records of one privacy unit by SHA-256(runKey ‖ uvarint(len ID) ‖ ID ‖ row), to which the
// second and further records of equal rows add uvarint(1), uvarint(2), … in place of an order that they do not have.
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

// Rank returns the rank of a row that the unit has had so many times before; ranks compare as bytes do.
func (r *Ranker) Rank(id, row []byte, before uint64) [sha256.Size]byte {
	r.buf = append(r.buf[:0], r.runKey...)
	r.buf = binary.AppendUvarint(r.buf, uint64(len(id)))
	r.buf = append(r.buf, id...)
	r.buf = append(r.buf, row...)
	if before > 0 {
		r.buf = binary.AppendUvarint(r.buf, before)
	}
	return sha256.Sum256(r.buf)
}

// Least returns which of the unit's different rows, all of one width and one after the other, is that of its record
// of least rank, if the unit has row i times[i] times.
func (r *Ranker) Least(id, rows []byte, times []uint64) (best int) {
	if len(times) == 1 {
		return 0
	}
	var least [sha256.Size]byte
	width := len(rows) / len(times)
	for i, n := range times {
		row := rows[i*width : (i+1)*width]
		for before := uint64(0); before < n; before++ {
			if rank := r.Rank(id, row, before); i == 0 && before == 0 || bytes.Compare(rank[:], least[:]) < 0 {
				least, best = rank, i
			}
		}
	}
	return best
}
