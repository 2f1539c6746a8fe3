package solvertest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
	"github.com/dapple-dp/dapple/internal/model/dense"
	"github.com/dapple-dp/dapple/solver"
)

// Method is an algorithm under test.
type Method struct {
	Accesses func(solver.Problem) ([]solver.Access, error)
	Solve    func(solver.Problem, *Curator) (*solver.Result, error)
	// Accounting is the kind of ledger it charges where δ > 0.
	Accounting dp.Accounting
	// NoPure says that the method refuses δ = 0.
	NoPure bool
	// AnyWidth says that the method needs no explicit universe, so that no domain is too large for it.
	AnyWidth bool
	// Epsilon of the checks; 0 means 1.
	Epsilon dp.Epsilon
}

// Problem returns the problem of answering all marginals of 1 to width attributes of t at ε and
// δ = 1/n², or δ = 0 where pure. The planning number of units is the table's, or the default for an
// empty one.
func Problem(t *Table, width int, r dp.Neighbouring, eps dp.Epsilon, pure bool) solver.Problem {
	n := t.Units()
	if n == 0 {
		n = solver.DefaultUnits
	}
	p := solver.Problem{
		Domain: t.Domain(), Workload: query.AllMarginals(t.Sizes, width, 1<<40),
		Neighbouring: r, Epsilon: eps, Units: n, Seed: 1,
	}
	if !pure {
		p.Delta = dp.Delta(1 / (n * n))
	}
	return p
}

// CuratorFor returns a curator whose ledger has the capacity that p's ε and δ allow: ε where δ is 0,
// and otherwise (√(Lg+ε) − √Lg)², Lg = ln 1/δ, a lower bound of the true rho.
func CuratorFor(t *Table, p solver.Problem, a dp.Accounting, seed uint64) *Curator {
	b := dp.Budget{Neighbouring: p.Neighbouring, Accounting: dp.Pure, Capacity: float64(p.Epsilon)}
	if p.Delta > 0 {
		lg := -math.Log(float64(p.Delta))
		root := math.Sqrt(lg+float64(p.Epsilon)) - math.Sqrt(lg)
		b.Accounting, b.Capacity = a, root*root
	}
	return NewCurator(t, b, seed)
}

// TestSolver checks on small tables, under both relations and kinds of budget, that a method makes
// exactly the accesses it plans, that what it asks depends on the curator's answers alone, that its
// model is valid and sums to the released total, that it reports its progress, that it copes with
// attributes of size 1, uneven weights, an empty table and impossible records, and that it refuses what it
// must.
func TestSolver(t *testing.T, m Method) {
	rng := rand.New(rand.NewPCG(11, 1))
	for name, table := range map[string]*Table{
		"mixed":         RandomTable(rng, 3000, 3, 1, 4, 2),
		"all of size 1": RandomTable(rng, 1000, 1, 1, 1),
		"one attribute": RandomTable(rng, 2000, 7),
		"empty":         NewTable(2, 3, 2),
	} {
		for _, r := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
			for _, pure := range []bool{false, true} {
				if pure && m.NoPure {
					continue
				}
				t.Run(fmt.Sprintf("%s/%v/pure=%t", name, r, pure), func(t *testing.T) {
					p := Problem(table, 2, r, max(m.Epsilon, 1), pure)
					p.Workload.Marginals[len(p.Workload.Marginals)-1].Weight = 3
					m.conforms(t, table, p)
				})
			}
		}
	}
	m.impossible(t)
	m.refuses(t)
}

func (m Method) conforms(t *testing.T, table *Table, p solver.Problem) *solver.Result {
	t.Helper()
	planned, err := m.Accesses(p)
	if err != nil {
		t.Fatal(err)
	}
	reports := 0
	p.Progress = func(_ string, done, total int) {
		if reports++; done < 1 || total != 0 && done > total {
			t.Errorf("progress %d of %d", done, total)
		}
	}
	c := CuratorFor(table, p, m.Accounting, 5)
	got, err := m.Solve(p, c)
	if err != nil {
		t.Fatal(err)
	}
	for i := range planned {
		if a := &planned[i]; a.Marginals > 0 && a.Cliques == nil {
			a.Cliques = p.Workload.Maximal().Cliques()
		}
	}
	if asked := overlook(c.Asked(), planned); !reflect.DeepEqual(asked, planned) {
		t.Errorf("asked   %+v\nplanned %+v", asked, planned)
	}
	if err := got.Model.Validate(); err != nil {
		t.Error(err)
	}
	if sum := summation.Long(got.Model.Weights); math.Abs(sum-got.Total.Units) > 1e-6*got.Total.Units || got.Total.Units < 1 {
		t.Errorf("weights sum to %g, total %g", sum, got.Total.Units)
	}
	if reports == 0 || got.Iterations < 1 {
		t.Errorf("%d progress reports, %d iterations", reports, got.Iterations)
	}
	replay := c.Replay()
	replay.table = NewTable(table.Sizes...)
	if p.Neighbouring == dp.Replace {
		replay.table = table
	}
	again, err := m.Solve(p, replay)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Model, again.Model) {
		t.Error("equal answers gave another model")
	}
	return got
}

