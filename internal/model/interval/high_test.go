package interval

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/miss"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestFollowed: a fit of few cells that meets its noisy answers follows them, and one that is as far from them as noise hardly does.
func TestFollowed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 1000 {
		fitted, near, far := make([]float64, 2+r.IntN(7)), []float64(nil), []float64(nil)
		for i := range fitted {
			fitted[i] = math.Pow(10, 6*r.Float64())
			near, far = append(near, .001*r.NormFloat64()), append(far, r.NormFloat64())
		}
		met, apart := followed(1, fitted, near), followed(1, fitted, far)
		must.Need(t, met >= .99 && apart <= .99, "of %v %g is followed of answers that are met, and %g of answers with the misses %v", fitted, met, apart, far)
	}
}

// TestUntold: where a fit by selection is off, the largest error tells what its cells err by, and not the answers that noise explains.
func TestUntold(t *testing.T) {
	c, fitted := domain.Clique{0, 1}, []float64{1e5, 1e4, 1e4, 100}
	v := &Intervals{sizes: []int{2, 2}, units: 120_100, scale: math.NaN(), maxError: &query.MaxError{Counts: 800, Variance: 1}, misses: map[string]*miss.Table{c.Key(): miss.New(c, nil, make([]float64, 4), 100, false)}}
	told := v.StandardErrors(c, fitted, nil)
	v.tested(&solver.Fit{Tables: 1, Off: []solver.TableFit{{Clique: c, Square: 118, Freedom: 24}}})
	off := v.StandardErrors(c, fitted, nil)
	must.Hold(t, told[0] < 20 && off[0] > 150 && off[3] < off[0], "standard errors %v, and %v of a fit that is off by up to 800", told, off)
}

// TestTripleHighs: each cell of a triple without answers may have its share of the people whom noise hides in a cell of a pair.
func TestTripleHighs(t *testing.T) {
	pair, c := domain.Clique{0, 1}, domain.Clique{0, 1, 2}
	v := &Intervals{sizes: []int{2, 2, 2}, units: 80, misses: map[string]*miss.Table{pair.Key(): miss.New(pair, nil, make([]float64, 4), 100, false)}}
	fitted := slices.Repeat([]float64{10}, 8)
	for i, x := range v.Highs(c, fitted, v.StandardErrors(c, fitted, nil), nil) {
		want := 10 + sigmas95*math.Sqrt(75)/2
		must.Hold(t, math.Abs(x-want) <= 1e-9, "cell %d: up to %g, want %g", i, x, want)
	}
}
