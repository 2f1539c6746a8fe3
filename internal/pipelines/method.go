package pipelines

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/pipelines/internal/run"
	"github.com/dapple-dp/dapple/internal/release/report"
	"github.com/dapple-dp/dapple/internal/release/workload"
	"github.com/dapple-dp/dapple/internal/request/plan"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/solver"
)

// checkProblem derives workload, problem and method.
func checkProblem(r *Request, f *Faults) {
	w, ok := r.workload(f)
	if !ok {
		return
	}
	r.Problem = solver.Problem{
		Domain: r.File.Domain, Workload: w, Neighbouring: r.Neighbouring,
		Epsilon: r.Epsilon, Delta: r.Delta, MemoryLimit: r.MemoryLimit,
		Units: float64(orDefault(r.ExpectedRows, solver.DefaultUnits)), ErrorShare: solver.ErrorShare(r.ErrorShare),
	}
	checkDelta(r, f)
	checkCriteria(r, f)
	_, unknown := methods.Lookup(r.Method)
	if r.Epsilon.Validate() != nil || r.Delta.Validate() != nil || unknown != nil && r.Method != "auto" {
		return // said already; no method can be judged
	}
	r.Problem.Composed = r.Ledger != "" || r.prior() != nil || r.asked != "" // the finished run had found its domain
	r.Delta = methods.Delta(r.Problem, r.Method)
	r.Problem.Delta = r.Delta
	var err error
	if r.Chosen, _, err = methods.Choose(r.Problem, r.Method); err != nil {
		what, fix := plan.Refusal(r.Problem, r.Method, err)
		where := "--method"
		if plan.TooLarge(err) {
			where = "--domain"
		}
		f.add(where, what, fix)
		return
	}
	if r.forget() {
		checkProblem(r, f)
		return
	}
	payCriteria(r, f)
	if _, err := r.account(); err != nil {
		_, rule, _ := strings.Cut(strings.TrimSuffix(err.Error(), "; use zCDP"), ": ") // no flag chooses the accounting
		f.add("--epsilon", fmt.Sprintf("got %g with --delta=%g; method %s: %s", float64(r.Epsilon), float64(r.Delta), r.Chosen.Name, rule),
			"change one of them, or --method")
	}
}

// forget leaves out the noisiest table of a column and the row before if its noise alone is worse than rows dealt at random, and reports
// whether there is one. What follows from public figures alone is decided before the run, and costs nothing.
func (r *Request) forget() bool {
	if !r.File.Domain.Ordered() || len(r.File.Workload) > 0 {
		return false
	}
	left := plan.Noisiest(r.Problem, r.Chosen, r.ExpectedRows > 0)
	if left == nil {
		return false
	}
	order := *r.File.Domain.Events.Sequence
	order.Previous = slices.DeleteFunc(slices.Clone(order.Previous), func(name string) bool { return name == left.Column })
	without, err := r.File.Domain.WithSequence(order)
	if err != nil {
		panic("pipelines: " + err.Error()) // it was valid with more
	}
	file := *r.File
	file.Domain, r.File, r.forgotten = without, &file, append(r.forgotten, *left)
	return true
}

// checkDelta refuses a δ at which the promise is expected to fail for somebody, or fails too often, unless it is accepted.
func checkDelta(r *Request, f *Faults) {
	delta, units := float64(r.Delta), r.Problem.Units
	if r.AcceptDelta || r.Delta.Validate() != nil || delta <= report.LargeDelta && 2*delta*units < 1 {
		return
	}
	most := min(report.LargeDelta, 1/(2*units))
	f.add("--delta", fmt.Sprintf("got %g; with %.0f planned units it has to be below %.2g, for otherwise the promise may fail for somebody", delta, units, most),
		fmt.Sprintf("take one far below, such as %.0e, correct --expected_rows, or set --accept_delta", min(1e-9, most/100)))
}

