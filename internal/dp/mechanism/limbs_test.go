package mechanism

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// integer returns number i, which settle brings to its only form.
func (x limbs) integer(i int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(x.high[i]), lowBits)
	return n.Add(n, big.NewInt(x.low[i]))
}

// centreBig is centre on big integers.
func centreBig(x []*big.Int, shape []int) {
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		k := shape[axis]
		for i := range x {
			if i/stride%k > 0 {
				continue
			}
			sum := new(big.Int)
			for v := range k {
				sum.Add(sum, x[i+v*stride])
			}
			for v := range k {
				y := x[i+v*stride]
				x[i+v*stride] = y.Mul(y, big.NewInt(int64(k))).Sub(y, sum)
			}
		}
		stride *= k
	}
}

// TestCentreIsExact compares with big integers: tables up to the largest, the most units, noise from all of an
// int64, on the coarsest, a middle and the finest grid.
func TestCentreIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for _, shape := range [][]int{{2}, {7}, {2, 3}, {4, 3, 2}, {1 << 20}, {128, 2, 512}, {1024, 3}} {
		cells := 1
		for _, k := range shape {
			cells *= k
		}
		for _, bits := range []int{0, 17, 36} {
			if cells > 1<<16 && (bits < 36 || testing.Short()) {
				continue // big integers are slow, and counts matter most on the finest grid
			}
			x, want := newLimbs(cells), make([]*big.Int, cells)
			for i := range cells {
				count, noise := int64(0), int64(rng.Uint64()) // all of int64
				switch {
				case i == cells-1:
					count = MaxUnits - int64(cells)
				case i%3 == 0:
					count = 1
				}
				switch rng.IntN(4) { // low parts at their ends
				case 0:
					noise |= lowMask
				case 1:
					noise &^= lowMask
				}
				x.set(i, count, noise, bits)
				want[i] = new(big.Int).Lsh(big.NewInt(count), uint(bits))
				want[i].Add(want[i], big.NewInt(noise))
				if x.integer(i).Cmp(want[i]) != 0 || x.low[i] < 0 || x.low[i] > lowMask {
					t.Fatalf("%v, 2^-%d: set %d + %d as %v", shape, bits, count, noise, x.integer(i))
				}
			}
			centreBig(want, shape)
			x.centre(shape)
			x.settle()
			for i := range cells {
				if x.integer(i).Cmp(want[i]) != 0 || x.low[i] < 0 || x.low[i] > lowMask {
					t.Fatalf("%v, 2^-%d: number %d is %v, want %v", shape, bits, i, x.integer(i), want[i])
				}
			}
		}
	}
}

// TestWorstLowParts: low parts all at their largest where an entry of C is positive and 0 elsewhere, which is
// the largest number that centring can make, on every shape of equal axes that fits.
func TestWorstLowParts(t *testing.T) {
	for _, k := range []int{2, 3, 4, 5, 8, 32, 101, 1024} {
		shape, cells := []int{}, 1
		for cells*k <= maxMergedCells {
			shape, cells = append(shape, k), cells*k
		}
		row, want := newLimbs(cells), new(big.Int)
		row.set(0, 1, 0, 0)
		row.centre(shape) // C is symmetric: its first column is its first row
		x := newLimbs(cells)
		for i, c := range row.low {
			if c > 0 {
				x.low[i] = lowMask
				want.Add(want, new(big.Int).Mul(big.NewInt(c), big.NewInt(lowMask)))
			}
		}
		x.centre(shape)
		must.Hold(t, x.integer(0).Cmp(want) == 0, "%d axes of %d: %v, want %v", len(shape), k, x.integer(0), want)
	}
}

// TestReleasesForgetWhatCentringDoes: tables that differ by parts constant along an axis are released as the
// same floats, bit by bit, however large those parts are.
func TestReleasesForgetWhatCentringDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	shape := []int{3, 4, 2}
	for range 2000 {
		a, b := newLimbs(24), newLimbs(24)
		rows, columns := make([]int64, 8), make([]int64, 12)
		for _, list := range [][]int64{rows, columns} {
			for i := range list {
				list[i] = rng.Int64N(1<<60) >> rng.IntN(60)
			}
		}
		for i := range 24 {
			noise := (rng.Int64N(1<<60) - 1<<59) >> rng.IntN(60)
			count := rng.Int64N(1 << 30)
			a.set(i, count, noise, 20)
			b.set(i, count, noise+rows[i%8]+columns[i/2], 20) // constant along the first and along the last axis
		}
		a.centre(shape)
		b.centre(shape)
		x, y := a.over(1<<25), b.over(1<<25)
		must.Need(t, slices.Equal(x, y), "released as %v and %v", x, y)
	}
}

// TestOverForgetsForms: one number in two forms, as large tables make them, is released as the same float.
func TestOverForgetsForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 2000 {
		high, low := rng.Int64N(1<<61)>>rng.IntN(60), rng.Int64N(1<<61)
		carried := rng.Int64N(1 << 24)
		x := limbs{high: []int64{high, high - carried}, low: []int64{low, low + carried<<lowBits}}
		v := x.over(3 << 20)
		must.Need(t, v[0] == v[1], "%d·2^36 + %d released as %v and %v", high, low, v[0], v[1])
	}
}

// TestResidualSensitivity finds, with the kernel of releases, the largest ‖P(x − y)‖² of all neighbours: it is
// the declared one exactly.
func TestResidualSensitivity(t *testing.T) {
	for _, n := range relations {
		for _, shape := range [][]int{{2}, {5}, {2, 2}, {2, 3}, {4, 3}, {2, 2, 2}, {4, 3, 2}, {3, 3, 3}} {
			cells := 1
			for _, k := range shape {
				cells *= k
			}
			most := new(big.Int)
			base := slices.Repeat([]int64{1}, cells)
			for _, y := range dptest.Neighbours(n, base) {
				d := newLimbs(cells)
				for i, count := range y {
					d.set(i, 0, count-1, 0)
				}
				d.centre(shape)
				square := new(big.Int)
				for i := range cells {
					square.Add(square, new(big.Int).Mul(d.integer(i), d.integer(i)))
				}
				if square.Cmp(most) > 0 {
					most = square
				}
			}
			got := new(big.Rat).SetFrac(most, big.NewInt(int64(cells)*int64(cells)))
			want := query.ResidualL2Squared(n, shape)
			must.Hold(t, got.Cmp(want) == 0, "%v %v: Δ² = %v, declared %v", n, shape, got, want)
			charged, _ := chargedFor(t, n, shape).Float64()
			exact, _ := got.Float64()
			must.Hold(t, charged >= exact && charged <= exact*1.001, "%v %v: Δ² = %v, charged for %g", n, shape, got, charged)
			c := query.ResidualShare(shape)
			must.Hold(t, n != dp.AddRemove || got.Cmp(c) == 0, "%v: Δ² = %v, Π(1−1/k) = %v", shape, got, c)
		}
	}
}

// chargedFor returns the squared sensitivity in the event of a release of one centred table.
func chargedFor(t *testing.T, n dp.Neighbouring, shape []int) *big.Rat {
	t.Helper()
	clique := domain.All(len(shape))
	g := newGate(forbidden{t}, Params{Sizes: shape, Ledger: gdp(t, n), Root: root(t)})
	p := must.Value(g.plan(Request{Method: Residuals, Stage: "s", Cliques: []domain.Clique{clique}, Precision: []float64{1}, Share: dp.ShareOf(1, 2)}))(t)
	return p.event.Sensitivities[0]
}
