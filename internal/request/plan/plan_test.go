package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// problem returns a request over columns c0, c1 … of the given sizes, at ε = 1.
func problem(width int, sizes ...int) solver.Problem {
	d := &domain.Domain{}
	for i, size := range sizes {
		cuts := make([]int64, size+1)
		for j := range cuts {
			cuts[j] = int64(j)
		}
		d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("c", i), Type: domain.Int64, Cuts: cuts, Resolution: 1, HasFallback: true})
	}
	return solver.Problem{
		Domain: d, Workload: query.AllMarginals(sizes, width, 10_000), Epsilon: 1, Delta: 1e-9, Units: 50_000, MemoryLimit: 2 << 30,
	}
}

func TestMakeListsEveryMethod(t *testing.T) {
	for _, method := range []string{"auto", "dpam", "dpfw"} {
		p := must.Value(Make(problem(2, 4, 5, 6, 2), method, 0, true, 0, nil))(t)
		must.Hold(t, len(p.Alternatives)+len(p.Comparisons)+1 == len(methods.All()) && (method == "auto" || p.Method == method) && p.Why != "",
			"%s: %s because %q, beside %d others", method, p.Method, p.Why, len(p.Alternatives))
		for _, a := range p.Alternatives {
			must.Hold(t, a.Method != p.Method && (a.Refusal != "" || a.Summary != "" && a.Seconds > 0), "%s: alternative %+v", method, a)
		}
		must.Hold(t, p.AverageTV > 0 && p.AverageTV < 0.2 && p.Rows == 50_000 && p.Universe == 240 && p.SolveBytes > 0 && p.FileBytes > 0,
			"%s: figures %+v", method, p)
	}
}

// A method that does not apply is listed with its reason.
func TestAlternativesThatDoNotApply(t *testing.T) {
	pure := problem(2, 4, 5, 6)
	pure.Delta = 0
	linear := must.Value(query.NewLinear([][]float64{{1, -1, 0, .5}}))(t)
	pure.Workload.Marginals = append(pure.Workload.Marginals, query.Marginal{Clique: domain.Clique{0}, Weight: 1, Queries: linear})
	p := must.Value(Make(pure, "dpfw", 0, true, 0, nil))(t)
	refused := 0
	for _, a := range p.Alternatives {
		if a.Refusal != "" {
			refused++
			must.Hold(t, strings.Contains(a.Refusal, "linear queries") && math.IsNaN(a.AverageTV), "refusal %+v", a)
		}
	}
	must.Hold(t, refused != 0, "every method claims to be pure")
	text := inJSON(t, p)
	must.Hold(t, strings.Count(text, `"refusal": `) == refused, "%d are refused:\n%s", refused, text)
}

// inJSON is a plan for programs.
func inJSON(t *testing.T, p *Plan) string {
	t.Helper()
	b := must.Value(p.JSON())(t)
	return string(b)
}

// A method that decides as it goes says so, and claims no bound of its noise.
func TestPlanOfAnAdaptiveMethod(t *testing.T) {
	p, err := Make(problem(3, 4, 5, 6, 2), "rake", 0, true, 0, nil)
	must.Do(t, err)
	text := inJSON(t, p)
	for _, want := range []string{`"adaptive": true`, `"marginals_measured": 4`, `"method_limits": "the model is every cell of the domain`, `"noise_bound_95": null`} {
		must.Hold(t, strings.Contains(text, want), "no %q in\n%s", want, text)
	}
	p, err = Make(problem(3, slices.Repeat([]int{10}, 12)...), "auto", 0, true, 0, nil)
	must.Hold(t, err == nil && strings.Contains(p.Limits, "300000 weighted records"), "%v; limits of 1e12 cells: %q", err, p.Limits)
}

