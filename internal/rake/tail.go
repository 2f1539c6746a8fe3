package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/query"
)

// A tree knows little of the last few records of a long tail: less than its noise at each halving. There the counts
// are those of a generalised Pareto distribution, whose shape follows from three quantiles before (Pickands 1975), and
// which ends where half a record is left. An even spread over what the tree leaves together would put them far out.
const (
	tailSigmas = 5   // records of the tail, in standard deviations of a difference
	shortTail  = 1.5 // the least of them beyond a frequent value
	// Half of the estimated shape is taken, which is noisy, and what the declared range says of it counts as far as
	// rangeShape: a range is often that of the values, and sometimes there is one value far away, or room for any. With
	// .4 some standard deviations are twice what they ought to be, with .12 they are a fifth too small on average.
	rangeShape  = .25
	mostShape   = .5
	frequentSgm = 3 // a single value of more counts is known by itself
)

// extendTails returns the pieces of the values 0 … n−1 with both tails replaced.
func extendTails(pieces []query.Piece, n int, sigma float64) []query.Piece {
	if sigma == 0 {
		return pieces
	}
	pieces = tilted(pieces)
	pieces = extendTail(pieces, n, sigma)
	return mirror(extendTail(mirror(pieces, n), n, sigma), n)
}

// tilted returns the pieces with those that lie on a slope cut into smaller ones, whose counts fall exponentially from
// the density of the neighbour on the higher side: of values that a tree does not tell apart, those next to frequent
// ones are the likelier.
func tilted(pieces []query.Piece) []query.Piece {
	var out []query.Piece
	for i, x := range pieces {
		own, left, right := density(x), 0.0, 0.0
		if len(out) > 0 {
			left = density(out[len(out)-1])
		}
		if i+1 < len(pieces) {
			right = density(pieces[i+1])
		}
		switch width := x.To - x.From; {
		case width < 4 || own == 0 || (left > own) == (right > own):
			out = append(out, x)
		case left > own:
			out = append(out, falling(x, left)...)
		default:
			part := falling(query.Piece{From: -x.To, To: -x.From, Count: x.Count}, right)
			for _, p := range slices.Backward(part) {
				out = append(out, query.Piece{From: -p.To, To: -p.From, Count: p.Count})
			}
		}
	}
	return out
}

func density(x query.Piece) float64 { return x.Count / float64(x.To-x.From) }

// falling cuts a piece into steps of half a half-life, with counts c·(1−exp(−λy))/(1−exp(−λw)) below each y; λ is such
// that the density begins as given.
func falling(x query.Piece, from float64) []query.Piece {
	width := float64(x.To - x.From)
	low, high := 0.0, from/x.Count*2
	for range 60 { // count of all over density at the start = (1−exp(−λw))/λ
		if rate := (low + high) / 2; -math.Expm1(-rate*width)/rate > x.Count/from {
			low = rate
		} else {
			high = rate
		}
	}
	rate, step := high, max(1, int(math.Ceil(math.Ln2/2/high)))
	below := func(y int) float64 { return x.Count * math.Expm1(-rate*float64(y)) / math.Expm1(-rate*width) }
	var out []query.Piece
	for y := 0; y < x.To-x.From; {
		to := min(y+step, x.To-x.From)
		if rate*float64(y) > 12 {
			to = x.To - x.From
		}
		out = append(out, query.Piece{From: x.From + y, To: x.From + to, Count: max(0, below(to)-below(y))})
		y = to
	}
	return out
}

// mirror exchanges value v and n−1−v.
func mirror(pieces []query.Piece, n int) []query.Piece {
	out := make([]query.Piece, len(pieces))
	for i, x := range pieces {
		out[len(pieces)-1-i] = query.Piece{From: n - x.To, To: n - x.From, Count: x.Count}
	}
	return out
}

// extendTail replaces the upper tail.
func extendTail(pieces []query.Piece, n int, sigma float64) []query.Piece {
	p := newProfile(pieces, n)
	tail := tailSigmas * sigma
	beyond := 0.0 // the last frequent value
	for i := len(pieces) - 1; i >= 0; i-- {
		if x := pieces[i]; x.To-x.From == 1 && x.Count > frequentSgm*sigma {
			break
		}
		beyond += pieces[i].Count
	}
	tail = min(tail, beyond/4.5, p.total()/8)
	if tail < shortTail*sigma {
		return pieces
	}
	above := func(count float64) float64 { return p.at(p.total() - count) }
	x1, x2, x3 := above(4*tail), above(2*tail), above(tail)
	if x3-x2 < 1 || x2-x1 < 1 {
		return pieces
	}
	shape := math.Log2((x3 - x2) / (x2 - x1))
	if x0 := above(8 * tail); 8*tail < .9*beyond && x1-x0 >= 1 { // the mean of two estimates, as one is noisy
		shape = (shape + math.Log2((x2-x1)/(x1-x0))) / 2
	}
	shape = tailShape(shape, x2, x3, tail, n)
	from := int(math.Ceil(x3))
	if from >= n {
		return pieces
	}
	out := p.cut(from)
	left := p.total() - p.below(from)[0]
	for at, part := from, left; at < n; {
		next := part / math.Sqrt2
		if next < .5 {
			next = 0
		}
		to := min(n, at+max(1, out[len(out)-1].To-out[len(out)-1].From))
		if next > 0 {
			to = min(n, int(x3+(x3-x2)*growth(tail/next, shape)))
		}
		if to == n {
			next = 0
		}
		if to <= at && next > 0 {
			part = next // too short a step: the next one takes its records
			continue
		}
		out = append(out, query.Piece{From: at, To: max(to, at+1), Count: left - next})
		at, part, left = max(to, at+1), next, next
		if next == 0 {
			if at < n {
				out = append(out, query.Piece{From: at, To: n})
			}
			break
		}
	}
	return out
}

// tailShape returns the shape of a tail of so many records beyond x3, half of those beyond x2: the one that puts half a
// record beyond the last value, as far as what was estimated before allows.
func tailShape(estimate, x2, x3, tail float64, n int) float64 {
	least, most := max(estimate/2-rangeShape, -1), min(estimate/2+rangeShape, mostShape)
	for range 30 {
		if middle := (least + most) / 2; x3+(x3-x2)*growth(2*tail, middle) < float64(n) {
			least = middle
		} else {
			most = middle
		}
	}
	return most
}

// growth returns ((ratio)^shape − 1)/(1 − 2^−shape): how far beyond a quantile the tail of 1/ratio of its records
// begins, in distances between that quantile and the one of twice the records.
func growth(ratio, shape float64) float64 {
	if math.Abs(shape) < 1e-6 {
		return math.Log2(ratio)
	}
	return math.Expm1(shape*math.Log(ratio)) / -math.Expm1(-shape*math.Ln2)
}

// at is quantile inside values.
func (p *profile) at(count float64) float64 {
	for i := range p.pieces {
		if x := p.pieces[i]; p.up[i+1][0] > count {
			return float64(x.From) + (count-p.up[i][0])/x.Count*float64(x.To-x.From)
		}
	}
	return float64(p.n)
}

// cut returns the pieces below v.
func (p *profile) cut(v int) []query.Piece {
	var out []query.Piece
	for _, x := range p.pieces {
		if x.To > v {
			if x.From < v {
				out = append(out, query.Piece{From: x.From, To: v, Count: momentsOf(x, v)[0]})
			}
			break
		}
		out = append(out, x)
	}
	return slices.Clip(out)
}
