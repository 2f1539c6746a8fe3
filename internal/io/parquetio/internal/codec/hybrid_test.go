package codec

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// inHybrid reads n numbers bit by bit, as the format describes them.
func inHybrid(b []byte, n, width int) (v []uint32) {
	for len(v) < n {
		header, k := binary.Uvarint(b)
		b = b[k:]
		bit := func(i int) uint32 { return uint32(b[i/8]>>(i%8)) & 1 }
		count := int(header >> 1)
		if header&1 == 1 {
			count *= 8
		}
		for i := range min(count, n-len(v)) {
			x, from := uint32(0), int(header&1)*i*width
			for k := range width {
				x |= bit(from+k) << k
			}
			v = append(v, x)
		}
		if header&1 == 1 {
			b = b[min(len(b), count/8*width):]
		} else {
			b = b[(width+7)/8:]
		}
	}
	return v
}

// What appendHybrid writes is what the format describes, for runs and mixtures of every length and width.
func TestHybrid(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		width := 1 + r.IntN(20)
		var v []uint32
		for range r.IntN(8) {
			x, same := r.Uint32N(1<<width), r.IntN(2) == 0
			for range 1 + r.IntN(100) {
				if !same {
					x = r.Uint32N(1 << width)
				}
				v = append(v, x)
			}
		}
		b := appendHybrid(nil, v, width)
		must.Need(t, slices.Equal(inHybrid(b, len(v), width), v), "%d numbers of %d bits", len(v), width)
		limit := (len(v)+7)/8*width + 2 + len(v)/20
		must.Need(t, len(b) <= limit, "%d numbers of %d bits take %d bytes, more than %d", len(v), width, len(b), limit)
	}
}

// Ends of runs, by hand: Encodings's example of the numbers 0 to 7, and one long run.
func TestHybridBytes(t *testing.T) {
	must.List(t, appendHybrid(nil, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, 3), []byte{1<<1 | 1, 0x88, 0xc6, 0xfa})
	must.List(t, appendHybrid(nil, slices.Repeat([]uint32{5}, 1000), 3), []byte{0xd0, 0x0f, 5})
}

func TestIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var x index
	c := &Column{Name: "i"}
	for _, span := range []int64{1, 10, 5000, 1 << 40} {
		values := make([]int64, 20000)
		for i := range values {
			values[i] = r.Int64N(span) - span/2
		}
		numbers := x.number(make([]uint32, len(values)), c, values, len(values))
		for i, n := range numbers {
			must.Need(t, x.entries[n] == values[i], "span %d: value %d has another number", span, i)
		}
		sorted := slices.Sorted(slices.Values(x.entries))
		must.Hold(t, len(slices.Compact(sorted)) == len(x.entries) && len(numbers) == len(values), "span %d: an entry twice", span)
		x.reset()
		must.Hold(t, span <= 1 || x.number(make([]uint32, len(values)), c, values, 3) == nil, "span %d: more than three entries", span)
		x.reset()
	}
}