// workload returns the domain file's workload, or else all marginals up to the width and size asked for.
// It finds the workload's faults: not ok. Everything follows from public sizes, before a long list is
// made.
func (r *Request) workload(f *Faults) (w query.Workload, ok bool) {
	if len(r.File.Workload) > 0 {
		return r.listed(f)
	}
	sizes := r.File.Domain.Sizes()
	if !r.chooseWidth(sizes, f) {
		return w, false
	}
	if uncovered := query.Uncovered(r.File.Domain, r.MaxCells); uncovered != "" {
		f.add("--max_cells", fmt.Sprintf("got %d; %s, and nothing would be known of such a column", r.MaxCells, uncovered),
			"raise it, or give the column fewer values or bins")
		return w, false
	}
	w = query.WithOrder(r.File.Domain, query.AllMarginals(sizes, r.Marginals, r.MaxCells))
	if r.File.Target != "" {
		w = w.Toward(r.File.Domain.Index(r.File.Target))
	}
	r.omitted = ofWidth(len(sizes), r.Marginals) - int64(len(w.Marginals))
	return w, true
}

// listed returns the domain file's workload.
func (r *Request) listed(f *Faults) (w query.Workload, ok bool) {
	if n := len(r.File.Workload); n > query.MaxMarginals {
		f.add("--domain", fmt.Sprintf("%d marginals in the workload; at most %d are possible", n, query.MaxMarginals), "list fewer")
		return w, false
	}
	w, err := workload.Listed(r.File)
	if err != nil {
		f.add("--domain", err.Error(), "")
		return w, false
	}
	w = query.WithRows(r.File.Domain, w, r.MaxCells)
	if r.File.Domain.Events != nil && !w.Whole() {
		f.add("--domain", "linear queries with values between -1, 0 and 1, and events, whose rows have weights", "use values of -1, 0 and 1")
		return w, false
	}
	values := 0
	for _, m := range w.Marginals {
		if m.Queries != nil {
			values += m.Queries.Queries() * m.Queries.Cells()
		}
	}
	if n := w.Linear(); n > query.MaxLinear || values > query.MaxLinearValues {
		f.add("--domain", fmt.Sprintf("%d linear queries of %d values in the workload; at most %d of %d values are possible", n, values, query.MaxLinear, query.MaxLinearValues),
			"list fewer, or queries of fewer columns")
		return w, false
	}
	return w, true
}

// chooseWidth replaces no width by the default one, or by 2 if that makes too many marginals.
func (r *Request) chooseWidth(sizes []int, f *Faults) bool {
	fits := func(width int) bool {
		return query.CountMarginals(sizes, width, r.MaxCells, query.MaxMarginals) <= query.MaxMarginals
	}
	asked := orDefault(r.Marginals, query.DefaultWidth)
	if r.Marginals == 0 && !fits(asked) {
		r.narrowed = fmt.Sprintf("marginals of up to %d columns, as %d columns have more than %d of up to %d",
			asked-1, len(sizes), query.MaxMarginals, asked)
		asked--
	}
	if r.Marginals = asked; fits(asked) {
		return true
	}
	fix := "list those that matter under workload: in the domain file, or drop columns"
	for asked > 1 {
		if asked--; fits(asked) {
			fix = fmt.Sprintf("set --marginals=%d, ", asked) + fix
			break
		}
	}
	f.add("--marginals", fmt.Sprintf("%d columns have more than the %d marginals of up to %d columns that one run handles", len(sizes), query.MaxMarginals, r.Marginals), fix)
	return false
}

// ofWidth returns the number of sets of 1 to width among n columns.
func ofWidth(n, width int) int64 {
	all := int64(0)
	for k, c := 1, int64(1); k <= min(width, n); k++ {
		c = c * int64(n-k+1) / int64(k)
		all += c
	}
	return all
}

// ErrCriteria is the error of a run whose model does not meet its criteria. Rows, statement and model are written
// nevertheless, and say so.
var ErrCriteria = errors.New("the criteria are NOT met: everything is written, and the statement says so; the budget is spent")

// ErrKept is in the errors of runs that have left what they paid for to the next run of the same request.
var ErrKept = run.ErrKept

// criteriaShares are the parts of the budget that a check may use, in thousandths: the smallest sufficient one is
// taken.
var criteriaShares = []int64{1, 2, 5, 10, 20, 50, 100, 200}

