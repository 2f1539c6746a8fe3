package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// wholeRun is an algorithm on a workload of the 2×2 universe.
type wholeRun struct {
	name     string
	cliques  []domain.Clique
	relation dp.Neighbouring
	delta    dp.Delta // 0: pure
	rounds   int
	solve    func(solver.Problem, solver.Curator) error
	// tight is the least part of the claimed rho (ZCDP) or ε (pure) that the worst pair uses. A loose
	// claim could hide an error.
	tight float64
}

func fw(form dpfw.Form) func(solver.Problem, solver.Curator) error {
	return func(p solver.Problem, c solver.Curator) error {
		_, err := dpfw.Settings{Form: form}.Solve(p, c)
		return err
	}
}

func am(p solver.Problem, c solver.Curator) error {
	_, err := dpam.Solve(p, c)
	return err
}

// publishedAM asks for what DPAM does as published, with its noise: a total, and in each round a histogram of whole records.
func publishedAM(p solver.Problem, c solver.Curator) error {
	_, err := c.Total("total", dp.ShareOf(2, 100))
	variance := 16 * float64(p.Rounds) * -math.Log(float64(p.Delta)) / float64(p.Epsilon*p.Epsilon)
	for round := 1; round <= p.Rounds && err == nil; round++ {
		_, err = c.(solver.Published).MeasureVariance("measure", round, twoWay, variance)
	}
	return err
}

// publishedFW asks for what DPFW does as published, with its noise: a total, and in each round the cell with the largest
// error of a model that has moved towards the cells of the rounds before.
func publishedFW(p solver.Problem, c solver.Curator) error {
	total, err := c.Total("total", dp.ShareOf(2, 100))
	scale := 16 * math.Sqrt(2*float64(p.Rounds)*-math.Log(float64(p.Delta))) / float64(p.Epsilon)
	model := query.NewAnswers(p.Workload)
	for round := 1; round <= p.Rounds && err == nil; round++ {
		var cell query.Cell
		if cell, err = c.(solver.Published).LaplaceMaxCell("select", round, p.Workload, model, scale); err == nil {
			model[cell.Marginal][cell.Cell] += float64(cell.Sign) * max(1, total.Units) / 4
		}
	}
	return err
}

var (
	oneWay = []domain.Clique{{0}, {1}}
	twoWay = []domain.Clique{{0, 1}}
	both   = []domain.Clique{{0}, {0, 1}}
)

func wholeRuns() (runs []wholeRun) {
	for _, n := range relations {
		for _, delta := range []dp.Delta{0, 1e-3} {
			rounds, blocks := 3, dptest.Size(2, 3) // a marginal of 4 cells has 16 results a round
			if n == dp.AddRemove {                 // each of some hundred totals begins a tree of its own
				rounds, blocks = dptest.Size(2, 3), 2
			}
			if testing.Short() {
				rounds, blocks = int(n.UnitChanges()), 1
			}
			runs = append(runs,
				wholeRun{"dpfw block", oneWay, n, delta, rounds, fw(dpfw.Block), .2},
				wholeRun{"dpfw block of one marginal", twoWay, n, delta, blocks, fw(dpfw.Block), .2},
				wholeRun{"dpfw cell", oneWay, n, delta, rounds, fw(dpfw.Cell), .2},
				wholeRun{"dpam", oneWay, n, delta, 1, am, .99},
				wholeRun{"dpam, contained marginal", both, n, delta, 1, am, .99},
			)
			if delta == 0 {
				continue
			}
			published := dptest.Size(1, 2) // hundreds of totals again
			if n == dp.Replace {
				published = dptest.Size(2, 3)
			}
			runs = append(runs,
				wholeRun{"dpam-paper", oneWay, n, delta, 2, publishedAM, .97},
				wholeRun{"dpfw-paper", oneWay, n, delta, published, publishedFW, .1},
			)
		}
	}
	return runs
}

func (r wholeRun) workload() query.Workload {
	w := query.Workload{Sizes: square}
	for _, c := range r.cliques {
		w.Marginals = append(w.Marginals, query.Marginal{Clique: c, Weight: 1 + float64(len(w.Marginals))})
	}
	return w
}

func (r wholeRun) params() accountant.Params {
	p := accountant.Params{Neighbouring: r.relation, Epsilon: 4, Delta: r.delta}
	if r.delta == 0 {
		p.Accounting = dp.Pure
	}
	return p
}

