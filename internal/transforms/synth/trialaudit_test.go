package synth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// audited is a configuration whose whole runs are audited, by somebody who knows two tables of neighbours.
type audited struct {
	name     string
	method   string
	domain   *domain.Domain
	relation dp.Neighbouring
	delta    dp.Delta
	options  func(*solver.Problem)
}

func auditedRuns(t *testing.T) []audited {
	sex := domain.Attribute{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true}
	ward := domain.Attribute{Name: "ward", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true}
	age := domain.Attribute{Name: "age", Type: domain.Int64, Cuts: []int64{0, 16}, Resolution: 1, Learned: 2, Null: true}
	of := func(list ...domain.Attribute) *domain.Domain {
		return &domain.Domain{PrivacyID: "id", Attributes: list}
	}
	errors := func(p *solver.Problem) {
		p.ErrorShare = solver.ErrorShare(.5)
		p.Criteria = solver.Criteria{Limits: []solver.Limit{{Clique: p.Workload.Marginals[0].Clique, Largest: .05}}, Share: dp.ShareOf(1, 10)}
	}
	public := func(p *solver.Problem) {
		b := solver.NewPublicBuilder(p.Domain.Sizes())
		for i := range 40 {
			b.Add([]domain.Code{domain.Code(i % 2), domain.Code(i % 3)})
		}
		p.Public, _ = b.Table()
	}
	none := func(*solver.Problem) {}
	return []audited{
		{"one pure release", "dpam", of(sex), dp.AddRemove, 0, none},
		{"pure, with error and criteria", "dpam", of(sex), dp.AddRemove, 0, errors},
		{"two columns", "rake", of(sex, ward), dp.AddRemove, .01, none},
		{"two columns", "rake", of(sex, ward), dp.Replace, .01, none},
		{"learned bins", "rake", of(age), dp.AddRemove, .01, none},
		{"learned bins, with error and criteria", "rake", of(sex, age), dp.Replace, .01, errors},
		{"events", "rake", visitors(t, 4, true), dp.AddRemove, .01, none},
		{"events", "rake", visitors(t, 4, true), dp.Replace, .01, none},
		{"people without rows", "rake", visitors(t, 4, true, 0), dp.AddRemove, .01, none},
		{"a public table", "rake", of(sex, ward), dp.AddRemove, .01, public},
	}
}

// auditedEpsilon is what the runs claim.
const auditedEpsilon = 1

func (c audited) trial(t *testing.T, rng *rand.Rand, epsilon dp.Epsilon) *trial {
	t.Helper()
	x := &trial{rng: rng, problem: solver.Problem{Domain: c.domain, Neighbouring: c.relation, Epsilon: epsilon, Delta: c.delta, Units: 1000, Seed: 3,
		Workload: query.WithRows(c.domain, query.AllMarginals(c.domain.Sizes(), 2, 2000), 2000)}}
	c.options(&x.problem)
	var err error
	x.method, _, err = methods.Choose(x.problem, c.method)
	must.Do(t, err)
	x.counts.Cliques = x.method.Cliques(x.problem)
	return x
}

// TestAuditOfWholeRuns: on the pair of neighbours that uses most of the charge, of forty, no claim is refuted by the losses
// of whole runs: the logarithms of how much likelier all released numbers are on the table that was there than on the
// other, from both exact tables. Nor by the noise, which has the stated variance. The bit of the criteria is left out. Runs at sixteen times the ε refute it.
//
// 200 runs each (nightly 20,000) and 300 at sixteen times the ε. Short tests
// audit two configurations. False alarms: 1e-9 for each of ten.
func TestAuditOfWholeRuns(t *testing.T) {
	for i, c := range auditedRuns(t) {
		if testing.Short() && i%5 > 0 {
			continue
		}
		x := c.trial(t, rand.New(rand.NewPCG(dptest.Seed(t), uint64(i))), auditedEpsilon)
		a, b := x.worstPair(t)
		claim := x.losses(t, a, b, dptest.Size(200, 20_000))
		must.Equal(t, claim.refutes(claim, c.delta), "", "%s, %v", c.name, c.relation)
		louder := c.trial(t, x.rng, 16*auditedEpsilon).losses(t, a, b, 300)
		must.Hold(t, louder.refutes(claim, c.delta) != "", "%s, %v: sixteen times the ε is not found: %v", c.name, c.relation, louder)
		dptest.Figure(t, "%s, %v: %v; at sixteen times the ε %v", c.name, c.relation, claim, louder)
	}
}

// worstPair returns the tables of neighbours that use most of what a run charges, of forty pairs. Its noise is fixed: of pairs that
// noise picks, some lose too little at sixteen times the ε for 300 runs.
func (x *trial) worstPair(t *testing.T) (a, b *counts.Table) {
	t.Helper()
	x.seed = testSeed(t, 2)
	defer func() { x.seed = mechanism.Seed{} }()
	most := -1.0
	for range 40 {
		people := x.people(1 + x.rng.IntN(3))
		other := slices.Clone(people)
		if x.problem.Neighbouring == dp.Replace {
			other[0] = x.person(people[0].id)
		} else {
			other = append(other, x.person("another"))
		}
		one, two := x.count(t, people), x.count(t, other)
		run := must.Value(x.run(one))(t)
		kind, sum := run.ledger.Params().Accounting, 0.0
		must.Do(t, each(run.calls, x.truth(one), x.truth(two), func(c mechanism.Call, p, q *truth) error {
			used, err := change(c, x.problem.Neighbouring, kind, p, q)
			loss, lossErr := lossOf(c, kind)
			if lossErr == nil {
				charged, _ := loss.Float64()
				sum += used * charged
			}
			return err
		}))
		if sum > most {
			most, a, b = sum, one, two
		}
	}
	return a, b
}

