package population

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// Apportion appends n indices of p to dst, each as often as its share of p says to within 1: the whole parts of
// n·p/Σp, then a systematic sample of the remainders. Indices rise within each part. If p sums to 0, all indices have
// equal shares.
func Apportion(p []float64, n int, dst []int32, rng *rand.Rand) []int32 {
	total := summation.Pairwise(p)
	if !(total > 0) {
		for range n {
			dst = append(dst, int32(rng.IntN(len(p))))
		}
		return dst
	}
	want := len(dst) + n
	scale, rest := float64(n)/total, 0.0
	for i, x := range p {
		whole, part := math.Modf(float64(x * scale))
		for ; whole > 0 && len(dst) < want; whole-- {
			dst = append(dst, int32(i))
		}
		rest += part
	}
	if len(dst) == want {
		return dst
	}
	return sampleRemainders(p, scale, rest, want, dst, rng)
}

// sampleRemainders fills dst to length want by one pass over the fractional parts, which sum to rest.
func sampleRemainders(p []float64, scale, rest float64, want int, dst []int32, rng *rand.Rand) []int32 {
	step := rest / float64(want-len(dst))
	next, sum, last := rng.Float64()*step, 0.0, 0
	for i, x := range p {
		_, part := math.Modf(float64(x * scale))
		if part > 0 {
			last = i
		}
		for sum += part; next < sum && len(dst) < want; next += step {
			dst = append(dst, int32(i))
		}
	}
	for len(dst) < want { // rounding left the sum a hair short
		dst = append(dst, int32(last))
	}
	return dst
}
