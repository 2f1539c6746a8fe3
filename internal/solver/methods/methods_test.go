package methods_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/dpam"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

func mine() solver.Method {
	return solver.Method{
		Name:       "mine",
		Accounting: func(dp.Epsilon, dp.Delta) dp.Accounting { return dp.ZCDP },
		Accesses:   func(solver.Problem) ([]solver.Access, error) { return nil, nil },
		Solve: func(context.Context, solver.Problem, solver.Curator) (*solver.Result, error) {
			return nil, context.Canceled
		},
	}
}

// columns have so many values each.
func columns(sizes ...int) *domain.Domain {
	d := &domain.Domain{}
	for i, k := range sizes {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint(i), Type: domain.String, Values: []string{"a", "b", "c", "d"}[:k], HasFallback: true})
	}
	return d
}

func init() { solver.Register(mine()) }

// A method that is registered is found by name and listed last; it may leave out what only plans need.
func TestRegister(t *testing.T) {
	m, why, err := methods.Choose(solver.Problem{}, "mine")
	must.Hold(t, err == nil && m.Name == "mine" && why == "named in the request", "Choose = %q, %q, %v", m.Name, why, err)
	bytes, seconds := m.Cost(solver.Problem{})
	must.Hold(t, math.IsNaN(bytes) && math.IsNaN(seconds), "a cost that nobody stated is %g bytes, %g s", bytes, seconds)
	must.List(t, methods.Names(), []string{"rake", "dpam", "dpfw", "mine"}, "Names")
	all := methods.All()
	all[0] = mine()
	must.Hold(t, methods.Names()[0] == "rake", "a caller of All can change the registry")
	must.Fails(methods.Lookup("magic"))(t, "there are rake, dpam, ")
}

// A name may carry settings, and the method that they make is as guarded as a registered one.
func TestSettings(t *testing.T) {
	d := columns(2)
	p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: 1000, ErrorShare: dp.ShareOf(1, 100)}
	for name, want := range map[string]string{
		dpfw.Method(dpfw.Settings{}): "dpfw", dpfw.Method(dpfw.Settings{Form: dpfw.Cell}): `dpfw{"form":"cell"}`, `dpfw{ "form": "" }`: "dpfw",
		dpam.Method(dpam.Settings{Iterations: 20}): `dpam{"iterations":20}`,
	} {
		m, _, err := methods.Choose(p, name)
		if err != nil || m.Name != want {
			t.Errorf("%s: method %q, %v; want %s", name, m.Name, err, want)
			continue
		}
		accesses, _ := m.Accesses(p)
		last := accesses[len(accesses)-1]
		must.Hold(t, last.Stage == solver.ErrorStage, "%s leaves nothing to the measurement of its error: it ends with %s", name, last.Stage)
		cell := slices.ContainsFunc(accesses, func(a solver.Access) bool { return a.Kind == dp.Exponential })
		must.Hold(t, cell == strings.Contains(want, "cell"), "%s selects cells: %v", name, cell)
		open := &domain.Domain{Attributes: []domain.Attribute{{Name: "a", Type: domain.Int64, Cuts: []int64{0, 9}, Resolution: 1, Learned: 4, Null: true}}}
		_, _, err = methods.Choose(solver.Problem{Domain: open, Workload: query.Default(open.Sizes()), Epsilon: 1, Delta: 1e-9}, name)
		must.Hold(t, err != nil, "%s accepts a column whose bins are to be learned", name)
	}
	for name, want := range map[string]string{
		`dpfw{"form":"row"}`: `form "row": want "cell"`, `dpfw{"rounds":3}`: "unknown field", `dpfw{`: "unexpected EOF", `dpfw{} {}`: "more behind",
		`rake{"x":1}`: `rake has no settings`, `none{"x":1}`: "no method is called",
	} {
		_, _, err := methods.Choose(p, name)
		must.Hold(t, err != nil && strings.Contains(err.Error(), want), "%s: error %v, want %q", name, err, want)
	}
}

