package dp

import "math/big"

// Range is the range sensitivity of a family of scores in counts: the maximum over neighbours of (largest change of a
// score − smallest change of a score). Adding one constant to every score does not change a selection, so the range
// matters and not the largest change.
type Range int64

// L1 is the L1 sensitivity of a vector of counts.
type L1 int64

// L2Squared is the squared L2 sensitivity of a vector of counts.
type L2Squared int64

// Share is a part of a ledger's capacity, as an exact rational: shares of one plan sum to 1 exactly.
// Num and Den are plain data, so that a Share can be part of a configuration.
type Share struct{ Num, Den int64 }

// ShareOf returns num/den. It panics unless 0 ≤ num and 0 < den.
func ShareOf(num, den int64) Share {
	if num < 0 || den <= 0 {
		panic("dp: a share needs a numerator of at least 0 and a denominator above 0")
	}
	return Share{Num: num, Den: den}
}

// Rat returns the share as a rational.
func (s Share) Rat() *big.Rat { return big.NewRat(s.Num, s.Den) }

// Float returns the share rounded to a float64, for public rules and for display.
func (s Share) Float() float64 { return float64(s.Num) / float64(s.Den) }
