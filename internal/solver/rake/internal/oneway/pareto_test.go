package oneway

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestTails: means and standard deviations of amounts with long tails, from trees with noise, in ranges that end with
// the values and in wider ones. The seeds are fixed, so that nothing is left to chance: standard deviations are off by
// factors of 1.01 to 1.15, and without extendTails by up to 1.32.
func TestTails(t *testing.T) {
	const n, runs = 30_000, 10
	logNormal := func(rng *rand.Rand) float64 { return math.Exp(rng.NormFloat64()) }
	for _, c := range []struct {
		name         string
		values       int
		room, sigma  float64 // the range over the largest value; noise of a difference
		draw         func(rng *rand.Rand) float64
		mean, spread float64 // the mean distances allowed: of means in standard deviations, of log standard deviations
	}{
		{"exponential", 20_000, 1, 150, func(rng *rand.Rand) float64 { return rng.ExpFloat64() }, .02, .05},
		{"log-normal", 100_000, 1, 150, logNormal, .02, .08},
		{"log-normal, wide range", 1_000_000, 5, 150, logNormal, .02, .16},
		{"log-normal, little noise", 100_000, 1, 30, logNormal, .01, .05},
		{"mostly zero", 100_000, 1, 150, func(rng *rand.Rand) float64 {
			if rng.Float64() < .9 {
				return 0
			}
			return logNormal(rng)
		}, .025, .13},
		{"Pareto", 100_000, 1, 150, func(rng *rand.Rand) float64 { return math.Pow(1-rng.Float64(), -1/3.5) }, .02, .08},
		{"lower tail", 100_000, 1, 150, func(rng *rand.Rand) float64 { return max(0, 40-logNormal(rng)) }, .03, .16},
	} {
		counts, mean, sd := sample(c.values, n, c.room, c.draw)
		s := query.TreeShape{Values: c.values}
		up, null := s.Cumulative(counts)
		off, spread := 0.0, 0.0
		for seed := range uint64(runs) {
			noise := rand.New(rand.NewPCG(seed, 2))
			tree := query.Tree{Shape: s, Variance: c.sigma * c.sigma}
			pieces := s.Descend(n, tree.Variance, func(level, index int) float64 {
				y := float64(s.Difference(up, null, level, index)) + math.Round(c.sigma*noise.NormFloat64())
				tree.Nodes = append(tree.Nodes, query.TreeNode{Level: level, Index: index, Difference: y})
				return y
			})
			pieces, _, _ = extendTails(pieces, tree.Halvings(), c.values, c.sigma, nil)
			p := NewProfile(pieces, c.values)
			if math.Abs(p.Total()-n) > 1e-6*n || p.pieces[len(p.pieces)-1].To != c.values {
				t.Fatalf("%s: %g records up to %d", c.name, p.Total(), p.pieces[len(p.pieces)-1].To)
			}
			m, m2 := p.up[len(p.pieces)][1]/p.Total(), p.up[len(p.pieces)][2]/p.Total()
			off += math.Abs(m-mean) / sd / runs
			spread += math.Abs(math.Log(m2-m*m)/2-math.Log(sd)) / runs
		}
		t.Logf("%s: means %.3f sd off, sd by a factor of %.3f", c.name, off, math.Exp(spread))
		must.Hold(t, off <= c.mean && spread <= c.spread, "%s: means %.3f sd off, want %g; log sd %.3f, want %g", c.name, off, c.mean, spread, c.spread)
	}
}

// TestEndsOfRanges: a column that is even up to the ends of its range keeps its mass there, at 3,000 and 20,000 records; and
// an exponential one in a range three times as wide keeps its standard deviation. The noise is what a tree has of two
// columns at ε = 1. Seeds are fixed.
func TestEndsOfRanges(t *testing.T) {
	const values, runs, sigma, part = 10_000, 40, 60., .03
	for _, c := range []struct {
		n          int
		room       float64
		draw       func(rng *rand.Rand) float64
		ends, most float64 // the least mass at the ends, of the true one; the most log standard deviation
	}{
		{3000, 1, func(rng *rand.Rand) float64 { return rng.Float64() }, .85, .03},
		{20_000, 1, func(rng *rand.Rand) float64 { return rng.Float64() }, .9, .01},
		{3000, 3, func(rng *rand.Rand) float64 { return rng.ExpFloat64() }, 0, .2},
		{20_000, 3, func(rng *rand.Rand) float64 { return rng.ExpFloat64() }, 0, .1},
	} {
		counts, _, sd := sample(values, c.n, c.room, c.draw)
		s := query.TreeShape{Values: values}
		up, null := s.Cumulative(counts)
		lowest, highest := float64(up[int(part*values)]), float64(int64(c.n)-up[values-int(part*values)])
		ends, spread, apart := 0.0, 0.0, 0.0
		for seed := range uint64(runs) {
			noise := rand.New(rand.NewPCG(seed, 2))
			tree := query.Tree{Shape: s, Variance: sigma * sigma}
			pieces := s.Descend(float64(c.n), tree.Variance, func(level, index int) float64 {
				y := float64(s.Difference(up, null, level, index)) + math.Round(sigma*noise.NormFloat64())
				tree.Nodes = append(tree.Nodes, query.TreeNode{Level: level, Index: index, Difference: y})
				return y
			})
			pieces, _, _ = extendTails(pieces, tree.Halvings(), values, sigma, nil)
			p := NewProfile(pieces, values)
			low, high := p.Between(0, int(part*values))/lowest, p.Between(values-int(part*values), values)/max(highest, 1)
			ends += (low + high) / 2 / runs
			apart += (math.Abs(low-1) + math.Abs(high-1)) / 2 / runs
			m, m2 := p.up[len(p.pieces)][1]/p.Total(), p.up[len(p.pieces)][2]/p.Total()
			spread += (math.Log(m2-m*m)/2 - math.Log(sd)) / runs
		}
		t.Logf("%d records, range %g: ends %.3f (apart %.3f), log sd %.3f", c.n, c.room, ends, apart, spread)
		must.Hold(t, (c.ends <= 0 || math.Abs(ends-1) <= 1-c.ends) && math.Abs(spread) <= c.most,
			"%d records, range %g: %.3f of the mass at the ends, want %g to %g; log sd %.3f, want at most %g", c.n, c.room, ends, c.ends, 2-c.ends, spread, c.most)
	}
}

// sample returns counts of the values of a range, their mean and standard deviation.
func sample(values, n int, room float64, draw func(*rand.Rand) float64) (counts []int64, mean, sd float64) {
	rng := rand.New(rand.NewPCG(7, 8))
	list, largest := make([]float64, n), 0.0
	for i := range list {
		list[i] = draw(rng)
		largest = max(largest, list[i])
	}
	counts = make([]int64, values)
	for _, x := range list {
		v := math.Round(x / (largest * room) * float64(values-1))
		counts[int(v)]++
		mean, sd = mean+v/float64(n), sd+v*v/float64(n)
	}
	return counts, mean, math.Sqrt(sd - mean*mean)
}

// TestParetoEnds: above and end undo each other, for each sign of the shape.
func TestParetoEnds(t *testing.T) {
	for _, shape := range []float64{-.5, 0, .4} {
		p := pareto{from: 100, count: 500, scale: 30, shape: shape}
		for _, count := range []float64{500, 100, 3, .5} {
			got := p.above(p.end(count))
			must.Hold(t, math.Abs(got-count) <= 1e-9*count, "shape %g: %g records above the end of %g", shape, got, count)
		}
	}
}
