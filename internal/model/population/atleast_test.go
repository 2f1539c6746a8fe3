package population

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// No combination is rare, groups have k rows and agree, and what is reported as changed is.
func TestAtLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	for trial := range 300 {
		sizes := []int{3, 4, 5}
		m := randomColumns(sizes, 1+rng.IntN(60), rng)
		if trial%2 == 0 {
			m = randomUniverse(sizes, rng)
		}
		if trial%3 == 0 {
			m.StructuralZeros = domain.Exclusions{{Clique: domain.NewClique(0, 2), Codes: [][]domain.Code{{1}, {2, 3}}}}
			m.Exclude()
		}
		if !(m.Total() > 0) {
			continue
		}
		k := 1 + rng.Int64N(20)
		n := k + rng.Int64N(300)
		c := [][]int{{0}, {1, 2}, {0, 2}, {0, 1, 2}}[rng.IntN(4)]
		cliques := []domain.Clique{domain.NewClique(0, 1), domain.NewClique(2)}
		make2 := [...]func() *Rows{func() *Rows { return Systematic(m, n, 5) }, func() *Rows { return Refine(m, cliques, n, 5) }}[rng.IntN(2)]
		rows, was := make2(), all(make2())
		change := rows.AtLeast(m, domain.NewClique(c...), k, trial%5 == 0, cliques, 5)
		got := all(rows)
		groups := make([]int64, n)
		rows.Groups(0, groups)
		count, members, changed := map[string]int64{}, map[int64]int64{}, int64(0)
		of := map[int64]string{}
		support := domain.NewSupport(sizes, m.StructuralZeros)
		for i := range n {
			row := got[i*3 : (i+1)*3]
			key := ""
			for _, a := range c {
				key += fmt.Sprint(row[a], " ")
			}
			count[key]++
			if members[groups[i]]++; members[groups[i]] > 1 && of[groups[i]] != key {
				t.Fatalf("trial %d: a group of two combinations", trial)
			}
			of[groups[i]] = key
			if !slices.Equal(row, was[i*3:(i+1)*3]) {
				changed++
			}
			if !support.Possible(row) {
				t.Fatalf("trial %d: an impossible row %v", trial, row)
			}
		}
		for key, rows := range count {
			if rows < k {
				t.Fatalf("trial %d: combination %s of %v in %d rows, want %d", trial, key, c, rows, k)
			}
		}
		for _, rows := range members {
			if rows < k {
				t.Fatalf("trial %d: a group of %d rows, want %d", trial, rows, k)
			}
		}
		if change.Rows != changed {
			t.Fatalf("trial %d: %d rows are said to have changed, and %d have", trial, change.Rows, changed)
		}
		if tv := change.AverageTV; !(tv >= 0 && tv <= float64(changed)/float64(n)+1e-12) {
			t.Fatalf("trial %d: a total variation of %g for %d of %d rows", trial, tv, changed, n)
		}
		again := make2()
		again.AtLeast(m, domain.NewClique(c...), k, trial%5 == 0, cliques, 5)
		if !slices.Equal(all(again), got) {
			t.Fatalf("trial %d: other rows at the second time", trial)
		}
	}
}

// The expected share of a combination is what it was: over 4,000 seeds the mean of 60 rows' share in each of 12
// cells, all rare, is within 6 standard errors, at most sqrt(1/4/4000)·6 = 0.048: false alarm 12·2e-9.
func TestAtLeastIsUnbiased(t *testing.T) {
	m := &Model{Sizes: []int{12}, Weights: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2, 3}}
	sum := make([]float64, 12)
	const seeds = 4000
	for seed := range uint64(seeds) {
		rows := Systematic(m, 60, 1)
		rows.AtLeast(m, domain.NewClique(0), 15, false, nil, seed)
		for _, c := range all(rows) {
			sum[c] += 1. / 60 / seeds
		}
	}
	for c, share := range sum {
		if want := m.Weights[c] / 60; math.Abs(share-want) > .048 {
			t.Errorf("cell %d has the share %.3f on average, want %.3f", c, share, want)
		}
	}
}
