package fit

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
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
	var misses []*solver.Miss
	kept, sums := 0, map[int][]float64{} // misses of columns
	keep := func(c domain.Clique, miss []float64, variance float64) {
		if kept += len(miss); kept <= solver.MostMissed {
			misses = append(misses, solver.NewMiss(c, f.Merged.Of(c), miss, variance, len(c) == 2))
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
		asked[i].test(&tables[i], counts)
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
	one, noise := &f.Ones.List[a], make([]float64, len(counts))
	answers := one.Counts // of learned bins
	for _, m := range f.Ones.Released {
		if m.Clique.Equal(t.Clique) {
			answers = m.Values
		}
	}
	for v, code := range f.Merged.Codes[a] {
		counts[code] -= answers[v]
		if one.Learned {
			noise[code] += one.Bins[v]
		} else {
			noise[code] += one.Spread
		}
	}
	for code, off := range counts {
		if noise[code] > 0 { // else no value has the code
			t.Square, t.Freedom = t.Square+off*off/(noise[code]+solver.Rounding), t.Freedom+1
		}
	}
	t.Freedom = max(0, t.Freedom-1)
}

// test compares counts with a residual, which it takes off.
func (m *measurement) test(t *solver.TableFit, counts []float64) {
	share, _ := query.ResidualShare(m.shape).Float64()
	population.Center(counts, m.shape)
	for i, x := range counts {
		counts[i] = x - m.values[i]
		t.Square += counts[i] * counts[i] / (1/(m.precision*share) + solver.Rounding)
	}
	t.Freedom = share * float64(len(counts))
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
	if f.test(m).Excess() >= descended.Excess() {
		copy(m.Weights, weights)
	}
}