// losses are the losses of runs on one of two tables, in turn.
type losses struct {
	list     []float64
	capacity float64 // of the ledger
	noise    map[mechanism.Method]*energy
}

// energy is the sum of squares of Gaussian noise in units of its stated variances, of freedom many independent numbers.
type energy struct{ sum, freedom float64 }

func (x *trial) losses(t *testing.T, a, b *counts.Table, runs int) (l losses) {
	t.Helper()
	l.noise = map[mechanism.Method]*energy{}
	for i := range runs {
		here, other := a, b
		if i%2 == 1 {
			here, other = b, a
		}
		run := must.Value(x.run(here))(t)
		sum := 0.0
		must.Do(t, each(run.calls, x.truth(here), x.truth(other), func(c mechanism.Call, p, q *truth) error {
			sum += l.lossFrom(c, p, q)
			return nil
		}))
		l.list = append(l.list, sum)
		l.capacity, _ = run.ledger.Capacity().Float64()
	}
	return l
}

// lossFrom returns how much likelier the numbers of a release on a are there than on b: the logarithm. It adds up their noise.
func (l losses) lossFrom(c mechanism.Call, a, b *truth) (sum float64) {
	if c.Event.Scales == nil || c.Request.Method == mechanism.Accept {
		return 0
	}
	x, ok := numbers(c, a)
	if !ok {
		panic("synth: a selection in runs that have none")
	}
	y, _ := numbers(c, b)
	noise := l.noise[c.Request.Method]
	if noise == nil {
		noise = &energy{}
		l.noise[c.Request.Method] = noise
	}
	for i, released := range releasedBy(c) {
		scale, _ := c.Event.Scales[i].Float64()
		if c.Request.Method == mechanism.Residuals { // centring takes what is not free
			_, shape := a.merged(c.Request.Cliques[i], c.Request.Merge)
			free := 1
			for _, k := range shape {
				free *= k - 1
			}
			noise.freedom += float64(free - len(released))
		}
		for k, z := range released {
			if math.IsNaN(z) {
				continue
			}
			p, _ := x[i][k].Float64()
			q, _ := y[i][k].Float64()
			if c.Event.Kind == dp.DiscreteLaplace {
				sum += (math.Abs(z-q) - math.Abs(z-p)) / scale
			} else {
				sum += ((z-q)*(z-q) - (z-p)*(z-p)) / (2 * scale)
				noise.sum, noise.freedom = noise.sum+(z-p)*(z-p)/scale, noise.freedom+1
			}
		}
	}
	return sum
}

// releasedBy returns the noisy numbers of a release in the order of numbers; NaN for nodes of trees that were not visited.
func releasedBy(c mechanism.Call) (list [][]float64) {
	r := c.Release
	switch c.Request.Method {
	case mechanism.Total:
		return [][]float64{{r.Total.Units}}
	case mechanism.MeanDistance:
		return [][]float64{{r.MeanDistance.Counts * float64(len(c.Request.Workload.Marginals))}}
	case mechanism.Scores:
		for _, v := range r.Scores.Values {
			list = append(list, []float64{v})
		}
	case mechanism.Trees:
		for _, tree := range r.Trees {
			_, nodes := differences(zeros(tree.Shape.Codes()), tree.Shape)
			values := slices.Repeat([]float64{math.NaN()}, len(nodes))
			for _, n := range tree.Nodes {
				values[slices.Index(nodes, query.TreeNode{Level: n.Level, Index: n.Index})] = n.Difference
			}
			list = append(list, values)
		}
	default:
		for _, m := range r.Measurements {
			list = append(list, m.Values)
		}
	}
	return list
}

// refutes says what in the losses is wrong about the claim of a ledger, or nothing. Each is wrong about right code with
// probability 1e-10 at most.
func (l losses) refutes(claim losses, delta dp.Delta) string {
	const x = 23.03 // ln 1e10
	n, sum, over, squares := float64(len(l.list)), 0.0, 0.0, 0.0
	for _, loss := range l.list {
		if delta == 0 && math.Abs(loss) > auditedEpsilon*(1+1e-9) {
			return fmt.Sprintf("a run lost %g", loss)
		}
		sum += loss
		d := max(0, -math.Expm1(auditedEpsilon-loss)) // its mean over runs is δ at most
		over, squares = over+d, squares+d*d
	}
	// The mean of a loss is at most its charge, and its sub-Gaussian variance twice that.
	if delta > 0 && sum/n > claim.capacity+math.Sqrt(4*claim.capacity*x/n) {
		return fmt.Sprintf("%.3g is lost on average of %.3g", sum/n, claim.capacity)
	}
	for m, e := range l.noise { // Laurent, Massart 2000, Lemma 1
		if slack := 2 * math.Sqrt(e.freedom*x); delta > 0 && (e.sum < e.freedom-slack || e.sum > e.freedom+slack+2*x) {
			return fmt.Sprintf("noise of %s has %.3g of the stated variance", m, e.sum/e.freedom)
		}
	}
	variance := max(0, squares-over*over/n) / (n - 1) // Maurer, Pontil 2009, Theorem 4
	if low := over/n - math.Sqrt(2*variance*(x+math.Ln2)/n) - 7*(x+math.Ln2)/(3*(n-1)); delta > 0 && low > float64(delta) {
		return fmt.Sprintf("δ is %.3g at least", low)
	}
	return ""
}

// String gives the mean and the largest loss.
func (l losses) String() string {
	sum, most := 0.0, 0.0
	for _, x := range l.list {
		sum, most = sum+x, max(most, math.Abs(x))
	}
	return fmt.Sprintf("mean loss %.3f of %.3f, largest %.2f", sum/float64(len(l.list)), l.capacity, most)
}
