package families_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestDeltaIsNoLoss: at one ε, a table of few columns is no better with δ = 0 than with δ = 1e-9, but for 5 %, if one release without
// δ has less noise than units. The seeds are fixed: means of four runs have standard errors of about 2 %.
func TestDeltaIsNoLoss(t *testing.T) {
	const runs, units = 4, 20_000
	for _, f := range families.All() {
		if f.Name != "near-deterministic pairs" {
			continue // the fit of others takes too long
		}
		table := f.Make(units, 1)
		for columns := 3; columns <= 6 && columns <= table.Domain.Len(); columns++ {
			part := &domain.Domain{Attributes: table.Domain.Attributes[:columns]}
			few := families.NewTable(f.Name, part, table.Columns[:columns])
			for _, e := range []dp.Epsilon{.3, 1, 3, 10} {
				t.Run(fmt.Sprintf("%s/%d/%g", f.Name, columns, e), func(t *testing.T) {
					var off [2]float64
					for i, delta := range []dp.Delta{1e-9, 0} {
						for seed := range uint64(runs) {
							s, err := families.Solve(few, families.Request{Neighbouring: dp.AddRemove, Epsilon: e, Delta: delta, Unrecorded: true}, families.Fixed(seed))
							must.Do(t, err)
							w := s.Problem.Workload.Maximal()
							_, cells, _ := w.Cells()
							if noise := math.Sqrt2 * float64(cells) / (float64(e) * units); i == 0 && (s.Problem.Delta == 0 || noise >= 1) {
								return
							}
							tv, _ := few.Errors(w.Cliques(), func(c domain.Clique) []float64 { return s.Model.Marginal(c, nil) })
							off[i] += tv / runs
						}
					}
					t.Logf("%.4f, %.4f without δ", off[0], off[1])
					must.Hold(t, off[0] <= 1.05*off[1], "total variation %.4f, and %.4f without δ", off[0], off[1])
				})
			}
		}
	}
}
