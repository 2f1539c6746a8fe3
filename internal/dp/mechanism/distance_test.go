package mechanism

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

func (d distance) steps64(bits int) *big.Int {
	n := new(big.Int).Lsh(big.NewInt(d.counts), uint(bits))
	return n.Add(n, big.NewInt(d.steps))
}

// TestDistanceIsExact compares with big integers, for bases of every size and sign and on all grids.
func TestDistanceIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	special := []float64{0, math.Copysign(0, -1), -1e-300, 1e-300, .5, -.5, 1 << 40, -1 << 40, 1<<40 - 0x1p-12, 0x1p-37, -0x1p-37, 3 * 0x1p-37}
	for range 3000 {
		bits := rng.IntN(37)
		counts, bases := make([]int64, 8), make([]float64, 8)
		want := new(big.Int)
		for i := range counts {
			counts[i] = rng.Int64N(MaxUnits) >> rng.IntN(40)
			bases[i] = (2*rng.Float64() - 1) * math.Exp2(40-80*rng.Float64())
			if rng.IntN(3) == 0 {
				bases[i] = special[rng.IntN(len(special))]
			} else if rng.IntN(3) == 0 {
				bases[i] = float64(counts[i]) + rng.Float64() - .5
			}
			rounded, _ := new(big.Float).SetFloat64(math.RoundToEven(math.Ldexp(bases[i], bits))).Int(nil)
			d := new(big.Int).Lsh(big.NewInt(counts[i]), uint(bits))
			want.Add(want, d.Abs(d.Sub(d, rounded)))
		}
		if got := distanceOf(counts, 0, bases, bits); got.steps64(bits).Cmp(want) != 0 {
			t.Fatalf("2^-%d, counts %v, bases %v: %v, want %v", bits, counts, bases, got.steps64(bits), want)
		}
	}
	// The largest parts.
	counts, bases := make([]int64, maxMergedCells), slices.Repeat([]float64{-(1<<40 - 0x1p-12)}, maxMergedCells)
	counts[0] = MaxUnits
	want := new(big.Int).Lsh(big.NewInt(1<<40), 20)
	want.Add(want, big.NewInt(MaxUnits)).Lsh(want, 36)
	want.Sub(want, big.NewInt(1<<24<<20))
	got := distanceOf(counts, 0, bases, 36)
	must.Hold(t, got.steps64(36).Cmp(want) == 0, "largest distance %v, want %v", got.steps64(36), want)
}

// TestDistanceSensitivity moves records of tables of 2×2 against random public bases: the vector of distances
// of all marginals, on a coarse and on a fine grid, changes by at most the declared squared length and
// attains it.
func TestDistanceSensitivity(t *testing.T) {
	w, _ := small()
	rng := rand.New(rand.NewPCG(43, 44))
	for _, n := range relations {
		for _, bits := range []int{0, 3, 30} {
			most := new(big.Int)
			for range 20 {
				bases := query.NewAnswers(w)
				for i := range bases {
					for c := range bases[i] {
						bases[i][c] = 5*rng.Float64() - 1
					}
				}
				pairs(n, func(x, y []int64) {
					sum := new(big.Int)
					for i, m := range w.Marginals {
						a := distanceOf(table{square, x}.Marginal(m.Clique), 0, bases[i], bits).steps64(bits)
						a.Sub(a, distanceOf(table{square, y}.Marginal(m.Clique), 0, bases[i], bits).steps64(bits))
						sum.Add(sum, a.Mul(a, a))
					}
					if sum.Cmp(most) > 0 {
						most = sum
					}
				})
			}
			declared := new(big.Int).Lsh(big.NewInt(int64(query.DistanceL2Squared(n, len(w.Marginals)))), uint(2*bits))
			must.Hold(t, most.Cmp(declared) == 0, "%v, 2^-%d: Δ² = %v steps², declared %v", n, bits, most, declared)
		}
	}
}