func TestRegisterRefuses(t *testing.T) {
	for name, change := range map[string]func(*solver.Method){
		"no name":       func(m *solver.Method) { m.Name = "" },
		"the rule":      func(m *solver.Method) { m.Name = solver.Auto },
		"a second mine": func(*solver.Method) {},
		"a second rake": func(m *solver.Method) { m.Name = "rake" },
		"no accounting": func(m *solver.Method) { m.Name, m.Accounting = "x", nil },
		"no accesses":   func(m *solver.Method) { m.Name, m.Accesses = "x", nil },
		"no solver":     func(m *solver.Method) { m.Name, m.Solve = "x", nil },
	} {
		func() {
			defer func() {
				must.Hold(t, recover() != nil, "registered: %s", name)
			}()
			m := mine()
			change(&m)
			solver.Register(m)
		}()
	}
}

// The public rule names rake for δ > 0, and for δ = 0 one release up to the border that the package comment
// states and selection beyond it. No name is the rule too.
func TestRule(t *testing.T) {
	sizes := slices.Repeat([]int{2}, 12)
	d := columns(sizes...)
	for _, tt := range []struct {
		width   int // 220 marginals of three, 495 of four
		epsilon dp.Epsilon
		delta   dp.Delta
		want    string
	}{
		{3, 1, 1e-9, "rake"}, {4, 1, 1e-9, "rake"}, {4, .1, 1e-9, "rake"}, {5, 1, 1e-9, "rake"}, {3, 10, 1e-9, "rake"}, {3, 1, 0, "dpam"}, {4, 1, 0, "dpfw"}, {4, 10, 0, "dpam"},
	} {
		p := solver.Problem{Domain: d, Workload: query.AllMarginals(sizes, tt.width, 1000), Epsilon: tt.epsilon, Delta: tt.delta, Units: 20_000}
		for _, name := range []string{"", solver.Auto} {
			m, why, err := methods.Choose(p, name)
			must.Hold(t, err == nil && m.Name == tt.want && strings.HasPrefix(why, "δ "),
				"width %d, ε %g, δ %g, name %q: %q because %q, error %v; want %s", tt.width, tt.epsilon, tt.delta, name, m.Name, why, err, tt.want)
		}
	}
}

// TestRuleOfWideTables: with δ = 0, too, rake takes what other methods refuse: more records than memory holds, and bins to learn.
func TestRuleOfWideTables(t *testing.T) {
	wide, learns := columns(slices.Repeat([]int{3}, 40)...), &domain.Domain{}
	for _, name := range []string{"x", "y"} {
		learns.Attributes = append(learns.Attributes, domain.Attribute{Name: name, Type: domain.Int64, Cuts: []int64{0, 1000}, Resolution: 1, Learned: 16, HasFallback: true})
	}
	for _, d := range []*domain.Domain{wide, learns} {
		p := solver.Problem{Domain: d, Workload: query.AllMarginals(d.Sizes(), 3, 10_000), Epsilon: 1, Units: 20_000}
		m, why, err := methods.Choose(p, "")
		must.Hold(t, err == nil && m.Name == "rake" && strings.HasPrefix(why, "δ = 0, "), "%d columns: %q because %q, error %v", d.Len(), m.Name, why, err)
	}
}

// Few marginals are released without δ, by no other way than the rule, and not beside Gaussian releases: where Laplace noise has
// about half the variance of Gaussian noise, or less by as much as it is above the units.
func TestDeltaOfFewMarginals(t *testing.T) {
	const delta = 1e-9
	sizes := []int{3, 3, 3, 3, 3, 3}
	mu := map[dp.Epsilon]float64{}
	for _, epsilon := range []dp.Epsilon{.3, 1, 3, 10} {
		mu[epsilon] = solver.GaussianMu(epsilon, delta)
	}
	for n := 2; n <= len(sizes); n++ {
		for width := 1; width <= 3; width++ {
			for epsilon, mu := range mu {
				for moves, relation := range map[float64]dp.Neighbouring{1: dp.AddRemove, 2: dp.Replace} {
					p := solver.Problem{Domain: columns(sizes[:n]...), Workload: query.AllMarginals(sizes[:n], width, 1000),
						Neighbouring: relation, Epsilon: epsilon, Delta: delta, Units: 20_000}
					if n == 3 {
						p.Units = 20 // noise above the units
					}
					m := float64(len(p.Workload.Maximal().Marginals))
					laplace, gaussian := 2*moves*moves*m*m/float64(epsilon*epsilon), moves*m/(mu*mu)
					want := dp.Delta(delta)
					cells := 0.0
					for _, c := range p.Workload.Maximal().Cliques() {
						of, _ := c.Cells(sizes)
						cells += float64(of) / m
					}
					noise := cells * math.Sqrt(laplace) / p.Units
					if noise <= 1 && laplace/gaussian <= .53/math.Pow(noise, .19) || noise > 1 && noise*laplace/gaussian <= .42 {
						want = 0
					}
					if got := methods.Delta(p, ""); got != want {
						t.Errorf("%d columns, width %d, ε = %g, %v: δ = %g, want %g", n, width, float64(epsilon), relation, float64(got), float64(want))
					}
					few, composed := p, p
					few.Units, composed.Composed = 1, true
					must.Hold(t, methods.Delta(p, "rake") == delta && methods.Delta(composed, "") == delta && (width <= 1 || epsilon >= 1 || methods.Delta(few, "") == delta),
						"%d columns, width %d, ε = %g: δ is not the one that was asked for", n, width, float64(epsilon))
				}
			}
		}
	}
}

