package plan

import (
	"math"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// A bound of 1 or more is called what it is.
func TestTheorySaysNothing(t *testing.T) {
	const vacuous = "vacuous"
	for _, tt := range []struct {
		method  string
		epsilon dp.Epsilon
		proved  bool
		words   bool
	}{{"dpam", 1, true, false}, {"dpam", 1e-4, true, true}, {"rake", 1, false, false}, {"mwem", 1e-9, false, true}} {
		measured := []Noisy{{Clique: domain.Clique{0, 1}, Variance: 50 / float64(tt.epsilon*tt.epsilon)}}
		w := query.AllMarginals([]int{3, 4}, 2, 100)
		p := &Plan{Method: tt.method, Universe: 12, Workload: Workload{Cells: 19, MeasCells: 12},
			Problem: solver.Problem{Units: 10_000, Workload: w, Epsilon: tt.epsilon, Delta: 1e-9}}
		p.Theory = p.stated(measured)
		var b strings.Builder
		writeTheory(&b, p)
		if math.IsNaN(p.Proved) == tt.proved || strings.Contains(b.String(), vacuous) != tt.words {
			t.Errorf("%s at ε = %g: %q", tt.method, float64(tt.epsilon), b.String())
		}
		if want := math.Sqrt(math.Log(2*19/.05) / 20_000); math.Abs(p.Sampling-want) > 1e-12 || !strings.Contains(b.String(), "no ε changes that") {
			t.Errorf("sampling %g, want %g: %q", p.Sampling, want, b.String())
		}
	}
}
