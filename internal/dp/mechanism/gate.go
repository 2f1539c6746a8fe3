package mechanism

import (
	"errors"
	"fmt"
	"math"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
)

// Counts are the exact counts of a private table with at most one record of each privacy unit, or with several whose
// weights, multiples of 2^-k, add up to 1 at most. They then have a method WeightBits that returns k, which the ledger's
// parameters hold too.
type Counts interface {
	// Units returns the number of privacy units.
	Units() int64
	// Marginal returns the counts of a clique's cells in steps of 2^-k, row-major. They are shared: not to be modified.
	// It is called for each marginal of each request, so it should be quick.
	Marginal(c domain.Clique) []int64
}

// MaxUnits is the largest number of units, in steps of their weights: sums of scores on the grid 2^-20 then stay in an
// int64.
const MaxUnits = 1 << 40

// Params configures a Curator. All fields but Admit, BeforeNoise and Recorder are required.
type Params struct {
	Sizes  []int              // codes that a record can have in each attribute
	Ledger *accountant.Ledger // pays for everything; its relation is the curator's
	Root   noise.Root         // bound to these counts and their configuration
	// Admit is called before each charge, with a request and the event that it costs. An error refuses the request:
	// nothing is charged or drawn. nil: every request is admitted that the ledger pays for.
	Admit func(Request, accountant.Event) error
	// BeforeNoise is called once, after the first charge and before the first draw. If it fails, nothing is drawn. It
	// can write a durable mark that the budget is spent; nil: nothing is called.
	BeforeNoise func() error
	Recorder    *Recorder // keeps all calls; nil keeps none
}

// New returns a Curator over private counts. It fails without sizes, ledger or root, and if there
// are more than MaxUnits units, in steps.
func New(counts Counts, p Params) (*Curator, error) {
	switch {
	case len(p.Sizes) == 0 || p.Ledger == nil || !p.Root.Usable():
		return nil, errors.New("mechanism: a curator needs sizes, a ledger and a root of randomness")
	case weightBits(counts) != p.Ledger.Params().WeightBits:
		return nil, errors.New("mechanism: the ledger is for weights of another grid than the counts'")
	case counts.Units() < 0 || counts.Units() > MaxUnits>>p.Ledger.Params().WeightBits:
		return nil, fmt.Errorf("mechanism: more privacy units than 2^%d, which sums of scores do not hold, were counted; nothing was drawn or charged: release parts of the people apart", 40-p.Ledger.Params().WeightBits)
	}
	return newGate(counts, p).curator(), nil
}

// weightBits returns k of counts in steps of 2^-k, which say so by a method of that name; 0 for others.
func weightBits(counts Counts) int {
	if w, ok := counts.(interface{ WeightBits() int }); ok {
		return w.WeightBits()
	}
	return 0
}

func newGate(counts Counts, p Params) *gate {
	return &gate{
		counts: counts, sizes: p.Sizes, ledger: p.Ledger, recorder: p.Recorder,
		relation: p.Ledger.Params().Neighbouring, weightBits: p.Ledger.Params().WeightBits,
		open: func(stage string, round int, inputs [32]byte) noise.Source {
			return p.Root.Stream(stage, round, inputs)
		},
		used: map[slot]bool{}, admit: p.Admit, beforeNoise: p.BeforeNoise,
	}
}

func (g *gate) curator() *Curator { return &Curator{budget: g.ledger.Budget(), answer: g.answer} }

// gate holds the private counts. All access is through answer.
type gate struct {
	counts   Counts
	sizes    []int
	ledger   *accountant.Ledger
	relation dp.Neighbouring
	// weightBits is k if counts are in steps of 2^-k.
	weightBits int

	open     func(stage string, round int, inputs [32]byte) noise.Source
	used     map[slot]bool
	recorder *Recorder

	admit       func(Request, accountant.Event) error // may be nil
	beforeNoise func() error                          // nil once it has been called

	errors []int64       // scratch: cell errors of a workload
	scores []noise.Score // scratch
}

// slot is the part of a stream's label besides its inputs.
type slot struct {
	stage string
	round int
}

// plan is a mechanism ready to run: its price, and its draw, which alone reads counts and randomness. If free is set,
// nothing is charged: the release is then a public number.
type plan struct {
	event accountant.Event
	free  bool
	draw  func() Release
}

// announce calls beforeNoise until it has succeeded once.
func (g *gate) announce() error {
	if g.beforeNoise == nil {
		return nil
	}
	if err := g.beforeNoise(); err != nil {
		return fmt.Errorf("mechanism: before the first noise: %w", err)
	}
	g.beforeNoise = nil
	return nil
}

// admitted asks admit, if there is one.
func (g *gate) admitted(r Request, e accountant.Event) error {
	if g.admit == nil {
		return nil
	}
	return g.admit(r, e)
}

// answer checks, charges, then draws.
func (g *gate) answer(r Request) (Release, error) {
	p, err := g.plan(r)
	if err != nil {
		return Release{}, fmt.Errorf("mechanism: %s of stage %q, round %d: %w", r.Method, r.Stage, r.Round, err)
	}
	if g.used[slot{r.Stage, r.Round}] {
		return Release{}, fmt.Errorf("mechanism: stage %q, round %d was used before: its noise would repeat", r.Stage, r.Round)
	}
	if !p.free {
		p.event = p.event.At(r.Stage, r.Round)
		if err := g.admitted(r, p.event); err != nil {
			return Release{}, fmt.Errorf("mechanism: %s of stage %q, round %d: %w", r.Method, r.Stage, r.Round, err)
		}
		if err := g.ledger.Charge(p.event); err != nil {
			return Release{}, fmt.Errorf("mechanism: %s of stage %q, round %d: %w", r.Method, r.Stage, r.Round, err)
		}
		if err := g.announce(); err != nil {
			return Release{}, err
		}
	}
	g.used[slot{r.Stage, r.Round}] = true
	release := p.draw()
	g.recorder.record(Call{Request: r, Event: p.event, Release: release})
	return release, nil
}

