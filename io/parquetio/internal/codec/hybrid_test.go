package codec

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What appendHybrid writes is what hybrid reads, for runs and mixtures of every length and width.
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
		want, got := make([]int64, len(v)), make([]int64, len(v))
		for i, x := range v {
			want[i] = int64(x)
		}
		b := appendHybrid(nil, v, width)
		if err := inPieces(got, b, width); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%d numbers of %d bits: %v", len(v), width, err)
		}
		if limit := (len(v)+7)/8*width + 2 + len(v)/20; len(b) > limit {
			t.Fatalf("%d numbers of %d bits take %d bytes, more than %d", len(v), width, len(b), limit)
		}
	}
}

// Ends of runs, by hand: Encodings's example of the numbers 0 to 7, and one long run.
func TestHybridBytes(t *testing.T) {
	if got, want := appendHybrid(nil, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, 3), []byte{1<<1 | 1, 0x88, 0xc6, 0xfa}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	if got, want := appendHybrid(nil, slices.Repeat([]uint32{5}, 1000), 3), []byte{0xd0, 0x0f, 5}; !slices.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
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
			if x.entries[n] != values[i] {
				t.Fatalf("span %d: value %d has another number", span, i)
			}
		}
		sorted := slices.Sorted(slices.Values(x.entries))
		if len(slices.Compact(sorted)) != len(x.entries) || len(numbers) != len(values) {
			t.Errorf("span %d: an entry twice", span)
		}
		if x.reset(); span > 1 && x.number(make([]uint32, len(values)), c, values, 3) != nil {
			t.Errorf("span %d: more than three entries", span)
		}
		x.reset()
	}
}