// TestWholeRuns computes, without sampling and in high precision, the losses of whole runs of the real algorithms
// through the real calibrations and scores, for all neighbours of at most 3 units (4 nightly, 2 with -short), and
// compares them with everything that the accountant says: Σε, Σrho at several orders, δ(ε) on a grid and
// at the ε of statements. No false alarms.
func TestWholeRuns(t *testing.T) {
	units := dptest.Size(3, 4)
	if testing.Short() {
		units = 2
	}
	tables := dptest.Tables(4, units)
	for _, r := range wholeRuns() {
		t.Run(r.relation.String()+"/"+r.params().Accounting.String()+"/"+r.name, func(t *testing.T) {
			t.Parallel()
			groups := [][][]int64{tables}
			if r.relation == dp.Replace { // the total is public: tables of one size belong together
				groups = bySize(tables)
			}
			worst := measured{}
			for _, group := range groups {
				worst.add(r.losses(t, group))
			}
			worst.report(t, r)
		})
	}
}

// TestPublishedRequestsAreFixed: TestWholeRuns takes such histograms for one product of laws, because no request depends on
// what an earlier one returned. The requests of the method itself do not either: see package dpampaper.
func TestPublishedRequestsAreFixed(t *testing.T) {
	r := wholeRun{cliques: oneWay, relation: dp.Replace, delta: 1e-3, rounds: 3, solve: publishedAM}
	p := solver.Problem{Workload: r.workload(), Neighbouring: r.relation, Epsilon: 4, Delta: r.delta, MemoryLimit: 1 << 20, Rounds: r.rounds}
	var digests [2][][32]byte
	for i := range digests {
		x := newExplorer(t, r.params(), [][]int64{{3, 0, 7, 1}})
		x.lean = []float64{0, 1000}[i]
		asked := func(q Request) (Release, error) {
			digests[i] = append(digests[i], q.Digest())
			return x.answer(q)
		}
		must.Do(t, r.solve(p, &Curator{budget: x.gates[0].ledger.Budget(), answer: asked}))
	}
	must.Hold(t, len(digests[0]) == 1+r.rounds && slices.Equal(digests[0], digests[1]), "%d and %d requests, or others", len(digests[0]), len(digests[1]))
}

// bySize groups tables by their number of units.
func bySize(tables [][]int64) [][][]int64 {
	groups := map[int64][][]int64{}
	for _, x := range tables {
		n := table{square, x}.Units()
		groups[n] = append(groups[n], x)
	}
	var list [][][]int64
	for n := int64(1); groups[n] != nil; n++ {
		list = append(list, groups[n])
	}
	return list
}

// measured is what the worst pairs lose, each as a part of its claim.
type measured struct {
	runs, pairs int
	spent
	stated dptest.Used // δ at the ε of statements
}

func (m *measured) add(o measured) {
	m.runs, m.pairs = m.runs+o.runs, m.pairs+o.pairs
	m.join(o.spent)
	m.stated.Join(o.stated)
}

func (m measured) report(t *testing.T, r wholeRun) {
	t.Helper()
	must.Hold(t, !m.stated.Exceeds(), "δ at the stated ε of the worst pair is %v of the claim", m.stated)
	what := fmt.Sprintf("%s, %v, %v, T = %d: %d runs, %d pairs, stated δ %v", r.name, r.relation, r.params().Accounting, r.rounds, m.runs, m.pairs, m.stated)
	m.check(t, what, r.tight)
}

// losses explores a group of tables and compares all neighbours in it.
func (r wholeRun) losses(t *testing.T, tables [][]int64) (worst measured) {
	x := newExplorer(t, r.params(), tables)
	p := solver.Problem{
		Workload: r.workload(), Neighbouring: r.relation, Epsilon: 4, Delta: r.delta,
		Units: 3, MemoryLimit: 1 << 20, Rounds: r.rounds,
	}
	if r.name == "dpam" || r.name == "dpam, contained marginal" {
		p.Rounds = 2 // iterations of the fit
	}
	var pairs []*pair
	index := map[[4]int64]int{}
	for i, cells := range tables {
		index[[4]int64(cells)] = i
	}
	for i, cells := range tables {
		for _, neighbour := range dptest.Neighbours(r.relation, cells) {
			if j, ok := index[[4]int64(neighbour)]; ok {
				pairs = append(pairs, &pair{i: i, j: j})
			}
		}
	}
	// The claims follow from the requests of the first run: its ε are needed before the first sum.
	var c claims
	known := movedNoise{}
	events := x.explore(func(curator *Curator) error { return r.solve(p, curator) }, func(l leaf) {
		if worst.runs++; worst.runs == 1 {
			c = r.claims(t, x.charged())
		}
		for _, pair := range pairs {
			pair.add(l, c.grid, known)
		}
	})
	c.mustBe(t, events)
	worst.pairs = len(pairs)
	for _, pair := range pairs {
		c.compare(t, &worst, pair.losses)
	}
	return worst
}

