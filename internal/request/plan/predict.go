package plan

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/model/baseline"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/solver"
)

// Noisy is a marginal that a plan measures, with the variance of the noise on each cell in counts².
type Noisy struct {
	Clique   domain.Clique
	Variance float64
}

// Constants of the prior of a prediction: the assumed skewness of a column and strength of its dependences before
// anything is known. They were chosen on a public table, with a skewness in the middle of its columns' and even ones: with -2 and .2
// errors of even pairs of 40 × 31 to 60 × 60 values were 3.5 to 4.3 times what was foretold of dpam. A prediction is to be read as a
// factor-two range.
const (
	skew          = -1.5 // share of the v-th value ∝ (v+1)^skew
	pairStrength  = 0.11 // L1 distance of a pair from independence, as a part of the units
	widerStrength = .055 // the same for wider marginals, beyond what their pairs explain
	maxPredicted  = 300  // marginals predicted; a regular sample of a longer list
)

// AverageTV predicts the average total variation between the true and the fitted marginals of the
// workload, before any data are read.
//
// A marginal's error is the sum of one part for each of its subsets B, the interaction of B. Every measured marginal
// that contains B measures it, with precision Σ cells_B/(cells_A·σ_A²·c_B) for each cell of B, c_B = Π(1−1/k). A cell
// with prior variance v then has error 0.4·√(v/(1+v·precision)) in half-L1, and the parts of one marginal add in
// quadrature.
func AverageTV(sizes []int, measured []Noisy, workload []domain.Clique, units float64) float64 {
	return (&predictor{sizes: sizes, units: units, measured: measured, parts: map[string]float64{}}).average(workload)
}

func (p *predictor) average(workload []domain.Clique) float64 {
	step := max(1, len(workload)/maxPredicted)
	sum, n := 0.0, 0
	for i := 0; i < len(workload); i += step {
		sum += math.Min(1, p.marginal(workload[i]))
		n++
	}
	return sum / float64(n)
}

type predictor struct {
	sizes    []int
	units    float64
	measured []Noisy
	same     float64            // share of the commonest value of each column; 0: as in a typical table
	parts    map[string]float64 // half-L1 error of an interaction in counts, by clique
}

// marginal returns the predicted total variation of one marginal.
func (p *predictor) marginal(t domain.Clique) float64 {
	sum := 0.0
	for mask := 1; mask < 1<<len(t); mask++ {
		var b domain.Clique
		for i, a := range t {
			if mask>>i&1 == 1 {
				b = append(b, a)
			}
		}
		e := p.interaction(b)
		sum += e * e
	}
	return math.Sqrt(sum) / p.units
}

// interaction returns the predicted half-L1 error of the interaction of b, in counts.
func (p *predictor) interaction(b domain.Clique) float64 {
	key := b.Key()
	if e, ok := p.parts[key]; ok {
		return e
	}
	base := p.independent(b)
	precision := p.precision(b)
	e := 0.0
	if len(b) == 1 {
		for _, x := range base {
			e += 0.4 * math.Min(1/math.Sqrt(precision), 2*x)
		}
	} else {
		strength := widerStrength
		if len(b) == 2 {
			strength = pairStrength
		}
		if p.same > 0 {
			strength *= baseline.PairDistance(p.effective(b[0]), p.effective(b[1]), 0) / baseline.PairDistance(float64(p.sizes[b[0]]), float64(p.sizes[b[1]]), 0)
		}
		scale := 0.0
		for _, x := range base {
			scale += math.Pow(x, 0.75)
		}
		kappa := strength * p.units / (0.8 * scale)
		kappa *= kappa
		for _, x := range base {
			v := kappa * x * math.Sqrt(x)
			e += 0.4 * math.Sqrt(v/(1+v*precision))
		}
	}
	p.parts[key] = e
	return e
}

// precision returns 1/variance of a cell of the interaction of b, over everything measured.
func (p *predictor) precision(b domain.Clique) float64 {
	cells, centring := 1.0, 1.0
	for _, a := range b {
		cells *= float64(p.sizes[a])
		centring *= 1 - 1/float64(p.sizes[a])
	}
	if centring == 0 {
		return math.Inf(1) // a column of one cell has no interaction to err in
	}
	u := 0.0
	for _, m := range p.measured {
		if m.Clique.Contains(b) {
			all := 1.0
			for _, a := range m.Clique {
				all *= float64(p.sizes[a])
			}
			u += cells / (all * m.Variance * centring)
		}
	}
	return u
}

// independent returns the expected counts of b's cells for independent skewed columns.
func (p *predictor) independent(b domain.Clique) []float64 {
	cells := []float64{p.units}
	for _, a := range b {
		share, sum := p.shares(a), 0.0
		for _, s := range share {
			sum += s
		}
		next := make([]float64, 0, len(cells)*len(share))
		for _, x := range cells {
			for _, s := range share {
				next = append(next, x*s/sum)
			}
		}
		cells = next
	}
	return cells
}

// shares returns what the shares of a column's values are proportional to.
func (p *predictor) shares(a int) []float64 {
	if p.same > 0 {
		return baseline.NearlyConstant(p.sizes[a], p.same)
	}
	out := make([]float64, p.sizes[a])
	for v := range out {
		out[v] = math.Pow(float64(v+1), skew)
	}
	return out
}

func (p *predictor) effective(a int) float64 { return baseline.EffectiveOf(p.shares(a)) }

