package population

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// BenchmarkVisit is what raking a sampled population consists of: one visit of a pair, and of a triple.
func BenchmarkVisit(b *testing.B) {
	const n = 150_000
	sizes := []int{12, 20, 9}
	rng := rand.New(rand.NewPCG(1, 1))
	m := &Model{Sizes: sizes, Columns: make([][]domain.Code, len(sizes)), Weights: make([]float64, n)}
	for a, k := range sizes {
		m.Columns[a] = make([]domain.Code, n)
		for i := range m.Columns[a] {
			m.Columns[a][i] = domain.Code(rng.IntN(1 + rng.IntN(k)))
		}
	}
	for i := range m.Weights {
		m.Weights[i] = 1
	}
	for name, c := range map[string]domain.Clique{"pair": {0, 1}, "triple": {0, 1, 2}} {
		b.Run(name, func(b *testing.B) {
			cells, _ := c.Cells(sizes)
			values, ridge := make([]float64, cells), make([]float64, cells)
			for i := range ridge {
				ridge[i] = 10
			}
			f, t := &Field{Model: m}, newClusters(sizes, []*Table{NewTable(sizes, c, values, ridge)}, clusterCells)[0]
			b.ReportAllocs()
			for b.Loop() {
				f.sum(t)
				t.solve(innerSweeps)
				f.multiply(t)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/record")
		})
	}
}
