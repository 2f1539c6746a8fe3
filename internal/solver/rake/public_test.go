package rake

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestRareValuesOfAPublicTable: of columns whose rare values follow each other, which noise drowns, a release with a public tenth is no
// further off than those rows alone. Four random tables, fixed seeds.
func TestRareValuesOfAPublicTable(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sizes := []int{20 + rng.IntN(20), 20 + rng.IntN(20), 2 + rng.IntN(4)}
		order := [2][]int{rng.Perm(sizes[0]), rng.Perm(sizes[1])}
		draw := func(n int) records {
			r := records{sizes: sizes, columns: make([][]domain.Code, len(sizes))}
			for range n {
				x := rng.Float64() * rng.Float64() * rng.Float64() // the first values are frequent
				for a, k := range sizes {
					v := int(x * float64(k))
					if a < 2 {
						v = order[a][v]
					}
					r.columns[a] = append(r.columns[a], domain.Code(v))
				}
			}
			return r
		}
		data, others := draw(30_000), draw(3_000)
		b, record := solver.NewPublicBuilder(sizes), make([]domain.Code, len(sizes))
		for i := range others.len() {
			for a := range record {
				record[a] = others.columns[a][i]
			}
			b.Add(record)
		}
		p := problem(sizes, 3, dp.AddRemove)
		p.Epsilon, p.Units, p.Public = .1, 30_000, must.Value(b.Table())(t)
		alone := tv(&population.Model{Sizes: sizes, Columns: others.columns, Weights: equally(make([]domain.Clique, others.len()))}, data, p.Workload)
		r := solved(t, p, data, seed)
		off := tv(r.Model, data, p.Workload)
		must.Hold(t, off <= alone && r.Public.Weight > 0, "table %d: off by %.4f, public rows alone by %.4f; they count for %g", seed, off, alone, r.Public.Weight)
		t.Logf("table %d: off by %.4f, public rows alone by %.4f", seed, off, alone)
	}
}
