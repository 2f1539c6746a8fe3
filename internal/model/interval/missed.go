package interval

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// missed is what a table's misses say of the cells of an interaction.
type missed struct {
	cell    []int32      // of the table's cells with weight that each cell of the interaction is in
	lines   [][]int32    // its codes, by attribute
	sizes   []int        // codes of each
	base    []float64    // fitted counts of the table's cells with weight
	miss    []float64    // of them, counts
	noise   float64      // variance of an answer
	kept    float64      // see miss.Table
	far     float64      // see Intervals.far
	merged  bool         // the model alone tells values apart that have one answer
	centred bool         // see miss.Table
	line    [2][]float64 // variance of the sum along each line, if centred
}

// keepMisses keeps the misses of a fit, the best known tables first.
func (v *Intervals) keepMisses(list []*miss.Table) {
	v.misses = map[string]*miss.Table{}
	for _, m := range list {
		v.misses[m.Clique.Key()] = m
	}
}

// widest returns the tables whose answers the others sum up.
func widest(list []*miss.Table) (out []query.Measurement) {
	for _, m := range list {
		if !slices.ContainsFunc(list, func(t *miss.Table) bool { return len(t.Clique) > len(m.Clique) && t.Clique.Contains(m.Clique) }) {
			out = append(out, query.Measurement{Clique: m.Clique, Variance: m.Variance})
		}
	}
	return out
}

// certifiedMisses returns how far a model may be off of which only the largest error is known: selection starts from even cells,
// and what is left of the way from there is the same part in all cells of a table, so that sums add up.
func certifiedMisses(r *solver.Result) (list []*miss.Table) {
	if r.MaxError == nil || r.Model.Columns != nil {
		return nil
	}
	var cliques []domain.Clique
	kept := 0
	eachSubset(domain.All(len(r.Model.Sizes)), 2, func(c domain.Clique) {
		if cells, err := c.Cells(r.Model.Sizes); err == nil && kept+int(cells) <= miss.Most {
			cliques, kept = append(cliques, c), kept+int(cells)
		}
	})
	even := &population.Model{Sizes: r.Model.Sizes, Weights: dense.Uniform(r.Model.Sizes, r.Model.StructuralZeros)}
	units := math.Max(r.Total.Units, 1)
	most, scale := max(r.MaxError.Counts, 0)+certifiedSigmas*math.Sqrt(r.MaxError.Variance), units/r.Model.Total()
	starts := even.Marginals(cliques)
	for i, fitted := range r.Model.Marginals(cliques) {
		largest := 1e-9
		for j, x := range starts[i] {
			fitted[j] = units*x - scale*fitted[j]
			largest = max(largest, math.Abs(fitted[j]))
		}
		part := min(1, most/largest)
		for j := range fitted {
			fitted[j] *= part
		}
		list = append(list, miss.New(cliques[i], nil, fitted, 0, false))
	}
	return list
}

// missedBy returns the misses of a part's table; nil if they are not known.
func (v *Intervals) missedBy(p *part, c domain.Clique) *missed {
	m := v.misses[c.Key()]
	if m == nil {
		return nil
	}
	out := &missed{cell: make([]int32, len(p.base)), lines: make([][]int32, len(c)), sizes: make([]int, len(c)), noise: m.Variance, kept: m.Kept, far: v.far(m), merged: m.Codes != nil, centred: m.Centred && len(c) == 2}
	for i, a := range c {
		out.sizes[i] = codesOf(m, i, v.sizes[a])
		if v.uncertainty != nil {
			out.line[i] = v.lineNoise(a, m, i, out.sizes[i])
		}
	}
	found := map[int]int32{}
	for j, b := range p.base {
		at := 0
		for i := range c {
			at = at*out.sizes[i] + m.Code(i, p.codes[i][j])
		}
		n, ok := found[at]
		if !ok {
			n = int32(len(out.base))
			found[at] = n
			out.base, out.miss = append(out.base, 0), append(out.miss, m.Unit*float64(m.Counts[at]))
			for i := range c {
				out.lines[i] = append(out.lines[i], int32(m.Code(i, p.codes[i][j])))
			}
		}
		out.cell[j] = n
		out.base[n] += b
	}
	return out
}

// codesOf returns how many codes a table's misses have of the attribute at position i, which has k values.
func codesOf(m *miss.Table, i, k int) int {
	if m.Codes == nil || m.Codes[i] == nil {
		return k
	}
	return int(slices.Max(m.Codes[i])) + 1
}

