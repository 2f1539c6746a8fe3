package rivals

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/solver"
)

// BytesPerCell is the memory of an algorithm on an explicit universe for each of its cells: theta, the model, the
// mean of the models and buffers; with the final fit of Adaptive, the memory of package dpam too.
const BytesPerCell = 96

// The stages of a run.
const (
	stageTotal   = "total"
	stageSelect  = "select"
	stageMeasure = "measure"
)

// totalPercent is what the number of units gets of the budget under AddRemove.
const totalPercent = 2

// Curator is what the algorithms ask of private data; solver.Curator and solver.Published say what each method does.
type Curator interface {
	Total(stage string, share dp.Share) (query.Total, error)
	Measure(stage string, round int, cliques []domain.Clique, precision []float64, share dp.Share) ([]query.Measurement, error)
	MeasureQueries(stage string, round int, w query.Workload, share dp.Share) ([]query.Measurement, error)
	SelectBlock(stage string, round int, w query.Workload, model query.Answers, share dp.Share) (query.Block, error)
	SelectCell(stage string, round int, w query.Workload, model query.Answers, total float64, share dp.Share) (query.Cell, error)
	Coarsen(stage string, codes query.Recoding) error
	solver.Published
}

// Algorithm is one comparator.
type Algorithm struct {
	Name, Summary string
	// Dense says that the algorithm keeps a number for every cell of the universe.
	Dense bool
	// Linear says that the algorithm answers linear queries beside marginals.
	Linear bool
	// Universe says that the algorithm asks for counts of whole records.
	Universe bool
	// Merges says that the algorithm merges values of the private table for good: nothing is measured on all of them afterwards.
	Merges bool
	// Measures says that rounds also release noisy counts: such an algorithm refuses δ = 0.
	Measures bool

	// public prepares a run by how often each record of the universe occurs in the public table; nil: there must be none.
	public func(s *setup, rows []float64) error
	// schedule plans everything but the total: public rules on sizes, relation, ε, δ and planning units.
	schedule func(*setup) []solver.Access
	run      func(*session) (*population.Model, error)
}

// All returns the comparators, in the order in which a plan lists them.
func All() []Algorithm {
	return []Algorithm{pmw, mwem, pep, adaptive, gem, mst, dualQuery, dqrs, fem, sepFEM, pmwPub, pap, pe}
}

// setup is the public side of a run.
type setup struct {
	solver.Problem
	workload   query.Workload // the maximal marginals
	cells      int64          // of the workload
	never      domain.Exclusions
	total      dp.Share  // 0 under Replace
	percent    int64     // of the capacity, what the rounds get
	units      float64   // planning number
	logits     []float64 // of the universe, to begin with; nil: all 0
	rows       float64   // of the public table that count
	fromPublic bool      // the logits describe the table's distribution
}

func (a Algorithm) setup(p solver.Problem) (*setup, error) {
	s := &setup{Problem: p, workload: p.Workload.Maximal(), never: p.Domain.Exclusions(), total: dp.ShareOf(0, 1), percent: 100, units: p.Units}
	if len(s.workload.Marginals) == 0 {
		return nil, errors.New("the workload has no marginals")
	}
	if a.Measures && p.Delta == 0 {
		return nil, errors.New("its noise is Gaussian, which needs a delta above 0; dpam and dpfw also run at delta = 0")
	}
	if a.Merges && (p.ErrorShare.Num > 0 || len(p.Criteria.Limits) > 0) {
		return nil, errors.New("it merges values, so that neither its error nor criteria can be measured; leave them out, or use another method")
	}
	if a.Dense {
		if _, err := dense.CheckUniverse(s.workload.Sizes, BytesPerCell, p.Memory()); err != nil {
			return nil, err
		}
	}
	if a.public != nil {
		if err := s.readPublic(a); err != nil {
			return nil, err
		}
	}
	var err error
	if _, s.cells, err = s.workload.Cells(); err != nil {
		return nil, err
	}
	if p.Neighbouring == dp.AddRemove {
		s.total, s.percent = dp.ShareOf(totalPercent, 100), 100-totalPercent
	}
	if s.units == 0 {
		s.units = solver.DefaultUnits
	}
	return s, nil
}

// readPublic lets the algorithm prepare itself by the possible records of the public table.
func (s *setup) readPublic(a Algorithm) error {
	if s.Public == nil {
		return errors.New("it needs a table that anybody may see, with solver.Problem.Public; without one use method mwem")
	}
	rows, err := s.Public.Histogram(s.workload.Sizes)
	if err != nil {
		return err
	}
	for z, x := range dense.Uniform(s.workload.Sizes, s.never) {
		if x == 0 {
			rows[z] = 0
		}
		s.rows += rows[z]
	}
	if s.rows == 0 {
		return errors.New("no row of the public table is possible in this domain; name another table")
	}
	return a.public(s, rows)
}

// NeedsPublic reports whether the algorithm works from a public table.
func (a Algorithm) NeedsPublic() bool { return a.public != nil }

