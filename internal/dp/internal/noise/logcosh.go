package noise

import (
	"math"
	"math/bits"

	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// BlockScoreScale is the grid of BlockScore: scores are multiples of 1/BlockScoreScale nats.
const BlockScoreScale = 1 << 32

// MaxBlockCells is the largest number of cells of a marginal that BlockScore accepts; its error bound is proved up to
// this number.
const MaxBlockCells = 100_000

// BlockScore returns round(2^32·Σ|e|/scale) + round(2^32·Σ log1p(exp(−2|e|/scale))) − round(2^32·n·ln 2)
// over the n errors e of a marginal, which is 2^32·Σ ln cosh(e/scale): the log weight of the marginal
// when a marginal and a sign for each of its cells are selected jointly. Errors and scale are on one
// grid.
//
// Precondition (caller): n ≤ MaxBlockCells, |e| ≤ 2^62, 1 ≤ scale < 2^63.
// Guarantee: off by at most 2 steps of 2^−32 nats: half for each of the first two roundings, and less than the rest
// for the compensated sum in float64; the last term depends on n alone. Integers have 128 bits, enough for any e.
func BlockScore(errors []int64, scale uint64) Score {
	var sumHi, sumLo, carry uint64
	tail := summation.Compensated{}
	for _, e := range errors {
		a := uint64(max(e, -e))
		sumLo, carry = bits.Add64(sumLo, a, 0)
		sumHi += carry
		tail.Add(math.Log1p(math.Exp(-2 * float64(a) / float64(scale))))
	}
	head := scaled(sumHi, sumLo, scale)
	head = head.Plus(int64(math.Round(BlockScoreScale * tail.Sum())))
	return head.Plus(-int64(math.Round(BlockScoreScale * (float64(len(errors)) * math.Ln2))))
}

// scaled returns round(2^32·(hi·2^64 + lo)/d), halves up, for hi < 2^30 and d < 2^63.
func scaled(hi, lo, d uint64) Score {
	hi, lo = hi<<32|lo>>32, lo<<32
	qHi, rest := hi/d, hi%d
	qLo, rest := bits.Div64(rest, lo, d)
	up := uint64(0)
	if rest >= d-rest {
		up = 1
	}
	qLo, carry := bits.Add64(qLo, up, 0)
	return Score{Hi: int64(qHi + carry), Lo: qLo}
}
