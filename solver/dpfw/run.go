package dpfw

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/solver"
)

const (
	// stepSize is C of step = C·√(ln k/Σ v); errors are flat for C in [.25, .5].
	stepSize = .35
	// leastVariance keeps the first steps finite if the model answers a query with almost 0 or 1, and answers where noise is next to none.
	leastVariance = 1e-4
)

func (pl *plan) run(p solver.Problem, c curator) (*solver.Result, error) {
	total, err := c.Total(stageTotal, pl.total)
	if err != nil {
		return nil, err
	}
	total.Units = max(1, total.Units)
	r := pl.newRun(total.Units)
	weights, err := r.descend(p.Progress, c)
	if err != nil {
		return nil, err
	}
	scale := pl.scale(c.Budget())
	if pl.form == Block {
		if err := r.thin(p, weights, scale); err != nil {
			return nil, err
		}
	}
	worst, err := c.MaxError(stageCertificate, p.Workload, answers(p.Workload, weights), pl.certificate)
	if err != nil {
		return nil, err
	}
	out := &solver.Result{
		Model:      &population.Model{Sizes: pl.maximal.Sizes, Weights: weights, StructuralZeros: pl.impossible},
		Total:      total,
		MaxError:   &worst,
		RMSE:       math.NaN(),
		Iterations: pl.rounds,
		Status:     solver.RoundsDone,
	}
	if pl.form == Block {
		out.Fit = r.test(out.Model, scale)
		out.Status = out.Fit.StatusOf(out.Status)
	}
	return out, nil
}

// thin replaces the averaged model's weights, if the rounds tell that most cells are empty, by the weights of a fit to the counts that they
// tell: the average still holds people whom the first, even models had there.
func (r *run) thin(p solver.Problem, weights []float64, b float64) error {
	if _, err := dense.CheckUniverse(r.maximal.Sizes, dpam.BytesPerCell, p.Memory()); err != nil || len(r.told.blocks) == 0 {
		return nil // such a fit takes three times the memory of rounds, and no round of few is kept if marginals are large
	}
	average := &population.Model{Sizes: r.maximal.Sizes, Weights: weights}
	list := r.told.answers(r.maximal, average.Marginals(r.maximal.Cliques()), b)
	cliques := lists.Of(list, func(m query.Measurement) domain.Clique { return m.Clique })
	fit, err := dpam.Fit(dense.NewOracle(dense.NewPlan(r.maximal.Sizes, cliques)), list, r.units, dpam.FitSettings{
		Seed: p.Seed, Prior: dpam.Independent(r.maximal.Sizes, list, r.impossible)})
	if err != nil || !fit.Thin {
		return err
	}
	for z, x := range fit.Weights {
		weights[z] = x * r.units
	}
	return nil
}

// descend returns the average of the models, the t-th with weight t, scaled to the number of units.
func (r *run) descend(progress solver.Progress, c curator) ([]float64, error) {
	average := make([]float64, len(r.theta))
	for t := 1; t <= r.rounds; t++ {
		r.evaluate()
		for z, x := range r.model {
			average[z] += float64(t) * x
		}
		if err := r.round(c, t); err != nil {
			return nil, err
		}
		progress.Report(stageSelect, t, r.rounds)
	}
	scale := r.units / (float64(r.rounds) * float64(r.rounds+1) / 2)
	for z := range average {
		average[z] *= scale
	}
	return average, nil
}

// run is the state of a descent. Nothing in it is allocated after newRun.
type run struct {
	*plan
	oracle *dense.Oracle
	units  float64
	theta  []float64 // logits over the universe
	model  []float64 // softmax(theta)
	counts query.Answers
	flat   []float64 // all of counts
	step   []float64 // room for one marginal's ±step
	logK   float64
	spread float64 // Σ of the variances of the selected queries under the models
	told   told
	every  int // how many rounds there are for each that is kept
}