// Many columns at a large ε draw more noisy numbers than δ pays for under GDP: the request is planned all the same,
// under zCDP.
func TestManyColumnsAtLargeEpsilon(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for plans of many columns; make integration runs it")
	}
	sizes := make([]int, 40)
	for i := range sizes {
		sizes[i] = 20
	}
	p := problem(3, sizes...)
	for epsilon, want := range map[dp.Epsilon]dp.Accounting{1: dp.GaussianOnly, 10: dp.ZCDP} {
		p.Epsilon = epsilon
		plan, err := Make(p, "auto", 0, true, 0, nil)
		must.Need(t, err == nil, "ε = %g: %v", float64(epsilon), err)
		must.Hold(t, plan.Charges.Accounting == want.String() && plan.AverageTV > 0,
			"ε = %g: %s accounting, predicted %g", float64(epsilon), plan.Charges.Accounting, plan.AverageTV)
	}
}

// Where no column can be left large enough the loop still ends, and says so.
func TestCoarsenEnds(t *testing.T) {
	must.Equal(t, coarsen(problem(1, 2, 2, 2), 1e9), "")
	must.Equal(t, coarsen(problem(1, 8, 2), 4), "c0 from 8 to 2 cells")
}

// A plan says which method measures marginals that are too wide for the chosen one, and which method suits the workload.
func TestPlanSaysWhichMethodSuits(t *testing.T) {
	said := func(method string, width int, sizes ...int) string {
		p := problem(width, sizes...)
		made := must.Value(Make(p, method, 0, true, 0, nil))(t)
		return inJSON(t, made)
	}
	few, many := []int{2, 3, 2, 3, 2}, slices.Repeat([]int{9}, 12)
	for _, x := range []struct{ text, want string }{
		{said("rake", 4, few...), `"method_for_wide_marginals": "dpam"`},
		{said("rake", 4, few...), `"better_suited": "dpam: `},
		{said("rake", 4, many...), `"marginals_too_wide": `},
		{said("dpam", 3, append(few, 3, 2)...), `"better_suited": "rake: `},
	} {
		must.Hold(t, strings.Contains(x.text, x.want), "no %q in\n%s", x.want, x.text)
	}
	text := said("auto", 4, few...)
	must.Hold(t, !strings.Contains(text, "better_suited") && !strings.Contains(text, "too_wide"), "the rule's own choice is doubted in\n%s", text)
}

// Errors fall with ε: errors of a curve, and errors that a target is answered from, over made-up domains with learned bins.
// A plan states what its own curve and its target say, and nothing less is expected of a table that hardly varies. Of
// 1000 units with learned columns, what 1 merges 10 does not.
func TestErrorsAgree(t *testing.T) {
	for _, columns := range [][2]int{{3, 2}, {8, 3}, {0, 5}} { // learned, listed
		d := &domain.Domain{}
		for i := range columns[0] {
			d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("n", i), Type: domain.Int64, Cuts: []int64{0, 1000 << i}, Learned: 20, Resolution: 1, Null: i%2 == 0, HasFallback: true})
		}
		for i := range columns[1] {
			d.Attributes = append(d.Attributes, domain.Attribute{Name: fmt.Sprint("c", i), Type: domain.String, Values: []string{"a", "b", "c", "d", "e"}[:2+i%4], HasFallback: true})
		}
		for _, units := range []float64{1000, 50_000} {
			p := solver.Problem{Domain: d, Workload: query.Default(d.Sizes()), Epsilon: 1, Delta: 1e-9, Units: units}
			m, _, err := methods.Choose(p, solver.Auto)
			must.Do(t, err)
			q := Ask(p, m, Target{}, nil, true)
			before := math.Inf(1)
			for e := leastEpsilon; e < MostEpsilon; e *= 1.3 {
				tv, low, high := q.Error(dp.Epsilon(e))
				must.Hold(t, tv <= before && low <= tv && tv <= high,
					"%d and %d columns, %g units: at ε = %.3g the error is %g in %g to %g, and %g at less", columns[0], columns[1], units, e, tv, low, high, before)
				before = tv
			}
			for _, x := range q.Curve() {
				if a := q.Aim(Target{}, x.TV); a.Epsilon > x.Epsilon {
					t.Errorf("%d and %d columns, %g units: an error of %g needs ε = %g, and the curve has it at %g", columns[0], columns[1], units, x.TV, float64(a.Epsilon), float64(x.Epsilon))
				}
			}
			p.Epsilon = .1
			if tv, _, _ := q.Error(.1); columns[0] > 0 && !(tv > 1.05*errorAt(p, m, Target{}, nil)) {
				t.Errorf("%d and %d columns, %g units: at ε = .1 the error is %g, which is of the bins that it learns itself", columns[0], columns[1], units, tv)
			}
			for _, p.Epsilon = range []dp.Epsilon{.7, 10} {
				made := must.Value(Make(p, m.Name, 0, true, 0, nil))(t)
				must.Hold(t, (p.Epsilon != 10 || made.AverageTV == made.Curve[4].TV) && made.LeastTV <= made.LowTV,
					"curve %v, plan %g, at least %g, of equal records %g", made.Curve, made.AverageTV, made.LowTV, made.LeastTV)
				made.Answer(q)
				tv, _, _ := q.Error(p.Epsilon)
				must.Hold(t, made.AverageTV == tv && made.Curve[2] == q.Curve()[2], "the plan of a question says %g, and its answer is %g", made.AverageTV, tv)
			}
		}
	}
}

