// Package baseline says what to expect of a table when only its domain is known.
//
//	shares := baseline.Shares(40, 3)                                            // of the 40 values of the fourth column, falling
//	far := baseline.PairDistance(baseline.Effective(40, 3), baseline.Effective(12, 4), 5) // of the sixth pair from independence
//
// # Where the figures come from
//
// Tables that people keep differ. Of 224 columns in 16 tables (censuses, surveys, prices, matches, films, weather; 4,000 to
// 74,000 rows), a tenth has an entropy of less than .32 of the largest possible one, a tenth of more than .98, whatever the
// number of values. The distance of a pair from independence grows with the smaller of its two effective numbers of values,
// and is half of its mean for half of the pairs. The error of a table is a sum over many columns and pairs, so that their
// distributions matter: Shares and PairDistance take turns through the quantiles.
package baseline

import (
	"math"
	"slices"
)

var (
	// evenness has the quantiles ⅝, ⅛, ⅞ and ⅜ of a column's entropy as a part of the largest, the logarithm of its number of values.
	evenness = [...]float64{.85, .4, .97, .7}
	// spread has the means of fifths of distances of pairs, as multiples of the mean.
	spread = [...]float64{.56, .05, 3.1, .16, 1.13}
)

// Effective returns the effective number of values of column i, which has k: the exponential of the entropy of Shares.
func Effective(k, i int) float64 { return math.Pow(float64(k), evenness[i%len(evenness)]) }

// EffectiveOf returns the effective number of values for given shares.
func EffectiveOf(shares []float64) float64 { return math.Exp(entropy(shares)) }

// Shares returns the shares of the k values of column i, falling as a power of their rank.
func Shares(k, i int) []float64 {
	want := math.Log(Effective(k, i))
	low, high := 0., 20.
	for range 40 {
		if mid := (low + high) / 2; entropy(powers(k, mid)) > want {
			low = mid
		} else {
			high = mid
		}
	}
	return powers(k, low)
}

// NearlyConstant returns shares of k values, one with the given share, and the others have the rest evenly.
func NearlyConstant(k int, share float64) []float64 {
	out := slices.Repeat([]float64{(1 - share) / max(float64(k-1), 1)}, k)
	out[0] = 1 - (1-share)*min(float64(k-1), 1)
	return out
}

// powers returns shares ∝ (v+1)^−power.
func powers(k int, power float64) []float64 {
	out, sum := make([]float64, k), 0.0
	for v := range out {
		out[v] = math.Pow(float64(v+1), -power)
		sum += out[v]
	}
	for v := range out {
		out[v] /= sum
	}
	return out
}

func entropy(shares []float64) float64 {
	sum := 0.0
	for _, p := range shares {
		if p > 0 {
			sum -= p * math.Log(p)
		}
	}
	return sum
}

const (
	pairStrength, pairPower = .1, .47
	mostDistance            = 1.9 // of at most 2
)

// PairDistance returns the L1 distance of pair i from independence, as a part of the units, if its columns have the given
// effective numbers of values.
func PairDistance(k, l float64, i int) float64 {
	k = min(k, l)
	return min(mostDistance, pairStrength*(1-1/k)*math.Pow(k, pairPower)*spread[i%len(spread)])
}
