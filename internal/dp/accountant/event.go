package accountant

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
)

const (
	// ScoreGridBits is the grid of selections: scores and scales are multiples of 2^-20 counts, so that
	// sums of scores stay in an int64 up to 2^40 units.
	ScoreGridBits = 20
	// blockSlackBits: the rounded log-weights of a block selection are off by at most 2^-31, which adds four times as
	// much, 2^-29, to R/b.
	blockSlackBits = 29
	// gdpGridBits: under GaussianOnly the standard deviation is at least 2^30 grid steps. The bound holds from
	// 2^26 on; the price of discreteness times exp(ε) must stay far below δ up to ε = 10 and a million draws.
	gdpGridBits = 30
	// leastVariance, in counts², is far below the rounding error of any count.
	leastVariance = 0x1p-200
)

// Event is one kind of draw from private data, with everything that its loss depends on. All of it is public.
// Calibrations of Ledger make events, At places them and Times repeats them. Events and the rationals they hold must
// not be changed afterwards.
type Event struct {
	Stage string
	Round int // of the first of Count events
	Kind  dp.Kind
	Count int // how many draws with these parameters, in rounds Round … Round+Count−1

	Neighbouring dp.Neighbouring // the relation that the sensitivity is for
	Range        dp.Range        // of the scores, counts: selections
	L1           dp.L1           // of one marginal: DiscreteLaplace
	L2Squared    dp.L2Squared    // of one marginal: DiscreteGaussian
	// Sensitivities is used instead of L1 and L2Squared if marginals differ: of Laplace noise the L1 sensitivity of each
	// marginal, of Gaussian noise the squared L2 sensitivity, counts², with its rounding to the grid (see Centred).
	Sensitivities []*big.Rat

	// Scales is the noise, exact: σ² in counts² of each marginal for DiscreteGaussian, the scale in
	// counts of each marginal for DiscreteLaplace, and one scale b in counts for selections.
	Scales []*big.Rat
	// GridBits is j if noise, scores and scales (σ² at 2^-2j) are integers on the grid 2^-j counts. If it is 0, for noise
	// on whole counts, or on the weights of records, only the scales may be finer.
	GridBits int
	// Delta is what the event adds to δ, exact; First the count at most which values are dropped before the draw; and
	// Threshold, in counts, what a noisy count has to exceed. ValuesAbove alone has them.
	Delta     *big.Rat `json:",omitempty"`
	First     int64    `json:",omitempty"`
	Threshold *big.Rat `json:",omitempty"`
	// Coordinates is the number of noisy numbers that each of the Count draws releases; 0 for selections.
	Coordinates int64
}

// At returns the event placed at a stage and round.
func (e Event) At(stage string, round int) Event {
	e.Stage, e.Round = stage, round
	return e
}

// Times returns the event repeated in count consecutive rounds.
func (e Event) Times(count int) Event {
	e.Count = count
	return e
}

// Steps returns the noise of marginal i as samplers take it: σ² in squared grid steps for
// DiscreteGaussian, the scale in grid steps for the others. i is 0 for selections.
func (e Event) Steps(i int) *big.Rat {
	if e.gaussian() {
		return new(big.Rat).Mul(e.Scales[i], power(2*e.GridBits))
	}
	return new(big.Rat).Mul(e.Scales[i], power(e.GridBits))
}

// Variance returns the variance, in counts², of the noise on each cell of marginal i of a measurement. For
// DiscreteGaussian it is σ², above the true variance by less than 1e-6 if σ ≥ 1 (CKS Cor. 9). It is at least 2^-200:
// the variance of Laplace noise at an ε of hundreds can underflow, and weights 1/variance would then be infinite.
func (e Event) Variance(i int) float64 {
	scale := floatUp(e.Scales[i])
	switch e.Kind {
	case dp.DiscreteGaussian, dp.ValuesAbove:
		return scale
	case dp.DiscreteLaplace:
		step := math.Ldexp(1, -e.GridBits)
		half := math.Sinh(0.5*step/scale) / step // in steps 2·exp(−1/t)/(1−exp(−1/t))² = 1/(2·sinh²(1/(2t)))
		return max(0.5/(half*half), leastVariance)
	}
	panic("accountant: variance of a selection")
}

// Loss returns what each of the Count draws charges to a ledger of the given kind, in its unit:
//
//	ZCDP          rho: ΣΔ²/(2σ²), for ValuesAbove beside its Delta; r²/8 for the exponential mechanism; ε·tanh(ε/2) for the others
//	Pure          ε:   ΣΔ₁/scale; r
//	GaussianOnly  μ²/2 = ΣΔ²/(2σ²)
//
// with r = R/b, and R/b + 2^-29 for blocks. The loss of each marginal, and of each selection, is rounded
// up to a multiple of 2^-80. An event that the kind of ledger does not admit is an error. It panics on
// an incomplete event.
//
// Source: CKS Theorem 14; Dong, Durfee, Rogers 2020 Proposition 2; Steinke 2024 (pdp-to-zcdp); Dong, Roth,
// Su 2022 Corollary 3.3.
func (e Event) Loss(kind dp.Accounting) (*big.Rat, error) {
	e.mustBeComplete()
	gaussian := e.gaussian()
	switch {
	case kind == dp.Pure && gaussian:
		return nil, fmt.Errorf("accountant: %v has no pure loss; use Laplace noise or a zCDP ledger", e.Kind)
	case kind == dp.GaussianOnly && !gaussian:
		return nil, fmt.Errorf("accountant: a GDP ledger admits Gaussian noise only, not %v; use a zCDP ledger", e.Kind)
	case kind == dp.GaussianOnly && !e.fineGrid():
		return nil, fmt.Errorf("accountant: a GDP ledger needs a standard deviation of at least 2^%d grid steps", gdpGridBits)
	case gaussian:
		return e.sum(func(i int) *big.Rat { return gaussianRho(e.change(i), e.Scales[i]) }), nil
	case kind == dp.Pure:
		return e.epsilon(), nil
	case e.Kind == dp.Exponential || e.Kind == dp.BlockExponential:
		r := e.boundedRange()
		return ceilGrid(r.Mul(r, r).Quo(r, big.NewRat(8, 1)), quantumBits), nil
	default:
		return pureRho(e.epsilon()), nil
	}
}

