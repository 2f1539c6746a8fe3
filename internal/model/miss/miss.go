// Package miss tells by how much models miss the noisy answers that they were fitted to.
package miss

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// Table is by how much the fitted counts of a table exceed its noisy answers. A fit that draws tables towards independence, or that
// is stopped early, is off by more than noise in sums of many cells, and the sums of misses tell by how much.
type Table struct {
	Clique   domain.Clique
	Codes    [][]domain.Code `json:",omitempty"` // code in Counts of each value of each attribute; nil: the value itself
	Unit     float64         // of Counts, in counts
	Counts   []int32
	Variance float64 // noise of an answer, each independent of others, counts²
	Kept     float64 `json:",omitempty"` // part of that noise that the fit keeps, in variance, in the mean of people; 0: not known
	Centred  bool    // the answers have no noise of sums along axes: only their part that sums to 0 along each has this noise
}

// fineness is how many units of a Table a standard deviation of its noise has.
const fineness = 8

// New rounds counts, fitted less answered, to parts of their noise; of answers without noise to thousandths of the largest.
func New(c domain.Clique, codes [][]domain.Code, miss []float64, variance float64, centred bool) *Table {
	m := &Table{Clique: c, Codes: codes, Counts: make([]int32, len(miss)), Variance: variance, Centred: centred, Unit: math.Sqrt(variance) / fineness}
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
func (m *Table) Code(i int, v domain.Code) int {
	if m.Codes == nil || m.Codes[i] == nil {
		return int(v)
	}
	return int(m.Codes[i][v])
}

// Sum sums up by how much a model misses answers.
type Sum struct {
	Square                      float64 // of misses in units of their noise
	cells, far, squares, noises float64
}

// Add adds the miss of an answer with such a variance.
func (s *Sum) Add(off, variance float64) {
	s.Square += off * off / variance
	s.cells, s.far, s.squares, s.noises = s.cells+1, s.far+math.Abs(off), s.squares+off*off, s.noises+variance
}

// Units returns how many units the model has in wrong cells, at most: half of all misses, noise included, or what is beyond the noise of
// so many free answers if it were even in all cells.
func (s *Sum) Units(freedom float64) float64 {
	return min(s.far, math.Sqrt(max(0, s.cells*s.squares-s.noises*freedom))) / 2
}

// Most is the most cells of tables whose misses are kept; those have up to widest columns.
const (
	Most   = 1 << 18
	widest = 3
)

// Fits reports whether there is a count for each cell of a domain of such sizes.
func (m *Table) Fits(sizes []int) bool {
	cells := 1
	if len(m.Clique) == 0 || len(m.Clique) > widest || m.Codes != nil && len(m.Codes) != len(m.Clique) {
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

// Of returns by how much a model that has so many units misses noisy answers, of the columns, pairs and triples that they hold:
// each is a mean of answers weighted by precision. Narrow tables come first.
func Of(m *population.Model, units float64, answered []query.Measurement) (list []*Table) {
	var cliques []domain.Clique
	answers, precisions, at, kept := [][]float64{}, []float64{}, map[string]int{}, 0
	add := func(a *query.Measurement, c domain.Clique) {
		cells, _ := c.Cells(m.Sizes)
		i, ok := at[c.Key()]
		if !ok {
			if kept+int(cells) > Most {
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
	for width := 1; width <= widest; width++ {
		for k := range answered {
			for _, c := range marginal.Subsets(answered[k].Clique, width) {
				add(&answered[k], c)
			}
		}
	}
	scale := units / m.Total()
	for i, fitted := range m.Marginals(cliques) {
		for j, x := range answers[i] {
			fitted[j] = scale*fitted[j] - x/precisions[i]
		}
		list = append(list, New(cliques[i], nil, fitted, 1/precisions[i], false))
	}
	keep(m, scale, answered, func(c domain.Clique) *Table {
		if i, ok := at[c.Key()]; ok {
			return list[i]
		}
		return nil
	})
	return list
}

// keep sets the parts that the fit keeps of the noise of pairs and triples.
func keep(m *population.Model, scale float64, answered []query.Measurement, of func(domain.Clique) *Table) {
	people := map[*Table]float64{}
	for _, a := range answered {
		fitted := m.Marginal(a.Clique, nil)
		floats.Scale(scale, fitted)
		for width := 2; width <= widest; width++ {
			for _, c := range marginal.Subsets(a.Clique, width) {
				t := of(c)
				if t == nil {
					continue
				}
				each := a.Variance * float64(len(fitted)) / float64(len(t.Counts))
				sums, noises := Kept(population.NewProjection(m.Sizes, a.Clique, c), len(t.Counts), fitted, a.Variance)
				for i, b := range sums {
					t.Kept, people[t] = t.Kept+b*noises[i]/each, people[t]+b
				}
			}
		}
	}
	for t, n := range people {
		t.Kept /= max(n, 1)
	}
}

// Kept returns sums of the cells of a fitted table, and the noise that a fit without counts below 0 keeps in each, in variance: that of
// cells with more people than noise, or of as many as the people are spread over, (Σb)²/Σb². It loses the noise of empty cells.
func Kept(onto *population.Projection, size int, fitted []float64, variance float64) (sums, noises []float64) {
	squares, most := make([]float64, len(fitted)), make([]float64, len(fitted))
	for j, b := range fitted {
		squares[j], most[j] = b*b, min(b*b, variance)
	}
	sum := func(x []float64) []float64 { return onto.Sum(make([]float64, size), x) }
	sums, noises, squares = sum(fitted), sum(most), sum(squares)
	for i, b := range sums {
		cells := float64(len(fitted) / size)
		if squares[i] > 0 { // there are people, and more than float64 loses
			cells = min(cells, b*b/squares[i])
		}
		noises[i] = max(cells*variance, noises[i])
	}
	return sums, noises
}
