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
	return extendBoth(pieces, &differences{tree, sigma}, n)
}

func extendBoth(pieces []query.Piece, d *differences, n int) []query.Piece {
	return mirror(extendTail(mirror(extendTail(pieces, d, n), n), d.mirror(n), n), n)
}

func density(x query.Piece) float64 { return x.Count / float64(x.To-x.From) }

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
