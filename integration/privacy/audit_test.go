package privacy

import (
	"math"
	"sync"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// An auditor who knows all records but one, and the exact law of every release, decides from a whole run
// whether the table was x or its neighbour y: "x" where the log-likelihood ratio of the run is above a
// threshold that was fixed before any run. If it is right too often, the claim is false.
type audit struct {
	name      string
	method    method
	relation  dp.Neighbouring
	epsilon   dp.Epsilon
	delta     dp.Delta
	kind      dp.Accounting
	rounds    int
	cliques   []domain.Clique
	x, y      table
	threshold float64
}

var (
	square = []int{2, 2}
	three  = table{sizes: square, records: [][]domain.Code{{0, 0}, {0, 0}, {1, 1}}}
	two    = table{sizes: square, records: three.records[:2]}
	moved  = table{sizes: square, records: [][]domain.Code{{0, 0}, {0, 0}, {0, 0}}}
	leaves = table{sizes: []int{5}, records: [][]domain.Code{{0}, {3}, {4}}} // of a tree over four values and NULL
)

// The thresholds are those at which the exact laws of a build with half the noise exceed the claim most.
var audits = []audit{
	{"dpam", throughDPAM, dp.AddRemove, 1, 0, dp.Pure, 1, []domain.Clique{{0}}, three, two, 0},
	{"dpam, two marginals", throughDPAM, dp.Replace, 1, 0, dp.Pure, 1, []domain.Clique{{0}, {1}}, three, moved, .5},
	{"dpam", throughDPAM, dp.AddRemove, 1, 1e-6, dp.ZCDP, 1, []domain.Clique{{0}}, three, two, .3},
	{"dpam", throughDPAM, dp.AddRemove, 1, 1e-6, dp.GaussianOnly, 1, []domain.Clique{{0}}, three, two, .3},
	{"dpfw block", throughBlock, dp.Replace, 2, 0, dp.Pure, 1, []domain.Clique{{0}}, three, moved, 1.6},
	{"dpfw block", throughBlock, dp.Replace, 2, 1e-3, dp.ZCDP, 1, []domain.Clique{{0}}, three, moved, 1.4},
	{"dpfw cell", throughCell, dp.Replace, 2, 0, dp.Pure, 1, []domain.Clique{{0}}, three, moved, .1},
	{"trees", throughTrees, dp.AddRemove, 1, 1e-6, dp.ZCDP, 1, []domain.Clique{{0}}, leaves, table{sizes: []int{5}, records: leaves.records[1:]}, .3},
	{"trees", throughTrees, dp.Replace, 1, 1e-6, dp.GaussianOnly, 1, []domain.Clique{{0}}, leaves, table{sizes: []int{5}, records: [][]domain.Code{{4}, {3}, {4}}}, .3},
	{"dpam, people", throughDPAM, dp.AddRemove, 1, 0, dp.Pure, 1, []domain.Clique{{0}}, people(several, many, shared), people(several, many), 0},
	{"dpam, people", throughDPAM, dp.Replace, 1, 1e-6, dp.GaussianOnly, 1, []domain.Clique{{0}}, people(several, many, shared), people(several, many, others), .3},
	{"dpfw cell", throughCell, dp.Replace, 2, 1e-3, dp.ZCDP, 3, []domain.Clique{{0}, {1}}, three, moved, .9},
}

// confidence of each of the two bounds of an audit: false alarms 1e-6 together.
const confidence = dptest.Alarm / 2

// TestAudit runs each algorithm 20,000 times on each of two tables of three records, or three people (nightly 200,000) and must not prove
// its claim wrong; false alarms 1e-6 each. The same runs with half of the noise, drawn through a ledger
// that holds more than is claimed, must be proved wrong.
func TestAudit(t *testing.T) {
	for _, a := range audits {
		claim := params(problem(a.x.sizes, a.cliques, a.relation, a.epsilon, a.delta, a.rounds), a.kind)
		claim.WeightBits = a.x.bits
		t.Run(a.relation.String()+"/"+claim.Accounting.String()+"/"+a.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("missing: time for 20,000 runs; make verify runs them")
			}
			runs := dptest.Size(20_000, 200_000)
			sound := a.run(t, claim, runs)
			broken := a.run(t, halved(t, claim), runs)
			must.Hold(t, sound.excess(claim) <= 0, "the claim is wrong: true positives above %.4f, false ones below %.4f", sound.low, sound.high)
			must.Hold(t, broken.excess(claim) > 0, "half of the noise is not found: true positives above %.4f, false ones below %.4f", broken.low, broken.high)
			dptest.Figure(t, "%s %v %v: 2×%d runs; ε = %g claimed, above %.2f proved; with half of the noise above %.2f",
				a.name, a.relation, claim.Accounting, runs, float64(a.epsilon), sound.proved(claim), broken.proved(claim))
		})
	}
}

// halved returns the parameters of a ledger whose noise is half of what the claim needs.
func halved(t *testing.T, claim accountant.Params) accountant.Params {
	t.Helper()
	broken := claim
	if claim.Accounting == dp.Pure {
		broken.Epsilon *= 2
		return broken
	}
	want := 4 * newLedger(t, claim).Budget().Capacity // σ ∝ 1/√rho
	for newLedger(t, broken).Budget().Capacity < want {
		broken.Epsilon *= 1.001
	}
	return broken
}

// rates bounds how often the auditor says "x" on x (from below) and on y (from above).
type rates struct{ low, high float64 }

