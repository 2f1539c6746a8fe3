package rake

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// run is the state of one solve. Everything in it is public.
type run struct {
	problem  solver.Problem
	curator  Curator
	settings settings
	targets  targets
	twice    float64 // twice the ledger's capacity: the W of Σ Δ²/σ² ≤ W
	rng      *rand.Rand

	total    query.Total
	oneWays  []oneWay
	released []query.Measurement // one-way tables on original codes
	bins     []domain.LearnedBins
	taken    []domain.LearnedBins // of attributes that have the bins of others
	merged   *merged

	pairs    []*candidate
	triples  []*candidate // scored
	unscored []*candidate // triples beyond scoredTriples: only their pairs are known
	byPair   map[string]*candidate
	tables   map[string]*measurement // by clique
	oneways  []*population.Table     // of the fit
	field    *population.Field

	forecast   *expectedAnswers // of a forecast, in which nothing is fitted; else nil
	iterations int
	renewals   float64 // factors that renewals may still multiply
	status     solver.Status
	used       *solver.PublicUse
}

// Solve makes the accesses of Accesses and returns the fitted model, whose weights sum to the released
// or public number of units: a population of 300,000 to 1,000,000 records, fewer
// (at least 30,000) of fewer than 5,000 units or if many columns make renewals costly, or all cells of a small universe. Result.Measurements holds
// the one-way tables, the only ones released on the original codes; Result.TV is predicted.
//
// It fails if Accesses does, if the ledger is pure, and if the curator does. Equal problems and
// answers give equal models.
func Solve(p solver.Problem, c Curator) (*solver.Result, error) {
	t := newTargets(p)
	if err := check(p, t); err != nil {
		return nil, err
	}
	b := c.Budget()
	if b.Accounting == dp.Pure {
		return nil, errors.New("rake: a pure ledger admits no Gaussian noise; use a delta above 0")
	}
	r := &run{problem: p, curator: c, settings: newSettings(p, t), targets: t, twice: 2 * b.Capacity,
		rng: rand.New(rand.NewPCG(p.Seed, 0x72616b65)), byPair: map[string]*candidate{},
		tables: map[string]*measurement{}, status: solver.RoundsDone}
	for i, stage := range []func() error{r.measureTotal, r.measureOneWays, r.measurePairs, r.measureFinal} {
		p.Progress.Report("measure", i, 4)
		if err := stage(); err != nil {
			return nil, err
		}
	}
	p.Progress.Report("measure", 4, 4)
	m, err := r.model()
	if err != nil {
		return nil, err
	}
	m.StructuralZeros = p.Domain.Exclusions()
	r.meetRowCounts(m)
	r.meetGaps(m)
	r.couple(m)
	return &solver.Result{Model: m, Total: r.total, Measurements: r.released, RMSE: math.NaN(), Bins: slices.Concat(r.bins, r.taken),
		TV: r.predict(), Uncertainty: r.uncertainty(), Iterations: r.iterations, Status: r.status, Public: cmp.Or(r.used, r.problem.Public.Use(0))}, nil
}

func (r *run) measureTotal() error {
	total, err := r.curator.Total(stageTotal, r.settings.total)
	if err != nil {
		return fmt.Errorf("rake: %w", err)
	}
	total.Units = max(1, total.Units)
	r.total = total
	r.settings.setFit(relativeNoise(r.problem, r.targets, total.Units)) // the shares are bound to the planning number
	return nil
}

// measurePairs scores the pairs against independence, measures those that the scores call for, and
// fits a first model.
func (r *run) measurePairs() error {
	r.agreeOnFirstRows()
	r.merged = merge(r.oneWays, r.total.Units, r.problem.Domain)
	for _, t := range r.targets.pairs {
		if c := newCandidate(r.problem.Neighbouring, r.merged.sizes, t); c.cost > 0 {
			c.setBase(r.merged.unlinked(c.clique, r.total.Units))
			r.pairs = append(r.pairs, c)
			r.byPair[c.clique.Key()] = c
		}
	}
	if len(r.pairs) > 0 {
		scores, variance, err := r.score(stageFirstScores, r.pairs, r.settings.firstScores)
		if err != nil {
			return err
		}
		shrunk, deviations := shrink(scores, variance)
		r.setPriors(r.pairs, shrunk, deviations)
		for _, c := range r.pairs {
			c.screen()
		}
		waterfill(r.pairs, r.settings.pairs.Float()*r.twice)
		if err := r.measure(stagePairs, r.pairs, r.settings.pairs); err != nil {
			return err
		}
	}
	if r.forecast != nil {
		return nil
	}
	r.startField()
	if len(r.pairs) > 0 || len(r.merged.never) > 0 { // exclusions alone link attributes
		r.fit()
	}
	return nil
}

// measureFinal scores pairs and triples against the model, measures those that the scores call for,
// and fits the final model.
func (r *run) measureFinal() error {
	if len(r.pairs) == 0 {
		return nil
	}
	r.triples = r.candidateTriples()
	list := slices.Concat(r.pairs, r.triples)
	r.setBases(list)
	if err := r.scoreAll(r.triples); err != nil {
		return err
	}
	for _, c := range slices.Concat(r.pairs, r.triples) {
		c.screen()
	}
	list = r.share(r.triples)
	if err := r.measure(stageFinal, list, r.settings.final); err != nil {
		return err
	}
	if r.forecast == nil && r.rakesAll() {
		r.fit()
	}
	return nil
}