// parseCriteria reads "age,sex<=0.02; race<=0.01".
func parseCriteria(text string, d *domain.Domain) (limits []solver.Limit, err error) {
	var errs []error
	for part := range strings.SplitSeq(text, ";") {
		names, value, ok := strings.Cut(part, "<=")
		x, parseErr := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if !ok || parseErr != nil || !(x > 0 && x < 1) {
			errs = append(errs, fmt.Errorf("%q is not COLUMN,COLUMN<=ERROR, with an error between 0 and 1 as a part of all units", strings.TrimSpace(part)))
			continue
		}
		var attrs []int
		for name := range strings.SplitSeq(names, ",") {
			name = strings.TrimSpace(name)
			if a := d.Index(name); a < 0 {
				errs = append(errs, fmt.Errorf("column %q is not modelled; the columns are %s", name, strings.Join(d.Names(), ", ")))
			} else if slices.Contains(attrs, a) {
				errs = append(errs, fmt.Errorf("column %q appears twice", name))
			} else {
				attrs = append(attrs, a)
			}
		}
		limits = append(limits, solver.Limit{Clique: domain.NewClique(attrs...), Largest: x})
	}
	return limits, errors.Join(errs...)
}

// checkCriteria reads the criteria of a request, before a method is chosen that reserves a part of the budget for
// them.
func checkCriteria(r *Request, f *Faults) {
	if r.Criteria == "" {
		return
	}
	if r.ExpectedRows == 0 {
		f.add("--expected_rows", "is required with --criteria: how much of the budget their check takes, and how far it can be trusted, depends on it",
			"give the number of units that is publicly known, rather too small than too large")
	}
	limits, err := parseCriteria(r.Criteria, r.File.Domain)
	for _, l := range limits {
		if err == nil && !slices.ContainsFunc(r.Problem.Workload.Cliques(), func(c domain.Clique) bool { return c.Contains(l.Clique) }) {
			err = fmt.Errorf("%s is no part of a marginal of the workload, so that nothing is counted of it; see --marginals and --max_cells", strings.Join(l.Clique.Names(r.File.Domain), ","))
		}
	}
	if err != nil {
		for line := range strings.Lines(err.Error()) {
			f.add("--criteria", strings.TrimSpace(line), "")
		}
		return
	}
	r.Problem.Criteria = solver.Criteria{Limits: limits, Share: dp.ShareOf(criteriaShares[0], 1000)}
}

// payCriteria finds the part of the budget with which the error of the check is at most half of the least limit, in
// 19 of 20 runs of the planned number of units.
func payCriteria(r *Request, f *Faults) {
	if len(r.Problem.Criteria.Limits) == 0 {
		return
	}
	half := 0.0
	for _, thousandths := range criteriaShares {
		r.Problem.Criteria.Share = dp.ShareOf(thousandths, 1000)
		l, err := r.account()
		if err != nil {
			return // said by those who charge the whole request
		}
		events := l.Events()
		if half = 1.96 * math.Sqrt(events[len(events)-1].Variance(0)) / r.Problem.Units; half <= leastLimit(r.Problem.Criteria)/2 {
			r.within = half * r.Problem.Units
			return
		}
	}
	f.add("--criteria", fmt.Sprintf("limits of %g cost more than the budget: a check that takes a fifth of it errs by ±%.2g of %.0f units",
		leastLimit(r.Problem.Criteria), half, r.Problem.Units), fmt.Sprintf("raise the limits to %.2g and above, or --epsilon; --expected_rows says how many units there are", 2*half))
}

func leastLimit(c solver.Criteria) float64 {
	return slices.MinFunc(c.Limits, func(a, b solver.Limit) int { return cmp.Compare(a.Largest, b.Largest) }).Largest
}

// criteriaNote is the line on criteria in a plan.
func (r *Request) criteriaNote() string {
	c := r.Problem.Criteria
	return fmt.Sprintf("criteria  %s: checked with %g %% of the budget, right to ±%.3g units with 95 %% confidence; met or not is all that is released of it. If not, everything is written, says so, and the exit status is 1",
		limitsText(c, r.File.Domain), 100*c.Share.Float(), r.within)
}

func limitsText(c solver.Criteria, d *domain.Domain) string {
	var parts []string
	for _, l := range c.Limits {
		parts = append(parts, fmt.Sprintf("%s <= %g", strings.Join(l.Clique.Names(d), ","), l.Largest))
	}
	return strings.Join(parts, "; ")
}
