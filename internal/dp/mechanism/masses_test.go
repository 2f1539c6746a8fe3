package mechanism

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// Laws of selections in high precision, from the integer scores and log-weights that the draws use.

const high = dptest.Law

// law is the law of one draw: the probability of each result.
type law []dptest.Mass

// probabilities returns the law in float64.
func (l law) probabilities() []float64 {
	p := make([]float64, len(l))
	for i, m := range l {
		p[i], _ = m.P.Float64()
	}
	return p
}

// softmax returns the law proportional to exp(scores).
func softmax(scores []*big.Float) law {
	weights := make(law, len(scores))
	for i, s := range scores {
		weights[i] = dptest.MassOfLog(s)
	}
	return divided(weights)
}

// exponentials remembers exp(score/scale), for scores of at most some thousand scales.
type exponentials struct {
	scale uint64
	known map[int64]dptest.Mass
	signs map[int64]law
}

func newExponentials(scale uint64) exponentials {
	return exponentials{scale, map[int64]dptest.Mass{}, map[int64]law{}}
}

func (x exponentials) of(score int64) dptest.Mass {
	m, ok := x.known[score]
	if !ok {
		m = dptest.MassOfLog(high.Rat(new(big.Rat).SetFrac(big.NewInt(score), new(big.Int).SetUint64(x.scale))))
		x.known[score] = m
	}
	return m
}

// softmax returns the law of the exponential mechanism.
func (x exponentials) softmax(scores ...int64) law {
	weights := make(law, len(scores))
	for i, s := range scores {
		weights[i] = x.of(s)
	}
	return divided(weights)
}

// sign returns the law of the sign of an error, + first: 1/(1 + exp(∓2e/scale)).
func (x exponentials) sign(e int64) law {
	if x.signs[e] == nil {
		x.signs[e] = x.softmax(e, -e)
	}
	return x.signs[e]
}

// divided returns the law proportional to weights.
func divided(weights law) law {
	sum := high.Of(0)
	for _, w := range weights {
		sum.Add(sum, w.P)
	}
	whole := dptest.MassOf(sum)
	all := make(law, len(weights))
	for i, w := range weights {
		all[i] = dptest.Mass{P: high.Mul(w.P, whole.Inverse), Inverse: high.Mul(w.Inverse, sum), Log: high.Sub(w.Log, whole.Log)}
	}
	return all
}

// cellMasses is the law of SelectCell by candidate.
func cellMasses(g *gate, w query.Workload, model query.Answers, total float64, x exponentials) law {
	return x.softmax(cellCandidates(g, w, model, total)...)
}

// blockMasses multiplies the law of the marginal, from its rounded log-weights, with the laws of the signs.
func blockMasses(g *gate, w query.Workload, model query.Answers, x exponentials) (all law) {
	errors := g.workloadErrors(w, model)
	var scores []*big.Float
	for _, s := range blockScores(nil, model, errors, x.scale) {
		n := new(big.Int).Lsh(big.NewInt(s.Hi), 64)
		n.Add(n, new(big.Int).SetUint64(s.Lo))
		scores = append(scores, high.Rat(new(big.Rat).SetFrac(n, big.NewInt(noise.BlockScoreScale))))
	}
	for i, marginal := range softmax(scores) {
		blocks := law{marginal}
		for _, e := range errors[:len(model[i])] { // cell c is bit c of a block's number
			sign := x.sign(e)
			plus := blocks
			blocks = make(law, 2*len(plus))
			for b, m := range plus {
				blocks[b], blocks[len(plus)+b] = m.And(sign[0]), m.And(sign[1])
			}
		}
		all = append(all, blocks...)
		errors = errors[len(model[i]):]
	}
	return all
}

// exactLoss returns what an event charges, as the rational it is.
func exactLoss(t *testing.T, e accountant.Event, kind dp.Accounting) *big.Rat {
	t.Helper()
	l := must.Value(e.Loss(kind))(t)
	return l
}