// lineNoise returns the noise of the counts of one column, by code of a table's misses.
func (v *Intervals) lineNoise(a int, m *miss.Table, i, size int) []float64 {
	out := make([]float64, size)
	for value := range v.sizes[a] {
		x := v.uncertainty.OneWay[a]
		if v.uncertainty.Bins != nil && v.uncertainty.Bins[a] != nil {
			x = v.uncertainty.Bins[a][value]
		}
		out[m.Code(i, domain.Code(value))] += x
	}
	return out
}

// of returns the miss of a query with the means q in the cells of the interaction, and the variance of its noise.
func (m *missed) of(q, base []float64) (miss, noise float64) {
	means := make([]float64, len(m.base))
	for j, x := range q {
		means[m.cell[j]] += x * base[j]
	}
	for k, b := range m.base {
		means[k] /= b
		miss += means[k] * m.miss[k]
	}
	if m.line[0] != nil && len(m.lines) == 1 {
		even := 0.0
		for _, x := range means {
			even += x / float64(m.sizes[0])
		}
		for k, x := range means {
			noise += m.line[0][m.lines[0][k]] * (x - even) * (x - even)
		}
		return miss, noise
	}
	if !m.centred {
		sum, cells := 0.0, 1
		for _, k := range m.sizes {
			cells *= k
		}
		for _, x := range means {
			noise, sum = noise+x*x, sum+x
		}
		return miss, m.noise * (noise - sum*sum/float64(cells)) // the total is known
	}
	var sums [2][]float64
	square, all := 0.0, 0.0
	for i, k := range m.sizes {
		sums[i] = make([]float64, k)
	}
	for k, x := range means {
		square, all = square+x*x, all+x
		sums[0][m.lines[0][k]] += x
		sums[1][m.lines[1][k]] += x
	}
	even := all / float64(m.sizes[0]*m.sizes[1])
	square += all * even
	for i, list := range sums {
		across := float64(m.sizes[1-i])
		for code, x := range list {
			square -= x * x / across
			noise += m.line[i][code] * (x/across - even) * (x/across - even)
		}
	}
	return miss, noise + m.noise*max(0, square)
}

// beyond returns the square of a miss of a table of so many columns that noise does not explain. All of it counts where the fit has too
// much, as it gives to cells that are empty: their prior says nothing of it. Triples are many, and overlap: what noise may make of one
// of their cells is none of the fit's errors.
func beyond(miss, noise float64, width int) float64 {
	switch {
	case width == measuredWidth:
		return max(0, miss*miss-farNoise*noise)
	case miss > 0:
		return miss * miss
	}
	return max(0, miss*miss-noise)
}

// farNoise is the square of how many standard deviations noise may make of one of many cells.
const farNoise = 16

// addMisses widens the standard errors of the cells of c by what the fit misses in the tables inside by more than noise.
func (v *Intervals) addMisses(c domain.Clique, fitted, dst []float64) {
	if v.plain(c) > 1 && v.answered(c) != nil { // whose errors hold them
		return
	}
	eachSubset(c, measuredWidth, func(sub domain.Clique) {
		m := v.misses[sub.Key()]
		if m == nil || m.Variance == 0 {
			return
		}
		if len(sub) == 1 {
			for i := range dst {
				if len(c) == 1 && v.uncertainty == nil { // else one-way noise has them, and pairs in wider tables
					x := m.Unit * float64(m.Counts[i])
					dst[i] = math.Sqrt(dst[i]*dst[i] + beyond(x, m.Variance, len(sub)))
				}
			}
			return
		}
		onto := population.NewProjection(v.sizes, c, sub)
		cells, _ := sub.Cells(v.sizes) // no more than c has
		table := onto.Sum(make([]float64, cells), fitted)
		merged, at := make([]float64, len(m.Counts)), v.answersOf(m)
		for i, b := range table {
			merged[at[i]] += b
		}
		for i := range table {
			x := m.Unit * float64(m.Counts[at[i]])
			table[i] = math.Sqrt(beyond(x, m.Variance, len(sub))) / max(merged[at[i]], math.SmallestNonzeroFloat32)
		}
		each := slices.Clone(fitted)
		onto.Multiply(each, table)
		for i, x := range each {
			dst[i] = math.Hypot(dst[i], x)
		}
	})
}

// answersOf returns which of a table's misses each of its cells has.
func (v *Intervals) answersOf(m *miss.Table) []int {
	at := []int{0}
	for i, a := range m.Clique {
		codes, next := codesOf(m, i, v.sizes[a]), make([]int, 0, len(at)*v.sizes[a])
		for _, before := range at {
			for code := range v.sizes[a] {
				next = append(next, before*codes+m.Code(i, domain.Code(code)))
			}
		}
		at = next
	}
	return at
}
