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
	"github.com/dapple-dp/dapple/internal/plan"
	"github.com/dapple-dp/dapple/solver"
)

// ErrCriteria is the error of a run whose model does not meet its criteria. Rows, statement and model are written
// nevertheless, and say so.
var ErrCriteria = errors.New("the criteria are NOT met: everything is written, and the statement says so; the budget is spent")

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
		l, _, err := plan.Charge(r.Problem, r.Chosen)
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
