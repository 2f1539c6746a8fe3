package place

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestShift: columns with long tails are moved by the bins of those that they are correlated with, upwards or downwards,
// and no other is: the last is independent, and the one before it has nothing inside its bins.
func TestShift(t *testing.T) {
	const n, k, records = 1024, 8, 50_000
	long, flat := domain.LearnedBins{}, domain.LearnedBins{} // a bin for each doubling; a value in each bin
	for b := range k {
		long.Starts = append(long.Starts, (1<<b-1)*4)
		long.Runs = append(long.Runs, domain.Run{From: long.Starts[b], Share: math.Exp2(float64(-b))})
		flat.Starts = append(flat.Starts, b*n/k)
		flat.Runs = append(flat.Runs, domain.Run{From: b * n / k, Share: 1. / k}, domain.Run{From: b*n/k + 1})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	m := &population.Model{Sizes: slices.Repeat([]int{k + 1}, 5), Columns: make([][]domain.Code, 5), Weights: slices.Repeat([]float64{1}, records)}
	for range records {
		first, other := min(int(rng.ExpFloat64()/math.Ln2), k-1), min(int(rng.ExpFloat64()/math.Ln2), k-1)
		for a, c := range []int{first, min(max(first+rng.IntN(3)-1, 0), k-1), k - 1 - first, first, other} {
			m.Columns[a] = append(m.Columns[a], domain.Code(c))
		}
	}
	f := &Filler{rng: rng, Candidates: &choose.Candidates{Ones: &oneway.Tables{}}}
	at, list := map[int]*learnedColumn{}, []coupled{}
	for a, b := range []domain.LearnedBins{long, long, long, flat, long} {
		b.Attribute = a
		f.Ones.Bins = append(f.Ones.Bins, b)
	}
	for a := range f.Ones.Bins {
		at[a] = newLearnedColumn(&f.Ones.Bins[a], n)
		for b := range a {
			pair := domain.NewClique(b, a)
			list = append(list, coupled{pair: pair})
		}
	}
	for i := range list {
		x := &list[i]
		x.table = m.Marginal(x.pair, nil)
	}
	means := map[int][]float64{}
	for a, x := range at {
		means[a] = append(slices.Clone(x.means), math.NaN())
	}
	f.shift(m, at, means, list)
	for a, b := range f.Ones.Bins {
		want := a < 3
		must.Need(t, (b.Coupling != nil) == want, "column %d is moved: %v, want %v", a, !want, want)
		if b.Coupling == nil {
			continue
		}
		s := b.Coupling.Shift
		must.Hold(t, len(s.With) >= 2 && !slices.Contains(s.With, a) && !slices.Contains(s.With, 4), "column %d is moved by %v", a, s.With)
		for i, other := range s.With {
			falls := (a == 2) != (other == 2)
			x := s.Adds[i]
			must.Hold(t, (x[0] > x[k-1]) == falls && slices.Min(x) >= 0 && x[k] == x[k], "column %d, moved by %d: %v", a, other, x)
		}
		for bin, q := range s.Levels {
			must.Hold(t, len(q) <= 0 || len(q) == len(domain.ShiftLevels) && slices.IsSorted(q), "column %d, bin %d: quantiles %v", a, bin, q)
		}
		must.Hold(t, len(s.Levels[0]) != 0 || len(s.Levels[k-1]) != 0, "column %d: no quantiles", a)
	}
}

// TestLevels: quantiles of the scores of a bin are the quantiles of its records, with places spread evenly.
func TestLevels(t *testing.T) {
	s := &domain.Shift{With: []int{1}, Adds: [][]float64{{0, math.E - 1, 0}}, Spread: .01}
	m := &population.Model{Sizes: []int{3, 3}, Columns: make([][]domain.Code, 2)}
	for i := range 4000 { // three of four records of the first bin are in the other's second one; few are in the second
		m.Columns[0] = append(m.Columns[0], domain.Code(min(i%400, 399)/399*(1+i%2)))
		m.Columns[1] = append(m.Columns[1], domain.Code(min(i%4, 1)))
	}
	got := levels(m, s, 0, 2)
	for i, level := range domain.ShiftLevels {
		want := 0.
		if level > .26 {
			want = 1
		}
		must.Hold(t, math.Abs(got[0][i]-want) <= .05, "the quantile at %g is %.3f, want %g", level, got[0][i], want)
	}
	must.Hold(t, got[1] == nil, "quantiles %v of next to no records", got[1])
}

// TestRareScores: the larger values of a code of merged rare values go to the records that are larger otherwise, and values
// keep their shares. A column that nothing goes with has no scores.
func TestRareScores(t *testing.T) {
	const records, k = 20_000, 12
	cuts := make([]int64, k+1)
	for i := range cuts {
		cuts[i] = int64(i)
	}
	numbers := func(name string) domain.Attribute {
		return domain.Attribute{Name: name, Type: domain.Int64, Cuts: cuts, Resolution: 1, HasFallback: true}
	}
	d := &domain.Domain{Attributes: []domain.Attribute{numbers("size"), numbers("hands"), numbers("luck")}}
	rng := rand.New(rand.NewPCG(1, 2))
	one := oneway.Table{Sigma: 125}
	for v := range k {
		one.Counts = append(one.Counts, records*math.Exp2(-float64(v+1)))
	}
	even := oneway.Table{Counts: slices.Repeat([]float64{records / k}, k), Sigma: 125}
	f := &Filler{domain: d, rng: rng, Candidates: &choose.Candidates{Merged: oneway.Merge([]oneway.Table{even, one, one}, records, d), Ones: &oneway.Tables{}}, // the values from 3 on are one code
		released: []domain.Clique{{0, 1}, {0, 2}, {1, 2}}}
	m := &population.Model{Sizes: f.Merged.Sizes, Columns: make([][]domain.Code, 3), Weights: slices.Repeat([]float64{1}, records)}
	for range records {
		first := rng.IntN(k)
		m.Columns[0] = append(m.Columns[0], domain.Code(first))
		m.Columns[1] = append(m.Columns[1], domain.Code(min(max(first-8, 0), 3)))
		m.Columns[2] = append(m.Columns[2], domain.Code(rng.IntN(4)))
	}
	scores := f.rareScores(m)
	must.Need(t, len(scores) == 1 && len(scores[1]) == records, "scores of %d columns; want the scores of hands", len(scores))
	for i := range scores[1] { // another column tells them apart, next to noise
		scores[1][i] += float64(i % 3)
	}
	out := undoSample(f.Merged, m, []int{k, k, k}, scores, rng)
	var sum, n, count [3]float64
	for i, v := range out.Columns[1] {
		if m.Columns[1][i] == 3 {
			sum[i%3] += float64(v)
			n[i%3]++
		}
		if v >= 3 && v < 6 {
			count[v-3]++
		}
	}
	low, high := sum[0]/n[0], sum[2]/n[2]
	must.Hold(t, low <= 3.5 && high >= low+1, "mean values %.2f to %.2f of the records with the least and the largest scores", low, high)
	got := count[0] / (n[0] + n[1] + n[2])
	must.Hold(t, math.Abs(got-.5) <= .02, "a value has a share of %.3f of its code, want .5", got)
}
