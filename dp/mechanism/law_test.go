package mechanism

import (
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/dptest"
	"github.com/dapple-dp/dapple/dp/noise"
	"github.com/dapple-dp/dapple/dp/query"
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
	for _, s := range cellScores(nil, errors, g.shift(total)) {
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
		}{"cell": {cell, query.CellRange(n)}, "block": {block, query.BlockRange(n)}, "signed cell": {signed, query.SignedCellRange()}} {
			if c.got != int64(c.want)*count {
				t.Errorf("%v: range of %s scores is %g counts, declared %d", n, name, float64(c.got)/count, c.want)
			}
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
			if most != 1 {
				t.Errorf("%v, grid 2^-%d: largest error changes by %g", n, to, most)
			}
		}
	}
}

// selectionLaw is the law of one selection: results are indices of its candidates.
type selectionLaw func(g *gate, w query.Workload, model query.Answers, scale uint64) []float64

// logSoftmax returns scores less the logarithm of the sum of exp(scores).
func logSoftmax(scores []float64) []float64 {
	top := slices.Max(scores)
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(s - top)
	}
	p := make([]float64, len(scores))
	for i, s := range scores {
		p[i] = s - top - math.Log(sum)
	}
	return p
}

func exp(logs []float64) []float64 {
	p := make([]float64, len(logs))
	for i, x := range logs {
		p[i] = math.Exp(x)
	}
	return p
}

func cellLaw(g *gate, w query.Workload, model query.Answers, scale uint64) []float64 {
	return exp(logCellLaw(g, w, model, 2.7, scale))
}

func blockLaw(g *gate, w query.Workload, model query.Answers, scale uint64) (law []float64) {
	return exp(logBlockLaw(g, w, model, scale))
}

func logCellLaw(g *gate, w query.Workload, model query.Answers, total float64, scale uint64) []float64 {
	var scores []float64
	for _, s := range cellCandidates(g, w, model, total) {
		scores = append(scores, float64(s)/float64(scale))
	}
	return logSoftmax(scores)
}

// logBlockLaw multiplies the law of the marginal, from its log-weights, with those of the signs.
func logBlockLaw(g *gate, w query.Workload, model query.Answers, scale uint64) (law []float64) {
	errors := g.workloadErrors(w, model)
	var scores []float64
	for _, s := range blockScores(nil, model, errors, scale) {
		scores = append(scores, (float64(s.Hi)*0x1p64+float64(s.Lo))/noise.BlockScoreScale)
	}
	for i, p := range logSoftmax(scores) {
		for signs := range 1 << len(model[i]) {
			q := p
			for c := range model[i] {
				x := 2 * float64(1-2*(signs>>c&1)) * float64(errors[c]) / float64(scale)
				q += min(0, x) - math.Log1p(math.Exp(-math.Abs(x))) // ln 1/(1 + exp(−x))
			}
			law = append(law, q)
		}
		errors = errors[len(model[i]):]
	}
	return law
}

// TestBlockLawFactorises compares the law by marginals and signs with the joint exponential law over
// both, base measure 2^-cells.
func TestBlockLawFactorises(t *testing.T) {
	w, model := small()
	const scale = 3 << 19
	for _, x := range dptest.Tables(4, 3) {
		g := testGate(t, x, zcdp(t, dp.AddRemove))
		var joint []float64
		candidates := blockCandidates(g, w, model)
		for _, m := range model {
			for range 1 << len(m) {
				joint = append(joint, float64(candidates[len(joint)])/scale-float64(len(m))*math.Ln2)
			}
		}
		want := exp(logSoftmax(joint))
		for i, p := range blockLaw(g, w, model, scale) {
			// log-weights are rounded to 2^-31 nats.
			if math.Abs(p/want[i]-1) > 0x1p-30 {
				t.Fatalf("candidate %d: %g, want %g", i, p, want[i])
			}
		}
	}
}