// overlook returns asked without what an adaptive plan leaves open: which marginals, and how many numbers up to the
// planned most.
func overlook(asked, planned []solver.Access) []solver.Access {
	for i := range min(len(asked), len(planned)) {
		a, p := &asked[i], planned[i]
		if p.Adaptive && a.Coordinates <= p.Coordinates {
			a.Adaptive, a.Coordinates, a.Marginals, a.Cliques = true, p.Coordinates, p.Marginals, p.Cliques
		}
	}
	return asked
}

// refuses checks the errors that every method owes.
func (m Method) refuses(t *testing.T) {
	t.Run("too large", func(t *testing.T) {
		if m.AnyWidth {
			return
		}
		p := Problem(NewTable(3, 4), 2, dp.AddRemove, 1, false)
		p.MemoryLimit = 100
		var large *dense.ErrUniverse
		if _, err := m.Accesses(p); !errors.As(err, &large) {
			t.Errorf("Accesses: %v, want ErrUniverse", err)
		}
		if _, err := m.Solve(p, CuratorFor(NewTable(3, 4), p, m.Accounting, 1)); !errors.As(err, &large) {
			t.Errorf("Solve: %v, want ErrUniverse", err)
		}
	})
	t.Run("no workload", func(t *testing.T) {
		p := Problem(NewTable(3, 4), 2, dp.AddRemove, 1, false)
		p.Workload.Marginals = nil
		if _, err := m.Accesses(p); err == nil {
			t.Error("Accesses: no error")
		}
	})
	if m.NoPure {
		t.Run("pure", func(t *testing.T) {
			if _, err := m.Accesses(Problem(NewTable(3, 4), 2, dp.AddRemove, 1, true)); err == nil {
				t.Error("Accesses: no error")
			}
		})
	}
	t.Run("spent budget", func(t *testing.T) {
		p := Problem(NewTable(3, 4), 2, dp.AddRemove, max(m.Epsilon, 1), false)
		c := CuratorFor(NewTable(3, 4), p, m.Accounting, 1)
		c.spent = c.budget.Capacity
		if _, err := m.Solve(p, c); err == nil {
			t.Error("Solve: no error")
		}
	})
}

// Score is the error of a released model: of its weights, not of rows sampled from it.
type Score struct {
	Largest, TV float64
	Result      *solver.Result
}

// Run solves p on t with the given rho (or ε, or μ²/2, as accounting says) and returns the errors on the
// maximal marginals.
func Run(tb testing.TB, t *Table, p solver.Problem, a dp.Accounting, capacity float64, seed uint64, solve func(solver.Problem, *Curator) (*solver.Result, error)) Score {
	tb.Helper()
	p.Seed = seed
	c := NewCurator(t, dp.Budget{Neighbouring: p.Neighbouring, Accounting: a, Capacity: capacity}, seed)
	got, err := solve(p, c)
	if err != nil {
		tb.Fatal(err)
	}
	if c.Spent() > 1+1e-9 {
		tb.Errorf("spent %g of the budget", c.Spent())
	}
	plan := dense.NewPlan(t.Sizes, p.Workload.Maximal().Cliques())
	o := dense.NewOracle(plan)
	h, _ := plan.NewAnswers()
	g, _ := plan.NewAnswers()
	s := Score{Result: got}
	s.Largest, s.TV = Errors(o.Eval(t.Counts, h), o.Eval(got.Model.Weights, g))
	return s
}

// Mean returns the mean scores of seeds 1 to n.
func Mean(tb testing.TB, n int, run func(seed uint64) Score) (largest, tv float64) {
	tb.Helper()
	for seed := range n {
		s := run(uint64(seed) + 1)
		largest += s.Largest / float64(n)
		tv += s.TV / float64(n)
	}
	return largest, tv
}

// Within reports an error unless the largest cell error and the average total variation are within the
// given parts of the wanted figures.
func Within(tb testing.TB, name string, largest, tv, wantLargest, wantTV, partLargest, partTV float64) {
	tb.Helper()
	tb.Logf("%s: %.4f/%.4f, reference %.4f/%.4f", name, largest, tv, wantLargest, wantTV)
	if math.Abs(largest/wantLargest-1) > partLargest || math.Abs(tv/wantTV-1) > partTV {
		tb.Errorf("%s: %.4f/%.4f, want %.4f ± %g %% / %.4f ± %g %%", name, largest, tv, wantLargest, 100*partLargest, wantTV, 100*partTV)
	}
}
