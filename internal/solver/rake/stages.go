package rake

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/choose"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/fit"
	"github.com/dapple-dp/dapple/internal/solver/rake/internal/oneway"
	"github.com/dapple-dp/dapple/solver"
)

// run is the state of one solve or forecast. Everything in it is public.
type run struct {
	problem  solver.Problem
	curator  Curator
	settings settings
	targets  choose.Targets
	law      choose.Law // of the ledger's noise
	rng      *rand.Rand

	total  query.Total
	ones   *oneway.Tables
	tables *choose.Candidates
	fit    *fit.Fit // nil in a forecast

	// setBases sets the bases of the second screening: what the model says so far. Before a run it is set in a forecast alone.
	setBases func([]*choose.Candidate)
	binScale float64 // of the least count of a learned bin
}

// newRun returns the run of a problem with a budget; it fails if the problem cannot be solved.
func newRun(p solver.Problem, c Curator, b dp.Budget) (*run, error) {
	t := choose.NewTargets(p)
	if err := check(p, t); err != nil {
		return nil, err
	}
	return &run{problem: p, curator: c, settings: newSettings(p, t), targets: t, law: choose.LawOf(b), rng: rand.New(rand.NewPCG(p.Seed, 0x72616b65)), binScale: 1}, nil
}

// stages are what is asked of the curator, in order.
func (r *run) stages() []func() error {
	list := []func() error{r.measureTotal, r.measureOneWays, r.measurePairs, r.measureFinal}
	if r.law.Laplace() {
		return list[:3]
	}
	return list
}

// measureTotal releases the number of units.
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

// measureOneWays learns bins and releases the residuals of all other covered attributes. The others, and those with one value,
// are taken to be uniform.
func (r *run) measureOneWays() error {
	r.ones = oneway.Uniform(r.problem.Domain, r.targets.Sizes, r.total)
	if err := r.learnBins(); err != nil {
		return err
	}
	attributes := slices.DeleteFunc(r.targets.Attributes(), func(c domain.Clique) bool { return oneway.OwnBins(r.problem.Domain, c[0]) })
	if len(attributes) == 0 {
		return nil
	}
	precision := lists.Of(attributes, func(c domain.Clique) float64 { return r.ones.Precision(c[0], r.targets.Weight[c[0]], r.law.Power) })
	released, err := r.curator.Residuals(stageOneWays, 1, attributes, nil, precision, r.settings.oneWays)
	if err != nil {
		return fmt.Errorf("rake: %w", err)
	}
	for i, m := range released {
		r.ones.Add(attributes[i][0], m)
	}
	return nil
}

// learnBins releases a tree of differences for each attribute whose bins are learned, chooses bins and passes over to
// them.
func (r *run) learnBins() error {
	d := r.problem.Domain
	if d == nil || !d.Learns() {
		return nil
	}
	cliques, trees := oneway.Learned(d, r.targets.Attributes()), map[int]query.Tree{}
	if len(cliques) > 0 {
		shapes := lists.Of(cliques, func(c domain.Clique) query.TreeShape { return oneway.ShapeOf(&d.Attributes[c[0]]) })
		released, err := r.curator.Trees(stageTrees, 1, cliques, shapes, r.total.Units, equally(cliques), r.settings.trees)
		if err != nil {
			return fmt.Errorf("rake: %w", err)
		}
		for i, c := range cliques {
			trees[c[0]] = released[i]
		}
	}
	seasonal, err := r.measureCycles(cliques)
	if err != nil {
		return err
	}
	if err := r.curator.Coarsen(stageCoarsen, r.ones.LearnBins(trees, seasonal, r.binScale)); err != nil {
		return fmt.Errorf("rake: %w", err)
	}
	return nil
}

