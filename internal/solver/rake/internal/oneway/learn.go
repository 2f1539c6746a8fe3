package oneway

import (
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// OwnBins reports whether attribute a has learned bins of its own.
func OwnBins(d *domain.Domain, a int) bool {
	x := Attribute(d, a)
	return x != nil && x.Learned > 0 && d.BinsOf(a) < 0
}

// Learned returns the attributes of a list that have learned bins of their own.
func Learned(d *domain.Domain, attributes []domain.Clique) []domain.Clique {
	return slices.DeleteFunc(slices.Clone(attributes), func(c domain.Clique) bool { return !OwnBins(d, c[0]) })
}

// ShapeOf returns the tree of an attribute whose bins are learned. Exact values are counted by themselves, as many as have room among
// its bins.
func ShapeOf(a *domain.Attribute) query.TreeShape {
	s := query.TreeShape{Values: a.Fine(), Null: a.Null}
	add := func(code domain.Code, _ bool) { s.Own = append(s.Own, int(code)) }
	e := domain.NewEncoder(&domain.Domain{Attributes: []domain.Attribute{*a}})
	for _, x := range a.Exact {
		add(e.FromNative(0, x))
	}
	for _, x := range a.FloatExact {
		add(e.FromFloat(0, x))
	}
	s.Own = s.Own[:min(len(s.Own), (a.Learned-1)/2)]
	return s
}

// LearnBins chooses bins from released trees and cycles, both by attribute, and returns the codes of bins. No bin has fewer
// counts than leastBinSigmas, times scale. Attributes without a tree are taken to be uniform.
func (t *Tables) LearnBins(trees map[int]query.Tree, seasonal map[int][]Measured, scale float64) query.Recoding {
	codes := make(query.Recoding, t.domain.Len())
	for a := range t.domain.Attributes {
		x := &t.domain.Attributes[a]
		if x.Learned == 0 {
			continue
		}
		if of := t.domain.BinsOf(a); of >= 0 {
			codes[a] = t.takeBins(a, of)
			continue
		}
		n := x.Fine()
		tree, pieces := query.Tree{Shape: ShapeOf(x)}, []query.Piece{{From: 0, To: n, Count: t.total.Units}}
		if released, ok := trees[a]; ok {
			tree, pieces = released, released.Pieces(t.total.Units)
		}
		codes[a] = t.learn(a, x, &tree, pieces, seasonal[a], scale)
	}
	return codes
}

// learn chooses the bins of attribute a from its tree, the counts of codes that follow from it and the cycles released of it,
// notes their one-way table and returns their codes. A tree without nodes was not released.
func (t *Tables) learn(a int, x *domain.Attribute, tree *query.Tree, pieces []query.Piece, seasonal []Measured, scale float64) []domain.Code {
	n, null, halved, sigma := x.Fine(), 0.0, pieces, math.Sqrt(tree.Variance)
	if x.Null && len(pieces) > 1 {
		null = pieces[len(pieces)-1].Count
		pieces = pieces[:len(pieces)-1]
	}
	shape := ShapeOf(x)
	pieces, own := takeOwn(pieces, shape.Own)
	pieces, upper, lower := extendTails(pieces, tree.Halvings(), n, sigma, own)
	pieces = putOwn(applySeasonality(pieces, x, seasonal), own)
	p := NewProfile(pieces, n)
	flat := sigma / math.Sqrt(float64(max(1, shape.Levels())))
	starts := p.bins(x.Learned, leastBinSigmas*flat*scale, shape.Own)
	bins := domain.LearnedBins{Attribute: a, Starts: starts}
	for _, piece := range pieces {
		bins.Runs = append(bins.Runs, domain.Run{From: piece.From, Share: piece.Count / max(p.Total(), 1e-9)})
	}
	t.Bins = append(t.Bins, bins)
	one := &t.List[a]
	one.Sigma, one.Variance, one.Counts, one.Learned, one.shrunk = flat, binVariance*sigma*sigma, nil, true, true
	one.Bins = binVariances(tree, halved, starts)
	one.Inside = insideErrors(tree, halved, starts, p, upper, lower)
	one.Own = make([]bool, len(starts)+1)
	for _, v := range shape.Own {
		b := sort.SearchInts(starts, v)
		one.Own[b], one.Bins[b] = true, sigma*sigma/3
	}
	one.Own[len(starts)] = x.Null
	// Constants of predictions were chosen for the noise alone, without what was taken for 0 although it was released.
	one.Spread = mean(binVariances(&query.Tree{Shape: tree.Shape, Variance: tree.Variance}, halved, starts)[:len(starts)])
	ends := append(slices.Clone(starts[1:]), n)
	for b, from := range starts {
		one.Counts = append(one.Counts, p.Between(from, ends[b]))
	}
	if x.Null {
		one.Counts = append(one.Counts, null)
	}
	if sigma > 0 {
		t.Released = append(t.Released, query.Measurement{Clique: domain.Clique{a}, Values: one.Counts,
			Variance: one.Variance + t.total.Variance/float64(len(one.Counts)*len(one.Counts))})
	}
	return binCodes(x, starts)
}

// takeBins takes the bins of attribute of for attribute a, which costs nothing, and returns their codes.
func (t *Tables) takeBins(a, of int) []domain.Code {
	i := slices.IndexFunc(t.Bins, func(b domain.LearnedBins) bool { return b.Attribute == of })
	bins := t.domain.TakeBins(a, t.Bins[i])
	t.Taken = append(t.Taken, bins)
	return binCodes(&t.domain.Attributes[a], bins.Starts)
}

// binCodes returns the bin of every value of x, and one more of NULL.
func binCodes(x *domain.Attribute, starts []int) []domain.Code {
	code := make([]domain.Code, x.RecordSize())
	for v := range code {
		code[v] = domain.Code(sort.SearchInts(starts, v+1) - 1)
	}
	if x.Null {
		code[len(code)-1] = domain.Code(len(starts))
	}
	return code
}

const (
	// leastBinSigmas is the least count of a learned bin, in standard deviations of the noise that a table of bins
	// would have for the price of the tree.
	// Smaller bins are no use where noise is the greater loss: on UCI Adult at ε = 1 a classifier trained on rows has the
	// area .904 with 4, 6 or 12 (8 runs, ± .0008), and .905 with bins of gains and losses put by hand where the label changes.
	leastBinSigmas = rareSigmasOrdered
	// binVariance is the variance of the count of a range of values, as a part of the variance of a difference: at most 1/3 for each
	// of its two ends.
	binVariance = 2. / 3
)

// binVariances returns the variances of the counts of bins that begin at starts, if a tree left the pieces together, and of
// NULL. A difference raises the first half of its node by half of itself and lowers the second, each evenly: the records
// below a value change by a tent over the node, and counts of a bin by what the tent has at one end more than at the other.
// A difference that did not stand out of the noise was taken for 0, and one near the whole count for all of it: they are
// as likely what was released. A piece that was not halved may be uneven too, by a difference of up to its own count.
func binVariances(tree *query.Tree, pieces []query.Piece, starts []int) []float64 {
	s := tree.Shape
	out := make([]float64, len(starts), len(starts)+1)
	ends := append(slices.Clone(starts[1:]), s.Values)
	eachNode(tree, pieces, func(from, width int, variance float64) {
		tent := func(v int) float64 {
			f := float64(v-from) / float64(width)
			return max(0, min(f, 1-f))
		}
		for b, low := range starts {
			x := tent(ends[b]) - tent(low)
			out[b] += x * x * variance
		}
	})
	if s.Null {
		out = append(out, tree.Variance/4)
	}
	return out
}

// insideErrors returns for each bin how many people noise may hide at one end of it rather than at the other, and 0 of NULL: the
// standard deviation of the sum of the values inside, about their mean in p, over the width of the bin. Differences err as
// binVariances says; the sums of the tails are better known.
func insideErrors(tree *query.Tree, pieces []query.Piece, starts []int, p *Profile, upper, lower float64) []float64 {
	s := tree.Shape
	out, means := make([]float64, len(starts), len(starts)+1), make([]float64, len(starts))
	ends := append(slices.Clone(starts[1:]), s.Values)
	for b, from := range starts {
		low, high := p.Below(from), p.Below(ends[b])
		if means[b] = float64(from+ends[b]-1) / 2; high[0] > low[0] {
			means[b] = (high[1] - low[1]) / (high[0] - low[0])
		}
	}
	eachNode(tree, pieces, func(from, width int, variance float64) {
		middle, to := from+width/2, min(from+width, s.Values)
		for b, mean := range means {
			half := func(from, to int) float64 { // the part of a half that is in the bin, about its mean
				low, high := max(from, starts[b]), min(to, ends[b])
				if low >= high {
					return 0
				}
				return float64(high-low) / float64(to-from) * (float64(low+high-1)/2 - mean)
			}
			x := (half(from, middle) - half(middle, to)) / 2
			out[b] += x * x * variance
		}
	})
	first, last := outermost(s.Own, s.Values)
	below, above := farErrors(tree, p, first, last)
	low, high := sort.SearchInts(starts, first+1)-1, sort.SearchInts(starts, last)-1
	for low < high && ends[low] == starts[low]+1 {
		low++
	}
	for low < high && ends[high] == starts[high]+1 {
		high--
	}
	far := func(b int, error, people, end float64) { // a tail knows nothing of people far from all others
		floor := people * math.Abs(end-means[b])
		out[b] = max(min(out[b], error*error), floor*floor)
	}
	far(high, upper, above, float64(last-1))
	far(low, lower, below, float64(first))
	for b := range out {
		out[b] = math.Sqrt(out[b]) / float64(ends[b]-starts[b])
	}
	if s.Null {
		out = append(out, 0)
	}
	return out
}

// farPeople is the part of the people whom noise may hide at an end of a range that a standard error counts. Of means of columns with a code
// whose people noise hides 96 % hold with .75, 94 % with .6, and 76 % with none.
const farPeople = .75

// farErrors returns how many people noise may hide at either end of the values first … last−1, as standard deviations: those by which the
// released differences have more there than a profile, and those by which they err.
func farErrors(tree *query.Tree, p *Profile, first, last int) (below, above float64) {
	for _, h := range tree.Halvings() {
		if h.Middle <= first || h.Middle >= last {
			continue
		}
		off := (h.Difference - p.Between(h.From, h.Middle) + p.Between(h.Middle, h.To)) / 2
		if h.To >= last {
			above = max(above, -off)
		}
		if h.From <= first {
			below = max(below, off)
		}
	}
	hidden := math.Sqrt(tree.Variance / 3)
	return farPeople * math.Hypot(below, hidden), farPeople * math.Hypot(above, hidden)
}

// eachNode visits the nodes of a released tree that has left the pieces together, down to pieces, with the variance of what
// separates their halves. NULL is no piece.
func eachNode(tree *query.Tree, pieces []query.Piece, visit func(from, width int, variance float64)) {
	s, released := tree.Shape, map[int]float64{} // by the middle of the node
	if tree.Variance == 0 {
		return
	}
	for _, h := range tree.Halvings() {
		released[h.Middle] = h.Difference
	}
	if s.Null && len(pieces) > 1 {
		pieces = pieces[:len(pieces)-1]
	}
	var halve func(from, width int, inside []query.Piece)
	halve = func(from, width int, inside []query.Piece) {
		middle := from + width/2
		cut := sort.Search(len(inside), func(i int) bool { return inside[i].From >= middle })
		switch {
		case len(inside) == 0: // all is padding
			return
		case len(inside) == 1:
			visit(from, width, inside[0].Count*inside[0].Count/3)
			return
		case middle >= s.Values: // the second half is padding
		default:
			variance := tree.Variance
			if d, ok := released[middle]; ok { // else it is of a forecast, see Predict
				off := countOf(inside[:cut]) - countOf(inside[cut:]) - d
				variance += off * off
			}
			visit(from, width, variance)
		}
		halve(from, width/2, inside[:cut])
		halve(middle, width/2, inside[cut:])
	}
	halve(0, 1<<bits.Len(uint(s.Values-1)), pieces)
}

func countOf(pieces []query.Piece) (sum float64) {
	for _, p := range pieces {
		sum += p.Count
	}
	return sum
}

func mean(x []float64) float64 { return summation.Pairwise(x) / float64(len(x)) }
