package mechanism

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The laws here describe the released integers C(x + Z) for noise of one or two grid steps, where every
// point of the lattice can be visited. Package noise shows that Z has its law.

// point is a released table of at most six cells.
type point [6]int64

// matrix returns the columns of C, from the kernel that releases use.
func matrix(shape []int) []point {
	cells := 1
	for _, k := range shape {
		cells *= k
	}
	columns := make([]point, cells)
	for i := range columns {
		x := newLimbs(cells)
		x.set(i, 1, 0, 0)
		x.centre(shape)
		x.settle()
		for z := range cells {
			columns[i][z] = x.high[z]<<lowBits + x.low[z]
		}
	}
	return columns
}

func (p point) plus(column point, times int64) point {
	for z := range p {
		p[z] += times * column[z]
	}
	return p
}

// pushForward returns the law of C·Z for independent discrete Gaussians of the given variance, in high precision.
// Columns that are equal or opposite move along one line; what they add up to there is summed first. Points of
// probability below 2^-170 are left out.
func pushForward(columns []point, variance *big.Rat) map[point]*big.Float {
	lines := map[point]int{}
	for _, c := range columns {
		if _, ok := lines[(point{}).plus(c, -1)]; ok {
			c = point{}.plus(c, -1)
		}
		lines[c]++
	}
	single := map[int64]*big.Float{}
	noise := dptest.DiscreteGaussian(variance)
	for y := -noise.Reach(0); y <= noise.Reach(0); y++ {
		single[y] = noise.At(y).P
	}
	all := map[point]*big.Float{{}: high.Of(1)}
	for line, count := range lines {
		along := map[int64]*big.Float{0: high.Of(1)}
		for range count {
			along = convolved(along, single, func(at, y int64) int64 { return at + y })
		}
		all = convolved(all, along, func(at point, y int64) point { return at.plus(line, y) })
	}
	return all
}

// convolved returns the law of a place and independent steps from it.
func convolved[P comparable](law map[P]*big.Float, steps map[int64]*big.Float, move func(P, int64) P) map[P]*big.Float {
	next := map[P]*big.Float{}
	product := high.Of(0)
	for at, p := range law {
		for y, q := range steps {
			if p.MantExp(nil)+q.MantExp(nil) < -170 {
				continue
			}
			to := move(at, y)
			if next[to] == nil {
				next[to] = high.Of(0)
			}
			next[to].Add(next[to], product.Mul(p, q))
		}
	}
	return next
}

// lossesOfMove returns the losses of a law against the same law moved by d. Points that only one of them can give are
// tails that were left out.
func lossesOfMove(t *testing.T, law map[point]dptest.Mass, d point, grid []float64) *dptest.Losses {
	t.Helper()
	l := dptest.NewLosses(grid)
	for at, p := range law {
		if q, ok := law[at.plus(d, -1)]; ok {
			l.Add(p, q)
		}
	}
	p, q := l.Total()
	for _, sum := range []*big.Float{p, q} {
		if off := high.Sub(high.Of(1), sum); off.Sign() != 0 && off.MantExp(nil) > -90 { // of a move by many σ
			t.Fatalf("%s of the law was left out", off.Text('g', 3))
		}
	}
	return l
}

// shifts returns C(x' − x), in grid steps, for all neighbours x, x' of a table with a unit in each cell.
func shifts(n dp.Neighbouring, columns []point, gridBits int) []point {
	var all []point
	base := slices.Repeat([]int64{1}, len(columns))
	for _, y := range dptest.Neighbours(n, base) {
		d := point{}
		for i, count := range y {
			d = d.plus(columns[i], (count-1)<<gridBits)
		}
		all = append(all, d)
	}
	return all
}

func centredOn(n dp.Neighbouring, shape []int, cells int) accountant.Centred {
	return accountant.Centred{Precision: 1, Left: query.ResidualShare(shape), L2Squared: query.ResidualL2Squared(n, shape),
		Axes: len(shape), Cells: int64(cells)}
}

