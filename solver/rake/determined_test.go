package rake

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/interval"
)

// TestNearlyDetermined: of two columns of 40 values where one is 0 if and only if the other is, and else they
// agree but for 1 %, the dominant cell is right to 1 % of the units, what is impossible stays below 1 %, and
// the errors are within 5 standard errors. Fixed seeds.
func TestNearlyDetermined(t *testing.T) {
	p := problem([]int{40, 40, 3, 5, 30, 30}, 3, dp.AddRemove)
	rng := rand.New(rand.NewPCG(9, 9))
	data := records{sizes: p.Workload.Sizes, columns: make([][]domain.Code, 6)}
	const n = 30_000
	for range n {
		a := 0
		if rng.IntN(10) >= 7 {
			a = 1 + rng.IntN(39)
		}
		b := a
		if a > 0 && rng.IntN(100) == 0 {
			b = 1 + rng.IntN(39)
		}
		for i, v := range []int{a, b, rng.IntN(3), a % 5, rng.IntN(30), rng.IntN(30)} {
			data.columns[i] = append(data.columns[i], domain.Code(v))
		}
	}
	for seed := range uint64(2) {
		r, err := Solve(p, newCurator(t, data, p, .1, seed))
		if err != nil {
			t.Fatal(err)
		}
		c := domain.Clique{0, 1}
		fitted, h := r.Model.Marginal(c, nil), data.marginal(c)
		se, never := interval.New(r).StandardErrors(c, fitted, nil), 0.0
		for i, g := range fitted {
			if (i/40 == 0) != (i%40 == 0) {
				never += g
			}
		}
		if e := math.Abs(fitted[0] - h[0]); e > .01*n || e > 5*se[0] || never > .01*n {
			t.Errorf("seed %d: the dominant cell has %.0f of %.0f units, standard error %.0f; %.0f impossible ones", seed, fitted[0], h[0], se[0], never)
		}
		t.Logf("seed %d: dominant cell %.0f of %.0f, standard error %.1f, %.0f units in impossible cells", seed, fitted[0], h[0], se[0], never)
	}
}