// TestDistanceLoss: the largest loss of all distances of a table together, on the event's own grid, is Σ moves²/(2σ²)
// exactly, for the divergence of discrete Gaussian noise moved by m steps is m²/(2σ²) (dptest's TestMovedNoise). It is at
// most the charge, and the charge but for its rounding to 2^-80 for each marginal. Noise of few steps is enumerated.
func TestDistanceLoss(t *testing.T) {
	w, model := small()
	grid := epsilonGrid(.25, 16)
	for _, n := range relations {
		for _, l := range []*accountant.Ledger{zcdp(t, n), gdp(t, n)} {
			e := must.Value(l.Scores(len(w.Marginals), dp.ShareOf(1, 10)))(t)
			for i := range model { // far below every count, so that all distances move with it
				for c := range model[i] {
					model[i][c] = -100.3
				}
			}
			charge := exactLoss(t, e, l.Params().Accounting)
			most, steps := new(big.Rat), []int64{}
			pairs(n, func(x, y []int64) {
				sum, moved := new(big.Rat), []int64(nil)
				for i, m := range w.Marginals {
					a, b := table{square, x}.Marginal(m.Clique), table{square, y}.Marginal(m.Clique)
					base := model[i]
					if n == dp.Replace { // a record leaves a cell above its base for one below
						base = slices.Clone(base)
						for c := range base {
							if b[c] > a[c] {
								base[c] = 100
							}
						}
					}
					d := distanceOf(b, 0, base, e.GridBits).steps64(e.GridBits)
					d.Sub(d, distanceOf(a, 0, base, e.GridBits).steps64(e.GridBits))
					moved = append(moved, new(big.Int).Rsh(new(big.Int).Abs(d), uint(e.GridBits)).Int64())
					square := new(big.Rat).SetInt(d.Mul(d, d))
					sum.Add(sum, square.Quo(square, new(big.Rat).Add(e.Steps(i), e.Steps(i))))
				}
				if sum.Cmp(most) > 0 {
					most, steps = sum, moved
				}
			})
			lack := new(big.Rat).Sub(charge, most)
			if limit := new(big.Rat).SetFrac64(int64(len(w.Marginals)), 1<<62); lack.Sign() < 0 || lack.Mul(lack, big.NewRat(1<<18, 1)).Cmp(limit) > 0 {
				t.Errorf("%v %v: the worst pair lacks %s·2^-18 of the charge %s", n, l.Params().Accounting, lack.FloatString(30), charge.FloatString(6))
			}
			e.GridBits, e.Scales = 0, slices.Repeat([]*big.Rat{big.NewRat(9, 2)}, len(e.Scales))
			losses := dptest.NewLosses(grid)
			losses.AddThen(dptest.Sure(), dptest.Sure(), movedNoise{}.of(e, e.Scales, steps))
			var worst spent
			worst.of(losses, nil, exactLoss(t, e, dp.ZCDP), grid)
			worst.check(t, "distances, "+n.String(), 1-1e-15)
		}
	}
}

// TestScoresCharge: the event's Δ² covers the whole vector of distances.
func TestScoresCharge(t *testing.T) {
	for _, n := range relations {
		for _, l := range []*accountant.Ledger{zcdp(t, n), gdp(t, n)} {
			for _, m := range []int{1, 3, 50} {
				e := must.Value(l.Scores(m, dp.ShareOf(1, 10)))(t)
				want := new(big.Rat).Quo(big.NewRat(int64(query.DistanceL2Squared(n, m)), 2), e.Scales[0])
				got, err := e.Loss(l.Params().Accounting)
				excess := new(big.Rat).Sub(got, want)
				must.Hold(t, err == nil && excess.Sign() >= 0 && excess.Cmp(big.NewRat(1, 1<<62)) <= 0, "%v %d: charge %v, want %v", n, m, got, want)
			}
		}
	}
}

// TestScoreDraws releases 20,000 equal distances at the calibrated noise and compares them with the normal law
// of the reported variance around the true distance. False alarms: 1e-6 per case.
func TestScoreDraws(t *testing.T) {
	const releases = 20_000
	w, model := small()
	counts := []int64{3, 0, 7, 1}
	truth := 0.0
	for c, count := range counts {
		truth += math.Abs(float64(count) - model[2][c])
	}
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.GaussianOnly} {
		l := ledger(t, accountant.Params{Accounting: kind, Epsilon: 4, Delta: 1e-6, Coordinates: releases})
		g := testGate(t, counts, l)
		cliques := slices.Repeat([]domain.Clique{w.Marginals[2].Clique}, releases)
		s := must.Value(g.curator().Scores("look", 1, cliques, nil, slices.Repeat(query.Answers{model[2]}, releases), dp.ShareOf(1, 2)))(t)
		p := make([]float64, 16)
		for i := range p {
			p[i] = normal(float64(i-7)/2) - normal(float64(i-8)/2)
		}
		p[0], p[15] = normal(-3.5), normal(-3.5)
		for _, scale := range []float64{1, 1.15} {
			seen := make([]int, 16)
			for _, v := range s.Values {
				seen[int(max(0, min(15, math.Floor(2*(v-truth)/math.Sqrt(scale*s.Variance))+8)))]++
			}
			v := dptest.ChiSquare(seen, p)
			must.Hold(t, (v < dptest.Alarm) == (scale > 1), "%v, variance ×%g: p = %g", kind, scale, v)
		}
	}
}

// TestScoresUseMergedCodes: noise of a fixed stream is the same, so that releases differ by the distances.
func TestScoresUseMergedCodes(t *testing.T) {
	sizes, cells := []int{3, 2}, []int64{5, 1, 0, 4, 2, 2}
	merge := query.Recoding{{0, 1, 0}, nil}
	release := func(merge query.Recoding, base []float64) float64 {
		g := newGate(table{sizes, cells}, Params{Sizes: sizes, Ledger: zcdp(t, dp.AddRemove), Root: root(t)})
		open := g.open
		g.open = func(string, int, [32]byte) noise.Source { return open("fixed", 0, [32]byte{}) }
		s := must.Value(g.curator().Scores("s", 1, []domain.Clique{{0, 1}}, merge, query.Answers{base}, dp.ShareOf(1, 2)))(t)
		return s.Values[0]
	}
	plain, merged := release(nil, make([]float64, 6)), release(merge, []float64{8, 0, 0, 0}) // |7−8| + 3 + 0 + 4
	must.Hold(t, plain-merged == 14-8, "distances differ by %g, want 6", plain-merged)
}
