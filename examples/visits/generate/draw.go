package generate

import (
	"fmt"
	"math/rand/v2"
)

// pick returns i with probability weights[i] / Σ weights.
func pick(r *rand.Rand, weights []int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	x := r.IntN(sum)
	for i, w := range weights {
		if x < w {
			return i
		}
		x -= w
	}
	panic("generate: a number below the sum lies in one of its parts")
}

// chance is true with the given probability in thousandths.
func chance(r *rand.Rand, thousandths int) bool { return r.IntN(1000) < thousandths }

// skewed spreads an amount around itself with a long tail to the right, from about a quarter of it to
// three times as much.
func skewed(r *rand.Rand, amount int64) int64 {
	for range 3 {
		amount = amount * int64(620+r.IntN(820)) / 1000
	}
	return amount
}

// money writes cents as a decimal number.
func money(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }
