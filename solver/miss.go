package solver

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Miss is by how much the fitted counts of a table exceed its noisy answers. A fit that draws tables towards independence, or that
// is stopped early, is off by more than noise in sums of many cells, and the sums of misses tell by how much.
type Miss struct {
	Clique   domain.Clique
	Codes    [][]domain.Code `json:",omitempty"` // code in Counts of each value of each attribute; nil: the value itself
	Unit     float64         // of Counts, in counts
	Counts   []int32
	Variance float64 // noise of an answer, each independent of others, counts²
	Centred  bool    // the answers have no noise of sums along axes: only their part that sums to 0 along each has this noise
}

// fineness is how many units of a Miss a standard deviation of its noise has.
const fineness = 8

// NewMiss rounds counts, fitted less answered, to parts of their noise; of answers without noise to thousandths of the largest.
func NewMiss(c domain.Clique, codes [][]domain.Code, miss []float64, variance float64, centred bool) *Miss {
	m := &Miss{Clique: c, Codes: codes, Counts: make([]int32, len(miss)), Variance: variance, Centred: centred, Unit: math.Sqrt(variance) / fineness}
	largest := 0.0
	for _, x := range miss {
		largest = max(largest, math.Abs(x))
	}
	m.Unit = max(m.Unit, largest/math.MaxInt32, math.SmallestNonzeroFloat32)
	if variance == 0 {
		m.Unit = max(m.Unit, largest/1000)
	}
	for i, x := range miss {
		m.Counts[i] = int32(math.Round(x / m.Unit))
	}
	return m
}

// Code returns the code in Counts of a value of the attribute at position i.
func (m *Miss) Code(i int, v domain.Code) int {
	if m.Codes == nil || m.Codes[i] == nil {
		return int(v)
	}
	return int(m.Codes[i][v])
}

// MostMissed is the most cells of tables whose misses are kept.
const MostMissed = 1 << 18

// Fits reports whether there is a count for each cell of a domain of such sizes.
func (m *Miss) Fits(sizes []int) bool {
	cells := 1
	if m.Codes != nil && len(m.Codes) != len(m.Clique) {
		return false
	}
	for i, a := range m.Clique {
		k := sizes[a]
		if m.Codes != nil && m.Codes[i] != nil {
			if len(m.Codes[i]) != k {
				return false
			}
			k = int(slices.Max(m.Codes[i])) + 1
		}
		cells *= k
	}
	return cells == len(m.Counts)
}
