package mechanism

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The laws here are computed, not sampled, from the scores and log-weights that the draws use; package
// noise shows that draws follow them. Universe 2×2, at most 3 units, all neighbours.

// pairs calls visit for each table and neighbour.
func pairs(n dp.Neighbouring, visit func(x, y []int64)) {
	for _, x := range dptest.Tables(4, 3) {
		for _, y := range dptest.Neighbours(n, x) {
			visit(x, y)
		}
	}
}

// spread returns the range of the change from a to b.
func spread(a, b []int64) int64 {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range a {
		low, high = min(low, b[i]-a[i]), max(high, b[i]-a[i])
	}
	return high - low
}

// cellCandidates returns the scores of SelectCell as int64.
func cellCandidates(g *gate, w query.Workload, model query.Answers, total float64) []int64 {
	errors := g.workloadErrors(w, model)
	var all []int64
	for _, s := range cellScores(nil, w, model, errors, g.shift(total)) {
		all = append(all, int64(s.Lo))
	}
	return all
}

// signedCandidates returns the scores of LaplaceMaxCell.
func signedCandidates(g *gate, w query.Workload, model query.Answers) (all []int64) {
	for _, e := range g.workloadErrors(w, model) {
		all = append(all, e, -e)
	}
	return all
}

// blockCandidates returns Σ sign·error of every marginal and sign vector.
func blockCandidates(g *gate, w query.Workload, model query.Answers) (all []int64) {
	errors := g.workloadErrors(w, model)
	for _, m := range model {
		for signs := range 1 << len(m) {
			sum := int64(0)
			for c := range m {
				sum += errors[c] * int64(1-2*(signs>>c&1))
			}
			all = append(all, sum)
		}
		errors = errors[len(m):]
	}
	return all
}

// TestRanges finds the range of each family of scores by brute force: it is the declared one exactly.
func TestRanges(t *testing.T) {
	w, model := small()
	for _, n := range relations {
		l := zcdp(t, n)
		var cell, block, signed int64
		pairs(n, func(x, y []int64) {
			a, b := testGate(t, x, l), testGate(t, y, l)
			cell = max(cell, spread(cellCandidates(a, w, model, 2.7), cellCandidates(b, w, model, 2.7)))
			block = max(block, spread(blockCandidates(a, w, model), blockCandidates(b, w, model)))
			signed = max(signed, spread(signedCandidates(a, w, model), signedCandidates(b, w, model)))
		})
		const count = 1 << accountant.ScoreGridBits
		for name, c := range map[string]struct {
			got  int64
			want dp.Range
		}{"cell": {cell, w.CellRange(n)}, "block": {block, w.BlockRange(n)}, "signed cell": {signed, query.SignedCellRange()}} {
			must.Hold(t, c.got == int64(c.want)*count, "%v: range of %s scores is %g counts, declared %d", n, name, float64(c.got)/count, c.want)
		}
	}
}

// TestMaxErrorSensitivity finds the sensitivity of the certificate by brute force: one count, on coarse
// and fine grids.
func TestMaxErrorSensitivity(t *testing.T) {
	w, model := small()
	for _, n := range relations {
		l := zcdp(t, n)
		for _, to := range []int{0, 7, 20, 30} {
			most := 0.0
			pairs(n, func(x, y []int64) {
				var v [2]float64
				for i, cells := range [][]int64{x, y} {
					g := testGate(t, cells, l)
					value, bits := ceilTo(largest(g.workloadErrors(w, model)), accountant.ScoreGridBits, to)
					v[i] = math.Ldexp(float64(value), -bits)
				}
				most = max(most, math.Abs(v[0]-v[1]))
			})
			must.Hold(t, most == 1, "%v, grid 2^-%d: largest error changes by %g", n, to, most)
		}
	}
}

// selectionLaw is the law of one selection: results are indices of its candidates.
type selectionLaw func(g *gate, w query.Workload, model query.Answers, scale uint64) law

func cellLaw(g *gate, w query.Workload, model query.Answers, scale uint64) law {
	return cellMasses(g, w, model, 2.7, newExponentials(scale))
}

