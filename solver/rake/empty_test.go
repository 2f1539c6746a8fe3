package rake

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
)

// TestEmptyCells: cells without records are told from others in a table of which nine tenths are empty, and hardly any
// cell of a table of independent columns is taken to be empty. Fixed seed.
func TestEmptyCells(t *testing.T) {
	const cells, base, sigma = 1000, 300, 60
	rng := rand.New(rand.NewPCG(1, 1))
	e := &emptiness{base: slices.Repeat([]float64{base}, cells), scale: math.Pow(1.5*base, 2) / math.Pow(base, priorPower)}
	counts := make([]float64, cells)
	for i := range counts {
		if i%10 == 0 {
			counts[i] = 10 * base
		}
		counts[i] += sigma * rng.NormFloat64()
	}
	empty, full := 0.0, 0.0
	for i, p := range e.of(counts, sigma*sigma) {
		if i%10 == 0 {
			full = max(full, p)
		} else {
			empty += p / (.9 * cells)
		}
	}
	if !(empty > .9) || !(full < 1e-6) {
		t.Errorf("an empty cell is empty with probability %g, another with at most %g; want above .9, below 1e-6", empty, full)
	}
	e.scale /= 100
	for i := range counts {
		counts[i] = base + sigma*rng.NormFloat64()
	}
	sum := 0.0
	for _, p := range e.of(counts, sigma*sigma) {
		sum += p
	}
	if sum > .001*cells {
		t.Errorf("%g of %d cells of independent columns are taken to be empty, want at most a thousandth", sum, cells)
	}
}

// TestEmptyCellsThatDoNotShow: where a base is within noise nothing is moved.
func TestEmptyCellsThatDoNotShow(t *testing.T) {
	e := &emptiness{base: []float64{0, 50, 119, 500}, scale: 1}
	p := e.of([]float64{0, 0, 0, 0}, 60*60)
	if p[0] != 0 || p[1] != 0 || p[2] != 0 || !(p[3] > 0) {
		t.Errorf("probabilities %v, want 0 below twice the noise and more above", p)
	}
}

// TestTargetsOfEmptyCells: targets of empty cells move to 0, and the one-ways of a target stay, as those of the fit
// would follow. Fixed seed.
func TestTargetsOfEmptyCells(t *testing.T) {
	const k, base, sigma = 20, 300., 60.
	rng := rand.New(rand.NewPCG(2, 1))
	shape, counts := []int{k, k}, make([]float64, k*k)
	for i := range counts {
		if i/k == i%k {
			counts[i] = k * base
		}
		counts[i] += sigma * rng.NormFloat64()
	}
	m := &measurement{values: slices.Clone(counts), precision: 1 / (sigma * sigma), ridge: slices.Repeat([]float64{1}, k*k), shape: shape,
		table: population.NewTable(shape, domain.Clique{0, 1}, make([]float64, k*k), make([]float64, k*k)),
		empty: &emptiness{base: slices.Repeat([]float64{base}, k*k), scale: math.Pow(1.5*base, 2) / math.Pow(base, priorPower)}}
	population.Center(m.values, shape)
	m.lower = lowerPart(counts, shape)
	m.aim()
	before, after := 0.0, 0.0
	for i, x := range counts {
		if i/k != i%k {
			before += math.Abs(x)
			after += math.Abs(m.table.Target[i])
		}
		counts[i] -= m.table.Target[i]
	}
	if !(after < before/2) {
		t.Errorf("empty cells are %g from 0 in all, and were %g", after, before)
	}
	for i, x := range lowerPart(counts, shape) {
		if math.Abs(x) > 1e-6 {
			t.Fatalf("cell %d: the one-ways' part of the target has moved by %g", i, x)
		}
	}
}
