package rake

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// undoUniverse spreads the weights of merged cells over the original universe, exactly.
func (m *merged) undoUniverse(p *population.Model, sizes []int) *population.Model {
	weights := p.Weights
	outer, inner := 1, len(weights)
	for a, k := range sizes { // one axis after the other, from merged to original codes
		inner /= m.sizes[a]
		next := make([]float64, 0, outer*k*inner)
		for o := 0; o < outer; o++ {
			for v := 0; v < k; v++ {
				from := (o*m.sizes[a] + int(m.codes[a][v])) * inner
				for _, w := range weights[from : from+inner] {
					next = append(next, w*m.within[a][v])
				}
			}
		}
		weights = next
		outer *= k
	}
	return &population.Model{Sizes: sizes, Weights: weights}
}

// undoSample gives every record an original value for each merged code: in random order, or that of the scores of a
// column's records, the values take turns as their shares say, by cumulative weight.
func (m *merged) undoSample(p *population.Model, sizes []int, scores map[int][]float64, rng *rand.Rand) *population.Model {
	out := &population.Model{Sizes: sizes, Columns: make([][]domain.Code, len(sizes)), Weights: p.Weights}
	for a := range sizes {
		out.Columns[a] = m.undoColumn(a, p, scores[a], rng)
	}
	return out
}

func (m *merged) undoColumn(a int, p *population.Model, scores []float64, rng *rand.Rand) []domain.Code {
	values := make([][]domain.Code, m.sizes[a]) // the original values of each code
	for v, c := range m.codes[a] {
		values[c] = append(values[c], domain.Code(v))
	}
	column := make([]domain.Code, p.Len())
	records := make([][]int32, m.sizes[a])
	for i, c := range p.Columns[a] {
		if column[i] = values[c][0]; len(values[c]) > 1 {
			records[c] = append(records[c], int32(i))
		}
	}
	for c, list := range records {
		rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		if scores != nil {
			slices.SortStableFunc(list, func(i, j int32) int { return cmp.Compare(scores[i], scores[j]) })
		}
		m.deal(values[c], m.within[a], list, p.Weights, rng.Float64(), column)
	}
	return column
}

// deal writes a value to each record of list: the one whose interval of cumulative share holds the
// point a fraction u into the record's interval of cumulative weight.
func (m *merged) deal(values []domain.Code, share []float64, list []int32, weights []float64, u float64, column []domain.Code) {
	total := 0.0
	for _, i := range list {
		total += weights[i]
	}
	sum, next, bound := 0.0, 0, 0.0
	if len(values) > 0 {
		bound = share[values[0]]
	}
	for _, i := range list {
		for point := (sum + u*weights[i]) / total; point >= bound && next < len(values)-1; {
			next++
			bound += share[values[next]]
		}
		column[i] = values[next]
		sum += weights[i]
	}
}
