package fit

import (
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
)

const (
	// mostLevels is how often neighbouring cells of a table are joined: to blocks of 8 along each column.
	mostLevels = 3
	// blockSigmas is the size, in standard deviations of their noise, below which differences of blocks are 0.
	blockSigmas = 2.5
)

// axis is a column of a table whose values have an order: its cells are alike if they are close.
type axis struct {
	at    int   // in the table's clique
	order []int // cells in the order of values; those left out, such as NULL, are like no other
}

// smoothTable returns the estimate of a table of the given shape with noise of standard deviation sigma, and for each
// cell the part of the noise's variance that is left.
//
// The table is written as blocks: differences of neighbouring ranges at every scale along each ordered column (Haar,
// undecimated), whose noise is known, and each is shrunk towards 0 as far as noise explains it. If a part of a table
// is nearly empty, its blocks vanish together with their noise; a dependence that crowds two columns into few cells
// remains.
//
// Sources: Coifman, Donoho 1995 (averages over all shifts); Gao 1998 (the nonnegative garrote).
func smoothTable(table []float64, shape []int, axes []axis, sigma float64) (out, left []float64) {
	out, left = slices.Clone(table), slices.Repeat([]float64{1}, len(table))
	if len(axes) == 0 || !(sigma > 0) {
		return out, left
	}
	g := newGrid(shape, axes)
	dense := lists.Of(g.cells, func(c int) float64 { return table[c] })
	smoothed := g.smoothed(dense, sigma)
	if len(g.axes) == 2 && len(shape) == 2 {
		smoothed = g.linked(dense, smoothed, sigma)
	}
	removed := make([]float64, len(dense))
	for i := range dense {
		d := (dense[i] - smoothed[i]) / sigma
		removed[i] = d * d
	}
	g.average(removed)
	for i, c := range g.cells {
		out[c], left[c] = smoothed[i], min(max(1-removed[i], leastLeft), 1)
	}
	return out, left
}

// leastLeft is the least part of a cell's noise that is taken to remain.
const leastLeft = .04

// grid is the part of a table whose cells have neighbours, in order.
type grid struct {
	cells []int // of the table
	shape []int // cells of the grid along each column
	axes  []int // that are ordered
}

func newGrid(shape []int, axes []axis) *grid {
	g := &grid{cells: []int{0}}
	for at, k := range shape {
		codes := make([]int, k)
		for v := range codes {
			codes[v] = v
		}
		for _, x := range axes {
			if x.at == at {
				codes = x.order
				g.axes = append(g.axes, at)
			}
		}
		next := make([]int, 0, len(g.cells)*len(codes))
		for _, c := range g.cells {
			for _, v := range codes {
				next = append(next, c*k+v)
			}
		}
		g.cells, g.shape = next, append(g.shape, len(codes))
	}
	return g
}

// linkAllowance is what a link may add to the estimated squared error, as a part of the noise: that estimate is noisy,
// and records far from a link cost correlation, those in it none.
const linkAllowance = .125

// linked returns the smoothed table; with a normal link of its two columns, and the rest smoothed, unless that errs more.
func (g *grid) linked(dense, smoothed []float64, sigma float64) []float64 {
	link := linkOf(dense, smoothed, g.shape, sigma)
	if link == nil {
		return smoothed
	}
	rest := slices.Clone(dense)
	for i, x := range link {
		rest[i] -= x
	}
	out := g.smoothed(rest, sigma)
	allowed := linkAllowance * sigma * sigma * float64(len(dense))
	if g.risk(rest, out, sigma) > g.risk(dense, smoothed, sigma)+allowed {
		return smoothed
	}
	for i, x := range link {
		out[i] += x
	}
	return out
}

// risk estimates the squared error of smoothed x (Stein 1981), with the derivative in one direction (Ramani, Blu and
// Unser 2008).
func (g *grid) risk(x, smoothed []float64, sigma float64) float64 {
	rng := rand.New(rand.NewPCG(0, 0)) // any direction will do
	moved, step := slices.Clone(x), sigma/10
	for i := range moved {
		if rng.Uint64()&1 == 0 {
			moved[i] += step
		} else {
			moved[i] -= step
		}
	}
	risk := 0.0
	for i, y := range g.smoothed(moved, sigma) {
		off := x[i] - smoothed[i]
		risk += off*off + 2*sigma*sigma*(y-smoothed[i])/(moved[i]-x[i])
	}
	return risk
}

func (g *grid) smoothed(x []float64, sigma float64) []float64 {
	out, h := slices.Clone(x), oneway.Haar{Axes: g.axes, Levels: mostLevels, Keep: garrote}
	h.Smooth(out, g.shape, 0, sigma, 0)
	return out
}

// garrote moves numbers with noise of standard deviation sigma towards 0.
func garrote(x []float64, sigma float64, _ int) {
	limit := blockSigmas * blockSigmas * sigma * sigma
	for i, v := range x {
		x[i] = v * max(0, 1-limit/max(v*v, 1e-300))
	}
}

// average replaces each cell by the mean of it and its neighbours along the ordered columns.
func (g *grid) average(x []float64) {
	for _, at := range g.axes {
		k, inner := g.shape[at], 1
		for _, n := range g.shape[at+1:] {
			inner *= n
		}
		old := slices.Clone(x)
		for c := range x {
			j := c / inner % k
			sum, n := old[c], 1.
			if j > 0 {
				sum, n = sum+old[c-inner], n+1
			}
			if j+1 < k {
				sum, n = sum+old[c+inner], n+1
			}
			x[c] = sum / n
		}
	}
}