// pair is two neighbours by their numbers, and the losses of the one against the other.
type pair struct {
	i, j   int
	losses *dptest.Losses
	noise  map[[8]int64]*dptest.Noise // of the last statistics, by their moves
}

func (p *pair) add(l leaf, grid []float64, known movedNoise) {
	if p.losses == nil {
		p.losses, p.noise = dptest.NewLosses(grid), map[[8]int64]*dptest.Noise{}
	}
	var moves [8]int64
	if l.last != nil {
		for s := range l.last.scale {
			moves[s] = l.last.shift(s, p.i, p.j)
		}
	}
	noise, ok := p.noise[moves]
	if !ok && l.last != nil {
		noise = known.of(l.last.events[0], l.last.scale, moves[:len(l.last.scale)])
		p.noise[moves] = noise
	}
	p.losses.AddThen(l.law[p.i], l.law[p.j], noise)
}

// claims is what the accountant says about the events of a run.
type claims struct {
	epsilon, rho *big.Rat            // Σε, nil where an event has none; Σrho
	grid         []float64           // of ε, increasing
	stated       map[float64]float64 // by ε of a statement, also on the grid: its δ
}

// claims takes the charges from a ledger of the run and, at several δ, the ε of statements from ledgers with room for it.
func (r wholeRun) claims(t *testing.T, events []accountant.Event) claims {
	c := claims{rho: new(big.Rat), grid: epsilonGrid(.25, 16), stated: map[float64]float64{}}
	if r.delta == 0 {
		c.epsilon = new(big.Rat)
	}
	l := ledger(t, r.params())
	for _, e := range events {
		if c.epsilon != nil {
			c.epsilon.Add(c.epsilon, exactLoss(t, e, dp.Pure))
		}
		c.rho.Add(c.rho, exactLoss(t, e, dp.ZCDP))
		must.Do(t, l.Charge(e))
	}
	for _, delta := range []float64{1e-1, 1e-2, 1e-3, 1e-5, 1e-7} {
		roomy := ledger(t, accountant.Params{Neighbouring: r.relation, Epsilon: 40, Delta: dp.Delta(delta)})
		for _, e := range events {
			must.Do(t, roomy.Charge(e))
		}
		epsilon := roomy.Statement(accountant.Planned).AchievedEpsilon
		if known, ok := c.stated[epsilon]; !ok || delta < known {
			c.stated[epsilon] = delta
		}
		c.grid = append(c.grid, epsilon)
	}
	slices.Sort(c.grid)
	c.grid = slices.Compact(c.grid)
	return c
}

// mustBe fails the test if the events of all runs are not those that the claims were made for.
func (c claims) mustBe(t *testing.T, events []accountant.Event) {
	t.Helper()
	rho := new(big.Rat)
	for _, e := range events {
		rho.Add(rho, exactLoss(t, e, dp.ZCDP))
	}
	must.Need(t, rho.Cmp(c.rho) == 0, "runs of other events than the first one's")
}

func (c claims) compare(t *testing.T, worst *measured, l *dptest.Losses) {
	t.Helper()
	p, q := l.Total()
	for _, sum := range []*big.Float{p, q} {
		off := high.Sub(sum, high.Of(1))
		must.Need(t, off.Sign() == 0 || off.MantExp(nil) <= -150, "all runs have probability 1 + %s", off.Text('g', 3))
	}
	worst.of(l, c.epsilon, c.rho, c.grid)
	for k, e := range c.grid {
		if delta, ok := c.stated[e]; ok {
			worst.stated.Of(l.Delta(k), high.Of(delta))
		}
	}
}
