package accountant

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"os"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// composed is what another library's privacy loss distributions say about events composed: an ε below the true one at
// delta, and one above. testdata/pld.py makes them and says how.
type composed struct {
	Events []struct {
		Kind            string
		Variance, Scale float64
		L2Squared       int64
		R               float64
		Count           int
		Part            float64 // of a selection: which of the worst two-point laws
	}
	Delta, Low, High float64
}

// TestAgainstLossDistributions: the accountant, which composes zCDP, Rényi curves and GDP, never promises less than
// dp-accounting's numerical composition says is lost, and for Gaussian runs under GDP, which is exact, no more than it
// either. A ledger of that ε, a little lower, refuses the events.
func TestAgainstLossDistributions(t *testing.T) {
	b := must.Value(os.ReadFile("testdata/pld.json"))(t)
	var file struct{ Cases []composed }
	if err := json.Unmarshal(b, &file); err != nil || len(file.Cases) < 50 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	tightest := map[string]float64{} // by kind of the first event and of the ledger
	for i, c := range file.Cases {
		kinds := []dp.Accounting{dp.ZCDP}
		if c.continuous() {
			kinds = append(kinds, dp.GaussianOnly)
		}
		for _, kind := range kinds {
			l := open(t, kind, 100)
			l.params.Delta = dp.Delta(c.Delta)
			must.Do(t, c.charge(l))
			achieved := l.Statement(Planned).AchievedEpsilon
			must.Hold(t, achieved >= c.Low, "case %d, %v: ε = %.6g at δ = %g, but at least %.6g is lost", i, kind, achieved, c.Delta, c.Low)
			if kind == dp.GaussianOnly && achieved > 1.001*c.High { // four digits are shown
				t.Errorf("case %d: ε = %.6g at δ = %g where %.6g will do", i, achieved, c.Delta, c.High)
			}
			key := fmt.Sprintf("%s on %v", c.Events[0].Kind, kind)
			if tightest[key] == 0 {
				tightest[key] = math.Inf(1)
			}
			tightest[key] = min(tightest[key], achieved/c.Low)
			small, err := NewLedger(Params{Accounting: kind, Epsilon: dp.Epsilon(c.Low * (1 - 1e-9)), Delta: dp.Delta(c.Delta), Coordinates: 1000})
			must.Do(t, err)
			err = c.charge(small)
			must.Hold(t, errors.As(err, new(ErrExhausted)), "case %d, %v: a ledger of ε = %.6g, δ = %g holds a loss of more: %v", i, kind, c.Low, c.Delta, err)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(tightest)) {
		ratio := tightest[key]
		// half of a charge would take about 29 % off ε
		must.Hold(t, ratio <= 1.2, "%s: ε promised is %.3f of what is lost at least: an error would not be seen", key, ratio)
		dptest.Figure(t, "%s: the ε promised is at least %.4f of dp-accounting's", key, ratio)
	}
}

// continuous reports whether all noise is Gaussian with a standard deviation of many steps.
func (c composed) continuous() bool {
	for _, e := range c.Events {
		if e.Kind != "gaussian" {
			return false
		}
	}
	return true
}

// charge charges the events, round by round. It returns the first refusal.
func (c composed) charge(l *Ledger) error {
	for i, e := range c.Events {
		event := Event{Stage: "s", Round: 1 + 1000*i, Count: e.Count, Coordinates: 1}
		switch e.Kind {
		case "gaussian":
			event.Kind, event.L2Squared, event.Scales = dp.DiscreteGaussian, dp.L2Squared(e.L2Squared), []*big.Rat{ratOf(e.Variance)}
			event.GridBits = gdpGridBits
		case "discrete_gaussian":
			event.Kind, event.L2Squared, event.Scales = dp.DiscreteGaussian, 1, []*big.Rat{ratOf(e.Variance)}
		case "discrete_laplace":
			event.Kind, event.L1, event.Scales = dp.DiscreteLaplace, 1, []*big.Rat{ratOf(e.Scale)}
		default:
			event.Kind, event.Range, event.Scales, event.Coordinates = dp.Exponential, 1, []*big.Rat{new(big.Rat).Inv(ratOf(e.R))}, 0
		}
		if err := l.Charge(event); err != nil {
			return err
		}
	}
	return nil
}
