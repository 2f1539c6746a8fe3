package privacy

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// The published forms fix their noise by the paper's constants, far above what their budget would allow. They are
// audited against what their ledger says they spent, at an ε at which that is not next to nothing. less is the noise
// that has to be found, as a part: the charge of a noisy maximum, r·tanh(r/2), is three times what its law loses at
// most (.462 and .142 at r = 1), so that half of its noise refutes nothing.
var publishedAudits = []struct {
	audit
	less dp.Epsilon
}{
	{audit{"dpam-paper", throughPublishedDPAM, dp.AddRemove, 5, 1e-6, dp.ZCDP, 1, []domain.Clique{{0}}, three, two, .4}, 2},
	{audit{"dpam-paper", throughPublishedDPAM, dp.Replace, 5, 1e-6, dp.ZCDP, 2, []domain.Clique{{0}}, three, moved, .7}, 2},
	{audit{"dpfw-paper", throughPublishedDPFW, dp.AddRemove, 18, 1e-6, dp.ZCDP, 1, []domain.Clique{{0}}, three, two, .5}, 4},
	{audit{"dpfw-paper", throughPublishedDPFW, dp.Replace, 18, 1e-6, dp.ZCDP, 1, []domain.Clique{{0}}, three, moved, .1}, 4},
}

// TestAuditOfPublishedForms is TestAudit for them: 8,000 runs on each of two tables (nightly 80,000) must not refute
// the rho that is charged; runs at a multiple of the ε, whose noise is that much less, must. False alarms 1e-6 each.
func TestAuditOfPublishedForms(t *testing.T) {
	for _, a := range publishedAudits {
		t.Run(a.relation.String()+"/"+a.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("missing: time for 16,000 runs; make verify runs them")
			}
			runs := dptest.Size(8_000, 80_000)
			louder := a.audit
			louder.epsilon *= a.less
			rho := a.spent(t)
			sound, broken := a.run(t, a.ledger(), runs), louder.run(t, louder.ledger(), runs)
			must.Hold(t, sound.excessOf(rho) <= 0, "the charge is wrong: true positives above %.4f, false ones below %.4f", sound.low, sound.high)
			must.Hold(t, broken.excessOf(rho) > 0, "too little noise is not found: true positives above %.4f, false ones below %.4f", broken.low, broken.high)
			dptest.Figure(t, "%s %v: 2×%d runs; rho = %.3g charged, above %.3g proved; with 1/%g of the noise above %.3g",
				a.name, a.relation, runs, rho, sound.provedRho(), float64(a.less), broken.provedRho())
		})
	}
}

// ledger returns the parameters of the ledger that an audit's runs charge.
func (a audit) ledger() accountant.Params {
	return params(problem(square, a.cliques, a.relation, a.epsilon, a.delta, a.rounds), a.kind)
}

// spent returns the rho that a run charges: the same for all, since all noise is fixed beforehand.
func (a audit) spent(t *testing.T) float64 {
	t.Helper()
	ledger := newLedger(t, a.ledger())
	c, _ := newCurator(t, a.x, ledger, 0)
	must.Value(a.method.solve(problem(square, a.cliques, a.relation, a.epsilon, a.delta, a.rounds), c))(t)
	rho, _ := ledger.Spent().Float64()
	return rho
}

// excessOf returns by how much the proved rates exceed what rho-zCDP allows, on its whole curve.
func (r rates) excessOf(rho float64) float64 {
	return r.over(func(e dp.Epsilon) float64 { return accountant.RhoDeltaCeil(rho, e) })
}

// provedRho returns the largest rho, of a grid, that the rates refute.
func (r rates) provedRho() (rho float64) {
	for x := 1e-4; x < 10 && r.excessOf(x) > 0; x *= 1.02 {
		rho = x
	}
	return rho
}

// logLaplaceMax returns the logarithm of the probability that the recorded cell wins the noisy maximum, with
// continuous noise in place of noise on a fine grid: the midpoint rule on 100 points over 16 scales, which
// is near enough for an auditor.
func logLaplaceMax(c mechanism.Call, b float64, t table) float64 {
	var scores []float64
	winner := 0
	for i, m := range c.Request.Workload.Marginals {
		for cell, n := range t.Marginal(m.Clique) {
			e := float64(n) - c.Request.Model[i][cell]
			if won := c.Release.Cell; i == won.Marginal && cell == won.Cell {
				winner = len(scores) + int(1-won.Sign)/2
			}
			scores = append(scores, e/b, -e/b)
		}
	}
	const points, span = 100, 16.0
	sum := 0.0
	for i := range points {
		z := span * ((float64(i)+.5)/points - .5)
		p := math.Exp(-math.Abs(z)) / 2
		for j, s := range scores {
			if j != winner {
				p *= laplaceCDF(scores[winner] + z - s)
			}
		}
		sum += p * span / points
	}
	return math.Log(sum)
}

func laplaceCDF(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / 2
	}
	return 1 - math.Exp(-x)/2
}