func blockLaw(g *gate, w query.Workload, model query.Answers, scale uint64) law {
	return blockMasses(g, w, model, newExponentials(scale))
}

// TestBlockLawFactorises compares the law by marginals and signs with the joint exponential law over
// both, base measure 2^-cells.
func TestBlockLawFactorises(t *testing.T) {
	w, model := small()
	const scale = 3 << 19
	ln2 := high.Log(high.Of(2))
	for _, x := range dptest.Tables(4, 3) {
		g := testGate(t, x, zcdp(t, dp.AddRemove))
		var joint []*big.Float
		candidates := blockCandidates(g, w, model)
		for _, m := range model {
			for range 1 << len(m) {
				base := high.Mul(high.Of(float64(-len(m))), ln2)
				joint = append(joint, base.Add(base, high.Rat(big.NewRat(candidates[len(joint)], scale))))
			}
		}
		want := softmax(joint)
		for i, m := range blockLaw(g, w, model, scale) {
			// log-weights are rounded to 2^-31 nats, in both the numerator and the sum.
			off := high.Sub(m.Log, want[i].Log)
			must.Need(t, off.Abs(off).Cmp(high.Of(0x1p-30)) <= 0, "candidate %d: off by %s nats", i, off.Text('g', 3))
		}
	}
}

// TestSelectionLoss multiplies the laws of two adaptive rounds over all transcripts, in high precision, and compares
// the loss with the charge: log ratios with Σr, the divergences with Σrho, hockey sticks with δ(ε).
func TestSelectionLoss(t *testing.T) {
	grid := epsilonGrid(.1, 20)
	workload, _ := small()
	for _, n := range relations {
		if n != dp.AddRemove && testing.Short() {
			continue // make verify has the time
		}
		for name, c := range map[string]struct {
			kind  dp.Kind
			r     dp.Range
			law   selectionLaw
			tight float64 // least share of a claim that the worst pair uses: a loose claim hides errors
		}{
			"cell":  {dp.Exponential, workload.CellRange(n), cellLaw, .3},
			"block": {dp.BlockExponential, workload.BlockRange(n), blockLaw, .3},
		} {
			l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.Pure, Epsilon: 2})
			event := must.Value(l.Select(c.kind, c.r, dp.ShareOf(1, 2)))(t)
			two := big.NewRat(2, 1)
			epsilon := new(big.Rat).Mul(two, exactLoss(t, event, dp.Pure))
			rho := new(big.Rat).Mul(two, exactLoss(t, event, dp.ZCDP))
			laws := map[[4]int64]law{}
			of := func(x []int64) law {
				key := [4]int64(x)
				if laws[key] == nil {
					laws[key] = transcriptLaw(testGate(t, x, l), c.law, steps(event))
				}
				return laws[key]
			}
			var worst spent
			pairs(n, func(x, y []int64) {
				losses := lossesOf(of(x), of(y), grid)
				worst.of(losses, epsilon, rho, grid)
			})
			worst.check(t, name+", "+n.String()+", two rounds", c.tight)
		}
	}
}

// lossesOf returns the losses of p against q, laws of the same results.
func lossesOf(p, q law, grid []float64) *dptest.Losses {
	l := dptest.NewLosses(grid)
	for i := range p {
		l.Add(p[i], q[i])
	}
	return l
}

// transcriptLaw is the law of two selections: the second sees a model moved by the first.
func transcriptLaw(g *gate, choose selectionLaw, scale uint64) (p law) {
	w, model := small()
	for i, first := range choose(g, w, model, scale) {
		_, moved := small()
		for m := range moved {
			moved[m][i%len(moved[m])] += .25 * float64(1+i%3)
		}
		for _, second := range choose(g, w, moved, scale) {
			p = append(p, first.And(second))
		}
	}
	return p
}

