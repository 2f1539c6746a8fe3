package synth

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// asking is a method that plans half of the budget for marginals and then asks as it likes.
func asking(name string, adaptive bool, ask func(solver.Curator) error) solver.Method {
	return solver.Method{
		Name:       name,
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses: func(solver.Problem) ([]solver.Access, error) {
			return []solver.Access{{
				Stage: "full", Kind: dp.DiscreteGaussian, Count: 2, Share: dp.ShareOf(1, 4),
				Marginals: 1, Cliques: []domain.Clique{{0}}, Coordinates: 3, Adaptive: adaptive,
			}}, nil
		},
		Solve: func(_ context.Context, p solver.Problem, c solver.Curator) (*solver.Result, error) {
			if err := ask(c); err != nil {
				return nil, err
			}
			sizes := p.Domain.Sizes()
			m := &population.Model{Sizes: sizes, Weights: make([]float64, 24)}
			for i := range m.Weights {
				m.Weights[i] = 1
			}
			return &solver.Result{Model: m}, nil
		},
	}
}

// measures returns requests of the stage: one for each share, in rounds 1, 2, ….
func measures(stage string, clique domain.Clique, shares ...dp.Share) func(solver.Curator) error {
	return func(c solver.Curator) error {
		for i, s := range shares {
			if _, err := c.Measure(stage, i+1, []domain.Clique{clique}, nil, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// onlyFirst is one query on the first column: how many have its first value.
func onlyFirst() *query.Linear {
	first := make([]float64, workload().Sizes[0])
	first[0] = 1
	q, err := query.NewLinear([][]float64{first})
	if err != nil {
		panic(err)
	}
	return q
}

// asksQueries asks for all answers of a marginal, or of queries on it, once.
func asksQueries(m query.Marginal) func(solver.Curator) error {
	return func(c solver.Curator) error {
		_, err := c.MeasureQueries("full", 1, query.Workload{Sizes: workload().Sizes, Marginals: []query.Marginal{m}}, dp.ShareOf(1, 4))
		return err
	}
}

var sly = map[string]struct {
	adaptive bool
	ask      func(solver.Curator) error
	refused  string // empty: it is not
	schedule string
}{
	"as planned":  {false, measures("full", domain.Clique{0}, dp.ShareOf(1, 4), dp.ShareOf(2, 8)), "", "planned"},
	"fewer":       {false, measures("full", domain.Clique{0}, dp.ShareOf(1, 4)), "", "adaptive"},
	"smaller":     {false, measures("full", domain.Clique{0}, dp.ShareOf(1, 40)), `stage "full" planned a share of 1/4 and asks for 1/40`, ""},
	"larger":      {false, measures("full", domain.Clique{0}, dp.ShareOf(1, 2)), `stage "full" planned a share of 1/4 and asks for 1/2`, ""},
	"more":        {false, measures("full", domain.Clique{0}, dp.ShareOf(1, 4), dp.ShareOf(1, 4), dp.ShareOf(1, 4)), `stage "full" has made all its planned accesses`, ""},
	"other stage": {false, measures("more", domain.Clique{0}, dp.ShareOf(1, 4)), `no access of stage "more" is planned`, ""},
	"other table": {false, measures("full", domain.Clique{1}, dp.ShareOf(1, 4)), `stage "full" planned 1 marginals and asks for others`, ""},
	"other kind": {false, func(c solver.Curator) error {
		w := query.Workload{Sizes: workload().Sizes, Marginals: []query.Marginal{{Clique: domain.Clique{0}}}}
		_, err := c.SelectCell("full", 1, w, query.Answers{make([]float64, w.Sizes[0])}, 0, dp.ShareOf(1, 4))
		return err
	}, "planned discrete_gaussian and asks for exponential", ""},
	"queries as planned":      {false, asksQueries(query.Marginal{Clique: domain.Clique{0}, Weight: 1}), "", "adaptive"},
	"queries of other tables": {false, asksQueries(query.Marginal{Clique: domain.Clique{1}, Weight: 1}), `stage "full" planned 1 marginals and asks for others`, ""},
	"queries of nobody's": {false, asksQueries(query.Marginal{Clique: domain.Clique{0}, Weight: 1, Queries: onlyFirst()}),
		`stage "full" planned linear queries of the problem's workload and asks for others`, ""},
	"given noise": {false, func(c solver.Curator) error {
		_, err := c.(solver.Published).MeasureVariance("full", 1, []domain.Clique{{0}}, 1e9)
		return err
	}, "given noise", ""},
	"declared": {true, measures("full", domain.Clique{1}, dp.ShareOf(1, 40)), "", "adaptive"},
}

func init() {
	for name, m := range sly {
		solver.Register(asking("sly: "+name, m.adaptive, m.ask))
	}
}

// A method that asks for other than it planned is refused before anything is drawn. If it asks for less, its statement is
// about all runs that it could have made.
func TestMethodsKeepTheirPlan(t *testing.T) {
	tb, seeds := table(t, 20), []mechanism.Seed{testSeed(t, 1)}
	for name, tt := range sly {
		dir := t.TempDir()
		f := newSolveFn(StoreRef{Kind: "dir", Config: dir})
		f.Params.Method, f.Params.ErrorShare = "sly: "+name, -1
		ref, err := process(f, seeds, []*counts.Table{tb})
		must.Hold(t, (err == nil) == (tt.refused == "") && (err == nil || strings.Contains(err.Error(), tt.refused)), "%s: error %v, want %q", name, err, tt.refused)
		if err == nil {
			s := artifact(t, ref, f.Params.Store).Statement
			must.Hold(t, s.Schedule == tt.schedule, "%s: the schedule is %s, want %s", name, s.Schedule, tt.schedule)
		} else if _, drawn := os.Stat(filepath.Join(dir, "run"+DrawnSuffix)); (drawn == nil) != (name == "more") {
			t.Errorf("%s: noise was drawn: %v", name, drawn == nil)
		}
	}
}

// Every method of the module asks for what it planned, under both relations, pure and not.
func TestBuiltinMethodsKeepTheirPlan(t *testing.T) {
	tb, ran := table(t, 40), map[string]bool{}
	for _, m := range solver.Methods() {
		for _, delta := range []dp.Delta{0, 1e-6} {
			for _, relation := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
				f := newSolveFn(StoreRef{})
				f.Params.Method, f.Params.Delta, f.Params.Neighbouring, f.Params.Rounds = m.Name, delta, relation, 2
				if _, err := m.Accesses(f.problem(nil)); err != nil || strings.Contains(m.Name, "sly") || strings.Contains(m.Name, "fails") {
					continue
				}
				if _, err := f.ledger(1); err != nil {
					continue
				}
				_, err := process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{tb})
				must.Hold(t, err == nil || !strings.Contains(err.Error(), "planned"), "%s, δ = %g, %v: %v", m.Name, float64(delta), relation, err)
				ran[m.Name] = ran[m.Name] || err == nil
			}
		}
	}
	for _, name := range []string{"rake", "dpam", "dpfw"} {
		must.Hold(t, ran[name], "%s has made no release", name)
	}
	t.Logf("%d methods: %v", len(ran), ran)
}
