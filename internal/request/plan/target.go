package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bisect"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/solver"
)

// Target selects the marginals whose error is wanted: every one of Width columns in the workload, or the one of Columns.
// The zero value is the workload's maximal marginals.
type Target struct {
	Width   int
	Columns domain.Clique
	these   []domain.Clique // in place of Columns: several
	name    string
}

// String returns the target in words.
func (t Target) String() string { return t.name }

// ParseTarget reads "2-way", "column:a" or "columns:a,b" over the columns of d; "" is the zero value.
func ParseTarget(text string, d *domain.Domain) (Target, error) {
	kind, names, list := strings.Cut(text, ":")
	if text == "" {
		return Target{name: "the workload's widest tables"}, nil
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
	return Target{Columns: c, name: "the marginal of " + page.Short(strings.Join(c.Names(d), ", "), 60)}, nil
}

// cliques returns the marginals of the target; none if the workload has none of its width.
func (t Target) cliques(p solver.Problem) []domain.Clique {
	maximal := p.Workload.Maximal().Cliques()
	switch {
	case t.these != nil:
		return t.these
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
	for _, c := range cliques {
		for _, sub := range marginal.Subsets(c, width) {
			if key := sub.Key(); !seen[key] {
				seen[key] = true
				out = append(out, sub)
			}
		}
	}
	return out
}

// errorAt returns what is predicted at the problem's ε alone, NaN if there is no prediction.
func errorAt(p solver.Problem, m solver.Method, t Target, like *solver.Pattern) float64 {
	ledger, measured, err := Charge(p, m, nil)
	if err != nil {
		return math.NaN()
	}
	return predict(p, m, ledger, measured, t, like)
}

// Question asks for the errors of a target at several ε. All are errors of the same bins, those that a run at one ε
// learns: a larger ε would learn finer ones, and errors of other cells each time compare with nothing. So errors fall
// with ε, and the answers to one question never contradict each other.
type Question struct {
	points []Point // by ε; TV falls
	method solver.Method
	like   *solver.Pattern
}

// knots are the ε at which errors are predicted; between them they are interpolated. The ε of the curve are among them.
var knots = []dp.Epsilon{leastEpsilon, .003, .01, .03, .1, .3, 1, 3, 10, 30, MostEpsilon}

// The ε of a curve.
const leastShown, mostShown = .1, 10

// curveMarginals is the longest workload for which a curve is worth its time.
const curveMarginals = 5_000

// Ask makes the question for the bins that a run at the problem's ε learns. The table is taken to be like the pattern, or a
// typical one if that is nil. Without a wide range only that ε is asked.
func Ask(p solver.Problem, m solver.Method, t Target, like *solver.Pattern, wide bool) *Question {
	of := solver.Pattern{}
	if like != nil {
		of = *like
	}
	if ledger, _, err := Charge(p, m, nil); err == nil {
		of.Bins = ledger.Budget().Capacity
	}
	q, own := &Question{method: m, like: like}, p.Epsilon
	list := []dp.Epsilon{own}
	if wide {
		list = append(list, knots...)
		slices.Sort(list)
		list = slices.Compact(list)
	}
	for _, p.Epsilon = range list {
		tv := errorAt(p, m, t, &of)
		if n := len(q.points); n > 0 && tv > q.points[n-1].TV {
			tv = q.points[n-1].TV // a larger ε could add the noise of a smaller one
		}
		if !math.IsNaN(tv) {
			q.points = append(q.points, Point{p.Epsilon, tv})
		}
	}
	return q
}

// Error returns the predicted average total variation at ε, NaN if there is no prediction, and the range that it is
// likely in.
func (q *Question) Error(epsilon dp.Epsilon) (tv, low, high float64) {
	tv = math.NaN()
	if k, found := slices.BinarySearchFunc(q.points, epsilon, func(x Point, e dp.Epsilon) int { return cmp.Compare(x.Epsilon, e) }); len(q.points) > 0 {
		switch {
		case found || k == 0:
			tv = q.points[k].TV
		case k == len(q.points):
			tv = q.points[k-1].TV
		default:
			tv = between(q.points[k-1], q.points[k], epsilon)
		}
	}
	low, high = likely(tv, q.method, q.like)
	return tv, low, high
}

// between interpolates errors as powers of ε.
func between(a, b Point, epsilon dp.Epsilon) float64 {
	part := math.Log(float64(epsilon/a.Epsilon)) / math.Log(float64(b.Epsilon/a.Epsilon))
	if a.TV <= 0 || b.TV <= 0 {
		return a.TV + part*(b.TV-a.TV)
	}
	return a.TV * math.Pow(b.TV/a.TV, part)
}

// Point is a prediction at one ε.
type Point struct {
	Epsilon dp.Epsilon
	TV      float64
}

// Curve returns the errors at five ε; none if only one ε was asked.
func (q *Question) Curve() (points []Point) {
	for _, e := range knots {
		if tv, _, _ := q.Error(e); len(q.points) > 1 && e >= leastShown && e <= mostShown && !math.IsNaN(tv) {
			points = append(points, Point{e, tv})
		}
	}
	return points
}

// OtherUnits returns what is predicted at a hundredth, a tenth and ten times the planning number of units, which was only
// assumed, each of the bins that are learned there; none of a long workload. The pattern is Ask's.
func OtherUnits(p solver.Problem, m solver.Method, like *solver.Pattern) []AtUnits {
	if len(p.Workload.Marginals) > curveMarginals {
		return nil
	}
	var points []AtUnits
	assumed := p.Units
	for _, factor := range []float64{.01, .1, 10} {
		p.Units = assumed * factor
		if tv := errorAt(p, m, Target{}, like); !math.IsNaN(tv) {
			points = append(points, AtUnits{p.Units, tv})
		}
	}
	return points
}

// Saved returns the part of the error that planning for so many units saves, if there are so many: 0 if there is no
// prediction of it.
func Saved(p solver.Problem, m solver.Method, units float64) float64 {
	was := errorAt(p, m, Target{}, &solver.Pattern{Units: units})
	p.Units = units
	if is := errorAt(p, m, Target{}, nil); m.Predict != nil && is < was {
		return 1 - is/was
	}
	return 0
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

// Aim returns the least ε whose predicted error of the target t is at most tv.
func (q *Question) Aim(t Target, tv float64) Aimed {
	find := func(of func(tv, low, high float64) float64) float64 {
		enough := func(log float64) bool { return of(q.Error(dp.Epsilon(math.Exp(log)))) <= tv }
		least, most := math.Log(leastEpsilon), math.Log(MostEpsilon)
		if !enough(most) {
			return math.NaN()
		}
		if enough(least) {
			return leastEpsilon
		}
		_, above := bisect.Steps(least, most, 30, enough)
		digit := math.Pow(10, 1-math.Floor(above/math.Ln10)) // for two digits; a quotient by it is the number that is written
		return math.Ceil(math.Exp(above)*digit*(1-1e-6)) / digit
	}
	reached, _, _ := q.Error(MostEpsilon)
	return Aimed{
		Target: t, TV: tv, Reached: reached,
		Epsilon: dp.Epsilon(find(func(tv, _, _ float64) float64 { return tv })),
		Low:     find(func(_, low, _ float64) float64 { return low }),
		High:    find(func(_, _, high float64) float64 { return high }),
	}
}
