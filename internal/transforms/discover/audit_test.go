package discover

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// foundRun is a table of one column with two neighbours, whose domain is found and which is then released, at one ε of 1.
type foundRun struct {
	name     string
	delta    dp.Delta
	relation dp.Neighbouring
	here     []string                 // of all but one unit
	fill     func(cut int64) []string // more of them
	one      string                   // of the one unit
	other    string                   // in place of it; of AddRemove: none
	value    bool                     // the unit's value is one more than the first cut: no bound on the mean of losses
}

func foundRuns() []foundRun {
	many := func(n int, s string) []string { return slices.Repeat([]string{s}, n) }
	colours := append(many(200, "red"), many(150, "blue")...)
	var numbers []string
	for i := range 40 {
		numbers = append(numbers, fmt.Sprint(i%50))
	}
	none := func(int64) []string { return nil }
	return []foundRun{
		{"one more of a common value", .01, dp.AddRemove, colours, none, "red", "", false},
		{"a value at the first cut", .3, dp.AddRemove, colours, func(cut int64) []string { return many(int(cut), "cut") }, "cut", "", true},
		{"another common value", .01, dp.Replace, colours, none, "red", "blue", false},
		{"values at the first cut", .3, dp.Replace, colours, func(cut int64) []string { return append(many(int(cut), "cut"), many(int(cut), "tuc")...) }, "cut", "tuc", true},
		{"an extreme number", .01, dp.AddRemove, numbers, none, "9000000", "", false},
		{"a text among numbers", .01, dp.Replace, numbers, none, "text", "17", false},
	}
}

// side is one of two neighbouring tables.
type side struct {
	cells  []string
	counts *table
}

// sides returns the table with the unit, and the other one, for a finding of an ε.
func (c foundRun) sides(t *testing.T, epsilon dp.Epsilon) (p Params, cut int64, a, b side) {
	t.Helper()
	p = Params{Columns: untyped("x"), Epsilon: epsilon, Delta: c.delta, Share: dp.ShareOf(1, 2), Neighbouring: c.relation}.withDefaults()
	rake, err := methods.Lookup("rake")
	must.Do(t, err)
	p.Mixed = rake.Accounting(p.Epsilon, p.Delta) != dp.GaussianOnly
	must.Do(t, p.Validate())
	cut, err = p.firstCut()
	must.Do(t, err)
	all := append(slices.Clone(c.here), c.fill(cut)...)
	a.cells, b.cells = append(slices.Clone(all), c.one), all
	if c.other != "" {
		b.cells = append(slices.Clone(all), c.other)
	}
	for _, s := range []*side{&a, &b} {
		r := make(rows, len(s.cells))
		for i, cell := range s.cells {
			r[i] = []string{cell}
		}
		s.counts = countedAbove(t, p, cut, r)
	}
	return p, cut, a, b
}

// TestAuditOfFoundRuns: a run that finds its domain and then makes a release with what is left is audited as one: the sum of the
// losses of both, the logarithms of how much likelier all that was released is on the table that was there than on its neighbour,
// by formulas of their own. No loss refutes ε = 1 and δ together, nor does their mean exceed the one charge where δ is for noise
// alone. Runs at sixteen times the ε refute each; at nightly sizes a release that has the whole budget again does, too.
//
// 300 runs each (nightly 20,000). Short tests audit two configurations. False alarms: 1e-10 for each of two bounds of six.
func TestAuditOfFoundRuns(t *testing.T) {
	runs := dptest.Size(300, 20_000)
	for i, c := range foundRuns() {
		if testing.Short() && i%3 > 0 {
			continue
		}
		claim := c.losses(t, 1, runs, false)
		must.Equal(t, claim.refutes(c), "", "%s, %v", c.name, c.relation)
		if louder := c.losses(t, 16, 300, false); louder.refutes(c) == "" && c.other != "tuc" { // which is in the cell of others, as cut is
			t.Errorf("%s, %v: sixteen times the ε is not found", c.name, c.relation)
		}
		if i == 0 && runs >= 10_000 {
			twice := c.losses(t, 1, runs, true)
			must.Hold(t, twice.refutes(c) != "", "%s, %v: a release that has the whole budget again is not found", c.name, c.relation)
		}
		if over, _ := claim.over(); c.value {
			dptest.Figure(t, "%s, %v: %d runs with their finding, beyond ε with %.3f of δ = %g", c.name, c.relation, runs, over/float64(runs), float64(c.delta))
		} else {
			dptest.Figure(t, "%s, %v: %d runs with their finding, mean loss %.3f of %.3f", c.name, c.relation, runs, claim.mean(), claim.capacity)
		}
	}
}

// runLosses are the losses of runs on one of two tables, in turn, and the capacity of the ledger of one run at ε = 1.
type runLosses struct {
	list     []float64
	capacity float64
}

