package interval

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// wholeInflation is inflation if one estimate of the squared error stands for all cells.
const wholeInflation = 1.3

// whole writes the standard errors of a model fitted to whole marginals. Outside of all measured ones counts of people vary by their
// square root as well.
func (v *Intervals) whole(c domain.Clique, fitted, dst []float64) {
	if m := v.answered(c); m != nil && v.plain(c) > 1 {
		v.answeredCells(m, c, fitted, dst)
		return
	}
	u, scatter, f := v.precision(c), 0.0, wholeInflation
	if u == 0 {
		scatter = 1
	} else if v.misses[c.Key()] != nil { // it is known what sums of its cells are off
		f = 1
	}
	alone := v.alone(c)
	for i, b := range fitted {
		b = max(b, 0)
		x := v.scale * (b + softening)
		x = x/(1+x*u) + scatter*b
		if alone != nil {
			x = alone[i]
		} else if v.plain(c) == 1 && u > 0 {
			x = max(x, 1/u)
		}
		dst[i] = f * math.Sqrt(x+min(rounding, b)) // a fit stops before it has whole people
	}
}

// answered returns what is known of the answers of a table beside the fit, if that is not one to residuals; nil without it.
func (v *Intervals) answered(c domain.Clique) *miss.Table {
	if m := v.misses[c.Key()]; m != nil && m.Variance > 0 && v.uncertainty == nil && !v.untold(c) {
		return m
	}
	return nil
}

// untold reports whether the largest error alone tells what the cells of c err by, since the fit is off by more.
func (v *Intervals) untold(c domain.Clique) bool { return v.maxError != nil && v.off(c) }

// answeredCells writes the standard errors of cells whose answers are known.
func (v *Intervals) answeredCells(m *miss.Table, c domain.Clique, fitted, dst []float64) {
	misses := make([]float64, len(fitted))
	for i, x := range m.Counts {
		misses[i] = m.Unit * float64(x)
	}
	for i, x := range v.kept(c, func(j int) int { return j }, m.Variance, m.Kept, fitted, misses) {
		dst[i] = math.Sqrt(x + inflationOfTables*inflationOfTables*v.ofTotal(fitted[i], len(fitted)))
	}
}

// keptOf returns kept of the cells of an interaction, of the attributes at some positions of a clique.
func (v *Intervals) keptOf(p *part, clique, at domain.Clique) []float64 {
	c := make(domain.Clique, len(at))
	for i, k := range at {
		c[i] = clique[k]
	}
	cell := func(j int) (cell int) {
		for i, a := range c {
			cell = cell*v.sizes[a] + int(p.codes[i][j])
		}
		return cell
	}
	return v.kept(c, cell, p.missed.noise, p.missed.kept, p.base, p.missed.miss)
}

// kept returns the variances of counts whose answers are known, with their noise and the misses of the fit. It keeps the part w of an
// answer, and errs by that part of its noise, and by that part of the way between them. Of a certificate w follows from the number of
// people alone. It is at most the part most, if that is known. Of 24 kinds of tables, 4 of each, at ε = .3 to 10 98 % of the cells with people hold by dpam, and 97 % by dpfw.
func (v *Intervals) kept(c domain.Clique, cell func(int) int, noise, most float64, fitted, misses []float64) []float64 {
	if most == 0 {
		most = 1
	}
	out, part, scale, summed := make([]float64, len(fitted)), 1.0, 1.0, max(1, leastKept*noise)/softening // without more, counts of people vary as they do
	if v.scale >= 0 {
		part, scale, summed = followed(noise, fitted, misses), wholeInflation*wholeInflation*v.scale, 1
	}
	for _, x := range v.measurements {
		if x.Clique.Contains(c) {
			summed = max(summed, noise/x.Variance) // cells of the finest answers in one of these
		}
	}
	moved := v.moved(c, cell, fitted)
	for i, miss := range misses {
		b := max(fitted[i], 0)
		prior := max(scale*(b+softening*summed), miss*miss-farNoise*noise)
		if v.scale >= 0 {
			prior = max(prior, min(scale*moved[i], b*b))
		}
		w := min(most, max(prior/(prior+noise), part*b/(b+math.Sqrt(noise))))
		out[i] = inflationOfTables * inflationOfTables * (w*(noise+w*miss*miss) + min(rounding, b))
	}
	return out
}

// moved returns the people whom the prior of each cell is of: of a column of two values both cells of a line deviate by the same, the
// mean of what both would alone. Rare outcomes of many people depended on other columns by 7 half widths more than was said.
func (v *Intervals) moved(c domain.Clique, cell func(int) int, fitted []float64) []float64 {
	out := slices.Clone(fitted)
	for i, a := range c {
		if v.sizes[a] != 2 {
			continue
		}
		onto, lines := population.NewProjection(v.sizes, c, slices.Delete(slices.Clone(c), i, i+1)), map[int]float64{}
		for j, b := range fitted {
			lines[onto.Cell(cell(j))] += b
		}
		for j := range out {
			out[j] = max(out[j], lines[onto.Cell(cell(j))]/2)
		}
	}
	return out
}

// leastKept is the part of an answer's noise that a fit to selections keeps at least, in variance: without it upper ends of cells fitted
// as empty were up to 13 half widths below the truth at ε = .3, and are up to 3.
const leastKept = .05

// ofTotal is what the noise of the number of people adds to the variance of a share of b people. The number is a sum of the table's
// cells: so much less is added.
func (v *Intervals) ofTotal(b float64, cells int) float64 {
	p := b / v.units
	return v.totalVariance * p * max(0, p-2/float64(cells))
}