// noiseLaw returns the law of an event's noise of the given scale, in its unit.
func noiseLaw(e accountant.Event, scale *big.Rat) *dptest.NoiseLaw {
	if e.Kind == dp.DiscreteGaussian {
		return dptest.DiscreteGaussian(scale)
	}
	return dptest.DiscreteLaplace(scale)
}

// movedNoise remembers the losses of moved noise, by scale and moves. Not for use at once.
type movedNoise map[string]*dptest.Noise

// of returns the losses of statistics with noise of the event's kind that move by whole steps; nil if none does.
// Noise is symmetric: moves count by their size.
func (c movedNoise) of(e accountant.Event, scales []*big.Rat, moves []int64) *dptest.Noise {
	byScale := map[string][]int64{}
	for i, m := range moves {
		if m != 0 {
			key := scales[i].RatString()
			byScale[key] = append(byScale[key], max(m, -m))
		}
	}
	var whole string
	var all *dptest.Noise
	for _, scale := range slices.Sorted(maps.Keys(byScale)) {
		steps := byScale[scale]
		slices.Sort(steps)
		key := fmt.Sprint(e.Kind, scale, steps)
		if c[key] == nil {
			b, _ := new(big.Rat).SetString(scale)
			c[key] = noiseLaw(e, b).Moved(steps...)
		}
		if whole += key; all == nil {
			all = c[key]
			continue
		}
		if c[whole] == nil {
			c[whole] = all.And(c[key])
		}
		all = c[whole]
	}
	return all
}

// epsilonGrid returns ε at which hockey-stick divergences are compared: the first multiples of step.
func epsilonGrid(step float64, count int) (grid []float64) {
	for k := range count {
		grid = append(grid, step*float64(k+1))
	}
	return grid
}

// spent is what a pair of laws uses of a claim, at most, over all pairs.
type spent struct{ epsilon, rho, renyi, delta dptest.Used }

// of compares the losses of a pair with a claimed ε (nil: none), a claimed rho, and the δ that rho implies at each ε of
// the grid.
func (s *spent) of(l *dptest.Losses, epsilon, rho *big.Rat, grid []float64) {
	if epsilon != nil {
		s.epsilon.Of(l.Worst(), high.Rat(epsilon))
	}
	claim := high.Rat(rho)
	s.rho.Of(l.Divergence(), claim)
	for i, alpha := range dptest.Orders {
		s.renyi.Of(l.Renyi(i), high.Mul(claim, high.Of(alpha)))
	}
	up, exact := rho.Float64()
	if !exact {
		up *= 1 + 0x1p-52
	}
	for k, e := range grid {
		s.delta.Of(l.Delta(k), high.Of(accountant.RhoDeltaCeil(up, dp.Epsilon(e))))
	}
}

func (s *spent) join(o spent) {
	s.epsilon.Join(o.epsilon)
	s.rho.Join(o.rho)
	s.renyi.Join(o.renyi)
	s.delta.Join(o.delta)
}

// check fails the test if more than a claim is used, or of the first claim that there is less than tight.
func (s spent) check(t *testing.T, what string, tight float64) {
	t.Helper()
	for name, u := range map[string]dptest.Used{"ε": s.epsilon, "rho": s.rho, "Rényi": s.renyi, "δ(ε)": s.delta} {
		must.Hold(t, !u.Exceeds(), "%s: %s of the worst pair is %v of the claim", what, name, u)
	}
	used := max(s.epsilon.Float64(), s.rho.Float64())
	must.Hold(t, used >= tight, "%s: the worst pair uses %.3f of the claim: too little to see an error", what, used)
	pure := ""
	if s.epsilon.Float64() > 0 {
		pure = "ε " + s.epsilon.String() + ", "
	}
	dptest.Figure(t, "%s: used of the claim: %srho %v, Rényi %v, δ(ε) %v", what, pure, s.rho, s.renyi, s.delta)
}