// predict returns the predicted average total variation of the target's marginals, NaN without one, as for methods
// that are kept for comparison.
func predict(p solver.Problem, m solver.Method, l *accountant.Ledger, measured []Noisy, t Target, like *solver.Pattern) float64 {
	if m.Comparison {
		return math.NaN()
	}
	if m.Predict != nil {
		f, err := m.Predict(p, l.Budget(), like)
		if err != nil {
			return math.NaN()
		}
		if t.Columns == nil && t.these == nil && t.Width == 0 {
			return scaled(f.TV(), p, like)
		}
		return f.Of(t.cliques(p))
	}
	if len(measured) == 0 {
		return selected(p, m, l.Budget(), t.cliques(p))
	}
	return AverageTV(p.Workload.Sizes, measured, t.cliques(p), p.Units)
}

// Between these multiples of what was foretold lay the error of nine of ten runs on 31 tables of people and things that no
// constant was chosen on (ε = .3, 1, 3): of a typical table, and of one like a release of another run at ε = .3. A typical
// table may be far off: if nearly all records share one value, the error is a tenth or less, see least. Other predictions are good to
// a factor of two.
const (
	lowOfForecast, highOfForecast = .5, 1.7
	lowOfLike, highOfLike         = .6, 1.5
	factorOfOthers                = 2
)

// likely returns the range that goes with a prediction.
func likely(tv float64, m solver.Method, like *solver.Pattern) (low, high float64) {
	switch {
	case m.Predict != nil && like != nil && like.Model != nil:
		return lowOfLike * tv, min(1, highOfLike*tv)
	case m.Predict != nil:
		return lowOfForecast * tv, min(1, highOfForecast*tv)
	}
	return tv / factorOfOthers, min(1, tv*factorOfOthers)
}

// scatterOfLike is the standard deviation of the logarithm of an error over its prediction of a table like a release: the deviation of a
// normal distribution with nine of ten in the range above, which is what the tables of the predictions' page show.
var scatterOfLike = math.Log(highOfLike/lowOfLike) / (2 * 1.645)

// Scale lets errors that are predicted of a table like a release follow the error that this release measured: an average
// total variation of tv, with noise of this standard deviation. The problem is its run's. The logarithm of the scale is
// the mean logarithm of an error over its prediction, which scatters as above, given the measured one, whose noise is the
// relative one. Noise that hides the error leaves next to nothing of it.
func Scale(p solver.Problem, m solver.Method, like *solver.Pattern, tv, sd float64) {
	like.Scale = 0
	predicted := errorAt(p, m, Target{}, like)
	if !(predicted > 0 && tv > 0) {
		return
	}
	prior, noise := scatterOfLike*scatterOfLike, sd/tv*(sd/tv)
	like.Scale, like.Data = math.Pow(tv/predicted, prior/(prior+noise)), float64(p.Epsilon)*p.Units
}

// scaled returns a prediction with the scale of the pattern: all of it at the ε and the units of the release, half of its
// logarithm at ten times or a tenth of their product, as what stands out of noise is another part of the table there.
func scaled(tv float64, p solver.Problem, like *solver.Pattern) float64 {
	if like == nil || like.Scale == 0 {
		return tv
	}
	away := math.Abs(math.Log10(float64(p.Epsilon) * p.Units / like.Data))
	return min(1, tv*math.Pow(like.Scale, 1/(1+away)))
}

// nearlyConstant is the share of the commonest value in each column of a table whose columns hardly vary.
const nearlyConstant = .97

// least returns the prediction for a table whose columns hardly vary. Noise that a typical table has room for beside larger counts
// is all that such a table has, so that it may be above a typical one's.
func least(p solver.Problem, m solver.Method, l *accountant.Ledger, measured []Noisy) float64 {
	switch {
	case m.Predict != nil:
	case len(measured) == 0 || m.Comparison:
		return math.NaN()
	default:
		q := predictor{sizes: p.Workload.Sizes, units: p.Units, measured: measured, same: nearlyConstant, parts: map[string]float64{}}
		return q.average(Target{}.cliques(p))
	}
	f, err := m.Predict(p, l.Budget(), &solver.Pattern{Same: nearlyConstant})
	if err != nil {
		return math.NaN()
	}
	return f.TV()
}

// FewTV is the average total variation above which a plan warns of too few privacy units for the columns.
const FewTV = report.FewTV

// enough returns the first of 1, 2, 5, 10, 20, … units for which FewTV is predicted; 0 if the units will do, if nothing
// is predicted, or if not even a billion would do.
func enough(p solver.Problem, m solver.Method, l *accountant.Ledger, measured []Noisy, like *solver.Pattern) float64 {
	if tv := predict(p, m, l, measured, Target{}, like); !(tv > FewTV) {
		return 0
	}
	q := p
	for power := math.Pow(10, math.Floor(math.Log10(max(p.Units, 1)))); power < 1e9; power *= 10 {
		for _, digit := range []float64{1, 2, 5} {
			if q.Units = digit * power; q.Units > p.Units && predict(q, m, l, measured, Target{}, like) <= FewTV {
				return q.Units
			}
		}
	}
	return 0
}

// noiseBound returns a bound on the noise of all measured cells that holds with 95 % confidence.
func noiseBound(p solver.Problem, measured []Noisy) float64 {
	cells, worst := 0.0, 0.0
	for _, m := range measured {
		n, err := m.Clique.Cells(p.Workload.Sizes)
		if err != nil {
			return math.NaN()
		}
		cells += float64(n)
		worst = max(worst, m.Variance)
	}
	if cells == 0 {
		return math.NaN()
	}
	return math.Sqrt(worst*2*math.Log(2*cells/0.05)) / p.Units
}
