package oneway

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

const (
	tailSigmas  = 10  // records of a tail, in standard deviations of a difference: the most …
	shortTail   = 1   // … and the least
	beyondTail  = 1.5 // records beyond the last frequent value, per record of the tail of a tree
	frequentSgm = 3   // a single value of more counts is known by itself
	surelySeen  = 4   // standard deviations of its noise that a count has which is no accident among hundreds
)

// differences are what was released of halves of ranges of values.
type differences struct {
	list  []query.Halving
	sigma float64 // standard deviation of the noise of one
}

// mirror exchanges value v and n−1−v.
func (d *differences) mirror(n int) *differences {
	out := &differences{sigma: d.sigma}
	for _, h := range d.list {
		out.list = append(out.list, query.Halving{From: n - h.To, Middle: n - h.Middle, To: n - h.From, Difference: -h.Difference})
	}
	return out
}

// extendTails returns the pieces of the values 0 … n−1 with both tails replaced. A tree knows little of the last few
// records one by one: less than its noise at each halving. An even spread over what it leaves together would put them
// far out, and all its differences together say more. The standard errors of the sums of both tails are +Inf if none is known.
// Values of their own, whose pieces are given, are in no tail: it ends before those at the end of the range.
func extendTails(pieces []query.Piece, tree []query.Halving, n int, sigma float64, own []query.Piece) (out []query.Piece, upper, lower float64) {
	if sigma == 0 {
		return pieces, 0, 0
	}
	values := lists.Of(own, func(p query.Piece) int { return p.From })
	first, last := outermost(values, n)
	d, inner := &differences{sigma: sigma}, last-first
	within := func(v int) int { return min(max(v-first, 0), inner) }
	for _, h := range tree {
		for _, p := range own {
			if v := p.From; v >= h.From && v < h.Middle {
				h.Difference -= p.Count
			} else if v >= h.Middle && v < h.To {
				h.Difference += p.Count
			}
		}
		if h.From, h.Middle, h.To = within(h.From), within(h.Middle), within(h.To); h.From < h.Middle && h.Middle < h.To {
			d.list = append(d.list, h)
		}
	}
	for _, p := range pieces {
		if p.From, p.To = within(p.From), within(p.To); p.From < p.To {
			out = append(out, p)
		}
	}
	out, upper = extendTail(out, d, inner)
	out, lower = extendTail(mirror(out, inner), d.mirror(inner), inner)
	out = mirror(out, inner)
	for i := range out {
		out[i].From, out[i].To = out[i].From+first, out[i].To+first
	}
	if first > 0 {
		out = slices.Insert(out, 0, query.Piece{To: first})
	}
	if last < n {
		out = append(out, query.Piece{From: last, To: n})
	}
	return out, upper, lower
}

// outermost returns the first of n values that is not of its own, and the one behind the last.
func outermost(own []int, n int) (first, last int) {
	last = n
	for _, v := range own {
		if v == first {
			first++
		}
	}
	for _, v := range slices.Backward(own) {
		if v == last-1 {
			last--
		}
	}
	return first, last
}

// takeOwn returns pieces without the records of values of their own, and what these have.
func takeOwn(pieces []query.Piece, values []int) (rest, own []query.Piece) {
	rest = slices.Clone(pieces)
	for i, p := range rest {
		if _, ok := slices.BinarySearch(values, p.From); ok && p.To == p.From+1 {
			own, rest[i].Count = append(own, p), 0
		}
	}
	return rest, own
}

// putOwn puts values of their own back. What has come to lie there meanwhile is spread over the others of its piece, if it has some.
func putOwn(pieces, own []query.Piece) (out []query.Piece) {
	for _, p := range pieces {
		inside := slices.DeleteFunc(slices.Clone(own), func(x query.Piece) bool { return x.From < p.From || x.From >= p.To })
		others, from := p.To-p.From-len(inside), p.From
		for _, x := range append(inside, query.Piece{From: p.To}) {
			if from < x.From {
				out = append(out, query.Piece{From: from, To: x.From, Count: p.Count * float64(x.From-from) / float64(others)})
			}
			if x.From < p.To {
				if others == 0 {
					x.Count += p.Count / float64(len(inside))
				}
				out = append(out, x)
			}
			from = x.To
		}
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

// extendTail replaces the upper tail by the longest one that a Pareto distribution fits, and returns the standard error of its sum.
func extendTail(pieces []query.Piece, d *differences, n int) ([]query.Piece, float64) {
	p := NewProfile(pieces, n)
	most := min(tailSigmas*d.sigma, p.beyond(frequentSgm*d.sigma)/beyondTail)
	for tail := min(most, p.Total()/8); tail >= shortTail*d.sigma; tail /= math.Sqrt2 {
		from := int(math.Ceil(p.at(p.Total() - tail)))
		if from > n-2 || p.Between(from, n) < 1 {
			break
		}
		if t, ok := fitTail(p, d, from); ok {
			for from < n-1 && t.above(float64(from))-t.above(float64(from+1)) > surelySeen*d.sigma {
				from++ // what is seen by itself stays
			}
			t = t.beyond(float64(from))
			out := t.pieces(p.cut(from), n)
			all := NewProfile(out, n)
			return out, d.sumError(p, from, all.Below(n)[1]-all.Below(from)[1]-float64(from)*all.Between(from, n))
		}
	}
	return pieces, math.Inf(1)
}

// beyond returns the records beyond the last single value of more than the given count.
func (p *Profile) beyond(count float64) (sum float64) {
	for i := len(p.pieces) - 1; i >= 0; i-- {
		x := p.pieces[i]
		if x.To-x.From == 1 && x.Count > count {
			break
		}
		sum += x.Count
	}
	return sum
}

// at is quantile inside values.
func (p *Profile) at(count float64) float64 {
	for i := range p.pieces {
		if x := p.pieces[i]; p.up[i+1][0] > count {
			return float64(x.From) + (count-p.up[i][0])/x.Count*float64(x.To-x.From)
		}
	}
	return float64(p.n)
}

// cut returns the pieces below v.
func (p *Profile) cut(v int) []query.Piece {
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
