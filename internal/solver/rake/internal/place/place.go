// Package place brings a fitted model to original codes: values of merged codes and inside bins follow the values of other columns,
// people have the estimated numbers of rows, and gaps a trend in them.
package place

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// Filler puts values in bins and codes of a model that follow the values of other columns.
type Filler struct {
	*choose.Candidates
	domain   *domain.Domain
	released []domain.Clique // pairs
	rng      *rand.Rand
}

// New returns the filler of a model of what was released of the candidates.
func New(d *domain.Domain, c *choose.Candidates, rng *rand.Rand) *Filler {
	f := &Filler{Candidates: c, domain: d, rng: rng}
	for _, p := range c.Pairs {
		if p.Released() {
			f.released = append(f.released, p.Clique)
		}
	}
	return f
}

// Undo returns a model on merged codes on original ones: a universe, or a sample.
func (f *Filler) Undo(m *population.Model) *population.Model {
	if m.Columns == nil {
		return undoUniverse(f.Merged, m, f.Targets.Sizes)
	}
	out := undoSample(f.Merged, m, f.Targets.Sizes, f.rareScores(m), f.rng)
	oneway.ScaleTo(out.Weights, f.Units)
	return out
}

// undoUniverse spreads the weights of merged cells over the original universe, exactly.
func undoUniverse(m *oneway.Merged, p *population.Model, sizes []int) *population.Model {
	weights := p.Weights
	outer, inner := 1, len(weights)
	for a, k := range sizes { // one axis after the other, from merged to original codes
		inner /= m.Sizes[a]
		next := make([]float64, 0, outer*k*inner)
		for o := 0; o < outer; o++ {
			for v := 0; v < k; v++ {
				from := (o*m.Sizes[a] + int(m.Codes[a][v])) * inner
				for _, w := range weights[from : from+inner] {
					next = append(next, w*m.Within[a][v])
				}
			}
		}
		weights = next
		outer *= k
	}
	return &population.Model{Sizes: sizes, Weights: weights}
}

// undoSample gives every record an original value for each merged code: in random order, or in the order of the scores of a
// column's records, the values take turns as their shares say, by cumulative weight.
func undoSample(m *oneway.Merged, p *population.Model, sizes []int, scores map[int][]float64, rng *rand.Rand) *population.Model {
	out := &population.Model{Sizes: sizes, Columns: make([][]domain.Code, len(sizes)), Weights: p.Weights}
	for a := range sizes {
		out.Columns[a] = undoColumn(m, a, p, scores[a], rng)
	}
	return out
}

func undoColumn(m *oneway.Merged, a int, p *population.Model, scores []float64, rng *rand.Rand) []domain.Code {
	values := make([][]domain.Code, m.Sizes[a]) // the original values of each code
	for v, c := range m.Codes[a] {
		values[c] = append(values[c], domain.Code(v))
	}
	column := make([]domain.Code, p.Len())
	records := make([][]int32, m.Sizes[a])
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
		deal(values[c], m.Within[a], list, p.Weights, rng.Float64(), column)
	}
	return column
}

// deal writes a value to each record of list: the one whose interval of cumulative share holds the
// point a fraction u into the record's interval of cumulative weight.
func deal(values []domain.Code, share []float64, list []int32, weights []float64, u float64, column []domain.Code) {
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
