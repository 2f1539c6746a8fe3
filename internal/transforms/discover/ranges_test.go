package discover

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Cells of magnitudes hold their numbers.
func TestMagnitudes(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 2, 3, 4, 1000, -1000, .5, .01, 1e-12, 1e18, -1e18, 1e30} {
		low, high := within(magnitude(x))
		inside := low <= x && x <= high
		must.Hold(t, inside || x >= 1e19 || x == 1e-12, "%g is in a cell from %g to %g", x, low, high)
	}
	for i := range magnitudeCells - 2 {
		_, a := within(i)
		b, _ := within(i + 1)
		must.Hold(t, a <= b, "cell %d ends at %g, and the next begins at %g", i, a, b)
	}
}

// TestUsedPlaces: the number decides its places, however it is written, and no text costs more than its length.
func TestUsedPlaces(t *testing.T) {
	for text, want := range map[string]int{
		"0": 0, "-0.000": 0, "0e-5": 0, "7": 0, "1500": 0, "1.0": 0, "1.50": 1, "+.25": 2, "-12.340": 2, "5.": 0, "12.5e1": 0, "12.5e0": 1, "1500e-2": 0, "1500e-3": 1,
		"1E-7": 7, "2.5e-08": 9, "1.23456789": 8, "0.1234567891": 10, "1e-300": 10, "1e300": 0, "1e-300000000": 10, "1e300000000": 0, "1e-99999999999999999999": 10,
		"1.000000000000000000000000000000000000000000000": 0, "1" + strings.Repeat("0", 60): 0,
	} {
		must.Equal(t, usedPlaces([]byte(text)), want, "%s: places", text)
	}
	c, _, _ := (&reader{Column: Column{Untyped: true}}).place([]byte("1e-300000000"), false)
	must.Hold(t, c[kindOf] == decimalCell && c[magnitudeOf] == powers, "a number below all floats is in cells %v, want 0", c)
}

// TestFarCellsHaveToStandOut: of noise alone a cell far from the range never makes an end of it: farFalse of the columns at
// most, which 10,000 draws see with probability .001. Cells at the end are found at 4.8 standard deviations, and cells far
// off at 7. The noise alone makes a range longer by the cells next to it in nearFalse of the columns: more than
// 4 of 10,000 are there with a probability below 1e-5. Where nothing is, a range is seen in firstFalse of the columns: more
// than 35 with a probability below 1e-6.
func TestFarCellsHaveToStandOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	draw := func(signal map[int]float64) noisy {
		n := noisy{make([]float64, magnitudeCells-1), 20}
		for i := range n.cells {
			n.cells[i] = n.sigma * (signal[i] + rng.NormFloat64())
		}
		return n
	}
	far, near, nothing := 0, 0, 0
	for range 10_000 {
		first, last, ok := draw(map[int]float64{100: 50, 101: 50}).seen(nil)
		must.Need(t, ok && first <= 100 && last >= 101, "a range from 100 to 101 is seen from %d to %d, %v", first, last, ok)
		if first < 100 || last > 101 {
			near++
		}
		if first < 100-2*reach-widest || last > 101+2*reach+widest {
			far++
		}
		if _, _, ok := draw(nil).seen(nil); ok {
			nothing++
		}
	}
	must.Hold(t, far == 0 && near <= 4 && nothing <= 35, "noise makes %d far ends, %d near ones and %d ranges where nothing is, of 10,000", far, near, nothing)
	for _, c := range []struct {
		signal      map[int]float64
		first, last int
	}{
		{map[int]float64{100: 50, 102: 4.8}, 100, 102},
		{map[int]float64{100: 50, 104: 5}, 100, 100}, // above the bar of single cells, and far
		{map[int]float64{100: 50, 150: 6}, 100, 100},
		{map[int]float64{100: 50, 150: 7, 152: 4.8}, 100, 152},
		{map[int]float64{50: 7, 100: 50}, 50, 100},
		{map[int]float64{100: 50, 101: 3.5, 102: 3.5}, 100, 101},                   // two together
		{map[int]float64{100: 50, 120: 4, 121: 3.8, 122: 3.8, 123: 4.8}, 100, 123}, // the four together, then one by one
		{map[int]float64{100: 50, 98: 4.8, 96: 4.8, 0: 5, magnitudeCells - 2: 5}, 96, 100},
		{map[int]float64{0: 50, magnitudeCells - 2: 50}, 0, magnitudeCells - 2},
	} {
		n := noisy{make([]float64, magnitudeCells-1), 20}
		for i, x := range c.signal {
			n.cells[i] = n.sigma * x
		}
		first, last, ok := n.seen(nil)
		must.Hold(t, ok && first == c.first && last == c.last, "%v: seen from %d to %d, want %d to %d", c.signal, first, last, c.first, c.last)
	}
}

