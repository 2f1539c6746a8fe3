package query

import (
	"math"
	"math/bits"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// TreeShape describes what a tree of differences is built over: the values 0 … Values−1 of an attribute, padded to a
// power of two, and NULL, if the attribute has it, which is the last code.
//
// Each node of a level stands for a range of codes and releases the difference between the numbers of records in the
// two halves of the range. Nodes whose second half holds no code have no difference to release.
type TreeShape struct {
	Values int
	Null   bool
	Own    []int // ascending values that are like no other, such as codes for what is missing: Descend counts each by itself
}

// Codes returns the number of codes.
func (s TreeShape) Codes() int {
	if s.Null {
		return s.Values + 1
	}
	return s.Values
}

// halvings returns how often the values are halved until one is left.
func (s TreeShape) halvings() int { return bits.Len(uint(s.Values - 1)) }

// Levels returns the number of levels that release differences: one for NULL against the values, and one for each
// halving.
func (s TreeShape) Levels() int {
	if s.Null {
		return s.halvings() + 1
	}
	return s.halvings()
}

// L2Squared returns the squared L2 sensitivity of all differences together.
//
// A record changes at most one difference of each level by 1, so that Δ² = levels under AddRemove. Two values that
// separate at a node change its difference by 2, nothing above it, and one difference each at every level below: 4 +
// 2·(halvings − 1) at most. NULL against a value changes the first difference by 2, and then one of each level.
func (s TreeShape) L2Squared(n dp.Neighbouring) dp.L2Squared {
	h := int64(s.halvings())
	if n == dp.AddRemove {
		return dp.L2Squared(s.Levels())
	}
	most := int64(0)
	if h > 0 {
		most = 4 + 2*(h-1)
	}
	if s.Null {
		most = max(most, 4+h)
	}
	return dp.L2Squared(most)
}

// TreeNode is one released difference: of node Index of a level, counted from the root.
type TreeNode struct {
	Level, Index int
	Difference   float64 // first half − second half, counts, with noise
}

// Tree is a released tree of differences. It holds the nodes that Descend visits.
type Tree struct {
	Shape    TreeShape
	Variance float64 // of each difference, counts²
	Nodes    []TreeNode
}

// Piece is an estimated number of records in the codes From … To−1, which the release does not tell apart.
type Piece struct {
	From, To int
	Count    float64
}

// piece is a node with its estimated count.
type piece struct {
	index, from, to int
	count           float64
}

// Descend estimates counts from total and noisy differences, from the root down. It calls difference for nodes whose
// count stands out of the noise, level by level and in order of nodes. Earlier differences and total decide which
// those are, so that unvisited differences need not be drawn. Pieces are returned in order of codes.
//
// Let σ be the standard deviation of the noise and t = σ·√(2·ln nodes) the size of its largest value among the visited
// nodes of a level. A difference within farSigmas·σ of the whole count counts as all of it, because noise does not move
// records far from all others; one within t of what even values have, or NaN, counts as theirs. Values of their own are counted
// before, by all differences that they take part in, and have a piece each; the others are what is left without them.
func (s TreeShape) Descend(total, variance float64, difference func(level, index int) float64) []Piece {
	sigma := math.Sqrt(variance)
	total, difference, done := s.takeOwn(max(total, 0), difference)
	open, level := []piece{{0, 0, s.Values, total}}, 0
	if s.Null {
		d := clampTo(difference(0, 0), total)
		done = append(done, piece{from: s.Values, to: s.Values + 1, count: (total - d) / 2})
		open[0].count, level = (total+d)/2, 1
	}
	for width := 1 << s.halvings(); width > 1; width, level = width/2, level+1 {
		open, done = s.halve(open, done, width, level, sigma, difference)
	}
	return ordered(append(done, open...))
}

// farSigmas is how many standard deviations of noise separate a half with records from one without.
const farSigmas = 3

// halve halves the nodes of one level, which have the given width, and appends those without a visible difference to
// done.
func (s TreeShape) halve(open, done []piece, width, level int, sigma float64, difference func(level, index int) float64) ([]piece, []piece) {
	visited := 0
	for _, p := range open {
		if p.count > sigma && s.others(p.from+width/2, p.to) > 0 && s.others(p.from, p.from+width/2) > 0 {
			visited++
		}
	}
	limit := sigma * math.Sqrt(2*math.Log(float64(max(visited, 2))))
	var next []piece
	for _, p := range open {
		middle := p.from + width/2
		first, second := s.others(p.from, min(middle, p.to)), s.others(middle, p.to)
		switch {
		case second == 0: // padding, or values of their own
			next = append(next, piece{2 * p.index, p.from, min(middle, p.to), p.count})
		case first == 0:
			next = append(next, piece{2*p.index + 1, middle, p.to, p.count})
		case p.count <= limit && first+second == p.to-p.from:
			done = append(done, p)
		default:
			even := p.count * (1 - 2*float64(second)/float64(first+second)) // alike means alike for each value
			d := even
			if p.count > limit {
				d = clampTo(difference(level, p.index), p.count)
			}
			switch size := math.Abs(d); {
			case size > limit && p.count-size < farSigmas*sigma:
				d = math.Copysign(p.count, d)
			case !(math.Abs(d-even) > limit):
				d = even
			}
			for half, count := range [2]float64{(p.count + d) / 2, (p.count - d) / 2} {
				child := piece{2*p.index + half, p.from, middle, count}
				if half == 1 {
					child.from, child.to = middle, p.to
				}
				next = append(next, child)
			}
		}
	}
	return next, done
}

// others returns how many values of a range are not of their own.
func (s TreeShape) others(from, to int) int {
	if from >= to {
		return 0
	}
	low, _ := slices.BinarySearch(s.Own, from)
	high, _ := slices.BinarySearch(s.Own, to)
	return to - from - (high - low)
}

// takeOwn counts the values of their own, and returns their pieces, the number of all other records and their differences. A count
// follows from the k differences that its value takes part in, whatever the others are: its variance is (1 − 4^−k)/3 of theirs.
func (s TreeShape) takeOwn(total float64, difference func(level, index int) float64) (rest float64, differences func(level, index int) float64, own []piece) {
	if len(s.Own) == 0 {
		return total, difference, nil
	}
	drawn := map[[2]int]float64{}
	once := func(level, index int) float64 {
		d, ok := drawn[[2]int{level, index}]
		if !ok {
			d = difference(level, index)
			drawn[[2]int{level, index}] = d
		}
		return d
	}
	rest = total
	counted := map[[2]int]float64{} // what values of their own make of a difference
	for _, v := range s.Own {
		count := total
		s.path(v, func(level, index int, sign, part float64) {
			if d := once(level, index); !math.IsNaN(d) {
				count = (count + sign*d) / 2
			} else {
				count *= part
			}
		})
		count = min(max(count, 0), rest)
		rest -= count
		own = append(own, piece{from: v, to: v + 1, count: count})
		s.path(v, func(level, index int, sign, _ float64) { counted[[2]int{level, index}] += sign * count })
	}
	return rest, func(level, index int) float64 { return once(level, index) - counted[[2]int{level, index}] }, own
}

// path calls visit for the differences that value v takes part in, from the root down, with the sign of v and the part of the values of
// the node that are in its half.
func (s TreeShape) path(v int, visit func(level, index int, sign, part float64)) {
	first := 0
	if s.Null {
		visit(0, 0, 1, 1)
		first = 1
	}
	for level, index := first, 0; level < first+s.halvings(); level++ {
		h := s.halving(level, index)
		next, sign, size := 2*index, 1.0, h.Middle-h.From
		if v >= h.Middle {
			next, sign, size = next+1, -1, h.To-h.Middle
		}
		if h.Middle < h.To { // else the second half is padding
			visit(level, index, sign, float64(size)/float64(h.To-h.From))
		}
		index = next
	}
}

func clampTo(x, limit float64) float64 { return min(max(x, -limit), limit) }

// ordered returns the pieces in order of codes.
func ordered(list []piece) []Piece {
	out := lists.Of(list, func(p piece) Piece { return Piece{p.from, p.to, p.count} })
	slices.SortFunc(out, func(a, b Piece) int { return a.From - b.From })
	return out
}

// Pieces estimates counts from the released differences and a number of records. Halves without one are even.
func (t *Tree) Pieces(total float64) []Piece {
	at := make(map[[2]int]float64, len(t.Nodes))
	for _, n := range t.Nodes {
		at[[2]int{n.Level, n.Index}] = n.Difference
	}
	return t.Shape.Descend(total, t.Variance, func(level, index int) float64 {
		d, ok := at[[2]int{level, index}]
		if !ok && (level > 0 || !t.Shape.Null) {
			return math.NaN()
		}
		return d
	})
}

// Cumulative returns what Difference takes, from the counts of the codes.
func (s TreeShape) Cumulative(counts []int64) (up []int64, null int64) {
	up = make([]int64, s.Values+1)
	for v, n := range counts[:s.Values] {
		up[v+1] = up[v] + n
	}
	if s.Null {
		null = counts[s.Values]
	}
	return up, null
}

// Difference returns the exact difference of a node from cumulative counts, up[v] being the records below value v, and
// the records with NULL.
func (s TreeShape) Difference(up []int64, null int64, level, index int) int64 {
	if s.Null && level == 0 {
		return up[s.Values] - null
	}
	h := s.halving(level, index)
	return up[h.Middle] - up[h.From] - (up[h.To] - up[h.Middle])
}

// halving returns the values of a node's two halves. Those of NULL's node are all in the first one.
func (s TreeShape) halving(level, index int) (h Halving) {
	if s.Null {
		if level == 0 {
			return Halving{Middle: s.Values, To: s.Values}
		}
		level--
	}
	width := 1 << (s.halvings() - level)
	h.From = index * width
	h.Middle, h.To = min(h.From+width/2, s.Values), min(h.From+width, s.Values)
	return h
}

// Halving is a released difference between the records of the values From … Middle−1 and Middle … To−1.
type Halving struct {
	From, Middle, To int
	Difference       float64 // counts, with noise
}

// Halvings returns the released differences between values, without the one of NULL.
func (t *Tree) Halvings() []Halving {
	null := 0
	if t.Shape.Null {
		null = 1
	}
	var out []Halving
	for _, n := range t.Nodes {
		if n.Level >= null {
			h := t.Shape.halving(n.Level, n.Index)
			h.Difference = n.Difference
			out = append(out, h)
		}
	}
	return out
}
