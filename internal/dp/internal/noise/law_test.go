package noise

import (
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// exact is the largest difference between an enumerated law and its formula: a few units of the last
// place of 1.
const exact = 1e-15

func TestBernExpLaw(t *testing.T) {
	type fraction struct{ p, q uint64 }
	for _, f := range []fraction{{0, 5}, {1, 7}, {1, 1}, {3, 4}, {5, 2}, {9, 4}, {math.MaxUint64, 1 << 63}} {
		want := math.Exp(-float64(f.p) / float64(f.q))
		for name, code := range map[string]func(*tree) (bool, bool){
			"narrow": func(s *tree) (bool, bool) { return bernExp(s, f.p, f.q), true },
			"wide":   func(s *tree) (bool, bool) { return bernExpWide(s, wide{f.p}, wide{f.q}), true },
			"widest": func(s *tree) (bool, bool) {
				return bernExpWide(s, wide{0, 0, f.p}, wide{0, 0, f.q}), true
			},
		} {
			law, lost := enumerate(1e-19, code)
			must.Hold(t, math.Abs(law[true]-want) <= lost+exact && lost <= 1e-15,
				"%s: P(BernExp(%d/%d)) = %.17g, want %.17g; lost %g", name, f.p, f.q, law[true], want, lost)
		}
	}
}

// compareLaw normalises an enumerated law and compares it with weights, over the results −reach..reach.
func compareLaw(t *testing.T, law map[int64]float64, lost float64, reach int64, weight func(y float64) float64) {
	t.Helper()
	accepted := normalize(law)
	sum := 0.0
	for y := int64(-10_000); y <= 10_000; y++ {
		sum += weight(float64(y))
	}
	for y := -reach; y <= reach; y++ {
		want := weight(float64(y)) / sum
		must.Hold(t, math.Abs(law[y]-want) <= exact+4*lost/accepted, "P(%d) = %.17g, want %.17g", y, law[y], want)
	}
	must.Hold(t, lost <= 1e-15, "lost %g", lost)
	must.Hold(t, accepted >= .2, "acceptance %g, want at least .2", accepted) // .45 for each of the two rejections of a Gaussian
}

func TestLaplaceTrialLaw(t *testing.T) {
	for _, scale := range []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 2), big.NewRat(7, 1), big.NewRat(1, 3), big.NewRat(20, 7)} {
		l := must.Value(NewLaplace(scale))(t)
		law, lost := enumerate(1e-19, func(s *tree) (int64, bool) { return l.Trial(s) })
		b, _ := scale.Float64()
		compareLaw(t, law, lost, 40, func(y float64) float64 { return math.Exp(-math.Abs(y) / b) })
	}
}

func TestGaussianTrialLaw(t *testing.T) {
	for _, v := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 3), big.NewRat(5, 2), big.NewRat(9, 1),
		big.NewRat(16, 1), big.NewRat(2499, 100), big.NewRat(1<<40+1, 1<<38)} {
		g := must.Value(NewGaussian(v))(t)
		law, lost := enumerate(1e-19, func(s *tree) (int64, bool) { return g.Trial(s) })
		variance, _ := v.Float64()
		compareLaw(t, law, lost, 30, func(y float64) float64 { return math.Exp(-y * y / (2 * variance)) })
	}
}

func TestSelectorTrialLaw(t *testing.T) {
	for _, c := range []struct {
		name   string
		scores []int64
		scale  uint64
	}{
		{"one", []int64{-5}, 3},
		{"ties", []int64{4, 4, 1, 4}, 2},
		{"negative", []int64{-7, 0, 3, -1}, 5},
		{"gap of 700 scales", []int64{0, 700 << 20}, 1 << 20},
		{"widest", []int64{math.MinInt64, math.MaxInt64 / 2, math.MaxInt64}, math.MaxUint64 / 8},
		{"best last", []int64{1, 2, 9}, 2},
	} {
		scores := make([]Score, len(c.scores))
		for i, v := range c.scores {
			scores[i] = ScoreOf(v)
		}
		sel := NewSelector(scores, c.scale)
		law, lost := enumerate(0, func(s *tree) (int, bool) { return sel.Trial(s) })
		normalize(law)
		sum, best := 0.0, float64(c.scores[len(c.scores)-1])
		for _, v := range c.scores {
			sum += math.Exp((float64(v) - best) / float64(c.scale))
		}
		for i, v := range c.scores {
			want := math.Exp((float64(v)-best)/float64(c.scale)) / sum
			must.Hold(t, math.Abs(law[i]/want-1) <= 1e-13 && law[i] > 0 && lost == 0, "%s: P(%d) = %g, want %g", c.name, i, law[i], want)
		}
	}
}

// TestSelectorWideGap asks for the coin of a gap of 800 scales, where exp underflows in the enumerated
// law: the request itself must be exact.
func TestSelectorWideGap(t *testing.T) {
	for _, gap := range []Score{ScoreOf(800 << 32), {Hi: 5, Lo: 7}} {
		r := &recordingSource{index: 1}
		sel := NewSelector([]Score{gap.Plus(3), ScoreOf(3)}, 1<<32)
		sel.Trial(r)
		must.Hold(t, r.p == (wide{gap.Lo, uint64(gap.Hi)}) && r.q == (wide{1 << 32}), "gap %v: asked for exp(−%v/%v)", gap, r.p, r.q)
	}
}

type recordingSource struct {
	index uint64
	p, q  wide
}

func (r *recordingSource) Below(uint64) uint64 { return r.index }
func (r *recordingSource) BernExp(p, q uint64) bool {
	r.p, r.q = wide{p}, wide{q}
	return false
}
func (r *recordingSource) BernExpWide(p, q [4]uint64) bool {
	r.p, r.q = p, q
	return false
}

func TestSignTrialLaw(t *testing.T) {
	for _, c := range []struct {
		e     int64
		scale uint64
	}{{0, 3}, {2, 3}, {-2, 3}, {-50, 7}, {1 << 61, 1 << 60}} {
		law, _ := enumerate(0, func(s *tree) (int8, bool) { return SignTrial(s, c.e, c.scale) })
		normalize(law)
		want := 1 / (1 + math.Exp(-2*float64(c.e)/float64(c.scale)))
		must.Hold(t, math.Abs(law[1]-want) <= exact, "P(+ | e %d, scale %d) = %.17g, want %.17g", c.e, c.scale, law[1], want)
	}
}
