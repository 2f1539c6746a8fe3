package counts

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// FuzzDecodeTable feeds the coder of tables arbitrary bytes: it refuses them, in memory that their length
// and what the header declares bound, or returns a table whose encoding it reads back.
func FuzzDecodeTable(f *testing.F) {
	w := query.AllMarginals([]int{3, 2, 4}, 2, 100)
	for _, p := range []Params{{}, {MaxCells: 20}, {MaxCells: 1}} {
		t := NewTable(NewShape(w, p))
		f.Add(t.Encode())
		t.add(bytes.Repeat([]byte{0}, 3*t.layout.Width()))
		f.Add(t.Encode())
	}
	f.Add([]byte{encodingVersion, 2, 0xff, 0xff, 3, 0xff, 0xff, 3, 0, 1, 2, 0, 1}) // two sizes of 65,535, one table
	f.Add([]byte{encodingVersion, 1, 2, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Add([]byte("\x01\x03\x03\x02\x04\x00\x01\x03\t\x01\x02")) // a clique with an attribute that is not there
	f.Add([]byte{encodingVersion, 0, 2, 0, 0, 0})               // rows without attributes
	f.Fuzz(func(t *testing.T, b []byte) {
		most := uint64(1 << 16)
		r := wire.Reader{Rest: b}
		if r.Byte() == encodingVersion {
			if s, ok := readShape(&r, false); ok {
				for _, c := range s.Cliques {
					most += 8 * uint64(cells(s.Sizes, c))
				}
				for _, k := range s.Sizes {
					most += 64 * uint64(k)
				}
			}
		}
		if most > 1<<28 {
			return // a worker with much memory would take such a table
		}
		var table *Table
		dptest.WithinMemory(t, most+64*uint64(len(b)), func() { table, _ = DecodeTable(b) })
		if table == nil {
			return
		}
		again, err := DecodeTable(table.Encode())
		must.Hold(t, err == nil && bytes.Equal(again.Encode(), table.Encode()) && again.Units() == table.Units(),
			"a table that was read cannot be read again: %v", err)
	})
}

// FuzzDecodePiece does the same with pieces of tables, which are not larger than pieceCells, whatever a header says.
func FuzzDecodePiece(f *testing.F) {
	f.Add(encodePiece(&Piece{}))
	f.Add(encodePiece(&Piece{at: 3, weight: 1 << 40, cells: []int64{0, 0, 7, 1 << 50}}))
	f.Add(encodePiece(&Piece{at: 1, weight: 2, cells: make([]int64, pieceCells)}))
	f.Add([]byte{0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f}) // 2^35 cells
	f.Fuzz(func(t *testing.T, b []byte) {
		var piece *Piece
		dptest.WithinMemory(t, 1<<20+64*uint64(len(b)), func() { piece, _ = decodePiece(b) })
		if piece == nil {
			return
		}
		again, err := decodePiece(encodePiece(piece))
		must.Hold(t, err == nil && again.at == piece.at && again.weight == piece.weight && slices.Equal(again.cells, piece.cells),
			"a piece that was read cannot be read again: %v", err)
	})
}

// A header of a few bytes cannot ask for more than the largest table that a run may have.
func TestDecodeRefusesHugeHeaders(t *testing.T) {
	huge := appendInts([]byte{encodingVersion}, []int{1 << 14, 1 << 15})
	huge = append(huge, 0, 1, 2, 0, 1, 0, 1, 0)
	dptest.WithinMemory(t, 1<<20, func() {
		_, err := DecodeTable(huge)
		must.Hold(t, err != nil, "a table of 2^29 cells was made of a few bytes")
	})
}
