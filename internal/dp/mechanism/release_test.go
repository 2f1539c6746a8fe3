package mechanism

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// wideTable has one attribute of many cells: many independent draws in one release.
func wideTable(cells int) table {
	counts := make([]int64, cells)
	for i := range counts {
		counts[i] = int64(i % 50)
	}
	return table{[]int{cells}, counts}
}

// TestMeasureNoise compares the noise of 40,000 cells of two marginals with the law of the reported
// variance, for each kind of ledger and unequal precisions. False alarms: 1e-6 per case.
func TestMeasureNoise(t *testing.T) {
	const cells = 40_000
	counts := wideTable(cells)
	clique := domain.Clique{0}
	for _, n := range relations {
		for _, kind := range []dp.Accounting{dp.ZCDP, dp.Pure, dp.GaussianOnly} {
			p := accountant.Params{Neighbouring: n, Accounting: kind, Epsilon: .1, Coordinates: 2 * cells}
			if kind != dp.Pure {
				p.Delta = 1e-6
			}
			c := must.Value(New(counts, Params{Sizes: counts.sizes, Ledger: ledger(t, p), Root: root(t)}))(t)
			measured := must.Value(c.Measure("measure", 1, []domain.Clique{clique, clique}, []float64{1, 4}, dp.ShareOf(1, 2)))(t)
			for i, m := range measured {
				p := fitNoise(counts.cells, m, kind)
				must.Hold(t, p >= dptest.Alarm, "%v %v marginal %d: p = %g", n, kind, i, p)
				scaled := m
				scaled.Variance *= 1.3
				if p := fitNoise(counts.cells, scaled, kind); p > dptest.Alarm {
					t.Errorf("%v %v marginal %d: variance ×1.3 not found: p = %g", n, kind, i, p)
				}
			}
			want := 4.0
			if kind == dp.Pure {
				want = 16 // the scale's precision
			}
			ratio := measured[0].Variance / measured[1].Variance
			must.Hold(t, math.Abs(ratio/want-1) <= .01, "%v %v: variances of precisions 1 and 4 have ratio %g", n, kind, ratio)
		}
	}
}

// fitNoise returns the p-value of the noise in bins of half a standard deviation against the normal or
// fitNoise returns the p-value of the noise, in bins of half a standard deviation, against the normal or
// Laplace law, each whole count widened to an interval of length 1.
func fitNoise(counts []int64, m query.Measurement, kind dp.Accounting) float64 {
	sigma := math.Sqrt(m.Variance)
	cdf := func(x float64) float64 { return math.Erfc(-x/sigma/math.Sqrt2) / 2 }
	if kind == dp.Pure {
		b := sigma / math.Sqrt2
		cdf = func(x float64) float64 {
			if x < 0 {
				return math.Exp(x/b) / 2
			}
			return 1 - math.Exp(-x/b)/2
		}
	}
	step := max(1, math.Floor(sigma/2))
	seen, p := make([]int, 17), make([]float64, 17)
	for i, v := range m.Values {
		bin := math.Floor((v-float64(counts[i]))/step + .5)
		seen[int(max(-8, min(8, bin)))+8]++
	}
	for i := range p {
		low, high := (float64(i-8)-.5)*step, (float64(i-8)+.5)*step
		if kind != dp.GaussianOnly && int64(step)%2 == 0 { // whole numbers: −step/2 is in the bin, step/2 is not
			low, high = low-.5, high-.5
		}
		if i == 0 {
			low = math.Inf(-1)
		}
		if i == 16 {
			high = math.Inf(1)
		}
		p[i] = cdf(high) - cdf(low)
	}
	return dptest.ChiSquare(seen, p)
}

// TestReleasesAreOnTheGrid: whole counts, or multiples of the event's grid under GDP.
func TestReleasesAreOnTheGrid(t *testing.T) {
	for _, l := range []*accountant.Ledger{zcdp(t, dp.AddRemove), pure(t, dp.AddRemove), gdp(t, dp.AddRemove)} {
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		values := map[string][]float64{}
		for _, r := range requests() {
			release, err := g.answer(r)
			if err != nil {
				continue // selections under GDP
			}
			values["total"] = append(values["total"], release.Total.Units)
			values["max"] = append(values["max"], release.MaxError.Counts)
			for _, m := range release.Measurements {
				stage := "measure"
				if r.Method == MeasureQueries || r.Method == Votes {
					stage = r.Stage
				}
				values[stage] = append(values[stage], m.Values...)
			}
		}
		for _, e := range l.Events() {
			for _, v := range values[e.Stage] {
				if x := math.Ldexp(v, e.GridBits); x != math.Trunc(x) {
					t.Errorf("%v: %s released %v, not a multiple of 2^-%d", l.Params().Accounting, e.Stage, v, e.GridBits)
				}
			}
			if fine := l.Params().Accounting == dp.GaussianOnly; fine != (e.GridBits > 0) && e.Stage == "measure" {
				t.Errorf("%v: grid 2^-%d", l.Params().Accounting, e.GridBits)
			}
		}
	}
}

