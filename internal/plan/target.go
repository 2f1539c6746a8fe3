package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
	"github.com/dapple-dp/dapple/solver"
)

// Target selects the marginals whose error is wanted: those of Width columns in the workload, or the one of Columns.
// The zero value is the workload's maximal marginals.
type Target struct {
	Width   int
	Columns domain.Clique
	name    string
}

// String returns the target in words.
func (t Target) String() string { return t.name }

// ParseTarget reads "2-way", "column:a" or "columns:a,b" over the columns of d; "" is the zero value.
func ParseTarget(text string, d *domain.Domain) (Target, error) {
	kind, names, list := strings.Cut(text, ":")
	if text == "" {
		return Target{name: "the workload's maximal marginals"}, nil
	}
	if !list {
		if k, err := strconv.Atoi(strings.TrimSuffix(text, "-way")); err == nil && strings.HasSuffix(text, "-way") && k >= 1 && k <= 3 {
			return Target{Width: k, name: fmt.Sprintf("%d-way marginals", k)}, nil
		}
	}
	if kind != "column" && kind != "columns" || !list {
		return Target{}, fmt.Errorf("got %q; want 1-way, 2-way, 3-way, column:NAME or columns:NAME,NAME", text)
	}
	var c domain.Clique
	for _, name := range strings.Split(names, ",") {
		a := d.Index(strings.TrimSpace(name))
		if a < 0 {
			return Target{}, fmt.Errorf("the domain has no column %q", strings.TrimSpace(name))
		}
		c = append(c, a)
	}
	slices.Sort(c)
	if c = slices.Compact(c); len(c) > 3 {
		return Target{}, fmt.Errorf("got %d columns; want 1 to 3", len(c))
	}
	return Target{Columns: c, name: "the marginal of " + strings.Join(c.Names(d), ", ")}, nil
}

// cliques returns the marginals of the target; none if the workload has none of its width.
func (t Target) cliques(p solver.Problem) []domain.Clique {
	maximal := p.Workload.Maximal().Cliques()
	switch {
	case t.Columns != nil:
		return []domain.Clique{t.Columns}
	case t.Width > 0:
		return inside(maximal, t.Width)
	}
	return maximal
}

// inside returns the cliques of width attributes inside the given cliques, each once.
func inside(cliques []domain.Clique, width int) []domain.Clique {
	var out []domain.Clique
	seen := map[string]bool{}
	var pick func(c, rest domain.Clique)
	pick = func(c, rest domain.Clique) {
		if len(c) == width {
			if key := c.Key(); !seen[key] {
				seen[key] = true
				out = append(out, slices.Clone(c))
			}
			return
		}
		for i, a := range rest {
			pick(append(c, a), rest[i+1:])
		}
	}
	for _, c := range cliques {
		pick(make(domain.Clique, 0, width), c)
	}
	return out
}

// Error returns the predicted average total variation of the target's marginals, NaN if there is no prediction, and the
// range that it is likely in. The table is taken to be like the pattern, or a typical one if that is nil.
//
// A run at a larger ε is expected to do no worse: what a smaller one merges, and is predicted better for that, the larger
// one could merge as well.
func Error(p solver.Problem, m solver.Method, t Target, like *solver.Pattern) (tv, low, high float64) {
	tv = errorAt(p, m, t, like)
	q := p
	for _, q.Epsilon = range slices.Backward(curveEpsilons) {
		if q.Epsilon >= p.Epsilon {
			continue
		}
		x := errorAt(q, m, t, like)
		if !(x < tv) {
			break
		}
		tv = x
	}
	low, high = likely(tv, m, like)
	return tv, low, high
}

// errorAt returns what is predicted at the problem's ε alone.
func errorAt(p solver.Problem, m solver.Method, t Target, like *solver.Pattern) float64 {
	ledger, measured, err := Charge(p, m)
	if err != nil {
		return math.NaN()
	}
	return predict(p, m, ledger, measured, t, like)
}

// Point is a prediction at one ε.
type Point struct {
	Epsilon dp.Epsilon
	TV      float64
}

// curveEpsilons are those of a curve.
var curveEpsilons = []dp.Epsilon{.1, .3, 1, 3, 10}

// curveMarginals is the longest workload for which a curve is worth its time.
const curveMarginals = 5_000

// Curve returns the predicted average total variation of the workload's maximal marginals at five ε, as far as the
// method predicts them; none of a long workload. The pattern is that of Error.
func Curve(p solver.Problem, m solver.Method, like *solver.Pattern) []Point {
	if len(p.Workload.Marginals) > curveMarginals {
		return nil
	}
	var points []Point
	for _, e := range curveEpsilons {
		p.Epsilon = e
		if tv, _, _ := Error(p, m, Target{}, like); !math.IsNaN(tv) {
			points = append(points, Point{e, tv})
		}
	}
	return points
}

// OtherUnits returns what Error predicts at a hundredth, a tenth and ten times the planning number of units, which was
// only assumed; none of a long workload. The pattern is that of Error.
func OtherUnits(p solver.Problem, m solver.Method, like *solver.Pattern) []AtUnits {
	if len(p.Workload.Marginals) > curveMarginals {
		return nil
	}
	var points []AtUnits
	assumed := p.Units
	for _, factor := range []float64{.01, .1, 10} {
		p.Units = assumed * factor
		if tv, _, _ := Error(p, m, Target{}, like); !math.IsNaN(tv) {
			points = append(points, AtUnits{p.Units, tv})
		}
	}
	return points
}

// AtUnits is a prediction at one number of units.
type AtUnits struct {
	Units float64 `json:"units"`
	TV    float64 `json:"average_tv"`
}

// The ε that are searched.
const (
	leastEpsilon = 1e-3
	MostEpsilon  = 100.0
)

// Aimed is the least ε for a wanted error.
type Aimed struct {
	Target    Target
	TV        float64    // wanted
	Epsilon   dp.Epsilon // the least whose predicted error is at most that, NaN if none up to MostEpsilon is; rounded up to two digits
	Low, High float64    // the same for the low and the high end of the likely range
	Reached   float64    // the prediction at MostEpsilon
}

// AimAt returns the least ε whose predicted error is at most tv. The pattern is that of Error.
func AimAt(p solver.Problem, m solver.Method, t Target, tv float64, like *solver.Pattern) Aimed {
	find := func(of func(tv, low, high float64) float64) float64 {
		enough := func(log float64) bool {
			p.Epsilon = dp.Epsilon(math.Exp(log))
			return of(Error(p, m, t, like)) <= tv
		}
		least, most := math.Log(leastEpsilon), math.Log(MostEpsilon)
		if !enough(most) {
			return math.NaN()
		}
		if enough(least) {
			return leastEpsilon
		}
		_, above := bisect.Steps(least, most, 11, enough)    // to .6 %
		digit := math.Pow(10, 1-math.Floor(above/math.Ln10)) // for two digits; a quotient by it is the number that is written
		return math.Ceil(math.Exp(above)*digit) / digit
	}
	p.Epsilon = MostEpsilon
	reached, _, _ := Error(p, m, t, like)
	return Aimed{
		Target: t, TV: tv, Reached: reached,
		Epsilon: dp.Epsilon(find(func(tv, _, _ float64) float64 { return tv })),
		Low:     find(func(_, low, _ float64) float64 { return low }),
		High:    find(func(_, _, high float64) float64 { return high }),
	}
}
