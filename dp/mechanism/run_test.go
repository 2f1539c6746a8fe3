package mechanism

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/accountant"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/dptest"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpam"
	"github.com/dapple-dp/dapple/solver/dpampaper"
	"github.com/dapple-dp/dapple/solver/dpfw"
	"github.com/dapple-dp/dapple/solver/dpfwpaper"
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

func publishedAM(p solver.Problem, c solver.Curator) error {
	_, err := dpampaper.Solve(p, c)
	return err
}

func publishedFW(p solver.Problem, c solver.Curator) error {
	_, err := dpfwpaper.Solve(p, c)
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

// TestWholeRuns computes, without sampling, the losses of whole runs of the real algorithms through the
// real calibrations and scores, for all neighbours of at most 3 units (4 nightly, 2 with -short), and
// compares them with everything that the accountant says: Σε, Σrho at several orders, δ(ε) on a grid and
// the ε of statements. No false alarms.
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

// TestPublishedRequestsAreFixed: TestWholeRuns takes the histograms of the published DPAM for one product of
// laws, because no request depends on what an earlier one returned.
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
		if err := r.solve(p, &Curator{budget: x.gates[0].ledger.Budget(), answer: asked}); err != nil {
			t.Fatal(err)
		}
	}
	if len(digests[0]) != 1+r.rounds || !slices.Equal(digests[0], digests[1]) {
		t.Errorf("%d and %d requests, or others", len(digests[0]), len(digests[1]))
	}
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
	runs, pairs                      int
	epsilon, rho, renyi, delta, stat float64
}

func (m *measured) add(o measured) {
	m.runs, m.pairs = m.runs+o.runs, m.pairs+o.pairs
	m.epsilon, m.rho, m.renyi = max(m.epsilon, o.epsilon), max(m.rho, o.rho), max(m.renyi, o.renyi)
	m.delta, m.stat = max(m.delta, o.delta), max(m.stat, o.stat)
}

func (m measured) report(t *testing.T, r wholeRun) {
	const margin = 1 + 1e-9 // of the grid of losses
	for name, part := range map[string]float64{"ε": m.epsilon, "rho": m.rho, "Rényi": m.renyi, "δ(ε)": m.delta, "stated ε": m.stat} {
		if !(part <= margin) {
			t.Errorf("%s of the worst pair is %g of the claim", name, part)
		}
	}
	tight := m.rho
	if r.delta == 0 {
		tight = m.epsilon
	}
	if tight < r.tight {
		t.Errorf("the worst pair uses %g of the claim: too little to see an error", tight)
	}
	pure := ""
	if r.delta == 0 {
		pure = fmt.Sprintf("Σε %.2f, ", m.epsilon)
	}
	dptest.Figure(t, "%s, %v, %v, T = %d: %d runs, %d pairs; used of the claim: %srho %.2f, Rényi %.2f, δ(ε) %.2f, stated ε %.2f",
		r.name, r.relation, r.params().Accounting, r.rounds, m.runs, m.pairs, pure, m.rho, m.renyi, m.delta, m.stat)
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
	var leaves []leaf
	events := x.explore(func(c *Curator) error { return r.solve(p, c) }, func(l leaf) { leaves = append(leaves, l) })
	claims := r.claims(t, events)
	index := map[[4]int64]int{}
	for i, cells := range tables {
		index[[4]int64(cells)] = i
	}
	worst.runs = len(leaves)
	for i, cells := range tables {
		for _, neighbour := range dptest.Neighbours(r.relation, cells) {
			if j, ok := index[[4]int64(neighbour)]; ok {
				worst.pairs++
				claims.compare(&worst, pairLosses(leaves, i, j))
			}
		}
	}
	return worst
}

// pairLosses returns the losses of table i against table j.
func pairLosses(leaves []leaf, i, j int) dptest.Losses {
	byShift := map[[8]int64]dptest.Losses{}
	for _, l := range leaves {
		shift := [8]int64{}
		if l.last != nil {
			for s := range l.last.scale {
				shift[s] = l.last.shift(s, i, j)
			}
		}
		if byShift[shift] == nil {
			byShift[shift] = dptest.Losses{}
		}
		byShift[shift].Add(l.logp[i], l.logp[j])
	}
	all := dptest.Losses{}
	for shift, l := range byShift {
		for s, by := range shift {
			if by != 0 {
				last := leaves[0].last
				l = l.Then(shifted(last.events[0], last.scale[s], by))
			}
		}
		all.Merge(l)
	}
	return all
}

// claims is what the accountant says about the events of a run.
type claims struct {
	pure     bool
	epsilon  float64 // Σε; infinite where an event has none
	rho      float64
	achieved map[float64]float64 // by δ: the ε of a statement
}

func (r wholeRun) claims(t *testing.T, events []accountant.Event) claims {
	c := claims{pure: r.delta == 0, epsilon: math.Inf(1), achieved: map[float64]float64{}}
	if c.pure {
		c.epsilon = 0
	}
	l := ledger(t, r.params())
	for _, e := range events {
		if c.pure {
			c.epsilon += loss(t, e, dp.Pure)
		}
		c.rho += loss(t, e, dp.ZCDP)
		if err := l.Charge(e); err != nil {
			t.Fatal(err)
		}
	}
	for _, delta := range []float64{1e-1, 1e-2, 1e-3, 1e-5, 1e-7} {
		roomy := ledger(t, accountant.Params{Neighbouring: r.relation, Epsilon: 40, Delta: dp.Delta(delta)})
		for _, e := range events {
			if err := roomy.Charge(e); err != nil {
				t.Fatal(err)
			}
		}
		c.achieved[delta] = roomy.Statement(accountant.Planned).AchievedEpsilon
	}
	return c
}

func (c claims) compare(worst *measured, l dptest.Losses) {
	worst.rho = max(worst.rho, l.Divergence()/c.rho)
	for _, alpha := range []float64{1.5, 2, 4, 8, 16} {
		worst.renyi = max(worst.renyi, l.Renyi(alpha)/(alpha*c.rho))
	}
	if c.pure {
		worst.epsilon = max(worst.epsilon, l.Worst()/c.epsilon)
	}
	for e := .25; e <= 4; e += .25 {
		if claim := accountant.RhoDeltaCeil(c.rho, dp.Epsilon(e)); claim < 1 {
			worst.delta = max(worst.delta, l.Delta(e)/claim)
		}
	}
	for delta, achieved := range c.achieved {
		if e := l.Epsilon(delta); e > 0 { // a loss of almost nothing is δ alone
			worst.stat = max(worst.stat, e/achieved)
		}
	}
}
