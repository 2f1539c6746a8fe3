package place

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestStrengths: of two normal scores with correlation ρ the local log odds ratio is ρ/(1 − ρ²), in either direction.
func TestStrengths(t *testing.T) {
	const n, k = 4000, 20
	runs, starts := []domain.Run{}, []int{}
	for v := range n {
		runs = append(runs, domain.Run{From: v, Share: 1. / n})
	}
	for b := range k {
		starts = append(starts, b*n/k)
	}
	x := newLearnedColumn(&domain.LearnedBins{Starts: starts, Runs: runs}, n)
	for _, rho := range []float64{.3, .7, -.7, .9} {
		table, sd := make([]float64, k*k), math.Sqrt(1-rho*rho)
		const fine = 50 // points of the leader in each bin
		for a := range k {
			for i := range fine {
				z := oneway.NormalScore((float64(a) + (float64(i)+.5)/fine) / k)
				below := 0.0
				for b := range k {
					up := 1.
					if b < k-1 {
						up = math.Erfc((rho*z-x.ends[b+1])/sd/math.Sqrt2) / 2
					}
					table[a*k+b] += (up - below) / (k * fine)
					below = up
				}
			}
		}
		want := rho / (1 - rho*rho)
		for a, s := range strengths(table, x, x)[3 : k-3] {
			got := s / x.width(a+3)
			must.Hold(t, math.Abs(got/want-1) <= .35, "correlation %g, bin %d: %.2f, want %.2f", rho, a+3, got, want)
		}
		// Each cell adds its strength over 6 or so of the variance in it, which is 1/400 of all on even values.
		adds := added(table, x, x)
		must.Hold(t, adds >= .05*math.Abs(rho)/400/6 && adds <= 1./400, "correlation %g: the coupling adds %g", rho, adds)
	}
}

// TestStrengthsOfTails: half of the records are 0 in both columns, and the others have long tails that rise together. The
// last bins, in which nearly all spread is, are joined as closely as those before them.
func TestStrengthsOfTails(t *testing.T) {
	const n, k = 4096, 8
	runs, starts := []domain.Run{{From: 0, Share: .5}}, []int{0}
	for v := 1; v < n; v *= 2 { // as many in each doubling; the last one is half of all values
		runs = append(runs, domain.Run{From: v, Share: .5 / 12})
	}
	for b := 1; b < k; b++ {
		starts = append(starts, 1<<(b-1))
	}
	x := newLearnedColumn(&domain.LearnedBins{Starts: starts, Runs: runs}, n)
	table := make([]float64, k*k)
	table[0] = .5
	for b := 1; b < k; b++ {
		share := .5 / 12
		if b == k-1 {
			share = .5 / 2
		}
		for _, near := range []int{b - 1, b, b + 1} { // 4 of 5 in the same bin
			part := share / 10
			if near == b || near < 1 || near == k {
				part = share * 4 / 5
			}
			table[b*k+min(max(near, 1), k-1)] += part
		}
	}
	got := strengths(table, x, x)
	must.Hold(t, got[0] == 0 && x.width(k-1)*got[k-1] >= 20, "strengths %.1f; want 0 of the zeros, 20 over the width %.2f of the last bin", got, x.width(k-1))
	must.Hold(t, x.tails[k-1] == 1 && x.tails[0] == 0 && x.tails[k-2] == 0, "tails %v; only the last bin has one", x.tails)
	left := oneway.NewProfile([]query.Piece{{From: 0, To: 90, Count: 10}, {From: 90, To: 100, Count: 90}}, 100)
	if got := tailOf(left, left.Span(0, 100)); got != -1 {
		t.Errorf("tail %d of values that are the largest for the most part", got)
	}
}

// TestStrengthsAreFinite: bins that are empty by what was released, though the model has records in them, and tables with
// empty rows give finite strengths: a release whose couplings are not would be refused after it was paid for.
func TestStrengthsAreFinite(t *testing.T) {
	const n, k = 64, 8
	rng := rand.New(rand.NewPCG(1, 2))
	column := func() *learnedColumn {
		b := &domain.LearnedBins{}
		for i := range k {
			b.Starts = append(b.Starts, i*n/k)
			b.Runs = append(b.Runs, domain.Run{From: i * n / k, Share: []float64{0, 1e-12, 1e-9, rng.Float64()}[rng.IntN(4)]})
		}
		return newLearnedColumn(b, n)
	}
	for range 2000 {
		leader, other, table := column(), column(), make([]float64, k*k)
		if leader.spread == 0 || other.spread == 0 {
			continue
		}
		for i := range table {
			table[i] = max(0, rng.Float64()-.7) / k
		}
		for _, s := range strengths(table, leader, other) {
			must.Need(t, !math.IsNaN(s) && !math.IsInf(s, 0), "strength %g for ends %v and %v, table %v", s, leader.ends, other.ends, table)
		}
		adds := added(table, leader, other)
		must.Need(t, !math.IsNaN(adds), "what a coupling adds is not a number")
	}
}
