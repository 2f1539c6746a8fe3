package privacy

import (
	"fmt"
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// Whole runs as an attacker sees them who knows all records but one: every release, whatever the algorithm chose to ask
// after the releases before it. The privacy loss of a run is the logarithm of how much likelier it is on the table that
// was there than on its neighbour, written down from the definitions of the releases (likelihood_test.go), with none of
// the product's sensitivities, centring, merging or charges.
type transcripts struct {
	name     string
	method   method
	relation dp.Neighbouring
	kind     dp.Accounting
	epsilon  dp.Epsilon
	delta    dp.Delta
	rounds   int
	sizes    []int
	learns   bool       // the domain leaves bins of the first and the last column to be learned
	x, y     table      // the run is on x
	less     dp.Epsilon // the noise that has to be found, as a part: these two tables may not be the worst
}

// observed is what many runs showed.
type observed struct {
	losses []float64
	spent  []float64 // what each run charged
	worst  float64   // the largest |loss|
	// energy is the sum of squares of the noise in units of the variances that the releases state, of freedom many
	// independent numbers.
	energy, freedom float64
}

func (s transcripts) problem() solver.Problem {
	cliques := []domain.Clique{{0, 1, 2}, {0, 1}, {1, 2}, {0, 2}}
	if !s.learns {
		return problem(s.sizes, cliques, s.relation, s.epsilon, s.delta, s.rounds)
	}
	p := problem([]int{5, 3, 4}, cliques, s.relation, s.epsilon, s.delta, s.rounds)
	p.Domain.Attributes[0] = domain.Attribute{Name: "x", Type: domain.Int64, Cuts: []int64{0, 15}, Resolution: 1, Learned: 4, Null: true}
	p.Domain.Attributes[2] = domain.Attribute{Name: "y", Type: domain.Int64, Cuts: []int64{0, 10}, Resolution: 1, Learned: 4, HasFallback: true}
	return p
}

func (s transcripts) claim() accountant.Params { return params(s.problem(), s.kind) }

// observe runs the algorithm on x through ledgers of the given parameters; from is the first run's number.
func (s transcripts) observe(t *testing.T, p accountant.Params, runs int, from uint64) (o observed) {
	t.Helper()
	for i := range runs {
		ledger := newLedger(t, p)
		c, record := newCurator(t, s.x, ledger, from+uint64(i))
		must.Value(s.method.solve(s.problem(), c))(t)
		loss := logTranscript(record.Calls, s.x) - logTranscript(record.Calls, s.y)
		spent, _ := ledger.Spent().Float64()
		o.losses = append(o.losses, loss)
		o.spent = append(o.spent, spent)
		o.worst = max(o.worst, math.Abs(loss))
		energy, freedom := noiseOf(record.Calls, s.x)
		o.energy, o.freedom = o.energy+energy, o.freedom+freedom
	}
	return o
}

// refutes says what in the runs is wrong about the claim, or nothing. Each line is wrong about right code with probability
// 1e-10 at most.
func (o observed) refutes(claim accountant.Params) (faults []string) {
	const x = 23.03 // ln 1e10
	runs := float64(len(o.losses))
	if claim.Accounting == dp.Pure {
		if o.worst > float64(claim.Epsilon)*(1+1e-9) { // the loss of a run, not a statistic
			faults = append(faults, "a run lost more than ε")
		}
		return faults
	}
	capacity, excess := ledgerCapacity(claim), 0.0
	for i, l := range o.losses {
		excess += (l - min(o.spent[i], capacity)) / runs
	}
	// Given what was released before, the loss of a release is its mean, at most its charge, plus something of
	// sub-Gaussian variance 2·charge: exactly for normal noise, by Hoeffding's lemma for a selection of bounded range.
	if excess > math.Sqrt(2*2*capacity*x/runs) {
		faults = append(faults, "more is lost on average than is charged")
	}
	delta := curve(claim)
	for _, times := range []float64{.25, .5, 1} {
		e := times * float64(claim.Epsilon)
		if o.deltaAbove(e, x) > delta(dp.Epsilon(e)) {
			faults = append(faults, "δ is larger than claimed")
		}
	}
	// Laurent, Massart 2000, Lemma 1.
	if slack := 2 * math.Sqrt(o.freedom*x); o.freedom > 0 && (o.energy < o.freedom-slack || o.energy > o.freedom+slack+2*x) {
		faults = append(faults, "noise is not as loud as its releases say")
	}
	return faults
}

// deltaAbove returns a lower bound on δ at ε, E max(0, 1 − exp(ε − loss)), that is too high with probability exp(−x).
// Source: Maurer, Pontil 2009, Theorem 4.
func (o observed) deltaAbove(epsilon, x float64) float64 {
	n, sum, squares := float64(len(o.losses)), 0.0, 0.0
	for _, l := range o.losses {
		d := max(0, -math.Expm1(epsilon-l))
		sum += d
		squares += d * d
	}
	mean := sum / n
	variance := (squares - n*mean*mean) / (n - 1)
	return mean - math.Sqrt(2*max(variance, 0)*(x+math.Ln2)/n) - 7*(x+math.Ln2)/(3*(n-1))
}

func ledgerCapacity(p accountant.Params) float64 {
	if p.Accounting == dp.GaussianOnly {
		mu := accountant.MuFloor(p.Epsilon, p.Delta)
		return mu * mu / 2
	}
	rho, _ := accountant.RhoFloor(p.Epsilon, p.Delta).Float64()
	return rho
}

// noiseOf returns the energy of all Gaussian noise in a run's releases, by the variances that they state, and how many
// independent numbers it has.
func noiseOf(calls []mechanism.Call, t table) (energy, freedom float64) {
	for _, c := range calls {
		r := c.Release
		switch c.Request.Method {
		case mechanism.Coarsen:
			t = t.coarsened(c.Request.Merge)
		case mechanism.Trees:
			eachDifference(c, t, func(noise, variance float64) { energy, freedom = energy+noise*noise/variance, freedom+1 })
		case mechanism.Residuals:
			for _, m := range r.Measurements {
				energy -= 2 * logCentred(m, t, c.Request.Merge)
				list := cells(t, m.Clique, c.Request.Merge)
				last, product := list[len(list)-1], 1.0
				for i := range m.Clique {
					product *= float64(last[i])
				}
				freedom += product
			}
		case mechanism.Scores:
			for i, a := range c.Request.Cliques {
				energy += squared(r.Scores.Values[i]-distanceTo(t, a, c.Request.Merge, c.Request.Model[i])) / r.Scores.Variance
				freedom++
			}
		case mechanism.Total:
			if r.Total.Variance > 0 {
				energy += squared(r.Total.Units-float64(t.Units())) / r.Total.Variance
				freedom++
			}
		}
	}
	return energy, freedom
}

// Thirty people in 2·3·4 cells, half of them alike; one person has a cell alone.
var (
	box   = []int{2, 3, 4}
	crowd = func() (t table) {
		t.sizes = box
		for i := range 30 {
			record := []domain.Code{0, 1, 1}
			if i%2 > 0 {
				record = []domain.Code{domain.Code(i / 2 % 2), domain.Code(i / 4 % 3), domain.Code(i / 3 % 3)}
			}
			t.records = append(t.records, record)
		}
		return t
	}()
	loner   = [][]domain.Code{corner(box)}
	another = [][]domain.Code{{0, 0, 0}}
)

var rakeTranscripts = []transcripts{
	{"added", throughRake, dp.AddRemove, dp.GaussianOnly, 8, 1e-3, 0, box, false, crowd.with(loner), crowd, 2},
	{"removed", throughRake, dp.AddRemove, dp.GaussianOnly, 8, 1e-3, 0, box, false, crowd, crowd.with(loner), 2},
	{"added, little budget", throughRake, dp.AddRemove, dp.GaussianOnly, 2, .05, 0, box, false, crowd.with(loner), crowd, 2},
	{"replaced", throughRake, dp.Replace, dp.GaussianOnly, 8, 1e-3, 0, box, false, crowd.with(loner), crowd.with(another), 4},
	{"replaced by one of many", throughRake, dp.Replace, dp.ZCDP, 8, 1e-3, 0, box, false, crowd.with(loner), crowd.with(crowd.records[:1]), 4},
	{"added", throughRake, dp.AddRemove, dp.GaussianOnly, 8, 1e-3, 0, finer, true, spread.with(lonely), spread, 2},
	{"replaced", throughRake, dp.Replace, dp.GaussianOnly, 8, 1e-3, 0, finer, true, spread.with(lonely), spread.with(nobody), 4},
}

// The crowd with values in place of bins: 16 and NULL, and 11.
var (
	finer  = []int{17, 3, 11}
	spread = func() (t table) {
		t.sizes = finer
		for i, r := range crowd.records {
			t.records = append(t.records, []domain.Code{r[0]*9 + domain.Code(i%3), r[1], r[2] * 2})
		}
		return t
	}()
	lonely = [][]domain.Code{corner(finer)}
	nobody = [][]domain.Code{{0, 0, 0}}
)

var small = []int{2, 3, 2}

func smaller(t table) table {
	out := table{sizes: small}
	for _, r := range t.records {
		out.records = append(out.records, []domain.Code{r[0], r[1], r[2] / 2})
	}
	return out
}

var dpfwTranscripts = []transcripts{
	{"added", throughBlock, dp.AddRemove, dp.Pure, 2, 0, 8, small, false, smaller(crowd.with(loner)), smaller(crowd), 4},
	{"removed", throughBlock, dp.AddRemove, dp.Pure, 2, 0, 8, small, false, smaller(crowd), smaller(crowd.with(loner)), 4},
	{"replaced", throughBlock, dp.Replace, dp.Pure, 2, 0, 8, small, false, smaller(crowd.with(loner)), smaller(crowd.with(another)), 4},
	{"added", throughBlock, dp.AddRemove, dp.ZCDP, 3, .01, 8, small, false, smaller(crowd.with(loner)), smaller(crowd), 2},
	{"replaced", throughBlock, dp.Replace, dp.ZCDP, 3, .01, 8, small, false, smaller(crowd.with(loner)), smaller(crowd.with(another)), 4},
}

// TestTranscriptsOfRake: no claim about whole runs of the method for wide tables is refuted by their losses; false alarms
// 5e-10 for each pair of tables. It is not blind: runs with half or a quarter of the noise refute it, and so do runs on
// tables that differ as they would if two people were taken for one unit.
func TestTranscriptsOfRake(t *testing.T) {
	explore(t, rakeTranscripts, dptest.Size(400, 20_000), 300)
	merged := rakeTranscripts[0]
	merged.y = crowd.with(another) // adding a person has removed another one's record
	must.Hold(t, len(merged.observe(t, merged.claim(), 500, 1<<62).refutes(merged.claim())) != 0, "two people in one unit are not found")
}

// TestTranscriptsOfDPFW is TestTranscriptsOfRake for eight rounds of block selections. Under pure accounting the loss of
// every single run is at most ε; nothing is left to chance.
func TestTranscriptsOfDPFW(t *testing.T) {
	explore(t, dpfwTranscripts, dptest.Size(800, 40_000), 400)
}

// explore observes runs on each pair of tables, and again with too little noise. In short tests there are fewer runs, of
// which an added person's loss alone is looked at.
func explore(t *testing.T, list []transcripts, runs, blind int) {
	t.Helper()
	first := dptest.Seed(t) << 32
	for i, s := range list {
		if testing.Short() && s.name != "added" {
			continue
		}
		if testing.Short() {
			runs = 150
		}
		claim := s.claim()
		o := s.observe(t, claim, runs, first+uint64(i)<<24)
		for _, fault := range o.refutes(claim) {
			t.Errorf("%s, %v, %v: %s: %s", s.name, s.relation, s.kind, fault, o.figure(claim))
		}
		if testing.Short() {
			continue
		}
		louder := s.observe(t, s.louder(t), blind, first+uint64(i)<<24+1<<23)
		must.Hold(t, len(louder.refutes(claim)) != 0, "%s, %v, %v: 1/%g of the noise is not found", s.name, s.relation, s.kind, float64(s.less))
		dptest.Figure(t, "%s, %v, %v: %d runs, %s; with 1/%g of the noise %s", s.name, s.relation, s.kind, runs, o.figure(claim), float64(s.less), louder.figure(claim))
	}
}

// louder returns the parameters of a ledger whose noise is the part of the claim's that has to be found.
func (s transcripts) louder(t *testing.T) accountant.Params {
	t.Helper()
	claim := s.claim()
	if claim.Accounting == dp.Pure {
		claim.Epsilon *= s.less
		return claim
	}
	claim.Accounting = dp.ZCDP                                             // whose price of discrete noise does not grow with ε
	want := float64(s.less*s.less) * newLedger(t, claim).Budget().Capacity // σ ∝ 1/√rho
	for newLedger(t, claim).Budget().Capacity < want {
		claim.Epsilon *= 1.01
	}
	return claim
}

// figure is what the losses are of the claim.
func (o observed) figure(claim accountant.Params) string {
	if claim.Accounting == dp.Pure {
		return fmt.Sprintf("largest loss %.2f of %g", o.worst, float64(claim.Epsilon))
	}
	mean := 0.0
	for _, l := range o.losses {
		mean += l / float64(len(o.losses))
	}
	return fmt.Sprintf("mean loss %.3f of %.3f", mean, ledgerCapacity(claim))
}