// The noise that the rule for wide marginals states is the noise of the release that it speaks of: 495 marginals of 16
// cells each, a standard deviation of √495/μ, μ = .182 at ε = 1 and δ = 1e-9. Without exclusions rake measures them itself.
func TestRuleOfWideMarginals(t *testing.T) {
	sizes := slices.Repeat([]int{2}, 40)
	p := solver.Problem{Domain: columns(sizes[:12]...), Workload: query.AllMarginals(sizes[:12], 4, 1000), Epsilon: 1, Delta: 1e-9, Units: 50_000}
	m, _, err := methods.Choose(p, "auto")
	must.Hold(t, err == nil && m.Name == "rake", "%q, error %v; want rake", m.Name, err)
	p.Domain.StructuralZeros = domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{0}, {1}}}}
	_, why, err := methods.Choose(p, "auto")
	must.Hold(t, err == nil && strings.Contains(why, " 0.039 of the units"), "%q, error %v; want a noise of 0.039 of the units", why, err)
	p.Neighbouring = dp.Replace
	if _, why, err := methods.Choose(p, "auto"); err != nil || !strings.Contains(why, " 0.055 of the units") {
		t.Errorf("%q, error %v; want a noise of 0.055 of the units", why, err)
	}
	p.Domain, p.Workload = columns(sizes...), query.AllMarginals(sizes, 4, 1000)
	if m, why, err := methods.Choose(p, "auto"); err != nil || m.Name != "rake" || !strings.Contains(why, "no method measures marginals of 4 columns") {
		t.Errorf("2^40 cells: %q because %q, error %v", m.Name, why, err)
	}
}

// TestRuleOfLargerTables: marginals of 256 cells go to rake, which measures them itself, at a noise of one release of all above .1 and
// up to 3; below it to dpam, and above it to rake, which measures smaller ones. So is any noise above .25 with excluded combinations.
func TestRuleOfLargerTables(t *testing.T) {
	sizes := []int{4, 4, 4, 4, 4, 4, 4, 2}
	d := columns(sizes...)
	excludes := &domain.Domain{Attributes: d.Attributes, StructuralZeros: domain.Exclusions{{Clique: domain.Clique{0, 1}, Codes: [][]domain.Code{{0}, {1}}}}}
	for _, c := range []struct {
		domain     *domain.Domain
		units      float64 // the noise is 8,800 of them, by μ = .182
		name, says string
	}{{d, 100_000, "dpam", "is at most 0.25"}, {d, 50_000, "rake", "worth measuring"}, {d, 5_000, "rake", "worth measuring"}, {d, 2_500, "rake", "is more than 0.25"}, {excludes, 50_000, "dpam", "is at most 0.25"}, {excludes, 30_000, "rake", "is more than 0.25"}} {
		p := solver.Problem{Domain: c.domain, Workload: query.AllMarginals(sizes, 4, 1000), Epsilon: 1, Delta: 1e-9, Units: c.units}
		m, why, err := methods.Choose(p, "auto")
		must.Hold(t, err == nil && m.Name == c.name && strings.Contains(why, c.says), "%g units: %s because %q, error %v; want %s, %q", c.units, m.Name, why, err, c.name, c.says)
	}
}
