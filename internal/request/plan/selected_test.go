package plan

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// DPFW is predicted by its own error. No constant was chosen on the runs with δ = 0, which the table in solver/methods lists: Markov
// trees of binary columns. The last two are Tree10's, as solver/dpfw has it.
func TestErrorOfSelections(t *testing.T) {
	for _, r := range []struct {
		columns, width int
		units, epsilon float64
		delta          dp.Delta
		form           dpfw.Form
		measured       float64
	}{
		{10, 3, 10_000, 1, 0, dpfw.Block, .0170}, {14, 3, 20_000, 1, 0, dpfw.Block, .0162}, {14, 3, 20_000, 10, 0, dpfw.Block, .0075},
		{12, 4, 20_000, 1, 0, dpfw.Block, .0158}, {12, 4, 20_000, 10, 0, dpfw.Block, .0066}, {12, 5, 20_000, 1, 0, dpfw.Block, .0252},
		{10, 3, 10_000, 1, 1e-8, dpfw.Block, .0066}, {10, 3, 10_000, 1, 1e-8, dpfw.Cell, .0092},
	} {
		p := solver.Problem{Domain: &domain.Domain{}, Epsilon: dp.Epsilon(r.epsilon), Delta: r.delta, Units: r.units}
		for i := range r.columns {
			p.Domain.Attributes = append(p.Domain.Attributes, domain.Attribute{Name: fmt.Sprint("c", i), Type: domain.Bool, Values: []string{"false", "true"}, HasFallback: true})
		}
		p.Workload = query.AllMarginals(p.Domain.Sizes(), r.width, 10_000)
		m, _, err := methods.Choose(p, dpfw.Method(dpfw.Settings{Form: r.form}))
		must.Do(t, err)
		l, measured, err := Charge(p, m, nil)
		must.Do(t, err)
		tv := predict(p, m, l, measured, Target{}, nil)
		if ratio := tv / r.measured; !(ratio > .5 && ratio < 2) {
			t.Errorf("%+v: predicted %.4f", r, tv)
		} else {
			t.Logf("%+v: predicted %.4f", r, tv)
		}
		one := predict(p, m, l, measured, Target{Width: 1}, nil)
		must.Hold(t, one > 0 && one < tv, "%+v: predicted %.4f of single columns, %.4f of all", r, one, tv)
	}
	// A method of others that selects in another way has no price.
	p := problem(2, 3)
	x := selected(p, solver.Method{Accesses: func(solver.Problem) ([]solver.Access, error) { return nil, nil }}, dp.Budget{}, nil)
	must.Hold(t, math.IsNaN(x), "a method without selections is predicted to miss %g", x)
}
