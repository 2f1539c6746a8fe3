package query

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// differences returns every difference of a tree over counts of codes.
func differences(s TreeShape, counts []int64) (out []int64) {
	up, null := s.Cumulative(counts)
	for level := range s.Levels() {
		nodes := 1 << level
		if s.Null {
			nodes = max(1, 1<<level/2)
		}
		for i := range nodes {
			if i<<(s.Levels()-level) < s.Values {
				out = append(out, s.Difference(up, null, level, i))
			}
		}
	}
	return out
}

// TestTreeSensitivityByEnumeration adds and replaces each record of each tree of few codes.
func TestTreeSensitivityByEnumeration(t *testing.T) {
	for values := 2; values <= 17; values++ {
		for _, null := range []bool{false, true} {
			s := TreeShape{values, null}
			vectors := make([][]int64, s.Codes())
			for v := range vectors {
				counts := make([]int64, s.Codes())
				counts[v] = 1
				vectors[v] = differences(s, counts)
			}
			added, replaced := int64(0), int64(0)
			for _, x := range vectors {
				for _, y := range vectors {
					one, two := int64(0), int64(0)
					for i := range x {
						one += x[i] * x[i]
						two += (x[i] - y[i]) * (x[i] - y[i])
					}
					added, replaced = max(added, one), max(replaced, two)
				}
			}
			whole := values&(values-1) == 0
			for n, want := range map[dp.Neighbouring]int64{dp.AddRemove: added, dp.Replace: replaced} {
				got := int64(s.L2Squared(n))
				must.Hold(t, got >= want && (!whole || got == want), "%v %+v: Δ² = %d, and records change %d", n, s, got, want)
			}
		}
	}
}

// TestDescendWithoutNoise: exact differences give the counts back, of codes that are no power of two as well.
func TestDescendWithoutNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, s := range []TreeShape{{2, false}, {13, true}, {64, true}, {100, false}} {
		counts, total := make([]int64, s.Codes()), int64(0)
		for v := range counts {
			counts[v] = int64(rng.IntN(4)) * int64(rng.IntN(50))
			total += counts[v]
		}
		got := make([]float64, s.Codes())
		for _, p := range s.Descend(float64(total), 0, exactly(s, counts)) {
			for v := p.From; v < p.To; v++ {
				got[v] += p.Count / float64(p.To-p.From)
			}
		}
		for v, n := range counts {
			must.Hold(t, math.Abs(got[v]-float64(n)) <= 1e-9, "%+v: code %d has %g records, want %d", s, v, got[v], n)
		}
	}
}

// TestDescendOfPaddedRanges: records whose numbers below and above the middle of a padded range are about the same, wherever they lie, are
// told from even values: nowhere are the records below a value off by more than 8 standard deviations of the noise, which is fixed.
// Nights of a day in minutes were spread over the day.
func TestDescendOfPaddedRanges(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		s := TreeShape{Values: 5 + rng.IntN(3000)}
		middle, half := 1<<s.halvings()/2, 1000+rng.IntN(4000)
		counts, total := make([]int64, s.Codes()), 0.0
		for _, of := range [2][2]int{{0, middle}, {middle, s.Values}} {
			from := of[0] + rng.IntN(of[1]-of[0])
			wide := 1 + rng.IntN(of[1]-from)
			for range half {
				counts[from+rng.IntN(wide)]++
				total++
			}
		}
		const sigma = 10
		exact, got := exactly(s, counts), make([]float64, s.Codes())
		for _, p := range s.Descend(total, sigma*sigma, func(level, index int) float64 { return exact(level, index) + sigma*rng.NormFloat64() }) {
			for v := p.From; v < p.To; v++ {
				got[v] = p.Count / float64(p.To-p.From)
			}
		}
		off, worst := 0.0, 0.0
		for v, n := range counts {
			off += got[v] - float64(n)
			worst = max(worst, math.Abs(off))
		}
		must.Hold(t, worst <= 8*sigma, "seed %d, %d values: records below a value are off by %g of %g", seed, s.Values, worst, total)
	}
}

func exactly(s TreeShape, counts []int64) func(level, index int) float64 {
	up, null := s.Cumulative(counts)
	return func(level, index int) float64 { return float64(s.Difference(up, null, level, index)) }
}

// TestDescendHoldsBack: records at the low end of a wide range, noise of 100: nothing is put far out, frequent values
// are found, and the pieces cover all codes and records. A far half gets a count of 3·σ/2 by chance once in 700 nodes.
func TestDescendHoldsBack(t *testing.T) {
	s := TreeShape{1 << 20, true}
	counts := make([]int64, s.Codes())
	counts[0], counts[999] = 9000, 5000
	for v := range 1000 {
		counts[v] += 16
	}
	counts[1<<20] = 2000
	exact := exactly(s, counts)
	bad := 0
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 2))
		list := s.Descend(32_000, 1e4, func(level, index int) float64 { return exact(level, index) + 100*rng.NormFloat64() })
		sum, far, at := 0.0, 0.0, 0
		for _, p := range list {
			must.Need(t, p.From == at && p.Count >= 0, "seed %d: piece %+v after code %d", seed, p, at)
			at, sum = p.To, sum+p.Count
			if p.From >= 2048 && p.To <= s.Values {
				far += p.Count
			}
		}
		must.Need(t, at == s.Codes() && math.Abs(sum-32_000) <= 1e-6, "seed %d: %d codes and %g records", seed, at, sum)
		zero := list[slices.IndexFunc(list, func(p Piece) bool { return p.From == 0 })]
		null := list[len(list)-1]
		must.Hold(t, zero.To == 1 && math.Abs(zero.Count-9016) <= 500 && math.Abs(null.Count-2000) <= 300, "seed %d: zeros %+v, NULL %+v", seed, zero, null)
		if far > 0 {
			bad++
		}
	}
	must.Hold(t, bad <= 4, "%d of 20 runs put records far out", bad) // 10 far halves each: P(more than 4 of 20) < 1e-5
}
