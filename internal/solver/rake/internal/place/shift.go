package place

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// Where in its bin a value lies follows from the bins of other columns as well: of the records in the last bin of an
// amount, those whose total is in its last bin too are the largest. Without it most of the correlation of columns with long
// tails was lost though their bins were right: with the true bins of ten made-up tables and random places, correlations of .5 to 1
// fell by .03 to .8, and by up to .3 if places rose together but did not depend on bins. Noise costs less as well: a record
// that it put into a last bin without the others lies where that bin begins.
const (
	// leastShifting is the correlation of two columns' bins from which on one shifts the other, by what it is above.
	leastShifting = .3
	// shiftSpread is the weight of the place that a value has otherwise. Pair Trends at ε = 1 gained .016, .019 and .022 with
	// 1.4, 1 and .7 on five made-up tables (four runs each), and .0008, .0008 and .0007 on six real ones.
	shiftSpread = .7
	// rareSpread is the same where rare values are dealt to the records of their merged code. With .5 in place of .7 (eight
	// runs each) Pair Trends gained .014, .007, .003, .002, .001 and .001 on six of twelve tables, two of them made to check
	// it, and changed by .0007 at most on the others; total variation rose by 1.8 % on one of the six. With .3 Pair Trends
	// gained up to twice as much, but total variation rose by 4.5 %.
	rareSpread = .5
	// leastInside is the least part of a column's variance inside bins: of less there is nothing to gain.
	leastInside = .002
	// mostShifting others, with the largest correlations, shift a column.
	mostShifting = 8
	// shiftRecords are looked at for where values lie.
	shiftRecords = 40_000
	// leastShiftRecords of them have to be in a bin whose values are moved.
	leastShiftRecords = 50
	// farthest bounds how far the mean of a bin is taken to lie from the mean of the column, in standard deviations.
	farthest = 1000
)

// means returns the mean value of each code of an attribute of numbers or times, NaN for NULL; nil of others. Means of
// learned bins are in standard deviations from the mean of all.
func (f *Filler) means(a int, at map[int]*learnedColumn) []float64 {
	x := oneway.Attribute(f.domain, a)
	if x == nil {
		return nil
	}
	var out []float64
	switch bins := x.Bins(); {
	case at[a] != nil:
		out = slices.Clone(at[a].means)
	case x.Learned > 0:
		return nil
	case len(x.Cuts) > 1:
		for b := range bins {
			out = append(out, float64(x.Cuts[b])/2+float64(x.Cuts[b+1])/2)
		}
	case len(x.FloatCuts) > 1:
		for b := range bins {
			out = append(out, x.FloatCuts[b]/2+x.FloatCuts[b+1]/2)
		}
	default:
		return nil
	}
	if x.Null {
		out = append(out, math.NaN())
	}
	return out
}

// standardise returns means less their own mean over codes with these shares, in standard deviations; nil if all are alike.
func standardise(means, shares []float64) []float64 {
	var n, sum, squares float64
	for c, x := range means {
		if x == x {
			n, sum = n+shares[c], sum+shares[c]*x
		}
	}
	for c, x := range means {
		if x == x {
			squares += shares[c] * (x - sum/n) * (x - sum/n)
		}
	}
	if !(squares > 0) || math.IsInf(squares, 0) {
		return nil
	}
	out := make([]float64, len(means))
	for c, x := range means {
		out[c] = (x - sum/n) / math.Sqrt(squares/n)
		if x == x {
			out[c] = min(max(out[c], -farthest), farthest)
		}
	}
	return out
}

// link returns the correlation of the means of codes over a table.
func link(table, first, second []float64) float64 {
	var n, sx, sy, xx, yy, xy float64
	for i, w := range table {
		x, y := first[i/len(second)], second[i%len(second)]
		if x != x || y != y {
			continue
		}
		n, sx, sy, xx, yy, xy = n+w, sx+w*x, sy+w*y, xx+w*x*x, yy+w*y*y, xy+w*x*y
	}
	n = max(n, 1e-12)
	return (xy - sx*sy/n) / math.Sqrt(max((xx-sx*sx/n)*(yy-sy*sy/n), 1e-18))
}

// predictor is a column whose bins add to the scores of another one.
type predictor struct {
	at int
	by float64
}

// predictorsOf returns for each column those whose codes, which have these means, go with its own by the tables of pairs: the
// strongest, and by how much, which sums to 1 without signs.
func predictorsOf(list []coupled, means map[int][]float64) map[int][]predictor {
	out := map[int][]predictor{}
	for _, x := range list {
		a, b := x.pair[0], x.pair[1]
		by := link(x.table, means[a], means[b])
		if math.Abs(by) <= leastShifting {
			continue
		}
		by -= math.Copysign(leastShifting, by)
		out[a], out[b] = append(out[a], predictor{b, by}), append(out[b], predictor{a, by})
	}
	for a, list := range out {
		slices.SortStableFunc(list, func(x, y predictor) int { return cmp.Compare(math.Abs(y.by), math.Abs(x.by)) })
		list = list[:min(len(list), mostShifting)]
		whole := 0.0
		for _, x := range list {
			whole += math.Abs(x.by)
		}
		for i := range list {
			list[i].by /= whole
		}
		out[a] = list
	}
	return out
}