// TestRangesReachAcrossZero: of temperatures few are below 0. They stand out where a cell far above does not, since the range is
// hardly wider with them; and noise alone makes it longer in nextFalse of the columns at each end, and at 0: more than 1,800 of
// 10,000 are there with a probability below 1e-6.
func TestRangesReachAcrossZero(t *testing.T) {
	find := func(cells []float64, sigma float64) (lo, hi string) {
		f := FoundColumn{Type: domain.Numeric}
		f.number(Column{Type: domain.Numeric}, 10_000, figures{sizes: noisy{cells, sigma}})
		return f.Min, f.Max
	}
	below := func(power int) int { return power + 1 - leastPower } // cells from 0 to the one of the numbers below 2^power
	cells := make([]float64, magnitudeCells)
	cells[powers+below(5)], cells[powers+below(6)], cells[powers+below(7)] = 40, 60, 30 // of numbers from 16 to 127
	cells[powers-below(4)] = 5.8                                                        // -15 to -8
	cells[magnitudeCells-1] = 10_000 - 136                                              // no numbers
	if lo, hi := find(cells, 1); lo != "-15" || hi != "127" {
		t.Errorf("found from %s to %s", lo, hi)
	}
	cells[powers-below(4)], cells[powers+below(11)] = 0, 5.8 // 1024 and more
	if lo, hi := find(cells, 1); lo != "16" || hi != "127" {
		t.Errorf("found from %s to %s", lo, hi)
	}
	rng, longer := rand.New(rand.NewPCG(9, 9)), 0
	for range 10_000 {
		for i := range cells {
			cells[i] = rng.NormFloat64()
		}
		cells[magnitudeCells-1] += 10_000 - 130
		cells[powers+below(5)], cells[powers+below(6)], cells[powers+below(7)] = 40, 60, 30
		if lo, hi := find(cells, 1); lo != "16" || hi != "127" {
			longer++
		}
	}
	must.Hold(t, longer <= 1800, "noise makes %d of 10,000 ranges longer", longer)
}

// TestEndsThatFade: of few people, values that fade out over some magnitudes are cut off where less than a twentieth of them is
// beyond, in the mean of 2,000 draws. Its standard deviation is below .001, and the bound 20 of them away.
func TestEndsThatFade(t *testing.T) {
	rng, cut := rand.New(rand.NewPCG(3, 1)), 0.
	const people, sigma, draws = 740, 12, 2000
	for range draws {
		truth := make([]float64, magnitudeCells)
		for range people {
			truth[magnitude(math.Exp(4+1.6*rng.NormFloat64()))]++
		}
		n := blurred(rng, noisy{slices.Clone(truth), sigma})
		f := FoundColumn{Type: domain.Numeric}
		e, ok := f.extent(n)
		must.Need(t, ok, "nothing is seen")
		cut += 1 - sum(truth[e.first:e.last+1])/people
	}
	cut /= draws
	must.Hold(t, cut <= .05, "%.3f of the values are beyond the range", cut)
}
