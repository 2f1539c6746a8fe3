package accountant

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func TestRationalsRoundAsNamed(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	inexact := 0
	for range 1000 {
		x := big.NewRat(rng.Int64(), 1+rng.Int64N(1<<40))
		up, down := ratOf(floatUp(x)), ratOf(floatDown(x))
		must.Need(t, up.Cmp(x) >= 0 && down.Cmp(x) <= 0 && floatUp(up) == floatDown(up), "%v between %v and %v", x, down, up)
		if up.Cmp(down) != 0 {
			inexact++
		}
		bits := rng.IntN(90)
		ceil, floor := ceilGrid(x, bits), floorGrid(x, bits)
		gap := new(big.Rat).Sub(ceil, floor)
		onGrid := new(big.Rat).Mul(ceil, power(bits)).IsInt() && new(big.Rat).Mul(floor, power(bits)).IsInt()
		must.Need(t, ceil.Cmp(x) >= 0 && floor.Cmp(x) <= 0 && gap.Cmp(power(-bits)) <= 0 && onGrid, "%v on 2^-%d: between %v and %v", x, bits, floor, ceil)
	}
	must.Hold(t, inexact >= 900, "only %d of 1000 numbers tried the rounding", inexact)
}

func add(x, y *big.Rat) *big.Rat { return new(big.Rat).Add(x, y) }
