package counts

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/contribution"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// randomRows packs n records, drawn with an inclination to small codes.
func randomRows(sizes []int, n int, rng *rand.Rand) []byte {
	codes := make([]domain.Code, 0, n*len(sizes))
	for range n {
		for _, size := range sizes {
			codes = append(codes, domain.Code(min(rng.IntN(size), rng.IntN(size))))
		}
	}
	return contribution.NewLayout(sizes).Pack(nil, codes)
}

// Counts in a cover equal the counts clique by clique, whatever the pieces that records come in.
func TestCoverCountsAsCliques(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, tc := range map[string]struct {
		sizes []int
		k     int
		bits  int
	}{
		"census":       {codedColumns("").Sizes(), 3, 0},
		"pairs":        {codedColumns("").Sizes(), 2, 0},
		"weights":      {codedColumns("").Sizes(), 2, 12},
		"single cells": {[]int{1, 2, 1, 300, 2, 700, 3}, 3, 0},
	} {
		w := query.AllMarginals(tc.sizes, tc.k, 300_000)
		shape := NewShape(w, Params{})
		recorded := tc.sizes
		if shape.WeightBits = tc.bits; tc.bits > 0 {
			recorded = append(slices.Clone(recorded), 1<<tc.bits+1)
		}
		rows := randomRows(recorded, coverFrom+3*blockRows+17, rng)
		whole, narrow := NewTable(shape), NewTable(shape)
		width := narrow.layout.Width()
		early := (coverFrom + 2*blockRows) * width
		whole.add(rows[:early])
		whole.counter.settle(whole.tables) // as before 2³² records
		whole.add(rows[early:])
		must.Hold(t, whole.counter.pending != 0 || name == "single cells", "%s: the cover was not used", name)
		for piece := range slices.Chunk(rows, 1000*width) {
			part := NewTable(shape)
			part.add(piece)
			must.Do(t, narrow.Merge(part))
		}
		fresh, asked := NewTable(shape), NewTable(shape)
		fresh.add(rows)
		asked.add(rows)
		first := shape.Cliques[0]
		must.Hold(t, fresh.Digest() == narrow.Digest() && slices.Equal(asked.Marginal(first), narrow.Marginal(first)),
			"%s: other counts where nothing was merged", name)
		merged := NewTable(shape)
		must.Do(t, merged.Merge(whole))
		must.Hold(t, whole.Digest() == narrow.Digest() && merged.Digest() == narrow.Digest(), "%s: other counts than the cliques'", name)
		whole.add(rows[:5*width])
		narrow.add(rows[:5*width])
		must.Hold(t, whole.Digest() == narrow.Digest(), "%s: other counts after adding to a finished table", name)
	}
}

// Every clique lies within one set that it is summed out of.
func TestCover(t *testing.T) {
	sizes := codedColumns("").Sizes()
	cliques := query.AllMarginals(sizes, 3, 10000).Cliques()
	c := newCover(sizes, cliques)
	seen := make([]int, len(cliques))
	for i, set := range c.sets {
		for _, k := range c.within[i] {
			seen[k]++
			must.Hold(t, set.Contains(cliques[k]), "clique %v is not within %v", cliques[k], set)
		}
		n := cells(sizes, set)
		must.Hold(t, n <= coverCells || len(c.within[i]) <= 1, "set %v has %d cells", set, n)
	}
	for k, n := range seen {
		must.Hold(t, n == 1, "clique %v is summed out %d times", cliques[k], n)
	}
	must.Hold(t, len(c.sets) <= len(cliques)/2, "%d sets for %d cliques", len(c.sets), len(cliques))
}

// BenchmarkCover counts all three-way marginals of 14 columns on one core, in the cliques' own tables
// and in the cliques of their cover: marginals of a record per second of CPU time, and increments that they took.
func BenchmarkCover(b *testing.B) {
	sizes := codedColumns("").Sizes()
	shape := NewShape(query.AllMarginals(sizes, 3, 10000), Params{})
	const n = 1 << 16
	rows := randomRows(sizes, n, rand.New(rand.NewPCG(3, 4)))
	for _, seen := range []int{-1 << 62, coverFrom} {
		c := newCounter(&shape, contribution.NewLayout(sizes))
		c.seen = seen
		tables, cliques := NewTable(shape).tables, len(shape.Cliques)
		b.Run(fmt.Sprintf("cover=%v", seen > 0), func(b *testing.B) {
			start := cpuTime(b)
			for b.Loop() {
				c.add(tables, rows)
			}
			increments := cliques
			if c.cover != nil {
				increments = len(c.cover.sets)
			}
			rate := float64(b.N) * n / (cpuTime(b) - start).Seconds()
			b.ReportMetric(rate*float64(cliques), "marginals/cpu-s")
			b.ReportMetric(rate*float64(increments), "increments/cpu-s")
			b.ReportMetric(rate, "rows/cpu-s")
		})
	}
}