func TestTotalIsPublicUnderReplace(t *testing.T) {
	l := zcdp(t, dp.Replace)
	total, err := testGate(t, []int64{3, 0, 7, 1}, l).curator().Total("total", dp.Share{})
	must.Hold(t, err == nil && total == (query.Total{Units: 11}) && len(l.Events()) == 0, "total %v, %v, %d events", total, err, len(l.Events()))
}

func TestInCounts(t *testing.T) {
	for _, c := range []struct {
		value     int64
		valueBits int
		noise     int64
		noiseBits int
	}{
		{5, 0, -7, 0}, {5, 0, -7, 3}, {-5, 2, 7, 9}, {1 << 40, 0, 1<<62 + 12345, 36}, {1 << 60, 20, -1 << 62, 36},
		{-1 << 61, 20, math.MinInt64, 20}, {math.MaxInt64, 20, math.MaxInt64, 36}, {1<<53 + 1, 0, 0, 0}, {1<<53 + 1, 0, 1, 0}, {1 << 53, 0, 1, 0},
		{0, 0, 0, 36}, {math.MinInt64, 0, math.MinInt64, 0},
	} {
		power := func(bits int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(bits)) }
		want := new(big.Rat).SetFrac(big.NewInt(c.value), power(c.valueBits))
		want.Add(want, new(big.Rat).SetFrac(big.NewInt(c.noise), power(c.noiseBits)))
		nearest, _ := want.Float64()
		must.Equal(t, inCounts(c.value, c.valueBits, c.noise, c.noiseBits), nearest, "%v", c)
	}
}

// TestMaxErrorRoundsUp: the released figure less its noise is never below the true one.
func TestMaxErrorRoundsUp(t *testing.T) {
	for _, c := range []struct {
		x        int64
		to       int
		want     int64
		wantBits int
	}{{1, 0, 1, 0}, {0, 0, 0, 0}, {1 << 20, 0, 1, 0}, {1<<20 + 1, 0, 2, 0}, {3, 19, 2, 19}, {7, 20, 7, 20}, {7, 30, 7, 20}} {
		got, bits := ceilTo(c.x, 20, c.to)
		must.Hold(t, got == c.want && bits == c.wantBits, "%d·2^-20 up to 2^-%d: %d·2^-%d, want %d·2^-%d", c.x, c.to, got, bits, c.want, c.wantBits)
	}
}

// TestStrongSelections: with next to no noise, selections return the largest score, with its sign.
func TestStrongSelections(t *testing.T) {
	w, model := small() // marginals {0}, {1}, {0,1}
	for _, n := range relations {
		l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.Pure, Epsilon: 1e6})
		for i := range model {
			copy(model[i], table{square, []int64{90, 80, 70, 60}}.floats(w.Marginals[i].Clique))
		}
		model[2][3] += 10 // the model exceeds the data here
		model[1][0] -= 4
		g := testGate(t, []int64{90, 80, 70, 60}, l)
		cell, err := g.curator().SelectCell("cell", 1, w, model, 300, dp.ShareOf(1, 9))
		want := (query.Cell{Marginal: 2, Cell: 3, Sign: -1})
		must.Hold(t, err == nil && cell == want, "%v: cell %v, %v, want %v", n, cell, err, want)
		cell, err = g.curator().LaplaceMaxCell("laplace", 1, w, model, 1e-3)
		want = (query.Cell{Marginal: 2, Cell: 3, Sign: -1})
		must.Hold(t, err == nil && cell == want, "%v: Laplace cell %v, %v, want %v", n, cell, err, want)
		block, err := g.curator().SelectBlock("block", 1, w, model, dp.ShareOf(1, 9))
		must.Hold(t, err == nil && block.Marginal == 2 && len(block.Signs) == 4 && block.Signs[3] == -1, "%v: block %v, %v", n, block, err)
		most, err := g.curator().MaxError("max", w, model, dp.ShareOf(1, 9))
		must.Hold(t, err == nil && most.Counts == 10, "%v: largest error %v, %v", n, most, err)
	}
}

func (t table) floats(c domain.Clique) (values []float64) {
	for _, n := range t.Marginal(c) {
		values = append(values, float64(n))
	}
	return values
}
