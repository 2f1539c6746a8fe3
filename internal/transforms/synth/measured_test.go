package synth

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/internal/transforms/counts"
	"github.com/dapple-dp/dapple/solver"
)

// TestErrorIsMeasured: every method leaves the share for it, also beside criteria; the number is the distance of its model
// from the table, to eight standard deviations of its noise (false alarms: 1e-14); and the charge is in the ledger, within the
// promise.
func TestErrorIsMeasured(t *testing.T) {
	for _, method := range []string{"universe", "rake", "dpam", "dpfw", "frozen"} {
		for _, delta := range []dp.Delta{0, 1e-6} {
			if delta == 0 && method != "dpam" && method != "dpfw" {
				continue // others need δ
			}
			f, tb := newSolveFn(StoreRef{}), table(t, 400)
			f.Params.Method, f.Params.Epsilon, f.Params.Delta, f.Params.ErrorShare = method, 20, delta, .05
			f.Params.Criteria = solver.Criteria{Limits: []solver.Limit{{Clique: domain.NewClique(0, 1), Largest: .9}}, Share: dp.ShareOf(1, 5)}
			ref, err := process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{tb})
			must.Need(t, err == nil, "%s: %v", method, err)
			a := artifact(t, ref, StoreRef{})
			m, r := a.Result.Measured, a.Result
			if m == nil || r.Accepted == nil {
				t.Errorf("%s: no measured error, or no answer on criteria", method)
				continue
			}
			cliques, of := solver.MeasuredMarginals(f.Public.Workload)
			want := 0.0
			for _, c := range cliques {
				model := r.Model.Marginal(c, nil)
				for i, n := range tb.Marginal(c) {
					want += math.Abs(float64(n) - model[i]*max(0, r.Total.Units)/r.Model.Total())
				}
			}
			want /= float64(len(cliques))
			if sd := math.Sqrt(m.Distance.Variance); math.Abs(m.Distance.Counts-want) > 8*sd+1 || sd > 100 || m.Marginals != len(cliques) || m.Of != of || m.Share != .05 {
				t.Errorf("%s: measured %+v, want %g over %d of %d", method, m, want, len(cliques), of)
			}
			charges := 0
			for _, line := range a.Statement.Ledger {
				if line.Stage == solver.ErrorStage {
					charges += line.Count
				}
			}
			must.Hold(t, charges == 1 && float64(a.Statement.AchievedEpsilon) <= 20,
				"%s: %d charges of a measurement, ε = %g of 20", method, charges, float64(a.Statement.AchievedEpsilon))
		}
	}
}

// TestNoErrorIsMeasured of a method whose noise is fixed beforehand, nor where it is switched off.
func TestNoErrorIsMeasured(t *testing.T) {
	for method, share := range map[string]float64{fixedNoise: .01, "rake": -1} {
		f := newSolveFn(StoreRef{})
		f.Params.Method, f.Params.ErrorShare = method, share
		must.Do(t, f.choose())
		ref, err := process(f, []mechanism.Seed{testSeed(t, 1)}, []*counts.Table{table(t, 400)})
		must.Need(t, err == nil, "%s: %v", method, err)
		a := artifact(t, ref, StoreRef{})
		for _, line := range a.Statement.Ledger {
			must.Hold(t, line.Stage != solver.ErrorStage && a.Result.Measured == nil, "%s, share %g: an error was measured", method, share)
		}
	}
	p := SolveParams{Epsilon: 1, ErrorShare: .7}
	must.Fail(t, p.Validate(), "error share", "a share of .7")
}