func (pl *plan) newRun(units float64) *run {
	d := dense.PlanOf(pl.maximal)
	r := &run{plan: pl, oracle: dense.NewOracle(d), units: units, logK: math.Log(float64(d.Len())), told: told{blocks: make([]query.Block, 0, pl.rounds)}}
	r.theta, r.model = dense.Forbid(make([]float64, d.Len()), pl.maximal.Sizes, pl.impossible), make([]float64, d.Len())
	r.counts, r.flat = d.NewAnswers()
	widest := slices.Max(d.Cells())
	r.step, r.every = make([]float64, widest), 1+pl.rounds*widest/mostTold
	return r
}

// evaluate makes the model of theta and its marginals in counts.
func (r *run) evaluate() {
	dense.Softmax(r.theta, r.model)
	r.oracle.Eval(r.model, r.counts)
	for i := range r.flat {
		r.flat[i] *= r.units
	}
}

// round selects, and moves theta towards the selected query.
func (r *run) round(c curator, t int) error {
	if r.form == Cell {
		s, err := c.SelectCell(stageSelect, t, r.maximal, r.counts, r.units, r.each)
		if err != nil {
			return err
		}
		p := r.counts[s.Marginal][s.Cell] / r.units
		least, most := r.maximal.Marginals[s.Marginal].Bounds(s.Cell)
		r.oracle.AddCell(s.Marginal, s.Cell, float64(s.Sign)*r.length((p-least)*(most-p)), r.theta)
		return nil
	}
	s, err := c.SelectBlock(stageSelect, t, r.maximal, r.counts, r.each)
	if err != nil {
		return err
	}
	if t%r.every == 0 {
		r.told.add(s, r.counts[s.Marginal])
	}
	mean := 0.0
	for i, sign := range s.Signs {
		mean += float64(sign) * r.counts[s.Marginal][i] / r.units
	}
	length := r.length(1 - mean*mean)
	step := r.step[:len(s.Signs)]
	for i, sign := range s.Signs {
		step[i] = float64(sign) * length
	}
	r.oracle.AddBlock(s.Marginal, step, r.theta)
	return nil
}

// length returns the step for a query whose variance under the model is at most v: the step sizes of
// multiplicative weights that adapt to the variance met so far.
func (r *run) length(v float64) float64 {
	r.spread += max(v, leastVariance)
	return stepSize * math.Sqrt(r.logK/r.spread)
}

// answers returns the marginals of weights for the whole workload, contained marginals included.
func answers(w query.Workload, weights []float64) query.Answers {
	d := dense.PlanOf(w)
	a, _ := d.NewAnswers()
	return dense.NewOracle(d).Eval(weights, a)
}

const (
	leastRounds = 30
	mostRounds  = 1000 // 3,000 pays only at ε ≥ 5

	leastPureRounds = 20
	mostPureRounds  = 300
)

// rounds returns the number of rounds T for the part select of the budget, k cells of the universe and
// m cells of the workload. With A/√T + B·√T bounding the error, A = 2·√(ln k/2) for one block and
// B = R·ln(2m)/(√(8ρ)·N), it takes a fraction of the best T of that bound, because the error is flat
// in T beyond it and every round costs time.
func rounds(p solver.Problem, k, m float64, selection dp.Share) int {
	if p.Rounds > 0 {
		return p.Rounds
	}
	units := p.Units
	if units == 0 {
		units = solver.DefaultUnits
	}
	a := math.Sqrt(2 * math.Log(k))
	b := float64(max(p.Workload.CellRange(p.Neighbouring), dp.Range(p.Neighbouring.UnitChanges()))) * math.Log(2*m)
	if p.Delta == 0 {
		eps := float64(p.Epsilon) * selection.Float()
		return clip(math.Pow(a*eps*units/(2*b), 2.0/3)/4, leastPureRounds, mostPureRounds)
	}
	rho := solver.ZCDPRho(p.Epsilon, p.Delta) * selection.Float()
	return clip(2*a*math.Sqrt(8*rho)*units/(5*b), leastRounds, mostRounds)
}

func clip(x float64, least, most int) int {
	return int(min(max(x, float64(least)), float64(most)))
}