// setBases sets the bases of the second screening: what the model says so far.
func (r *run) setBases(list []*candidate) {
	if r.forecast != nil {
		r.forecast.setBases(list)
		return
	}
	for i, base := range r.field.Model.Marginals(candidateCliques(list)) {
		list[i].setBase(base)
	}
}

// candidateTriples returns the triples to score, at most scoredTriples, those whose pairs scored highest
// first, and their own weights. It runs on the scores of the first screening.
func (r *run) candidateTriples() []*candidate {
	var list []*candidate
	promise := map[*candidate]float64{}
	for _, t := range r.targets.triples {
		c := newCandidate(r.problem.Neighbouring, r.merged.sizes, t)
		if c.cost == 0 {
			continue
		}
		for _, pair := range subsets(t.clique, 2) {
			p := r.byPair[pair.Key()] // exists, as no attribute of the triple has one code
			c.pairs = append(c.pairs, p)
			promise[c] += p.score
		}
		list = append(list, c)
	}
	if most := r.most(scoredTriples); len(list) > most {
		slices.SortStableFunc(list, func(a, b *candidate) int { return cmp.Compare(promise[b], promise[a]) })
		list, r.unscored = list[:most], list[most:]
	}
	return list
}

// most is a cap on triples; a triple of a forecast stands for several.
func (r *run) most(triples int) int {
	if t := r.targets.triples; len(t) > 0 && t[0].times > 1 {
		return max(1, int(float64(triples)/t[0].times))
	}
	return triples
}

// score releases the distances of all candidates from their bases.
func (r *run) score(stage string, list []*candidate, share dp.Share) (scores []float64, variance float64, err error) {
	bases := make(query.Answers, len(list))
	for i, c := range list {
		bases[i] = c.base
	}
	s, err := r.curator.Scores(stage, 1, candidateCliques(list), r.merged.codes, bases, share)
	if err != nil {
		return nil, 0, fmt.Errorf("rake: %w", err)
	}
	return s.Values, s.Variance, nil
}

func candidateCliques(list []*candidate) []domain.Clique {
	out := make([]domain.Clique, len(list))
	for i, c := range list {
		out[i] = c.clique
	}
	return out
}

func (r *run) setPriors(list []*candidate, scores, deviations []float64) {
	for i, c := range list {
		c.scoreSD = deviations[i]
		c.setScore(scores[i], r.total.Units)
	}
}

// leastOwnScore is the part of a triple's distance that is never put down to its pairs.
const leastOwnScore = .3

// scoreAll is the second screening. What a triple's pairs explain of its distance is taken off, in
// quadrature.
func (r *run) scoreAll(triples []*candidate) error {
	scores, variance, err := r.score(stageSecondScores, slices.Concat(r.pairs, triples), r.settings.secondScores)
	if err != nil {
		return err
	}
	shrunk, deviations := shrink(scores[:len(r.pairs)], variance)
	r.setPriors(r.pairs, shrunk, deviations)
	own, deviations := shrink(scores[len(r.pairs):], variance)
	for i, t := range triples {
		square := own[i] * own[i]
		for _, p := range t.pairs {
			square -= p.score * p.score
		}
		own[i] = max(math.Sqrt(max(square, 0)), leastOwnScore*own[i])
	}
	r.setPriors(triples, own, deviations)
	return nil
}

// share divides the last release between pairs and the triples worth most, whose number is capped.
func (r *run) share(triples []*candidate) []*candidate {
	budget := r.settings.final.Float() * r.twice
	list := slices.Concat(r.pairs, triples)
	waterfill(list, budget)
	for round := 1; round < 6 && len(triples) > 0; round++ {
		reweigh(r.pairs, triples)
		waterfill(list, budget)
	}
	if most := r.most(measuredTriples); len(triples) > most {
		slices.SortStableFunc(triples, func(a, b *candidate) int { return cmp.Compare(b.cost*b.precision, a.cost*a.precision) })
		list = slices.Concat(r.pairs, triples[:most])
		waterfill(list, budget)
	}
	return list
}

// measure releases the residuals of the candidates that got precision, and joins them to the field's
// tables.
func (r *run) measure(stage string, list []*candidate, share dp.Share) error {
	list = slices.DeleteFunc(slices.Clone(list), func(c *candidate) bool { return !c.selectable() })
	if len(list) == 0 {
		return nil // nothing to learn: the share stays unspent
	}
	cliques, precision := make([]domain.Clique, len(list)), make([]float64, len(list))
	for i, c := range list {
		cliques[i], precision[i] = c.clique, c.precision
	}
	released, err := r.curator.Residuals(stage, 1, cliques, r.merged.codes, precision, share)
	if err != nil {
		return fmt.Errorf("rake: %w", err)
	}
	for i, m := range released {
		if r.forecast == nil {
			r.addMeasurement(list[i], m)
		}
		list[i].uncertainty.Precision = 1 / m.Variance
	}
	return nil
}
