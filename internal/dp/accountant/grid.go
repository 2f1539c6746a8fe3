package accountant

import "math/big"

const (
	// scaleBits: scales of noise on whole counts keep 16 bits, which wastes at most 2^-16 of a share and
	// keeps the integers of the samplers small.
	scaleBits = 16
	// finestBits is the finest grid of noise: 2^-36 counts. Counts up to 2^27 fit an int64 on it.
	finestBits = 36
	// largestBits: noise of more than 2^40 counts is refused; it would leave the int64 of the scores.
	largestBits = 40
	// samplerBits: noise of more than 2^46 grid steps is refused, so that sums stay in the int64 of the
	// samplers.
	samplerBits = 46
)

// bitsFor returns the least k ≥ 0, at most 36, for which x·2^k ≥ 2^16.
func bitsFor(x *big.Rat) int {
	return leastBits(x, 1, scaleBits)
}

// leastBits returns the least k ≥ 0, at most 36, for which x·2^(each·k) ≥ 2^want.
func leastBits(x *big.Rat, each, want int) int {
	limit, n := new(big.Int).Lsh(x.Denom(), uint(want)), new(big.Int)
	for k := range finestBits {
		if n.Lsh(x.Num(), uint(each*k)).Cmp(limit) >= 0 {
			return k
		}
	}
	return finestBits
}

// gridFor returns the least j, at most 36 and not below the grid of weights, for which every σ is at least 2^30 steps of
// 2^-j. Noise on a coarser grid than the counts' would show where between its steps a count is.
func (l *Ledger) gridFor(variances []*big.Rat) int {
	return max(gridFor(variances), l.params.WeightBits)
}

// gridFor returns the least j ≥ 0, at most 36, for which every σ is at least 2^30 steps of 2^-j.
func gridFor(variances []*big.Rat) int {
	smallest := variances[0]
	for _, v := range variances[1:] {
		if v.Cmp(smallest) < 0 {
			smallest = v
		}
	}
	return leastBits(smallest, 2, 2*gdpGridBits)
}

// roundFine rounds σ² up to an integer of at least 2^60 in squared steps of 2^-bits.
func roundFine(variance *big.Rat, bits int) *big.Rat {
	v := ceilGrid(variance, 2*bits)
	if floor := power(2 * (gdpGridBits - bits)); v.Cmp(floor) < 0 {
		return floor
	}
	return v
}

// coarsest returns the largest noise of an event in grid steps.
func (e Event) coarsest() *big.Rat {
	largest := e.Steps(0)
	for i := e.run(0); i < len(e.Scales); i += e.run(i) {
		if s := e.Steps(i); s.Cmp(largest) > 0 {
			largest = s
		}
	}
	return largest
}
