package domain

import (
	"math"
	"math/bits"
)

// multiples returns the least and the largest multiple of the resolution inside bin b, each divided by
// the resolution; lo > hi means that the bin holds none.
func (a *Attribute) multiples(b int) (lo, hi int64) {
	lo, hi = ceilDiv(a.Cuts[b], a.Resolution), floorDiv(a.Cuts[b+1], a.Resolution)
	if b < len(a.Cuts)-2 && hi*a.Resolution == a.Cuts[b+1] {
		hi-- // the bin is open at its end; the cut point is above the one before it, so hi is not the least int64
	}
	return lo, hi
}

// below returns ⌊word·n/2^64⌋, which is uniform in 0..n−1 for a uniform word up to n/2^64; n = 0 stands
// for 2^64.
func below(word, n uint64) uint64 {
	if n == 0 {
		return word
	}
	h, _ := bits.Mul64(word, n)
	return h
}

// grid is the float64 values that a bin of a FLOAT64 is decoded to: multiples first..last of the
// resolution, or any number of [lo, hi) if the resolution is 0.
type grid struct {
	lo, hi      float64
	resolution  float64
	inverse     float64 // 1/resolution if that is whole: dividing by it gives 0.3, not 0.30000000000000004
	first, last float64
}

func newGrid(a *Attribute, b int) grid {
	g := grid{lo: a.FloatCuts[b], hi: a.FloatCuts[b+1], resolution: a.FloatResolution}
	if g.resolution == 0 {
		return g
	}
	if inv := math.Round(1 / g.resolution); inv >= 1 && 1/inv == g.resolution {
		g.inverse = inv
	}
	inside := func(k float64) bool {
		x := g.multiple(k)
		return x < g.hi || b == len(a.FloatCuts)-2 && x == g.hi
	}
	// Rounding may put the quotient off by one, and multiple is monotone: step to the exact ends.
	g.first = math.Ceil(g.lo/g.resolution) - 1
	for g.multiple(g.first) < g.lo {
		g.first++
	}
	g.last = math.Floor(g.hi/g.resolution) + 1
	for g.last >= g.first && !inside(g.last) {
		g.last--
	}
	return g
}

// multiple returns k times the resolution.
func (g *grid) multiple(k float64) float64 {
	if g.inverse > 0 {
		return k / g.inverse
	}
	return k * g.resolution
}

// nearest returns the number of the multiple of the resolution nearest to x.
func (g *grid) nearest(x float64) float64 {
	if g.inverse > 0 {
		return math.Round(x * g.inverse)
	}
	return math.Round(x / g.resolution)
}

// at returns a value of the grid, uniform for a uniform word.
func (g *grid) at(word uint64) float64 {
	if g.resolution > 0 {
		n := uint64(g.last-g.first) + 1 // at most 2^54: Validate bounds cut points by 2^53 resolutions
		return g.multiple(g.first + float64(below(word, n)))
	}
	u := float64(word>>11) * 0x1p-53
	x := float64(g.lo*(1-u)) + float64(g.hi*u) // never hi − lo, which may overflow
	if x >= g.hi {
		x = math.Nextafter(g.hi, g.lo)
	}
	return math.Max(x, g.lo)
}