// followed returns which part of the noise of a table's answers the fit follows where people are, in variance: at least, by what 19 of
// 20 times so few cells tell. It is none where few numbers make all tables, and all where most cells are empty:
// the others err by the noise of their answers, and the mean of all does not.
func followed(noise float64, fitted, misses []float64) float64 {
	miss, people, square := 0.0, 1e-9, 0.0
	for i, b := range fitted {
		miss, people, square = miss+max(b, 0)*misses[i]*misses[i]/noise, people+max(b, 0), square+b*b
	}
	cells := people * people / max(square, math.SmallestNonzeroFloat64)
	return max(0, 1-miss/people*cells/distuv.ChiSquared{K: cells}.Quantile(.05))
}

// precision returns 1/variance of a cell of c over all measured marginals that contain it.
func (v *Intervals) precision(c domain.Clique) float64 {
	cells, _ := c.Cells(v.sizes) // checked by the caller
	u := 0.0
	for _, m := range v.measurements {
		if m.Clique.Contains(c) {
			all, _ := m.Clique.Cells(v.sizes)
			u += float64(cells) / (float64(all) * m.Variance)
		}
	}
	return u
}

// columnVariances returns the variance of the count of every value of a fit to the answers of marginals. A fit that gives no cell less than 0
// loses the noise of empty cells, see miss.Kept, and lowers all cells. Of 17 kinds of tables, with δ and without, at ε from .3 to 10, 90 to 100 % of the shares
// of values hold. If nothing is measured it is 0.
func columnVariances(r *solver.Result, answered []query.Measurement) [][]float64 {
	out, scale := make([][]float64, len(r.Model.Sizes)), math.Max(r.Total.Units, 1)/r.Model.Total()
	for a, size := range r.Model.Sizes {
		out[a] = make([]float64, size) // precisions, at first
	}
	for _, m := range answered {
		fitted := r.Model.Marginal(m.Clique, nil)
		floats.Scale(scale, fitted)
		bias := lowered(fitted, math.Sqrt(m.Variance))
		for _, a := range m.Clique {
			onto, k := population.NewProjection(r.Model.Sizes, m.Clique, domain.Clique{a}), len(out[a])
			biases := onto.Sum(make([]float64, k), bias)
			_, noises := miss.Kept(onto, k, fitted, m.Variance)
			for code, noise := range noises {
				out[a][code] += 1 / (noise + biases[code]*biases[code])
			}
		}
	}
	for _, list := range out {
		for code, u := range list {
			if u > 0 {
				list[code] = 1 / u
			}
		}
	}
	return out
}

// lowered returns the bias of counts with noise of which none may be below 0 and whose sum is known: empty cells keep what noise adds,
// and all are lowered by as much, in the nearest such counts. Cells that hold nothing at all are impossible.
func lowered(counts []float64, sd float64) []float64 {
	bias := make([]float64, len(counts))
	bisect.Steps(-8, 0, 12, func(shift float64) bool { // standard deviations
		for j, b := range counts {
			if x := b/sd + shift; b > 0 {
				bias[j] = sd*(x*math.Erfc(-x/math.Sqrt2)/2+math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)) - b
			}
		}
		return floats.Sum(bias) >= 0
	})
	return bias
}

// alone returns the variance of the count of every value of c, if c is a measured column of a fit to whole marginals; else, or if an
// earlier version made the release, nil.
func (v *Intervals) alone(c domain.Clique) []float64 {
	if v.uncertainty != nil || v.oneWay == nil || v.plain(c) != 1 || v.untold(c) {
		return nil
	}
	for _, a := range c {
		if v.sizes[a] > 1 && v.oneWay[a][0] > 0 {
			return v.oneWay[a]
		}
	}
	return nil
}

// bins hold cells of nearly equal base, which share what is computed from it.
type bins struct {
	cells, sum []float64
}

const binsPerOctave = 8

func (b *bins) add(x float64) {
	i := max(0, int(binsPerOctave*math.Log2(x+1)))
	for len(b.cells) <= i {
		b.cells, b.sum = append(b.cells, 0), append(b.sum, 0)
	}
	b.cells[i]++
	b.sum[i] += x
}

// spread returns the κ of a fit to whole marginals; NaN if it is not known.
func spread(r *solver.Result) float64 {
	if math.IsNaN(r.RMSE) || len(r.Measurements) == 0 {
		return math.NaN()
	}
	scale := r.Total.Units / r.Model.Total()
	tables, variances := make([]bins, len(r.Measurements)), make([]float64, len(r.Measurements))
	for i, m := range r.Measurements {
		variances[i] = m.Variance
		for _, w := range r.Model.Marginal(m.Clique, nil) {
			tables[i].add(scale * w)
		}
	}
	return least(tables, variances, r.RMSE)
}

// least returns the least κ for which the predicted squared errors of the measured cells sum to the error of the fit
// plus the standard deviation √(2·Σσ⁴) of its estimate, which the fit made least.
func least(tables []bins, variances []float64, rmse float64) float64 {
	want, noise := 0.0, 0.0
	for i := range tables {
		for _, n := range tables[i].cells {
			want += n * rmse * rmse
			noise += n * variances[i] * variances[i]
		}
	}
	want += math.Sqrt(2 * noise)
	low, _ := bisect.Steps(math.Log(1e-12), math.Log(1e12), 60, func(log float64) bool {
		sum := 0.0
		for i := range tables {
			for j, n := range tables[i].cells {
				if n > 0 {
					x := math.Exp(log) * (tables[i].sum[j]/n + softening)
					sum += n * x / (1 + x/variances[i])
				}
			}
		}
		return !(sum < want)
	})
	return math.Exp(low)
}