// A plan says how many records of a value are seen: three standard deviations of the noise that a tree gets for its share.
func TestLeastSeen(t *testing.T) {
	p := problem(2, 4, 20, 20)
	for i, most := range []int64{1023, 4999} {
		p.Domain.Attributes[1+i] = domain.Attribute{Name: fmt.Sprint("c", 1+i), Type: domain.Int64, Cuts: []int64{0, most}, Resolution: 1, Learned: 20, HasFallback: true}
	}
	for _, n := range []dp.Neighbouring{dp.AddRemove, dp.Replace} {
		p.Neighbouring = n
		made := must.Value(Make(p, "auto", 0, true, 0, nil))(t)
		squares := map[dp.Neighbouring]float64{dp.AddRemove: 10 + 13, dp.Replace: 4 + 2*9 + 4 + 2*12}[n]
		want := 0.0
		for _, x := range made.accesses {
			if x.Stage == "trees" {
				mu := solver.GaussianMu(p.Epsilon, p.Delta)
				want = 3 * math.Sqrt(squares/(x.Share.Float()*mu*mu))
			}
		}
		got := made.leastSeen()
		must.Hold(t, math.Abs(got/want-1) <= .01, "%v: %v records, want %v", n, got, want)
		must.Contain(t, inJSON(t, made), fmt.Sprintf(`"units_seen_by_themselves": %.0f,`, made.leastSeen()), "%v", n)
	}
	made, err := Make(problem(2, 4, 5), "auto", 0, true, 0, nil)
	must.Hold(t, err == nil && made.leastSeen() == 0, "without learned bins: %v, %v", made.leastSeen(), err)
}

// Records are kept if bins are learned from them, or if there are too many cells, and take memory twice. Codes of 0 to
// 645,000 take three bytes, and others of these columns one.
func TestMemoryOfKeptRecords(t *testing.T) {
	some, many := problem(2, 44, 2, 20), problem(2, slices.Repeat([]int{90}, 50)...)
	learn := func(p solver.Problem) solver.Problem {
		p.Domain.Attributes[2] = domain.Attribute{Name: "c2", Type: domain.Int64, Cuts: []int64{0, 645_000}, Resolution: 1, Learned: p.Workload.Sizes[2], HasFallback: true}
		return p
	}
	learned, both := learn(problem(2, 44, 2, 20)), learn(problem(2, slices.Repeat([]int{90}, 50)...))
	const cells, units = 8 * (44*2 + 44*20 + 2*20), 50_000
	for _, tt := range []struct {
		name  string
		p     solver.Problem
		bytes float64
		says  string
	}{
		{"counted", some, cells, ""},
		{"learned", learned, cells + 2*5*units, "bins are learned from them"},
		{"wide", many, 2 * 50 * units, "measured marginals have more than 8388608 cells"},
		{"wide and learned", both, 2*52*units + 2*50*units, "bins are learned from them"},
	} {
		must.Hold(t, countBytes(tt.p) == tt.bytes, "%s: %g bytes, want %g", tt.name, countBytes(tt.p), tt.bytes)
		why := kept(tt.p)
		must.Hold(t, strings.Contains(why, tt.says) && (why == "") == (tt.says == ""), "%s: %q", tt.name, why)
	}
}
