package evaluate

import (
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
)

// redrawn returns the values of the table with each drawn again inside its cell.
func redrawn(t *Table) []*values {
	out, d := make([]*values, len(t.values)), &domain.Domain{}
	for a, v := range t.values {
		out[a] = newValues(v.attr)
		d.Attributes = append(d.Attributes, *v.attr)
	}
	decoder, word := domain.NewDecoder(d), rand.New(rand.NewPCG(1, 1))
	var chunk domain.Chunk
	codes := make([]domain.Code, 0, d.Len()*redrawnAtOnce)
	flush := func() {
		decoder.Decode(&chunk, codes, func(int, int) uint64 { return word.Uint64() })
		for r := range chunk.Rows {
			for a, v := range out {
				v.add(&chunk.Columns[a], r)
			}
		}
		codes = codes[:0]
	}
	for r := 0; r < t.Rows; r += t.every {
		for a := range t.Columns {
			codes = append(codes, t.Columns[a][r])
		}
		if len(codes) == cap(codes) {
			flush()
		}
	}
	if len(codes) > 0 {
		flush()
	}
	return out
}

// redrawnAtOnce is the number of rows that are decoded together.
const redrawnAtOnce = 4096
