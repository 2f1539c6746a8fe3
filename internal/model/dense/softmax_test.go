package dense

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestExpShifted checks the stated relative error of 4e-16 against math.Exp, whose own is below 2e-16.
func TestExpShifted(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x := []float64{0, -1e-300, -1e-17, -.5, -1, -math.Ln2, -10, -700, -707.99999, -708}
	for range 200_000 {
		x = append(x, -708*math.Pow(rng.Float64(), 4))
	}
	out := make([]float64, len(x))
	expShifted(out, x, 0)
	worst := 0.0
	for i, v := range x {
		worst = max(worst, math.Abs(out[i]/math.Exp(v)-1))
	}
	must.Hold(t, worst <= 6e-16, "relative difference %g to math.Exp, want at most 6e-16", worst)
	expShifted(out[:2], []float64{-709, math.Inf(-1)}, 0)
	must.Hold(t, out[0] == 0 && out[1] == 0, "exp(-709), exp(-Inf) = %g, %g, want 0", out[0], out[1])
}

func TestSoftmax(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name  string
		theta []float64
		logZ  float64
		first float64
	}{
		{"one cell", []float64{7}, 7, 1},
		{"uniform", []float64{0, 0, 0, 0, 0}, math.Log(5), .2},
		{"huge", []float64{1e6, 1e6}, 1e6 + math.Ln2, .5},
		{"tiny", []float64{-1e6, -1e6 + math.Log(3)}, -1e6 + math.Log(4), .25},
		{"impossible cell", []float64{-inf, 2, 2}, 2 + math.Ln2, 0},
		{"far below", []float64{-1e4, 0}, 0, 0},
	} {
		out := make([]float64, len(c.theta))
		logZ := Softmax(c.theta, out)
		must.Hold(t, math.Abs(logZ-c.logZ) <= 1e-9*(1+math.Abs(c.logZ))*1e-6 && math.Abs(out[0]-c.first) <= 1e-9,
			"%s: logZ %g, first %g, want %g, %g", c.name, logZ, out[0], c.logZ, c.first)
	}
	for _, theta := range [][]float64{{0, math.NaN()}, {math.NaN(), 0, 0, 0, 0}, {inf, 0}, {-inf, -inf}} {
		logZ := Softmax(theta, make([]float64, len(theta)))
		must.Hold(t, math.IsNaN(logZ), "Softmax(%v) has logZ %g, want NaN", theta, logZ)
	}
}

// TestSoftmaxSumsToOne: 10⁶ terms in one running sum would be off by about 1e-13.
func TestSoftmaxSumsToOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	theta := make([]float64, 1_000_003)
	for i := range theta {
		theta[i] = 3 * rng.NormFloat64()
	}
	out := make([]float64, len(theta))
	Softmax(theta, out)
	exact := new(big.Float).SetPrec(200)
	for _, p := range out {
		exact.Add(exact, big.NewFloat(p))
	}
	sum, _ := exact.Float64()
	must.Hold(t, math.Abs(sum-1) <= 5e-15, "sum − 1 = %g, want at most 5e-15", sum-1)
	s := summation.Long(out)
	must.Hold(t, math.Abs(s-1) <= 5e-15, "Sum − 1 = %g, want at most 5e-15", s-1)
}

// TestSoftmaxKeepsSmallCells: a million cells of 1e-19 beside one of 1 add 1e-13, and a running sum
// of blocks would keep nothing.
func TestSoftmaxKeepsSmallCells(t *testing.T) {
	theta := make([]float64, 1_000_001)
	for i := range theta[1:] {
		theta[i+1] = math.Log(1e-19)
	}
	got := Softmax(theta, theta)
	must.Hold(t, math.Abs(got-1e-13) <= 1e-15, "logZ = %g, want 1e-13", got)
}

func TestCheckUniverse(t *testing.T) {
	if k, err := CheckUniverse([]int{16, 15, 10, 7, 5, 2, 2}, 96, 2<<30); k != 336_000 || err != nil {
		t.Errorf("CheckUniverse = %d, %v", k, err)
	}
	wide := make([]int, 400)
	for i := range wide {
		wide[i] = 100
	}
	for _, sizes := range [][]int{{5000, 5000}, wide} {
		_, err := CheckUniverse(sizes, 96, 2<<30)
		e := (*ErrUniverse)(nil)
		must.Hold(t, errors.As(err, &e) && e.Limit == (2<<30)/96, "%d attributes: error %v, want ErrUniverse with limit %d", len(sizes), err, (2<<30)/96)
	}
}
