package families_test

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/families"
)

// TestPredictions compares, on families that no constant was chosen on, the total variation that a run predicts of
// its own model with the true one, and counts the cells of every width that lie within 1.96 standard errors. The noise
// is fixed, so that a failure is never chance.
func TestPredictions(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for the fits, five seconds; make integration runs them")
	}
	held := map[string]bool{"ties": true, "columns of 100 values that follow from others": true, "12 binary columns, zeros declared": true}
	for _, f := range families.All() {
		if !held[f.Name] {
			continue
		}
		x := f.Make(40_000, 1)
		for _, epsilon := range []dp.Epsilon{.3, 1} {
			s, err := families.Solve(x, families.Request{Method: "rake", Epsilon: epsilon, Delta: 1e-9}, families.Fixed(1))
			if err != nil {
				t.Fatal(err)
			}
			ratio := s.TV / s.AverageTV(x)
			t.Logf("%s, ε = %g: predicted %.2f of the true total variation", f.Name, float64(epsilon), ratio)
			if ratio < .8 || ratio > 1.25 {
				t.Errorf("%s, ε = %g: predicted %.2f of the true total variation, want .8 to 1.25", f.Name, float64(epsilon), ratio)
			}
			for width := 1; width <= 3; width++ {
				var list []domain.Clique
				for _, c := range s.Problem.Workload.Cliques() {
					if len(c) == width {
						list = append(list, c)
					}
				}
				c := s.Coverage(x, list, 60)
				t.Logf("width %d: %.1f %% of %d cells within 1.96 standard errors, which are %.2f times as wide as the errors", width, 100*c.Within, c.Cells, c.Wide)
				if c.Within < .93 {
					t.Errorf("%s, ε = %g, width %d: %.1f %% of the cells within 1.96 standard errors", f.Name, float64(epsilon), width, 100*c.Within)
				}
			}
		}
	}
}