// coarse is the event of one centred table with a variance of a few squared steps of 2^-bits: charged as
// the calibrated ones are, but far from the standard deviation that a GDP ledger would ask for.
func coarse(n dp.Neighbouring, shape []int, cells, bits int, steps *big.Rat) accountant.Event {
	return accountant.Event{
		Kind: dp.DiscreteGaussian, Count: 1, Neighbouring: n, GridBits: bits, Coordinates: int64(cells),
		Sensitivities: []*big.Rat{centredOn(n, shape, cells).OnGrid(bits)},
		Scales:        []*big.Rat{new(big.Rat).Mul(steps, big.NewRat(1, 1<<(2*bits)))},
	}
}

// TestResidualLoss computes the losses of the released lattice laws of all neighbours in high precision. Divergences stay
// within what is charged at every order, hockey sticks within the δ(ε) of that, and the largest divergence is Δ²/(2σ²)
// without the rounding to within a part in 10^4: half the sensitivity would not do.
func TestResidualLoss(t *testing.T) {
	variance := big.NewRat(9, 4)
	for _, shape := range [][]int{{2}, {3}, {2, 2}, {2, 3}} {
		columns := matrix(shape)
		law := map[point]dptest.Mass{}
		for at, p := range pushForward(columns, variance) {
			law[at] = dptest.MassOf(p)
		}
		for _, n := range relations {
			var worst spent
			for _, bits := range []int{0, 1, 2} {
				event := coarse(n, shape, len(columns), bits, variance)
				steps := new(big.Rat).Mul(query.ResidualL2Squared(n, shape), big.NewRat(1<<(2*bits), 1))
				exact := high.Rat(steps.Quo(steps, new(big.Rat).Add(variance, variance)))
				rho := exactLoss(t, event, dp.ZCDP)
				f, _ := rho.Float64()
				grid := epsilonGrid(f/4, 12)
				var without dptest.Used
				seen := map[point]bool{}
				for _, d := range shifts(n, columns, bits) {
					if seen[d] || seen[point{}.plus(d, -1)] { // the law is symmetric
						continue
					}
					seen[d] = true
					l := lossesOfMove(t, law, d, grid)
					worst.of(l, nil, rho, grid)
					without.Of(l.Divergence(), exact)
				}
				must.Hold(t, math.Abs(without.Float64()-1) <= 1e-4, "%v %v 2^-%d: largest divergence is %v of Δ²/(2σ²)", n, shape, bits, without)
			}
			worst.check(t, fmt.Sprintf("centred table %v, %v", shape, n), .2)
		}
	}
}

// TestResidualDraws compares 40,000 releases with the law of C(x + Z). False alarms: 1e-6 per case.
func TestResidualDraws(t *testing.T) {
	for _, shape := range [][]int{{2, 2}, {2, 3}} {
		columns := matrix(shape)
		counts := []int64{5, 0, 7, 1, 2, 4}[:len(columns)]
		const bits = 1
		clique, n := domain.Clique{0, 1}, dp.AddRemove
		g := newGate(table{shape, counts}, Params{Sizes: shape, Ledger: zcdp(t, n), Root: root(t)})
		src := root(t).Stream("draws", 0, [32]byte{})
		g.open = func(string, int, [32]byte) noise.Source { return src }
		tables := must.Value(g.merged(Request{Cliques: []domain.Clique{clique}}))(t)
		p := must.Value(tables.residualPlan(Request{Stage: "s"}, coarse(n, shape, len(columns), bits, big.NewRat(9, 4))))(t)
		law := pushForward(columns, big.NewRat(9, 4))
		base := point{}
		for i, count := range counts {
			base = base.plus(columns[i], count<<bits)
		}
		order, probabilities := sortedLaw(law)
		index := make(map[point]int, len(order))
		for i, at := range order {
			index[at] = i
		}
		seen := make([]int, len(order))
		for range 40_000 {
			at := point{}
			for z, v := range p.draw().Measurements[0].Values {
				at[z] = int64(math.RoundToEven(v*float64(len(columns)<<bits))) - base[z]
			}
			i, ok := index[at]
			must.Need(t, ok, "%v: a release off the lattice", shape)
			seen[i]++
		}
		v := dptest.ChiSquare(seen, probabilities)
		must.Hold(t, v >= dptest.Alarm, "%v: p = %g", shape, v)
		wider := probabilitiesOf(pushForward(columns, big.NewRat(27, 10)), order)
		if v := dptest.ChiSquare(seen, wider); v > dptest.Alarm {
			t.Errorf("%v: variance ×1.2 is not found: p = %g", shape, v)
		}
	}
}

