package place

import (
	"cmp"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

// Values inside bins follow the values of other columns as the bins do themselves: if 3 of 20 bins tell nearly which bin
// another column has, values of a bin tell where in its bin that one is. Without it, two columns whose values lie far
// apart in their last bins are uncorrelated where most of their correlation comes from.
const (
	// leastCoupled is the least correlation that a coupling adds to a pair.
	leastCoupled = .005
	// leastSpread bounds the variance of a conditional distribution from below, in squared widths of bins.
	leastSpread = .02
	// couplingGain corrects attenuation: noise blurs the bins, so the observed strength underestimates the true one. At
	// ε = 1 a gain of 3 raised Pair Trends of eleven made-up tables, four of them held out, by 0 to .004 (two runs each). A gain
	// of 6 raised six tables, and ten that it was not chosen on, by 0 to .002 more; six of them by 0 to .003 at ε = 10.
	couplingGain = 6
	// medianOfTail is where the median of a bin lies that holds a tail, as a part of its width: at most here.
	medianOfTail = .25
)

// coupled is a pair of columns with learned bins and its table of the model.
type coupled struct {
	pair  domain.Clique
	table []float64
	adds  float64 // correlation that the coupling adds
}

// Couple chooses for each column with learned bins at most one other that its values inside bins follow: a forest of
// the pairs whose correlation grows most.
func (f *Filler) Couple(m *population.Model) {
	at := map[int]*learnedColumn{}
	for i := range f.Ones.Bins {
		if x := newLearnedColumn(&f.Ones.Bins[i], oneway.Attribute(f.domain, f.Ones.Bins[i].Attribute).Fine()); x.spread > 0 {
			at[x.bins.Attribute] = x
		}
	}
	means := f.standardMeans(m, at)
	var all []coupled // of columns of numbers
	for _, c := range f.released {
		if a, b := c[0], c[1]; means[a] != nil && means[b] != nil && (at[a] != nil || at[b] != nil) {
			all = append(all, coupled{pair: c})
		}
	}
	if len(all) == 0 {
		return
	}
	var list []coupled // of those with learned bins
	for i, table := range m.Marginals(pairsOf(all)) {
		x := all[i]
		all[i].table = table
		if first, second := at[x.pair[0]], at[x.pair[1]]; first != nil && second != nil {
			x.table = values(table, m.Sizes[x.pair[1]], first, second)
			if x.adds = added(x.table, first, second); x.adds >= leastCoupled {
				list = append(list, x)
			}
		}
	}
	walk := follower{at: at, joined: forest(list, len(m.Sizes)), done: map[int]bool{}}
	for i := range f.Ones.Bins {
		if a := f.Ones.Bins[i].Attribute; !walk.done[a] {
			walk.follow(a)
		}
	}
	f.shift(m, at, means, all)
}

// standardMeans returns the means of the bins or values of all columns of numbers, in standard deviations.
func (f *Filler) standardMeans(m *population.Model, at map[int]*learnedColumn) map[int][]float64 {
	means := map[int][]float64{}
	for a := range m.Sizes {
		x := f.means(a, at)
		if x != nil && at[a] == nil { // values of learned bins are standardised
			x = standardise(x, m.Marginal(domain.Clique{a}, nil))
		}
		if x != nil {
			means[a] = x
		}
	}
	return means
}

// forest returns the pairs of a forest of so many columns by column, those first that add most.
//
// Source: J. B. Kruskal, "On the shortest spanning subtree of a graph", 1956.
func forest(list []coupled, columns int) map[int][]coupled {
	slices.SortStableFunc(list, func(a, b coupled) int { return cmp.Compare(b.adds, a.adds) })
	joined := map[int][]coupled{}
	group := domain.All(columns) // those that are coupled already have one number
	for _, x := range list {
		a, b := group[x.pair[0]], group[x.pair[1]]
		if a == b {
			continue
		}
		for i := range group {
			if group[i] == b {
				group[i] = a
			}
		}
		for _, c := range x.pair {
			joined[c] = append(joined[c], x)
		}
	}
	return joined
}

// follower walks the trees of a forest from their roots, and couples each column with the one before it.
type follower struct {
	at     map[int]*learnedColumn
	joined map[int][]coupled
	done   map[int]bool
}

func (f *follower) follow(leader int) {
	f.done[leader] = true
	for _, x := range f.joined[leader] {
		other, table := x.pair[0]+x.pair[1]-leader, x.table
		if f.done[other] {
			continue
		}
		if x.pair[0] != leader {
			table = transposed(table, len(f.at[leader].bins.Starts))
		}
		c := &domain.Coupling{With: leader, Strength: strengths(table, f.at[leader], f.at[other])}
		for b := range c.Strength {
			c.Strength[b] *= couplingGain
		}
		c.Tails, c.OwnTails = f.at[leader].tails, f.at[other].tails
		for b := range f.at[other].bins.Starts {
			c.Width = append(c.Width, f.at[other].width(b))
		}
		f.at[other].bins.Coupling = c
		f.follow(other)
	}
}

// learnedColumn is what is known of values inside bins.
type learnedColumn struct {
	bins   *domain.LearnedBins
	spread float64   // standard deviation of all values
	within []float64 // of those inside each bin, of spread
	ends   []float64 // normal scores where bins begin, and where the last one ends
	inside float64   // part of the variance of all values that is inside bins
	means  []float64 // of the values in each bin, in standard deviations from the mean of all
	tails  []int8    // 1: the bin has a long upper tail; −1: a lower one
}

func newLearnedColumn(b *domain.LearnedBins, n int) *learnedColumn {
	p := oneway.ProfileOf(b.Runs, n)
	all := p.Span(0, n)
	x := &learnedColumn{bins: b, spread: math.Sqrt(all.Spread / max(all.Count, 1e-12))}
	starts := append(slices.Clone(b.Starts), n)
	for i, from := range b.Starts {
		s := p.Span(from, starts[i+1])
		x.within = append(x.within, math.Sqrt(s.Spread/max(s.Count, 1e-12))/max(x.spread, 1e-12))
		x.inside += s.Spread / max(all.Spread, 1e-12)
		mean := float64(s.From+s.To-1) / 2
		if s.Count > 0 {
			mean = (p.Below(s.To)[1] - p.Below(s.From)[1]) / s.Count
		}
		mean -= p.Below(n)[1] / max(all.Count, 1e-12)
		x.means = append(x.means, min(max(mean/max(x.spread, 1e-12), -farthest), farthest))
		x.tails = append(x.tails, tailOf(p, s))
	}
	for _, v := range starts {
		least := .05 * max(p.Between(starts[0], starts[1]), 1e-6)
		most := .05 * max(p.Between(starts[len(starts)-2], n), 1e-6)
		x.ends = append(x.ends, oneway.NormalScore(min(max(p.Below(v)[0]/all.Count, least), 1-most)))
	}
	return x
}

// tailOf says at which end a range of values has a long tail: half of its values lie in a small part at the other end.
func tailOf(p *oneway.Profile, s oneway.Span) int8 {
	median := p.Quantile(p.Below(s.From)[0] + s.Count/2)
	switch at := (float64(median-s.From) + .5) / float64(s.To-s.From); {
	case s.Count <= 0 || s.To-s.From < 4:
		return 0
	case at < medianOfTail:
		return 1
	case at > 1-medianOfTail:
		return -1
	}
	return 0
}

func (x *learnedColumn) width(bin int) float64 { return x.ends[bin+1] - x.ends[bin] }

// values returns the part of a table of shares in which neither column is NULL.
func values(table []float64, width int, first, second *learnedColumn) []float64 {
	sum := 1e-12
	for _, w := range table {
		sum += w
	}
	n, m := len(first.bins.Starts), len(second.bins.Starts)
	out := make([]float64, 0, n*m)
	for a := range n {
		for b := range m {
			out = append(out, table[a*width+b]/sum)
		}
	}
	return out
}

func transposed(table []float64, width int) []float64 {
	out := make([]float64, 0, len(table))
	for b := range width {
		for a := range len(table) / width {
			out = append(out, table[a*width+b])
		}
	}
	return out
}

// added returns the correlation that a coupling adds.
func added(table []float64, first, second *learnedColumn) float64 {
	m, sum := len(second.bins.Starts), 0.0
	for a, s := range strengths(table, first, second) {
		for b := range m {
			s := s * second.width(b)
			r := s / math.Sqrt(s*s+36) // about Spearman's coefficient of Frank's copula
			sum += table[a*m+b] * r * first.within[a] * second.within[b]
		}
	}
	return math.Abs(sum)
}

// strengths returns the strength of a coupling for each bin of the leader, by the width of bins of the other: the local
// log odds ratio of the normal scores of both, over the width of the leader's bin. In a bin of the leader the scores of
// the other have a mean µ and a variance v; for a normal distribution the ratio is µ'/v. Bins of a single value,
// such as the zeros before a long tail, have no part in either. v of a wide bin, such as the last one, is at most that
// of the narrower bins beside it: all that such a bin tells may be that its records are in the other's last one.
func strengths(table []float64, leader, other *learnedColumn) []float64 {
	rows, m := len(leader.bins.Starts), len(other.bins.Starts)
	at := make([]conditional, 0, rows) // of the bins that hold several values, where they are known
	for a := range rows {
		if c, ok := newConditional(table[a*m:(a+1)*m], other); ok && leader.within[a] > 0 {
			c.row = a
			at = append(at, c)
		}
	}
	middle := func(bin int) float64 { return (leader.ends[bin] + leader.ends[bin+1]) / 2 }
	slope := make([]float64, len(at))
	for i := range at {
		low, high := &at[max(i-1, 0)], &at[min(i+1, len(at)-1)]
		slope[i] = (high.mean - low.mean) / max(middle(high.row)-middle(low.row), 1e-3)
		own, others := leader.width(at[i].row), other.width(at[i].bin)
		at[i].variance = max(at[i].variance-(others*others+slope[i]*slope[i]*own*own)/12, leastSpread*others*others, 1e-9) // bins make the rest of it
	}
	out := make([]float64, rows)
	for i, c := range at {
		own, v := leader.width(c.row), c.variance
		for _, next := range []int{max(i-1, 0), min(i+1, len(at)-1)} { // which knows more, if it is narrower
			if leader.width(at[next].row) < own {
				v = min(v, at[next].variance)
			}
		}
		out[c.row] = min(max(slope[i]/v*own, -domain.MaxStrength), domain.MaxStrength)
	}
	return out
}

// conditional is the distribution of the scores of one column where another is in one bin.
type conditional struct {
	row            int // of the table
	bin            int // that holds its median
	mean, variance float64
}

// newConditional reads a row of a table: as a normal distribution with the same quartiles, which single records far
// away do not move.
func newConditional(row []float64, x *learnedColumn) (c conditional, ok bool) {
	row = slices.Clone(row)
	sum := 0.0
	for b := range row {
		if x.within[b] == 0 {
			row[b] = 0
		}
		sum += row[b]
	}
	if sum < 1e-5 {
		return c, false
	}
	at := func(part float64) (z float64, bin int) {
		up := 0.0
		for b, w := range row {
			if up+w >= part*sum && w > 0 {
				return x.ends[b] + (part*sum-up)/w*x.width(b), b
			}
			up += w
		}
		return x.ends[len(row)], len(row) - 1
	}
	low, _ := at(.25)
	high, _ := at(.75)
	c.mean, c.bin = at(.5)
	sd := (high - low) / 1.349
	c.variance = sd * sd
	return c, true
}
