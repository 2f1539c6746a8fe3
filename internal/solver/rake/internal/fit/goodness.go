package fit

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/solver"
)

// Test compares a model on original codes with all noisy answers.
func (f *Fit) Test(m *population.Model) *solver.Fit { return f.test(f.onMerged(m)) }

// test compares a model on merged codes with all noisy answers.
func (f *Fit) test(m *population.Model) *solver.Fit {
	var cliques []domain.Clique
	var asked []*measurement // nil: one-way tables
	for _, c := range f.Targets.Attributes() {
		if f.Ones.List[c[0]].Sigma > 0 {
			cliques, asked = append(cliques, c), append(asked, nil)
		}
	}
	for _, c := range f.All() {
		if t := f.answered(c.Clique.Key()); t != nil {
			cliques, asked = append(cliques, c.Clique), append(asked, t)
		}
	}
	tables, scale := make([]solver.TableFit, len(cliques)), f.Units/m.Total()
	var misses []*miss.Table
	kept, sums := 0, map[int][]float64{} // misses of columns
	keep := func(c domain.Clique, off []float64, variance float64) {
		if kept += len(off); kept <= miss.Most {
			misses = append(misses, miss.New(c, f.Merged.Of(c), off, variance, len(c) == 2))
		}
	}
	for i, counts := range m.Marginals(cliques) {
		for j := range counts {
			counts[j] *= scale
		}
		if tables[i].Clique = cliques[i]; asked[i] == nil {
			f.testOneWay(&tables[i], counts)
			keep(cliques[i], counts, f.Ones.List[cliques[i][0]].Spread)
			sums[cliques[i][0]] = counts
			continue
		}
		asked[i].test(&tables[i], counts, f)
		if t, c := asked[i], cliques[i]; len(c) == 2 {
			for j := range counts {
				for side, code := range [2]int{j / t.shape[1], j % t.shape[1]} {
					if x := sums[c[side]]; x != nil {
						counts[j] += x[code] / float64(t.shape[1-side])
					}
				}
			}
			share, _ := query.ResidualShare(t.shape).Float64()
			keep(c, counts, 1/(t.precision*share))
		}
	}
	out := solver.NewFit(tables)
	out.Misses = misses
	return out
}

// testOneWay compares the counts of merged codes with the answers of their values, which it takes off.
func (f *Fit) testOneWay(t *solver.TableFit, counts []float64) {
	a := t.Clique[0]
	noise, moved := f.noise(a), make([]float64, len(counts))
	answers := f.Ones.List[a].Counts // of learned bins
	for _, m := range f.Ones.Released {
		if m.Clique.Equal(t.Clique) {
			answers = m.Values
		}
	}
	for code, n := range counts {
		moved[code] = n / f.Units
	}
	for v, code := range f.Merged.Codes[a] {
		counts[code] -= answers[v]
		moved[code] -= 1 / float64(len(answers)) // which share the number of units evenly
	}
	for _, x := range noise {
		if x > 0 { // else no value has the code
			t.Freedom++
		}
	}
	t.Freedom = max(0, t.Freedom-1)
	test := misses{slices.Clone(counts), noise, 0}
	test.explain(moved, f.Ones.Total().Variance)
	test.sum(t)
}

// noise returns the variances of an attribute's merged codes.
func (f *Fit) noise(a int) []float64 {
	one, out := &f.Ones.List[a], make([]float64, f.Merged.Sizes[a])
	for v, code := range f.Merged.Codes[a] {
		if one.Learned {
			out[code] += one.Bins[v]
		} else {
			out[code] += one.Spread
		}
	}
	return out
}

// test compares counts with a residual, which it takes off. The number of units and the counts of columns have noise of their own, which
// the model follows: where nearly all units have one value, other columns' counts move the residual.
func (m *measurement) test(t *solver.TableFit, counts []float64, f *Fit) {
	share, _ := query.ResidualShare(m.shape).Float64()
	t.Freedom = share * float64(len(counts))
	fitted := slices.Clone(counts)
	population.Center(counts, m.shape)
	for i, x := range m.values {
		counts[i] -= x
	}
	test := misses{slices.Clone(counts), slices.Repeat([]float64{1 / (m.precision * share)}, len(counts)), 0}
	stride, axes := len(counts), m.shape
	if len(axes) > 2 { // which would take long
		axes = nil
	}
	for at, k := range axes {
		stride /= k
		noise := f.noise(t.Clique[at])
		for code := range k {
			test.explain(moved(fitted, m.shape, stride, k, code), noise[code])
		}
	}
	test.sum(t)
}

// moved is how the residual of a table moves with one unit more in a code of an attribute.
func moved(counts []float64, shape []int, stride, k, code int) []float64 {
	out, line := make([]float64, len(counts)), 0.0
	for i, x := range counts {
		if i/stride%k == code {
			out[i], line = x, line+x
		}
	}
	for i := range out {
		out[i] /= max(line, math.SmallestNonzeroFloat32)
	}
	population.Center(out, shape)
	return out
}

// misses are distances from answers, and the variances of these.
type misses struct {
	list, noise []float64
	explained   float64
}

// explain takes off what an error with such a variance explains, if one more of it moves each miss by moved.
func (m *misses) explain(moved []float64, variance float64) {
	along, size := 0.0, 0.0
	for i, x := range m.noise {
		if x > 0 {
			along += m.list[i] * moved[i] / (x + solver.Rounding)
			size += moved[i] * moved[i] / (x + solver.Rounding)
		}
	}
	if variance == 0 || size == 0 { // what is public has no error
		return
	}
	likely := along / (size + 1/variance)
	m.explained += likely * likely / variance
	for i := range m.list {
		m.list[i] -= likely * moved[i]
	}
}

// sum sums up what is left and what was explained.
func (m *misses) sum(t *solver.TableFit) {
	var s miss.Sum
	for i, x := range m.noise {
		if x > 0 {
			s.Add(m.list[i], x+solver.Rounding)
		}
	}
	t.Square, t.Units = s.Square+m.explained, s.Units(t.Freedom)
}

// onMerged returns a model on original codes on merged ones.
func (f *Fit) onMerged(m *population.Model) *population.Model {
	if f.Whole && oneway.RowsAttribute(f.problem.Domain) < 0 {
		return f.field.Model // whose weights were spread, and are no others
	}
	out, record := &population.Model{Sizes: f.Merged.Sizes, Weights: m.Weights}, make([]domain.Code, len(m.Sizes))
	for range m.Sizes {
		out.Columns = append(out.Columns, make([]domain.Code, m.Len()))
	}
	for i := range m.Weights {
		for a, v := range m.Record(i, record) {
			out.Columns[a][i] = f.Merged.Codes[a][v]
		}
	}
	return out
}

// keepBetter replaces the descended weights of a universe by raked ones if those miss the answers by less, and noise does not
// explain how far the descended ones are off.
func (f *Fit) keepBetter(raked []float64) {
	m := f.field.Model
	descended, weights := f.test(m), slices.Clone(m.Weights)
	if descended.Holds() {
		return
	}
	copy(m.Weights, raked)
	if !f.RakesAll() {
		f.Refit()
	}
	if f.test(m).Square >= descended.Square {
		copy(m.Weights, weights)
	}
}
