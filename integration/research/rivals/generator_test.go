package rivals

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestGeneratorGradient compares the gradient of ½·Σ answer² with differences, for marginals of one to three attributes.
func TestGeneratorGradient(t *testing.T) {
	g := newGenerator([]int{3, 2, 4, 1}, rand.New(rand.NewPCG(1, 2)))
	each := 37 // of the parameters
	if testing.Short() {
		each = 409 // make nightly has the time
	}
	for _, c := range []domain.Clique{{2}, {0, 2}, {0, 1, 2}, {1, 2, 3}} {
		cells := must.Value(c.Cells(g.sizes))(t)
		d := make([]float64, cells)
		loss := func() float64 {
			g.forward()
			g.answer(c, d)
			return dot(d, d) / 2
		}
		loss()
		clear(g.outputGradient)
		g.pullBack(c, d)
		g.backward()
		want := append([]float64(nil), g.gradient...)
		for i := 0; i < len(g.parameters); i += each {
			const h = 1e-5
			x := g.parameters[i]
			g.parameters[i] = x + h
			up := loss()
			g.parameters[i] = x - h
			down := loss()
			g.parameters[i] = x
			// The rectifier has corners, so that a difference across one is off by more than h²: 1e-6 is what
			// the largest of them makes here.
			got := (up - down) / (2 * h)
			must.Need(t, math.Abs(got-want[i]) <= 1e-6, "marginal %v, parameter %d: difference %g, gradient %g", c, i, got, want[i])
		}
		loss()
	}
}