// TestSelectionLoss multiplies the laws of two adaptive rounds over all transcripts and compares the
// loss with the charge: log ratios with Σr, the divergence with Σrho, hockey sticks with δ(ε).
func TestSelectionLoss(t *testing.T) {
	for _, n := range relations {
		for name, c := range map[string]struct {
			kind  dp.Kind
			r     dp.Range
			law   selectionLaw
			tight float64 // least share of rho that the worst pair uses: a loose claim hides errors
		}{
			"cell":  {dp.Exponential, query.CellRange(n), cellLaw, .3},
			"block": {dp.BlockExponential, query.BlockRange(n), blockLaw, .3},
		} {
			l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.Pure, Epsilon: 2})
			event, err := l.Select(c.kind, c.r, dp.ShareOf(1, 2))
			if err != nil {
				t.Fatal(err)
			}
			epsilon, rho := 2*loss(t, event, dp.Pure), 2*loss(t, event, dp.ZCDP)
			worst := 0.0
			pairs(n, func(x, y []int64) {
				p := transcriptLaw(testGate(t, x, l), c.law, steps(event))
				q := transcriptLaw(testGate(t, y, l), c.law, steps(event))
				l := dptest.LossesOf(p, q)
				if l.Worst() > epsilon+1e-11 {
					t.Errorf("%v %s: log ratio %g above %g", n, name, l.Worst(), epsilon)
				}
				worst = max(worst, l.Divergence()/rho)
				for e := .1; e < epsilon; e += .2 {
					if d, claim := l.Delta(e), accountant.RhoDeltaCeil(rho, dp.Epsilon(e)); d > claim {
						t.Errorf("%v %s: δ(%g) = %g above %g", n, name, e, d, claim)
					}
				}
			})
			if worst > 1 || worst < c.tight {
				t.Errorf("%v %s: divergence is %g of rho", n, name, worst)
			}
		}
	}
}

// transcriptLaw is the law of two selections: the second sees a model moved by the first.
func transcriptLaw(g *gate, law selectionLaw, scale uint64) (p []float64) {
	w, model := small()
	for i, first := range law(g, w, model, scale) {
		_, moved := small()
		for m := range moved {
			moved[m][i%len(moved[m])] += .25 * float64(1+i%3)
		}
		for _, second := range law(g, w, moved, scale) {
			p = append(p, first*second)
		}
	}
	return p
}

func loss(t *testing.T, e accountant.Event, kind dp.Accounting) float64 {
	t.Helper()
	l, err := e.Loss(kind)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := l.Float64()
	return f
}

// TestMeasureLoss adds up the exact divergences of the noisy cells of neighbours, with unequal
// precisions: per cell the noise is the event's law, and the sum is at most the charge.
func TestMeasureLoss(t *testing.T) {
	w, _ := small()
	for _, n := range relations {
		for _, l := range []*accountant.Ledger{zcdp(t, n), pure(t, n)} {
			kind := l.Params().Accounting
			event, err := l.Measure(accountant.Marginals{Precision: []float64{1, 2.5, .7}, Cells: 8}, dp.ShareOf(1, 20))
			if err != nil {
				t.Fatal(err)
			}
			claim, worst := loss(t, event, kind), 0.0
			pairs(n, func(x, y []int64) {
				a, b := table{square, x}, table{square, y}
				total := 0.0
				for i, m := range w.Marginals {
					scale, _ := event.Scales[i].Float64()
					q := b.Marginal(m.Clique)
					for c, count := range a.Marginal(m.Clique) {
						total += cellLoss(kind, float64(q[c]-count), scale)
					}
				}
				worst = max(worst, total/claim)
			})
			if worst > 1+1e-12 || worst < .999 {
				t.Errorf("%v %v: loss of neighbours is %g of the charge", n, kind, worst)
			}
		}
	}
}

// cellLoss sums over the pmf: the divergence of the discrete Gaussian and its shift (ZCDP), or the
// largest log ratio of the discrete Laplace law and its shift (Pure).
func cellLoss(kind dp.Accounting, shift, scale float64) float64 {
	if kind == dp.Pure {
		most := 0.0
		for y := -50.0; y <= 50; y++ {
			most = max(most, (math.Abs(y-shift)-math.Abs(y))/scale)
		}
		return most
	}
	reach := math.Ceil(12 * math.Sqrt(scale))
	sum, mass := 0.0, 0.0
	for y := -reach; y <= reach; y++ {
		p := math.Exp(-y * y / (2 * scale))
		mass += p
		sum += p * ((y-shift)*(y-shift) - y*y) / (2 * scale)
	}
	return sum / mass
}
