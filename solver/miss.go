package solver

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/model/population"
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

// MostMissed is the most cells of tables whose misses are kept; those have up to widestMiss columns.
const (
	MostMissed = 1 << 18
	widestMiss = 3
)

// Fits reports whether there is a count for each cell of a domain of such sizes.
func (m *Miss) Fits(sizes []int) bool {
	cells := 1
	if len(m.Clique) == 0 || len(m.Clique) > widestMiss || m.Codes != nil && len(m.Codes) != len(m.Clique) {
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

// MissesOf returns by how much a model that has so many units misses noisy answers, of the columns, pairs and triples that they hold:
// each is a mean of answers weighted by precision. Narrow tables come first.
func MissesOf(m *Model, units float64, answered []query.Measurement) (list []*Miss) {
	var cliques []domain.Clique
	answers, precisions, at, kept := [][]float64{}, []float64{}, map[string]int{}, 0
	add := func(a *query.Measurement, c domain.Clique) {
		cells, _ := c.Cells(m.Sizes)
		i, ok := at[c.Key()]
		if !ok {
			if kept+int(cells) > MostMissed {
				return
			}
			kept += int(cells)
			i = len(cliques)
			at[c.Key()] = i
			cliques, answers, precisions = append(cliques, c), append(answers, make([]float64, cells)), append(precisions, 0)
		}
		u := float64(cells) / (a.Variance * float64(len(a.Values)))
		for j, x := range population.NewProjection(m.Sizes, a.Clique, c).Sum(make([]float64, cells), a.Values) {
			answers[i][j] += u * x
		}
		precisions[i] += u
	}
	for width := 1; width <= widestMiss; width++ {
		for k := range answered {
			marginal.Subsets(answered[k].Clique, width, func(c domain.Clique) {
				if len(c) == width {
					add(&answered[k], slices.Clone(c))
				}
			})
		}
	}
	scale := units / m.Total()
	for i, fitted := range m.Marginals(cliques) {
		for j, x := range answers[i] {
			fitted[j] = scale*fitted[j] - x/precisions[i]
		}
		list = append(list, NewMiss(cliques[i], nil, fitted, 1/precisions[i], false))
	}
	return list
}
