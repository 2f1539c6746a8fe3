package rake

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/query"
)

const (
	tailSigmas  = 10  // records of a tail, in standard deviations of a difference: the most …
	shortTail   = 1   // … and the least
	beyondTail  = 1.5 // records beyond the last frequent value, per record of the tail
	frequentSgm = 3   // a single value of more counts is known by itself
)

// differences are what was released of halves of ranges of values.
type differences struct {
	list  []query.Halving
	sigma float64 // standard deviation of the noise of one
}

// mirror exchanges value v and n−1−v.
func (d *differences) mirror(n int) *differences {
	turned := make([]query.Halving, len(d.list))
	for i, h := range d.list {
		turned[i] = query.Halving{From: n - h.To, Middle: n - h.Middle, To: n - h.From, Difference: -h.Difference}
	}
	return &differences{turned, d.sigma}
}

// extendTails returns the pieces of the values 0 … n−1 with both tails replaced. A tree knows little of the last few
// records one by one: less than its noise at each halving. An even spread over what it leaves together would put them
// far out, and all its differences together say more.
func extendTails(pieces []query.Piece, tree []query.Halving, n int, sigma float64) []query.Piece {
	if sigma == 0 {
		return pieces
	}
	return extendBoth(tilted(pieces), &differences{tree, sigma}, n)
}

func extendBoth(pieces []query.Piece, d *differences, n int) []query.Piece {
	return mirror(extendTail(mirror(extendTail(pieces, d, n), n), d.mirror(n), n), n)
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

// extendTail replaces the upper tail by the longest one that a Pareto distribution fits.
func extendTail(pieces []query.Piece, d *differences, n int) []query.Piece {
	p, beyond := newProfile(pieces, n), 0.0
	for i := len(pieces) - 1; i >= 0; i-- {
		if x := pieces[i]; x.To-x.From == 1 && x.Count > frequentSgm*d.sigma {
			break
		}
		beyond += pieces[i].Count
	}
	for tail := min(tailSigmas*d.sigma, beyond/beyondTail, p.total()/8); tail >= shortTail*d.sigma; tail /= 2 {
		from := int(math.Ceil(p.at(p.total() - tail)))
		if from > n-2 || p.between(from, n) < 1 {
			break
		}
		if t, ok := fitTail(p, d, from); ok {
			return t.pieces(p.cut(from), n)
		}
	}
	return pieces
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