// shift sets the shift of each column with learned bins by those that it is correlated with.
func (f *Filler) shift(m *population.Model, at map[int]*learnedColumn, means map[int][]float64, list []coupled) {
	predictors := predictorsOf(list, means)
	var sample *population.Model
	for i := range f.Ones.Bins {
		b := &f.Ones.Bins[i]
		if len(predictors[b.Attribute]) == 0 || at[b.Attribute].inside < leastInside {
			continue
		}
		s := &domain.Shift{Spread: shiftSpread}
		for _, x := range predictors[b.Attribute] {
			s.With, s.Adds = append(s.With, x.at), append(s.Adds, adds(withoutNull(means[x.at]), x.by))
		}
		if sample == nil {
			sample = m.Resample(shiftRecords, f.rng)
		}
		s.Levels = levels(sample, s, b.Attribute, len(b.Starts))
		if b.Coupling == nil {
			b.Coupling = &domain.Coupling{With: -1}
		}
		b.Coupling.Shift = s
	}
}

// rareScores returns, for columns of numbers whose rare values were merged, a score for each record of the model on
// merged codes: of the values of a code, the larger ones go to the larger scores. Without it they were dealt at random, and
// a number with nearly all values small lost its correlation in the few that are not.
func (f *Filler) rareScores(m *population.Model) map[int][]float64 {
	means, rare := f.rareMeans()
	var list []coupled
	for _, c := range f.released {
		if a, b := c[0], c[1]; means[a] != nil && means[b] != nil && (rare[a] || rare[b]) {
			list = append(list, coupled{pair: c})
		}
	}
	for i, table := range m.Marginals(pairsOf(list)) {
		list[i].table = table
	}
	out, predictors := map[int][]float64{}, predictorsOf(list, means)
	for a := range f.Merged.Codes {
		if rare[a] && len(predictors[a]) > 0 {
			out[a] = f.rareScore(m, a, predictors[a], means)
		}
	}
	return out
}

// rareMeans returns the standardised means of merged codes, and the columns without learned bins that have merged values.
func (f *Filler) rareMeans() (means map[int][]float64, rare map[int]bool) {
	at := map[int]*learnedColumn{}
	for i := range f.Ones.Bins {
		at[f.Ones.Bins[i].Attribute] = newLearnedColumn(&f.Ones.Bins[i], oneway.Attribute(f.domain, f.Ones.Bins[i].Attribute).Fine())
	}
	means, rare = map[int][]float64{}, map[int]bool{}
	for a, codes := range f.Merged.Codes {
		x := f.means(a, at)
		if len(x) != len(codes) || a == oneway.RowsAttribute(f.domain) {
			continue
		}
		of := make([]float64, f.Merged.Sizes[a])
		for v, c := range codes {
			if w := f.Merged.Within[a][v]; w > 0 { // a share of 0 of NULL is 0
				of[c] += w * x[v]
			}
		}
		if of = standardise(of, f.Merged.Base[a]); of != nil {
			means[a], rare[a] = of, at[a] == nil && len(of) < len(codes)
		}
	}
	return means, rare
}

// rareScore returns a score of column a for each record of the model: the logarithm of what other columns add, and noise.
func (f *Filler) rareScore(m *population.Model, a int, by []predictor, means map[int][]float64) []float64 {
	scores := make([]float64, m.Len())
	for _, x := range by {
		add := adds(means[x.at], x.by)
		for i, c := range m.Columns[x.at] {
			scores[i] += add[c]
		}
	}
	for i, x := range scores {
		scores[i] = rareSpread * f.rng.NormFloat64()
		if c := m.Columns[a][i]; !math.IsNaN(means[a][c]) { // else the code holds NULL as well
			scores[i] += math.Log1p(x)
		}
	}
	return scores
}

func pairsOf(list []coupled) []domain.Clique {
	return lists.Of(list, func(x coupled) domain.Clique { return x.pair })
}

// withoutNull returns the means of codes but NULL, which is the last one.
func withoutNull(means []float64) []float64 {
	if n := len(means) - 1; n >= 0 && math.IsNaN(means[n]) {
		return means[:n]
	}
	return means
}

// adds returns what the codes of a column with these means add, times part, from 0 up, and last what all others do; NULL is
// like the mean.
func adds(means []float64, part float64) []float64 {
	out := make([]float64, 0, len(means)+1)
	for _, x := range append(slices.Clone(means), 0) {
		if x != x {
			x = 0
		}
		out = append(out, part*x)
	}
	least := slices.Min(out)
	for i := range out {
		out[i] -= least
	}
	return out
}

// levels returns the quantiles of the scores of records of the model in each bin of attribute a, their places being spread
// evenly.
func levels(m *population.Model, s *domain.Shift, a, bins int) [][]float64 {
	scores, place := make([][]float64, bins), 0.
	for i, c := range m.Columns[a] {
		if int(c) >= bins {
			continue // NULL
		}
		place = math.Mod(place+(math.Sqrt(5)-1)/2, 1) // evenly over the records that follow each other
		scores[c] = append(scores[c], s.Score(func(attr int) domain.Code { return m.Columns[attr][i] }, place))
	}
	out := make([][]float64, bins)
	for b, x := range scores {
		if len(x) < leastShiftRecords {
			continue
		}
		slices.Sort(x)
		for _, level := range domain.ShiftLevels {
			at := level * float64(len(x)-1)
			i := int(at)
			out[b] = append(out[b], x[i]+(at-float64(i))*(x[min(i+1, len(x)-1)]-x[i]))
		}
	}
	return out
}