// TestMeasureLoss compares the laws of the noisy cells of neighbours, of two precisions, with their charge. The noise of
// each cell is the event's law, point by point; the worst pairs meet the charge but for its rounding, to 2^-80 for each
// marginal.
func TestMeasureLoss(t *testing.T) {
	w := query.Workload{Sizes: square, Marginals: []query.Marginal{{Clique: domain.Clique{0}}, {Clique: domain.Clique{0, 1}}}}
	grid := epsilonGrid(.2, 20)
	for _, n := range relations {
		for _, p := range []accountant.Params{{Accounting: dp.ZCDP, Epsilon: 6, Delta: .01}, {Accounting: dp.Pure, Epsilon: 3}} {
			p.Neighbouring = n
			event := must.Value(ledger(t, p).Measure(accountant.Marginals{Precision: []float64{1, 2.5}, Cells: 6}, dp.ShareOf(1, 1)))(t)
			var epsilon *big.Rat
			if p.Accounting == dp.Pure {
				epsilon = exactLoss(t, event, dp.Pure)
			}
			var worst spent
			known, seen := movedNoise{}, map[*dptest.Noise]bool{}
			scales := slices.Concat(slices.Repeat(event.Scales[:1], 2), slices.Repeat(event.Scales[1:], 4))
			pairs(n, func(x, y []int64) {
				noise := known.of(event, scales, moves(w, x, y))
				if seen[noise] {
					return
				}
				seen[noise] = true
				l := dptest.NewLosses(grid)
				l.AddThen(dptest.Sure(), dptest.Sure(), noise)
				worst.of(l, epsilon, exactLoss(t, event, dp.ZCDP), grid)
			})
			worst.check(t, p.Accounting.String()+" measurement, "+n.String(), 1-1e-15)
		}
	}
}

// TestMeasureLossOfFineNoise: under GDP, where noise has 2^30 steps and more, the charge μ²/2 is Σ moves²/(2σ²) of the worst
// pair as a fraction, but for its rounding to 2^-80 for each marginal. The hockey stick of the normal law moved so far is
// within δ(ε) at every ε, and all of it but for the allowance of GDPDeltaCeil.
func TestMeasureLossOfFineNoise(t *testing.T) {
	w := query.Workload{Sizes: square, Marginals: []query.Marginal{{Clique: domain.Clique{0}}, {Clique: domain.Clique{0, 1}}}}
	grid := epsilonGrid(.2, 20)
	for _, n := range relations {
		l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.GaussianOnly, Epsilon: 3, Delta: 1e-3, Coordinates: 6})
		event := must.Value(l.Measure(accountant.Marginals{Precision: []float64{1, 2.5}, Cells: 6}, dp.ShareOf(1, 1)))(t)
		scales := slices.Concat(slices.Repeat(event.Scales[:1], 2), slices.Repeat(event.Scales[1:], 4))
		most := new(big.Rat)
		pairs(n, func(x, y []int64) {
			mu2 := new(big.Rat)
			for i, m := range moves(w, x, y) {
				mu2.Add(mu2, new(big.Rat).Quo(big.NewRat(m*m, 1), scales[i]))
			}
			if mu2.Cmp(most) > 0 {
				most = mu2
			}
		})
		charge := exactLoss(t, event, dp.GaussianOnly)
		var rho, delta dptest.Used
		rho.Of(high.Rat(most), high.Rat(new(big.Rat).Add(charge, charge)))
		losses := dptest.NewLosses(grid)
		losses.AddThen(dptest.Sure(), dptest.Sure(), dptest.MovedNormal(most))
		twice, _ := new(big.Rat).Add(charge, charge).Float64()
		for k, e := range grid {
			delta.Of(losses.Delta(k), high.Of(accountant.GDPDeltaCeil(math.Sqrt(twice)*(1+0x1p-50), dp.Epsilon(e))))
		}
		must.Hold(t, !rho.Exceeds() && !delta.Exceeds() && rho.Float64() >= 1-1e-15 && delta.Float64() >= 1-1e-10,
			"%v: μ² %v, δ(ε) %v of the claim", n, rho, delta)
		dptest.Figure(t, "GDP measurement, %v: used of the claim: μ² %v, δ(ε) %v", n, rho, delta)
	}
}

// moves returns the changes of all cells of a workload from x to y.
func moves(w query.Workload, x, y []int64) (all []int64) {
	a, b := table{square, x}, table{square, y}
	for _, m := range w.Marginals {
		after := b.Marginal(m.Clique)
		for c, count := range a.Marginal(m.Clique) {
			all = append(all, after[c]-count)
		}
	}
	return all
}