// planner plans the calls of a method.
type planner struct {
	plan     func(*gate, Request) (plan, error)
	workload bool // the call names marginals or queries
	model    bool // it names a model's answers to them
}

var planners = map[Method]planner{
	Total:           {plan: (*gate).total},
	Measure:         {plan: (*gate).measure},
	MeasureVariance: {plan: (*gate).measure},
	Votes:           {plan: (*gate).votes},
	Residuals:       {plan: (*gate).residuals},
	Scores:          {plan: (*gate).distances},
	Trees:           {plan: (*gate).trees},
	Coarsen:         {plan: (*gate).coarsen},
	Values:          {plan: (*gate).values},
	MeasureQueries:  {plan: (*gate).measureQueries, workload: true},
	SelectBlock:     {plan: (*gate).selectBlock, workload: true, model: true},
	SelectCell:      {plan: (*gate).selectCell, workload: true, model: true},
	LaplaceMaxCell:  {plan: (*gate).laplaceMaxCell, workload: true, model: true},
	MaxError:        {plan: (*gate).maxError, workload: true, model: true},
	Accept:          {plan: (*gate).accept, workload: true, model: true},
	MeanDistance:    {plan: (*gate).meanDistance, workload: true, model: true},
	Keep:            {plan: (*gate).keep, workload: true, model: true},
	FirstAbove:      {plan: (*gate).firstAbove, workload: true, model: true},
}

func (g *gate) plan(r Request) (plan, error) {
	if r.Stage == "" || r.Round < 0 {
		panic("mechanism: a call needs a stage, and a round of at least 0")
	}
	p, known := planners[r.Method]
	if !known {
		panic("mechanism: unknown method")
	}
	if p.workload {
		g.checkWorkload(r.Workload)
		if g.weightBits > 0 && !r.Workload.Whole() {
			return plan{}, errors.New("linear queries of records with weights have values of -1, 0 and 1 only")
		}
	}
	if p.model {
		if err := g.checkModel(r); err != nil {
			return plan{}, err
		}
	}
	return p.plan(g, r)
}

// checkWorkload panics on a workload of no marginals or of another domain.
func (g *gate) checkWorkload(w query.Workload) {
	if len(w.Marginals) == 0 {
		panic("mechanism: a workload of no marginals")
	}
	for _, m := range w.Marginals {
		if cells := g.cells(m.Clique); m.Queries != nil && m.Queries.Cells() != cells {
			panic("mechanism: queries of another clique")
		}
	}
}

// checkModel checks the model's answers to the workload: shapes by panic, values by error.
func (g *gate) checkModel(r Request) error {
	if len(r.Model) != len(r.Workload.Marginals) {
		panic("mechanism: answers to another workload")
	}
	for i, m := range r.Workload.Marginals {
		if n, err := m.Answers(g.sizes); err != nil || len(r.Model[i]) != int(n) {
			panic("mechanism: answers of another size than their marginal")
		}
		for _, x := range r.Model[i] {
			if !inRange(x) {
				return errors.New("the model's answers are not all between -2^40 and 2^40 counts")
			}
		}
	}
	if !inRange(r.Total) {
		return errors.New("the model's total is not between -2^40 and 2^40 counts")
	}
	return nil
}

// inRange reports |x| ≤ 2^40; false for NaN.
func inRange(x float64) bool { return math.Abs(x) <= MaxUnits }

// cells returns the number of cells of a clique, which fits an int: counts of it are held in memory.
func (g *gate) cells(c domain.Clique) int {
	for _, a := range c {
		if a < 0 || a >= len(g.sizes) {
			panic("mechanism: a clique with an attribute outside the domain")
		}
	}
	n, err := c.Cells(g.sizes)
	if err != nil || n > math.MaxInt32 {
		panic("mechanism: a marginal too large to hold")
	}
	return int(n)
}

// marginal returns the exact counts of a clique.
func (g *gate) marginal(c domain.Clique) []int64 {
	counts := g.counts.Marginal(c)
	if len(counts) != g.cells(c) {
		panic("mechanism: counts of another size than their marginal")
	}
	return counts
}

// workloadErrors returns count·2^20 − round(model·2^20) for all cells and queries of the workload, in order, in g's
// scratch space.
func (g *gate) workloadErrors(w query.Workload, model query.Answers) []int64 {
	g.errors = g.errors[:0]
	for i, m := range w.Marginals {
		from := len(g.errors)
		g.errors = g.count(g.errors, m)
		for c, x := range model[i] {
			g.errors[from+c] -= onGrid(x)
		}
	}
	return g.errors
}

// count appends the exact answers to a marginal or its queries on the grid 2^-20, which holds weights and the answers to
// queries, too: those to queries of weighted records are sums of weights.
func (g *gate) count(dst []int64, m query.Marginal) []int64 {
	if m.Queries != nil {
		from := len(dst)
		dst = m.Queries.Count(dst, g.marginal(m.Clique))
		for i := range dst[from:] {
			dst[from+i] >>= g.weightBits
		}
		return dst
	}
	for _, count := range g.marginal(m.Clique) {
		dst = append(dst, count<<(accountant.ScoreGridBits-g.weightBits))
	}
	return dst
}

// onGrid returns round(x·2^20): the multiplication is exact.
func onGrid(x float64) int64 { return int64(math.RoundToEven(x * (1 << accountant.ScoreGridBits))) }
