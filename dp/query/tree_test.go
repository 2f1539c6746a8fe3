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
			s := TreeShape{Values: values, Null: null}
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
	for _, s := range []TreeShape{{Values: 2}, {Values: 13, Null: true}, {Values: 64, Null: true}, {Values: 100}, {Values: 100, Null: true, Own: []int{0, 1, 40, 98, 99}}} {
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

// TestDescendCountsOwn: values of their own have pieces to themselves, whose counts are off by the standard deviation that their
// differences leave, whatever the others are, though the noise hides them; all records stay, and no difference is
// asked for twice. The noise is fixed: the chance of a miss was below 1e-6.
func TestDescendCountsOwn(t *testing.T) {
	squares, variance, n := 0.0, 0.0, 0.0
	for seed := range uint64(600) {
		rng := rand.New(rand.NewPCG(seed, 4))
		s := TreeShape{Values: 30 + rng.IntN(3000), Null: seed%2 == 0}
		for v := range s.Values {
			if v > s.Values-1-rng.IntN(3) || rng.IntN(s.Values) == 0 {
				s.Own = append(s.Own, v)
			}
		}
		counts, total := make([]int64, s.Codes()), int64(0)
		for range 20_000 {
			counts[min(int(float64(s.Values)/20*rng.ExpFloat64()), s.Values-1)]++
		}
		for _, v := range s.Own {
			counts[v] = 300 + rng.Int64N(100)
		}
		for _, c := range counts {
			total += c
		}
		const sigma = 60
		exact, drawn := exactly(s, counts), map[[2]int]bool{}
		left, at := float64(total), 0
		for _, p := range s.Descend(float64(total), sigma*sigma, func(level, index int) float64 {
			must.Hold(t, !drawn[[2]int{level, index}], "%+v: node %d of level %d is drawn twice", s, index, level)
			drawn[[2]int{level, index}] = true
			return exact(level, index) + sigma*rng.NormFloat64()
		}) {
			must.Hold(t, p.From == at && p.Count >= 0, "%+v: piece %+v comes after %d", s, p, at)
			at, left = p.To, left-p.Count
			if slices.Contains(s.Own, p.From) {
				must.Hold(t, p.To == p.From+1, "%+v: piece %+v", s, p)
				off := p.Count - float64(counts[p.From])
				squares, variance, n = squares+off*off, variance+sigma*sigma/3, n+1
			}
		}
		must.Hold(t, at == s.Codes() && math.Abs(left) < 1e-6, "%+v: pieces end at %d, without %g records", s, at, left)
	}
	must.Hold(t, math.Abs(squares/variance-1) < 8*math.Sqrt(2/n), "counts of %g values are off by %g in the mean, want %g", n, squares/n, variance/n)
}

func exactly(s TreeShape, counts []int64) func(level, index int) float64 {
	up, null := s.Cumulative(counts)
	return func(level, index int) float64 { return float64(s.Difference(up, null, level, index)) }
}

// TestDescendHoldsBack: records at the low end of a wide range, noise of 100: nothing is put far out, frequent values
// are found, and the pieces cover all codes and records. A far half gets a count of 3·σ/2 by chance once in 700 nodes.
func TestDescendHoldsBack(t *testing.T) {
	s := TreeShape{Values: 1 << 20, Null: true}
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