// epsilon returns the pure loss of one draw of a kind that has one.
func (e Event) epsilon() *big.Rat {
	if e.Kind == dp.DiscreteLaplace {
		return e.sum(func(i int) *big.Rat { return laplaceEpsilon(e.change(i), e.Scales[i]) })
	}
	return ceilGrid(e.boundedRange(), quantumBits)
}

// boundedRange returns r of a selection.
func (e Event) boundedRange() *big.Rat {
	r := new(big.Rat).Quo(big.NewRat(int64(e.Range), 1), e.Scales[0])
	if e.Kind == dp.BlockExponential {
		r.Add(r, power(-blockSlackBits))
	}
	return r
}

// sum adds a loss over the marginals; runs of equal ones are computed once.
func (e Event) sum(loss func(i int) *big.Rat) *big.Rat {
	total := new(big.Rat)
	for i := 0; i < len(e.Scales); {
		run := e.run(i)
		total.Add(total, times(loss(i), int64(run)))
		i += run
	}
	return total
}

// run returns how many marginals from i on are equal in scale and sensitivity.
func (e Event) run(i int) int {
	j := i + 1
	for j < len(e.Scales) && same(e.Scales[j], e.Scales[i]) && (e.Sensitivities == nil || same(e.Sensitivities[j], e.Sensitivities[i])) {
		j++
	}
	return j - i
}

func same(x, y *big.Rat) bool { return x == y || x.Cmp(y) == 0 }

// change returns the sensitivity of marginal i in the norm of the kind.
func (e Event) change(i int) *big.Rat {
	if e.Sensitivities != nil {
		return e.Sensitivities[i]
	}
	return big.NewRat(e.sensitivity(), 1)
}

// fineGrid reports whether every σ² is an integer of at least 2^60 in squared grid steps.
func (e Event) fineGrid() bool {
	least := power(2 * gdpGridBits)
	for i := 0; i < len(e.Scales); i += e.run(i) {
		if steps := e.Steps(i); !steps.IsInt() || steps.Cmp(least) < 0 {
			return false
		}
	}
	return true
}

// gaussian reports whether an event loses as Gaussian noise does, beside what it adds to δ.
func (e Event) gaussian() bool { return e.Kind == dp.DiscreteGaussian || e.Kind == dp.ValuesAbove }

func (e Event) measures() bool { return e.gaussian() || e.Kind == dp.DiscreteLaplace }

// sensitivity returns the sensitivity of one marginal in the norm of the kind.
func (e Event) sensitivity() int64 {
	switch e.Kind {
	case dp.DiscreteGaussian, dp.ValuesAbove:
		return int64(e.L2Squared)
	case dp.DiscreteLaplace:
		return int64(e.L1)
	}
	return int64(e.Range)
}

// centred reports whether an event with a sensitivity for each marginal is a complete event of centred marginals.
func (e Event) centred() bool {
	for _, s := range e.Sensitivities {
		if s.Sign() <= 0 {
			return false
		}
	}
	return (e.Kind == dp.DiscreteGaussian || e.Kind == dp.DiscreteLaplace) && e.sensitivity() == 0 && len(e.Sensitivities) == len(e.Scales)
}

func (e Event) mustBeComplete() {
	switch {
	case e.Count < 1:
		panic("accountant: event without a count")
	case e.Sensitivities != nil && !e.centred():
		panic("accountant: event with sensitivities that do not fit its kind or its scales")
	case e.Sensitivities == nil && e.sensitivity() < 1:
		panic("accountant: event without the sensitivity of its kind")
	case len(e.Scales) == 0 || !e.measures() && len(e.Scales) != 1:
		panic("accountant: event without its scales")
	case (e.Kind == dp.ValuesAbove) != (e.Delta != nil && e.Delta.Sign() > 0 && e.Threshold != nil):
		panic("accountant: event with a threshold and without its delta, or the other way round")
	case e.measures() && e.Coordinates < int64(len(e.Scales)):
		panic("accountant: measurement of fewer coordinates than marginals")
	}
	for _, s := range e.Scales {
		if s.Sign() <= 0 {
			panic("accountant: event with a scale that is not above 0")
		}
	}
}

// gaussianRho returns Δ²/(2σ²), rounded up.
func gaussianRho(l2squared, variance *big.Rat) *big.Rat {
	rho := new(big.Rat).Quo(l2squared, variance)
	return ceilGrid(rho.Quo(rho, big.NewRat(2, 1)), quantumBits)
}

// laplaceEpsilon returns Δ₁/scale, rounded up.
func laplaceEpsilon(l1, scale *big.Rat) *big.Rat {
	return ceilGrid(new(big.Rat).Quo(l1, scale), quantumBits)
}

// pureRho returns ε·tanh(ε/2), the rho of any ε-differentially private mechanism, rounded up. math.Tanh
// is within a few units in the last place; 2^-40 covers it.
func pureRho(epsilon *big.Rat) *big.Rat {
	tanh := min(1, math.Tanh(floatUp(epsilon)/2)*(1+0x1p-40))
	return ceilGrid(new(big.Rat).Mul(epsilon, ratOf(tanh)), quantumBits)
}