func (l runLosses) mean() (sum float64) {
	for _, x := range l.list {
		sum += x / float64(len(l.list))
	}
	return sum
}

// over returns the sum of what losses above ε = 1 take of δ, and the sum of their squares.
func (l runLosses) over() (sum, squares float64) {
	for _, loss := range l.list {
		d := max(0, -math.Expm1(1-loss)) // its mean over runs is δ at most
		sum, squares = sum+d, squares+d*d
	}
	return sum, squares
}

// losses runs on the two tables in turn. again gives the release the whole budget.
func (c foundRun) losses(t *testing.T, epsilon dp.Epsilon, runs int, again bool) (l runLosses) {
	t.Helper()
	p, cut, a, b := c.sides(t, epsilon)
	claimed := p
	claimed.Epsilon = 1
	ledger := must.Value(claimed.ledger())(t)
	l.capacity, _ = ledger.Capacity().Float64()
	for i := range runs {
		here, other := a, b
		if i%2 == 1 {
			here, other = b, a
		}
		l.list = append(l.list, c.loss(t, p, cut, here, other, again))
	}
	return l
}

// loss finds the domain of a table and makes a release with it, and returns how much likelier both are there than on the other.
func (c foundRun) loss(t *testing.T, p Params, cut int64, here, other side, again bool) float64 {
	t.Helper()
	ledger := must.Value(p.ledger())(t)
	heard := &mechanism.Recorder{}
	curator := must.Value(mechanism.New(here.counts, mechanism.Params{Sizes: sizes(1), Ledger: ledger, Recorder: heard,
		Root: mechanism.NewRoot(mechanism.NewSeed(), sha256.Sum256([]byte("finding")), here.counts.digest())}))(t)
	found := must.Value(ask(p, cut, curator))(t)
	sum := 0.0
	for _, call := range heard.Calls {
		sum += valuesLoss(call, here.counts, other.counts) + cellsLoss(t, call, here.counts, other.counts)
	}
	d := domainOf(t, found)
	if d == nil {
		return sum // the run ends here
	}
	prior := must.Value(p.Prior())(t)
	prior.Events = ledger.Events()
	after := &prior
	if again {
		after = nil
	}
	problem := solver.Problem{Domain: d, Neighbouring: p.Neighbouring, Epsilon: p.Epsilon, Delta: p.Delta, Units: 400, Seed: 3, Workload: query.AllMarginals(d.Sizes(), 1, 400)}
	method, _, err := methods.Choose(problem, "rake")
	must.Do(t, err)
	accesses := must.Value(method.Accesses(problem))(t)
	rest := must.Value(accountant.LedgerAfter(after, accountant.Params{Neighbouring: p.Neighbouring, Accounting: method.Accounting(p.Epsilon, p.Delta), Epsilon: p.Epsilon, Delta: p.Delta,
		Coordinates: max(1, solver.Coordinates(accesses))}))(t)
	coded, otherwise := codedBy(d, here.cells), codedBy(d, other.cells)
	heard = &mechanism.Recorder{}
	curator = must.Value(mechanism.New(coded, mechanism.Params{Sizes: d.RecordSizes(), Ledger: rest, Recorder: heard,
		Root: mechanism.NewRoot(mechanism.NewSeed(), sha256.Sum256([]byte("release")), sha256.Sum256([]byte(strings.Join(here.cells, "\n"))))}))(t)
	must.Value(method.Solve(context.Background(), problem, curator))(t)
	for _, call := range heard.Calls {
		sum += cellsLoss(t, call, coded, otherwise)
	}
	return sum
}

// cellsLoss is the loss of noisy counts.
func cellsLoss(t *testing.T, call mechanism.Call, here, other mechanism.Counts) (sum float64) {
	t.Helper()
	gauss := func(z, a, b, variance float64) { sum += ((z-b)*(z-b) - (z-a)*(z-a)) / (2 * variance) }
	switch call.Request.Method {
	case mechanism.Total:
		if call.Release.Total.Variance == 0 { // public under Replace
			must.Need(t, here.Units() == other.Units(), "neighbours of other sizes")
			break
		}
		gauss(call.Release.Total.Units, float64(here.Units()), float64(other.Units()), call.Release.Total.Variance)
	case mechanism.Measure:
		for _, m := range call.Release.Measurements {
			a, b := here.Marginal(m.Clique), other.Marginal(m.Clique)
			for k, z := range m.Values {
				gauss(z, float64(a[k]), float64(b[k]), m.Variance)
			}
		}
	case mechanism.Residuals: // P(h + Z), where P takes the mean of the k cells away: of variance σ²·(1 − 1/k) each
		for _, m := range call.Release.Measurements {
			must.Need(t, len(m.Clique) == 1 && (call.Request.Merge == nil || call.Request.Merge[m.Clique[0]] == nil),
				"residuals of %v, merged by %v", m.Clique, call.Request.Merge)
			k := float64(len(m.Values))
			a, b := here.Marginal(m.Clique), other.Marginal(m.Clique)
			for i, z := range m.Values {
				gauss(z, float64(a[i])-float64(here.Units())/k, float64(b[i])-float64(other.Units())/k, m.Variance/(1-1/k))
			}
		}
	case mechanism.Values:
	default:
		t.Fatalf("%s: this audit has no formula of it", call.Request.Method)
	}
	return sum
}

