package oneway

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// Profile is a distribution over the values 0 … n−1 of an attribute, even inside pieces, with its moments.
type Profile struct {
	pieces []query.Piece // ascending, without gaps
	n      int
	up     [][3]float64 // moments of order 0, 1 and 2 below each piece
}

// NewProfile returns the profile of pieces of n values.
func NewProfile(pieces []query.Piece, n int) *Profile {
	p := &Profile{pieces: pieces, n: n, up: make([][3]float64, len(pieces)+1)}
	for i, x := range pieces {
		p.up[i+1] = p.up[i]
		for k, m := range momentsOf(x, x.To) {
			p.up[i+1][k] += m
		}
	}
	return p
}

// ProfileOf returns the profile of learned runs.
func ProfileOf(runs []domain.Run, n int) *Profile {
	pieces := make([]query.Piece, len(runs))
	for i, x := range runs {
		pieces[i] = query.Piece{From: x.From, To: n, Count: x.Share}
		if i > 0 {
			pieces[i-1].To = x.From
		}
	}
	return NewProfile(pieces, n)
}

// momentsOf returns the moments of the part of a piece below to.
func momentsOf(x query.Piece, to int) (m [3]float64) {
	width, a, b := float64(x.To-x.From), float64(x.From), float64(to)
	m[0] = x.Count * (b - a) / width
	middle := (a + b - 1) / 2
	m[1] = m[0] * middle
	m[2] = m[0] * (middle*middle + ((b-a)*(b-a)-1)/12)
	return m
}

// Below returns the moments of the values below v.
func (p *Profile) Below(v int) (m [3]float64) {
	i := sort.Search(len(p.pieces), func(i int) bool { return p.pieces[i].To > v })
	if i == len(p.pieces) {
		return p.up[i]
	}
	m = p.up[i]
	for k, x := range momentsOf(p.pieces[i], v) {
		m[k] += x
	}
	return m
}

// Total returns the count of all values.
func (p *Profile) Total() float64 { return p.up[len(p.pieces)][0] }

// Between returns the count of the values from … to−1.
func (p *Profile) Between(from, to int) float64 { return p.Below(to)[0] - p.Below(from)[0] }

// Quantile returns the largest value that at most the given count lies below.
func (p *Profile) Quantile(count float64) int {
	i := sort.Search(len(p.pieces), func(i int) bool { return p.up[i+1][0] > count })
	if i == len(p.pieces) {
		return p.n - 1
	}
	x := p.pieces[i]
	return min(x.From+int((count-p.up[i][0])/x.Count*float64(x.To-x.From)), x.To-1)
}

// Span is a range of values.
type Span struct {
	From, To int
	Count    float64
	Spread   float64 // Σ (value − mean)²
}

// Span returns what the profile has between two values.
func (p *Profile) Span(from, to int) Span {
	a, b := p.Below(from), p.Below(to)
	m0, m1, m2 := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	x := Span{From: from, To: to, Count: m0}
	if m0 > 0 {
		x.Spread = max(0, m2-m1*m1/m0)
	}
	return x
}

// spreadPart is the weight of the values' spread inside bins beside the counts in them, as parts of the whole, where
// bins are chosen.
const spreadPart = 1

// bins returns the first value of each of k bins: values of their own and of more than 1/k of the records have bins to themselves, and
// the bin with most of the records and of the squared deviations is halved until there are enough. If it can be
// avoided, no bin has fewer records than least.
func (p *Profile) bins(k int, least float64, own []int) []int {
	starts := append([]int{0}, p.atoms(k, own)...)
	whole := p.Span(0, p.n)
	var list []Span
	ends := append(slices.Clone(starts[1:]), p.n)
	for i, from := range starts {
		list = append(list, p.Span(from, ends[i]))
	}
	for len(list) < k {
		best, at, most := -1, 0, -1.0
		for i, b := range list {
			split, ok := p.split(b, least)
			if !ok {
				continue
			}
			cost := b.Count/max(whole.Count, 1e-9) + spreadPart*b.Spread/max(whole.Spread, 1e-9)
			if cost > most {
				best, at, most = i, split, cost
			}
		}
		if best < 0 { // the others are to hold next to nothing, so that none of those before loses a record
			best, at = p.emptiest(list)
		}
		b := list[best]
		list = slices.Replace(list, best, best+1, p.Span(b.From, at), p.Span(at, b.To))
	}
	out := make([]int, k)
	for i, b := range list {
		out[i] = b.From
	}
	return out
}

// emptiest returns where to cut off the single value at the end of a bin that has the fewest records.
func (p *Profile) emptiest(list []Span) (best, at int) {
	best = -1
	least := 0.0
	for i, b := range list {
		if b.To-b.From < 2 {
			continue
		}
		for _, v := range []int{b.From, b.To - 1} {
			if n := p.Between(v, v+1); best < 0 || n < least {
				best, at, least = i, max(v, b.From+1), n
			}
		}
	}
	return best, at
}

// split returns where to halve a bin: at the mean of its values if they are far apart, else at their median.
func (p *Profile) split(b Span, least float64) (at int, ok bool) {
	if b.To-b.From < 2 || b.Count < 2*least {
		return 0, false
	}
	low, high := p.Below(b.From), p.Below(b.To)
	median := p.Quantile(low[0] + b.Count/2)
	mean := int(math.Ceil((high[1] - low[1]) / b.Count))
	for _, at := range []int{(median + mean + 1) / 2, median, median + 1} {
		at = min(max(at, b.From+1), b.To-1)
		if p.Between(b.From, at) >= least && p.Between(at, b.To) >= least {
			return at, true
		}
	}
	return 0, false
}

// atoms returns the ends of the values that get a bin to themselves, without 0: values of their own come first.
func (p *Profile) atoms(k int, own []int) []int {
	var list []query.Piece
	for _, v := range own {
		list = append(list, query.Piece{From: v, To: v + 1, Count: math.Inf(1)})
	}
	for _, x := range p.pieces {
		if x.To-x.From == 1 && x.Count > p.Total()/float64(k) {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b query.Piece) int { return cmp.Compare(b.Count, a.Count) })
	ends := []int{}
	for _, x := range list {
		next := append(slices.Clone(ends), x.From, x.To)
		slices.Sort(next)
		next = slices.DeleteFunc(slices.Compact(next), func(v int) bool { return v == 0 || v == p.n })
		if len(next) > k-1 {
			break
		}
		ends = next
	}
	return ends
}

// NormalScore returns the normal score of a share.
func NormalScore(p float64) float64 { return -math.Sqrt2 * math.Erfcinv(2*p) }