// measureCycles releases the parts of cycles, by attribute.
func (r *run) measureCycles(learned []domain.Clique) (map[int][]oneway.Measured, error) {
	out := map[int][]oneway.Measured{}
	d := r.problem.Domain
	for i, c := range oneway.Cycles {
		list := c.Of(d, learned)
		if len(list) == 0 {
			continue
		}
		merge := make(query.Recoding, d.Len())
		for _, q := range list {
			merge[q[0]] = c.Codes(&d.Attributes[q[0]])
		}
		released, err := r.curator.Residuals(c.Stage, 1, list, merge, equally(list), r.settings.cycles[i])
		if err != nil {
			return nil, fmt.Errorf("rake: %w", err)
		}
		for _, m := range released {
			if len(m.Values) > 0 { // none are known in a forecast
				out[m.Clique[0]] = append(out[m.Clique[0]], c.Read(m, r.total.Units))
			}
		}
	}
	return out, nil
}

// equally returns one precision for each clique.
func equally(cliques []domain.Clique) []float64 { return slices.Repeat([]float64{1}, len(cliques)) }

// measurePairs scores the pairs against independence, measures those that the scores call for, and
// fits a first model.
func (r *run) measurePairs() error {
	r.ones.AgreeOnFirstRows(r.targets.Covered)
	merged := oneway.Merge(r.ones.List, r.total.Units, r.problem.Domain)
	r.tables = choose.NewCandidates(r.law, r.targets, r.ones, merged, r.total.Units, r.setBases != nil)
	if r.setBases == nil {
		r.fit = fit.New(r.problem, r.settings.Options, r.tables, r.rng)
		r.setBases = r.fit.SetBases
	}
	if pairs := r.tables.Pairs; len(pairs) > 0 {
		scores, err := r.score(stageFirstScores, pairs, r.settings.firstScores)
		if err != nil {
			return err
		}
		r.tables.SharePairs(scores.Values, scores.Variance, r.settings.pairs.Float()*r.law.Budget)
		if err := r.measure(stagePairs, pairs, r.settings.pairs); err != nil {
			return err
		}
	}
	if r.fit != nil {
		r.fit.Start()
	}
	return nil
}

// measureFinal scores pairs, triples and wider tables against the model, measures those that the scores call for,
// and fits the final model.
func (r *run) measureFinal() error {
	if len(r.tables.Pairs) == 0 {
		return nil
	}
	r.tables.AddWider(r.settings.triples, r.settings.wide)
	list := r.tables.All()
	r.setBases(list)
	scores, err := r.score(stageSecondScores, list, r.settings.secondScores)
	if err != nil {
		return err
	}
	list = r.tables.ShareAll(scores.Values, scores.Variance, r.settings.final.Float()*r.law.Budget, measuredTriples)
	if err := r.measure(stageFinal, list, r.settings.final); err != nil {
		return err
	}
	if r.fit != nil && r.settings.RakesAll() {
		r.fit.Refit()
	}
	return nil
}

// score releases the distances of all candidates from their bases.
func (r *run) score(stage string, list []*choose.Candidate, share dp.Share) (query.Scores, error) {
	cliques, bases := choose.CliquesAndBases(list)
	s, err := r.curator.Scores(stage, 1, cliques, r.tables.Merged.Codes, bases, share)
	if err != nil {
		return s, fmt.Errorf("rake: %w", err)
	}
	return s, nil
}

// measure releases the residuals of the candidates that got precision, and joins them to the field's
// tables.
func (r *run) measure(stage string, list []*choose.Candidate, share dp.Share) error {
	list = slices.DeleteFunc(slices.Clone(list), func(c *choose.Candidate) bool { return !c.Selectable() })
	if len(list) == 0 {
		return nil // nothing to learn: the share stays unspent
	}
	cliques, precision := make([]domain.Clique, len(list)), make([]float64, len(list))
	for i, c := range list {
		cliques[i], precision[i] = c.Clique, c.Precision
	}
	released, err := r.curator.Residuals(stage, 1, cliques, r.tables.Merged.Codes, precision, share)
	if err != nil {
		return fmt.Errorf("rake: %w", err)
	}
	for i, m := range released {
		if r.fit != nil {
			r.fit.Add(list[i], m)
		}
		list[i].Uncertainty.Precision = 1 / m.Variance
	}
	return nil
}