// valuesLoss is the loss of values above a threshold, with the law of what is not released. What has first cut or fewer is never
// released: a value that only one table can release loses everything.
func valuesLoss(call mechanism.Call, here, other *table) (sum float64) {
	cut := int64(call.Request.From)
	counts := func(of *table, what query.ValuesOf) map[string]int64 {
		list := map[string]int64{}
		for _, v := range of.Values(what, cut) {
			list[v.Text] = v.Count
		}
		return list
	}
	for i, released := range call.Release.Values {
		a, b := counts(here, call.Request.Of[i]), counts(other, call.Request.Of[i])
		noisy := map[string]float64{}
		for _, v := range released.Values {
			noisy[v.Text] = v.Count
		}
		below := func(n int64) float64 {
			if n <= cut {
				return 0
			}
			return math.Log(distuv.UnitNormal.CDF((released.Threshold - float64(n)) / math.Sqrt(released.Variance)))
		}
		texts := map[string]bool{}
		for s := range a {
			texts[s] = a[s] != b[s]
		}
		for s := range b {
			texts[s] = a[s] != b[s]
		}
		for s, differs := range texts {
			z, there := noisy[s]
			switch p, q := float64(a[s]), float64(b[s]); {
			case !differs:
			case !there:
				sum += below(a[s]) - below(b[s])
			case b[s] <= cut:
				return math.Inf(1)
			default:
				sum += ((z-q)*(z-q) - (z-p)*(z-p)) / (2 * released.Variance)
			}
		}
	}
	return sum
}

// domainOf declares what was found; nil: nothing.
func domainOf(t *testing.T, f *Found) *domain.Domain {
	t.Helper()
	c := f.Columns[0]
	switch {
	case c.Left != "":
		return nil
	case len(c.Values) > 0:
		return &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.String, Values: c.Values, Other: true}}}
	}
	lo, err := strconv.ParseFloat(c.Min, 64)
	hi, highErr := strconv.ParseFloat(c.Max, 64)
	if err != nil || highErr != nil { // noise has found a type that no cell has: any domain does
		return &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.String, Values: []string{"true", "false"}, Other: true}}}
	}
	least := int64(max(lo, -1<<50)) // what noise has found may be far from all there is
	most := max(least+4, int64(min(hi, 1<<50)))
	return &domain.Domain{Attributes: []domain.Attribute{{Name: "x", Type: domain.Int64, Cuts: domain.EqualCuts(least, most, 4), Resolution: 1, HasFallback: true}}}
}

// coded is a table of one coded column.
type coded []int64

// codedBy codes cells, each by itself: an unknown text as the last code, a number by its bin.
func codedBy(d *domain.Domain, cells []string) coded {
	a := &d.Attributes[0]
	list := make(coded, d.Sizes()[0])
	for _, cell := range cells {
		code := len(list) - 1
		if a.Type == domain.String {
			if i := slices.Index(a.Values, cell); i >= 0 {
				code = i
			}
		} else if x, err := strconv.ParseInt(cell, 10, 64); err == nil {
			i, _ := slices.BinarySearch(a.Cuts, x+1)
			code = min(max(i-1, 0), len(list)-1)
		}
		list[code]++
	}
	return list
}

func (c coded) Units() (n int64) {
	for _, k := range c {
		n += k
	}
	return n
}

func (c coded) Marginal(domain.Clique) []int64 { return c }

// refutes says what in the losses is wrong about ε = 1 and the δ, or nothing.
func (l runLosses) refutes(c foundRun) string {
	const x = 23.03 // ln 1e10
	n := float64(len(l.list))
	over, squares := l.over()
	// The mean of a loss is at most its charge, and its sub-Gaussian variance twice that.
	if mean := l.mean(); !c.value && mean > l.capacity+math.Sqrt(4*l.capacity*x/n) {
		return fmt.Sprintf("%.3g is lost on average of %.3g", mean, l.capacity)
	}
	variance := max(0, squares-over*over/n) / (n - 1) // Maurer, Pontil 2009, Theorem 4
	if low := over/n - math.Sqrt(2*variance*(x+math.Ln2)/n) - 7*(x+math.Ln2)/(3*(n-1)); low > float64(c.delta) {
		return fmt.Sprintf("δ is %.3g at least", low)
	}
	return ""
}
