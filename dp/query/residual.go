package query

import (
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// Recoding merges codes before counting: code v of attribute a is counted as [a][v]. If [a] is nil, the attribute
// keeps its codes. It is a public function of the domain and of earlier releases. The merged codes of an attribute
// are numbered from 0 without gaps.
type Recoding [][]domain.Code

// Sizes returns the number of cells of each attribute after merging.
func (r Recoding) Sizes(sizes []int) []int {
	out := append([]int(nil), sizes...)
	for a, codes := range r {
		if codes == nil {
			continue
		}
		out[a] = 0
		for _, c := range codes {
			out[a] = max(out[a], int(c)+1)
		}
	}
	return out
}

// Merge adds up the cells of table, the row-major marginal of c before merging, that fall together.
func (r Recoding) Merge(c domain.Clique, sizes []int, table []int64) []int64 {
	merged := r.Sizes(sizes)
	cells, err := c.Cells(merged)
	if err != nil {
		panic("query: a merged marginal whose cells cannot be counted")
	}
	out := make([]int64, cells)
	codes := make([]int, len(c))
	for _, x := range table {
		cell := 0
		for i, a := range c {
			v := codes[i]
			if a < len(r) && r[a] != nil {
				v = int(r[a][v])
			}
			cell = cell*merged[a] + v
		}
		out[cell] += x
		for i := len(c) - 1; i >= 0; i-- {
			if codes[i]++; codes[i] < sizes[c[i]] {
				break
			}
			codes[i] = 0
		}
	}
	return out
}

// ResidualShare returns Π(1 − 1/k) over the sizes k of a table's axes: the squared length of one record after
// centring along every axis, and the share of a cell's noise variance that remains.
func ResidualShare(sizes []int) *big.Rat {
	c := big.NewRat(1, 1)
	for _, k := range sizes {
		c.Mul(c, big.NewRat(int64(k-1), int64(k)))
	}
	return c
}

// ResidualL2Squared returns the squared L2 sensitivity of a table of the given sizes, centred along every
// axis. With P the centring and D the axes on which two records x, y differ,
//
//	AddRemove  ‖P·e_x‖²         = c = Π(1 − 1/k)
//	Replace    ‖P·(e_x − e_y)‖² = 2c − 2·Π_{i∈D}(−1/k_i)·Π_{i∉D}(1 − 1/k_i), largest over odd |D|:
//	           2·c·(1 + max over odd |D| of Π_{i∈D} 1/(k_i − 1))
//
// It is 0 if an axis has one cell: such a table has no residual. A table without axes is the number of records, which
// Replace does not change.
func ResidualL2Squared(n dp.Neighbouring, sizes []int) *big.Rat {
	c := ResidualShare(sizes)
	if n == dp.AddRemove || c.Sign() == 0 {
		return c
	}
	if len(sizes) == 0 {
		return new(big.Rat)
	}
	// Each factor 1/(k−1) is at most 1, so the best D is the smallest axis alone.
	least := sizes[0]
	for _, k := range sizes {
		least = min(least, k)
	}
	return c.Mul(c, big.NewRat(2*int64(least), int64(least-1))) // 2·c·(1 + 1/(k−1))
}

// DistanceL2Squared returns the squared L2 sensitivity of m distances Σ|count − base|, one for each of m
// marginals: a record moves each by at most 1, a replaced one by at most 2.
func DistanceL2Squared(n dp.Neighbouring, m int) dp.L2Squared {
	u := n.UnitChanges()
	return dp.L2Squared(int64(m) * u * u)
}

// SumOfDistancesChange returns the most that the sum of m distances Σ|count − base|, one for each of m marginals, changes by
// between neighbours.
func SumOfDistancesChange(n dp.Neighbouring, m int) dp.Range {
	return dp.Range(int64(m) * n.UnitChanges())
}

// Scores are released noisy distances Σ|count − base|, one for each of several marginals, in counts.
type Scores struct {
	Values   []float64
	Variance float64 // of each, counts²
}