// sortedLaw returns the points of a law in order, with their probabilities.
func sortedLaw(law map[point]*big.Float) ([]point, []float64) {
	order := slices.SortedFunc(maps.Keys(law), func(a, b point) int { return slices.Compare(a[:], b[:]) })
	return order, probabilitiesOf(law, order)
}

func probabilitiesOf(law map[point]*big.Float, order []point) []float64 {
	p := make([]float64, len(order))
	for i, at := range order {
		if law[at] != nil {
			p[i], _ = law[at].Float64()
		}
	}
	return p
}

// TestResidualNoise releases 10,000 tables at the calibrated noise of a GDP ledger and compares a cell of each
// with the normal law of the reported variance. False alarms: 1e-6 per case.
func TestResidualNoise(t *testing.T) {
	const releases = 10_000
	for n, shape := range map[dp.Neighbouring][]int{dp.AddRemove: {2, 2}, dp.Replace: {3, 4}} {
		counts := make([]int64, shape[0]*shape[1])
		counts[0], counts[1] = 100, 20
		l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.GaussianOnly, Epsilon: 4, Delta: 1e-6, Coordinates: releases * 12})
		g := newGate(table{shape, counts}, Params{Sizes: shape, Ledger: l, Root: root(t)})
		cliques := slices.Repeat([]domain.Clique{{0, 1}}, releases)
		m := must.Value(g.curator().Residuals("pairs", 1, cliques, nil, slices.Repeat([]float64{1}, releases), dp.ShareOf(1, 2)))(t)
		centred := lessMeans(counts, shape)
		p := make([]float64, 16) // bins of half a standard deviation
		for i := range p {
			p[i] = normal(float64(i-7)/2) - normal(float64(i-8)/2)
		}
		p[0], p[15] = normal(-3.5), normal(-3.5)
		for _, scale := range []float64{1, 1.15} {
			seen := make([]int, 16)
			for _, r := range m {
				x := (r.Values[1] - centred[1]) / math.Sqrt(scale*r.Variance)
				seen[int(max(0, min(15, math.Floor(2*x)+8)))]++
			}
			v := dptest.ChiSquare(seen, p)
			must.Hold(t, (v < dptest.Alarm) == (scale > 1), "%v %v, variance ×%g: p = %g", n, shape, scale, v)
		}
	}
}

func normal(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// lessMeans returns the centred counts by subtracting means, in float64.
func lessMeans(counts []int64, shape []int) []float64 {
	x := make([]float64, len(counts))
	for i, count := range counts {
		x[i] = float64(count)
	}
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		k := shape[axis]
		for i := range x {
			if i/stride%k > 0 {
				continue
			}
			mean := 0.0
			for v := range k {
				mean += x[i+v*stride] / float64(k)
			}
			for v := range k {
				x[i+v*stride] -= mean
			}
		}
		stride *= k
	}
	return x
}

// TestMatrix: C is the integer matrix Π k_i · P, with columns of squared length (Πk)²·c.
func TestMatrix(t *testing.T) {
	for _, shape := range [][]int{{2}, {5}, {2, 2}, {2, 3}, {3, 2}} {
		columns := matrix(shape)
		for i, column := range columns {
			square := int64(0)
			for _, v := range column {
				square += v * v
			}
			got := big.NewRat(square, int64(len(columns)*len(columns)))
			must.Hold(t, got.Cmp(query.ResidualShare(shape)) == 0, "%v: column %d has squared length %v", shape, i, got)
			unit := make([]int64, len(columns))
			unit[i] = 1
			for z, v := range lessMeans(unit, shape) {
				must.Hold(t, math.Abs(v*float64(len(columns))-float64(column[z])) <= 1e-12,
					"%v: C[%d, %d] = %d, want %g", shape, z, i, column[z], v*float64(len(columns)))
			}
		}
	}
}