// Accesses plans every access to private data. It fails if the workload is empty, if the universe is too large for
// an algorithm that needs one (*dense.ErrUniverse), without the public table that it needs, and on δ = 0 if the algorithm measures.
func (a Algorithm) Accesses(p solver.Problem) ([]solver.Access, error) {
	s, err := a.setup(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	var out []solver.Access
	if p.Neighbouring == dp.AddRemove {
		kind := dp.DiscreteGaussian
		if p.Delta == 0 {
			kind = dp.DiscreteLaplace
		}
		out = append(out, solver.Access{Stage: stageTotal, Kind: kind, Count: 1, Share: s.total, Coordinates: 1})
	}
	return append(out, a.schedule(s)...), nil
}

// Solve returns a model whose weights sum to the number of units, released or public. It fails if Accesses does and
// if the curator does.
func (a Algorithm) Solve(p solver.Problem, c Curator) (*solver.Result, error) {
	set, err := a.setup(p)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	s := &session{setup: set, curator: c, rng: rand.New(rand.NewPCG(p.Seed, 0x636f6d70))}
	if s.released, err = c.Total(stageTotal, s.total); err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	s.released.Units = max(1, s.released.Units)
	model, err := a.run(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	model.Sizes, model.StructuralZeros = s.workload.Sizes, s.never
	sum := summation.InOrder(model.Weights)
	for i := range model.Weights {
		model.Weights[i] *= s.released.Units / sum
	}
	return &solver.Result{
		Model: model, Total: s.released, Measurements: s.measured, RMSE: math.NaN(),
		Iterations: s.done, Status: solver.RoundsDone, Public: p.Public.Use(set.rows),
	}, nil
}

// session is the state of a run that all algorithms share.
type session struct {
	*setup
	curator  Curator
	released query.Total
	measured []query.Measurement          // one for each marginal measured, of several the mean by precision
	answers  map[[2]int]query.Measurement // the same for linear queries, by table and first query
	rng      *rand.Rand                   // public randomness
	done     int                          // rounds
}

// finished notes the end of round t of all.
func (s *session) finished(t, all int) {
	s.done = t
	s.Progress.Report(stageSelect, t, all)
}

// measure releases marginal i of the workload in the given round and returns what is known of it by now: one that was
// measured before gets the mean of its answers, weighted by precision.
func (s *session) measure(round, i int, share dp.Share) (query.Measurement, error) {
	asked := s.workload.Marginals[i]
	if asked.Queries != nil {
		return s.measureQueries(round, i, 0, asked.Queries.Queries(), share)
	}
	ms, err := s.curator.Measure(stageMeasure, round, []domain.Clique{asked.Clique}, nil, share)
	if err != nil {
		return query.Measurement{}, err
	}
	for at := range s.measured {
		if m := &s.measured[at]; m.Clique.Equal(asked.Clique) {
			merge(m, ms[0])
			return *m, nil
		}
	}
	s.measured = append(s.measured, ms[0])
	return ms[0], nil
}

// measureQueries is measure for queries from … to−1 of table i of the workload. Others of the table have no answer in
// the mean.
func (s *session) measureQueries(round, i, from, to int, share dp.Share) (query.Measurement, error) {
	asked := s.workload.Marginals[i]
	asked.Queries = asked.Queries.Rows(from, to)
	ms, err := s.curator.MeasureQueries(stageMeasure, round, query.Workload{Sizes: s.workload.Sizes, Marginals: []query.Marginal{asked}}, share)
	if err != nil {
		return query.Measurement{}, err
	}
	key := [2]int{i, from}
	if s.answers == nil {
		s.answers = map[[2]int]query.Measurement{}
	}
	m, again := s.answers[key]
	if again {
		merge(&m, ms[0])
	} else {
		m = ms[0]
	}
	s.answers[key] = m
	return m, nil
}

func merge(into *query.Measurement, m query.Measurement) {
	u, v := 1/into.Variance, 1/m.Variance
	values := make([]float64, len(m.Values))
	for c := range values {
		values[c] = (u*into.Values[c] + v*m.Values[c]) / (u + v)
	}
	into.Values, into.Variance = values, 1/(u+v)
}

// selectThenMeasure plans rounds that select, then measure one marginal; their budgets are as selectPart to measurePart.
func (s *setup) selectThenMeasure(kind dp.Kind, rounds int, selectPart, measurePart int64) []solver.Access {
	most := int64(0)
	for _, m := range s.workload.Marginals {
		if n, err := m.Answers(s.workload.Sizes); err == nil {
			most = max(most, n)
		}
	}
	choose, measure := s.each(rounds, selectPart, measurePart)
	return []solver.Access{
		{Stage: stageSelect, Kind: kind, Count: rounds, Share: choose},
		{Stage: stageMeasure, Kind: dp.DiscreteGaussian, Count: rounds, Share: measure, Marginals: 1, Coordinates: most, Adaptive: true},
	}
}

// each returns the shares of one selection and of one measurement.
func (s *setup) each(rounds int, selectPart, measurePart int64) (choose, measure dp.Share) {
	den := 100 * (selectPart + measurePart) * int64(rounds)
	return dp.ShareOf(s.percent*selectPart, den), dp.ShareOf(s.percent*measurePart, den)
}

// roundsOr returns the number of rounds that the user asks for, or else n.
func (s *setup) roundsOr(n int) int {
	if s.Rounds > 0 {
		return s.Rounds
	}
	return n
}

// Cost predicts the memory of a solve in bytes and its CPU time in seconds on one core, from the measured costs of its
// kernels; NaN, if the domain does not suit the algorithm.
func (a Algorithm) Cost(p solver.Problem) (bytes, seconds float64) {
	s, err := a.setup(p)
	if err != nil {
		return math.NaN(), math.NaN()
	}
	rounds := 0
	for _, x := range a.schedule(s) {
		rounds = max(rounds, x.Count)
	}
	if a.Dense {
		k := dense.Cells(s.workload.Sizes)
		return BytesPerCell * k, float64(rounds) * projections * 10e-9 * k
	}
	return 64 * float64(s.cells), float64(rounds) * 1e-3 * float64(len(s.workload.Marginals))
}