func (a audit) run(t *testing.T, p accountant.Params, runs int) (r rates) {
	var hits [2]int
	var wg sync.WaitGroup
	first := 2 * uint64(runs) * dptest.Seed(t)
	for side, private := range []table{a.x, a.y} {
		wg.Go(func() {
			for i := range runs {
				if a.ratio(t, p, private, first+uint64(2*i+side)) > a.threshold {
					hits[side]++
				}
			}
		})
	}
	wg.Wait()
	r.low, _ = clopperPearson(hits[0], runs, confidence)
	_, r.high = clopperPearson(hits[1], runs, confidence)
	return r
}

// ratio runs the algorithm and returns the log-likelihood ratio of everything it received.
func (a audit) ratio(t *testing.T, p accountant.Params, private table, run uint64) (sum float64) {
	c, record := newCurator(t, private, newLedger(t, p), run)
	must.Passes(a.method.solve(problem(a.x.sizes, a.cliques, a.relation, a.epsilon, a.delta, a.rounds), c))(t)
	for _, call := range record.Calls {
		if call.Request.Method == mechanism.Trees {
			eachDifference(call, a.x, func(noise, variance float64) { sum -= noise * noise / (2 * variance) })
			eachDifference(call, a.y, func(noise, variance float64) { sum += noise * noise / (2 * variance) })
			continue
		}
		sum += logp(call, a.x) - logp(call, a.y)
	}
	return sum
}

// excess returns by how much the proved rates exceed what the claim allows, on its whole curve.
func (r rates) excess(claim accountant.Params) float64 {
	if claim.Accounting == dp.Pure {
		return r.low - math.Exp(float64(claim.Epsilon))*r.high
	}
	return r.over(curve(claim))
}

// over is excess for a curve δ(ε).
func (r rates) over(delta func(dp.Epsilon) float64) float64 {
	most := math.Inf(-1)
	for e := .02; e < 3; e += .02 {
		most = max(most, r.low-math.Exp(e)*r.high-delta(dp.Epsilon(e)))
	}
	return most
}

// proved returns the largest ε that the rates refute at the claim's δ, or of whose curve they refute the
// rho: everything below it is too small.
func (r rates) proved(claim accountant.Params) float64 {
	if claim.Accounting == dp.Pure {
		return max(0, math.Log(r.low/r.high))
	}
	low := 0.0
	for e := .05; e < 8; e += .05 {
		weaker := claim
		weaker.Epsilon = dp.Epsilon(e)
		if r.excess(weaker) > 0 {
			low = e
		}
	}
	return low
}

// curve returns δ(ε) of everything that a ledger admits.
func curve(p accountant.Params) func(dp.Epsilon) float64 {
	if p.Accounting == dp.GaussianOnly {
		mu := accountant.MuFloor(p.Epsilon, p.Delta)
		return func(e dp.Epsilon) float64 { return accountant.GDPDeltaCeil(mu, e) }
	}
	rho, _ := accountant.RhoFloor(p.Epsilon, p.Delta).Float64()
	return func(e dp.Epsilon) float64 { return accountant.RhoDeltaCeil(rho, e) }
}

// logp returns the logarithm of the probability of a recorded release on a table, up to a term that is
// equal on all tables. It follows the definitions of the mechanisms in floating point.
func logp(c mechanism.Call, t table) (sum float64) {
	r := c.Request
	if c.Event.Kind == dp.DiscreteGaussian || c.Event.Kind == dp.DiscreteLaplace {
		if len(c.Event.Scales) == 0 { // a public total
			return 0
		}
		switch r.Method {
		case mechanism.Total:
			return logNoise(c, 0, c.Release.Total.Units-float64(t.Units()))
		case mechanism.MaxError:
			return logNoise(c, 0, c.Release.MaxError.Counts-largestError(r, t))
		}
		for i, m := range c.Release.Measurements {
			for cell, n := range t.count(m.Clique) {
				sum += logNoise(c, i, m.Values[cell]-n)
			}
		}
		return sum
	}
	b, _ := c.Event.Scales[0].Float64()
	switch r.Method {
	case mechanism.SelectCell:
		return logCell(c, b, t)
	case mechanism.LaplaceMaxCell:
		return logLaplaceMax(c, b, t)
	}
	return logBlock(r, c.Release.Block, b, t)
}

func logNoise(c mechanism.Call, i int, y float64) float64 {
	x, _ := c.Event.Scales[i].Float64()
	if c.Event.Kind == dp.DiscreteLaplace {
		return -math.Abs(y) / x
	}
	return -y * y / (2 * x)
}

func logCell(c mechanism.Call, b float64, t table) float64 {
	r, selected := c.Request, c.Release.Cell
	sum, chosen, shift := 0.0, 0.0, 0.0
	if c.Event.Neighbouring == dp.AddRemove {
		shift = float64(t.Units()) - r.Total
	}
	for i, m := range r.Workload.Marginals {
		for cell, n := range t.count(m.Clique) {
			e := n - r.Model[i][cell]
			sum += math.Exp(e/b) + math.Exp((shift-e)/b)
			if i == selected.Marginal && cell == selected.Cell {
				chosen = e
				if selected.Sign < 0 {
					chosen = shift - e
				}
			}
		}
	}
	return chosen/b - math.Log(sum)
}

func logBlock(r mechanism.Request, block query.Block, b float64, t table) float64 {
	sum, chosen := 0.0, 0.0
	for i, m := range r.Workload.Marginals {
		weight := 0.0
		for c, n := range t.count(m.Clique) {
			e := (n - r.Model[i][c]) / b
			weight += math.Log(math.Cosh(e))
			if i == block.Marginal {
				chosen += float64(block.Signs[c])*e - math.Ln2
			}
		}
		sum += math.Exp(weight)
	}
	return chosen - math.Log(sum)
}
