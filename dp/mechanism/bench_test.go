package mechanism

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// fixed answers every clique with one slice per number of cells: benchmarks measure the curator alone.
type fixed struct {
	sizes  []int
	counts []int64
}

func (f fixed) Units() int64 { return 48_842 }
func (f fixed) Marginal(c domain.Clique) []int64 {
	n, _ := c.Cells(f.sizes)
	return f.counts[:n]
}

// BenchmarkPlan draws over all 3-way marginals of a domain like adult's: 35 marginals, 14,955 cells.
func BenchmarkPlan(b *testing.B) {
	f := fixed{sizes: []int{16, 15, 10, 7, 5, 2, 2}, counts: make([]int64, 2400)}
	for i := range f.counts {
		f.counts[i] = int64(i % 300)
	}
	w := query.AllMarginals(f.sizes, 3, 2400).Maximal()
	model := query.NewAnswers(w)
	g := newGate(f, Params{Sizes: f.sizes, Ledger: zcdp(b, dp.AddRemove), Root: root(b)})
	for _, r := range []Request{
		{Method: SelectBlock, Workload: w, Model: model, Share: dp.ShareOf(1, 100)},
		{Method: SelectCell, Workload: w, Model: model, Total: 48_842, Share: dp.ShareOf(1, 100)},
		{Method: LaplaceMaxCell, Workload: w, Model: model, Noise: 100},
		{Method: Measure, Cliques: w.Cliques(), Share: dp.ShareOf(1, 2)},
	} {
		b.Run(string(r.Method), func(b *testing.B) {
			r.Stage = "bench"
			b.ReportAllocs()
			for b.Loop() {
				p, err := g.plan(r)
				if err != nil {
					b.Fatal(err)
				}
				p.draw()
			}
		})
	}
}

// BenchmarkScreenings releases the residuals of all pairs and triples of up to 10^4 cells of 14 attributes, and
// their distances from a model: 303 marginals.
func BenchmarkScreenings(b *testing.B) {
	f := fixed{sizes: []int{85, 9, 100, 16, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42}, counts: make([]int64, 10_000)}
	for i := range f.counts {
		f.counts[i] = int64(i % 30)
	}
	w := query.AllMarginals(f.sizes, 3, 10_000)
	for len(w.Marginals[0].Clique) < 2 {
		w.Marginals = w.Marginals[1:]
	}
	model := query.NewAnswers(w)
	precision := make([]float64, len(w.Marginals))
	for i := range precision {
		precision[i] = 1 / float64(1+i)
	}
	_, cells, _ := w.Cells()
	l := ledger(b, accountant.Params{Accounting: dp.GaussianOnly, Epsilon: 1, Delta: 1e-9, Coordinates: 1 << 24})
	g := newGate(f, Params{Sizes: f.sizes, Ledger: l, Root: root(b)})
	for _, r := range []Request{
		{Method: Residuals, Cliques: w.Cliques(), Precision: precision, Share: dp.ShareOf(1, 4)},
		{Method: Scores, Cliques: w.Cliques(), Model: model, Share: dp.ShareOf(1, 4)},
	} {
		b.Run(string(r.Method), func(b *testing.B) {
			r.Stage = "bench"
			b.ReportAllocs()
			for b.Loop() {
				p, err := g.plan(r)
				if err != nil {
					b.Fatal(err)
				}
				p.draw()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
			b.ReportMetric(float64(cells), "cells")
		})
	}
}
