package mechanism

import (
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// keepLaw is the law of a keep test: no, then yes.
func keepLaw(short int64, refusal, scale uint64) law {
	x := new(big.Rat).SetFrac(new(big.Int).SetUint64(uint64(short)+refusal), new(big.Int).SetUint64(scale))
	yes := dptest.MassOfLog(high.Rat(x.Neg(x)))
	return law{dptest.MassOf(high.Sub(high.Of(1), yes.P)), yes}
}

// keepRequests is a keep test of each answer with each sign.
func keepRequests(w query.Workload, model query.Answers, threshold float64) (all []Request) {
	for i := range model {
		for c := range model[i] {
			for _, sign := range []int8{1, -1} {
				all = append(all, Request{Method: Keep, Workload: w, Model: model, Cell: query.Cell{Marginal: i, Cell: c, Sign: sign}, Total: 2.7, Noise: threshold, Share: dp.ShareOf(1, 1)})
			}
		}
	}
	return all
}

// TestKeepLoss compares the exact laws of a keep test on all tables of up to three records and their neighbours, of
// marginals and of linear queries: log ratios with r, the divergences with rho, hockey sticks with δ(ε).
func TestKeepLoss(t *testing.T) {
	grid := epsilonGrid(.1, 14)
	cells, _ := small()
	for name, w := range map[string]query.Workload{"marginals": cells, "linear queries": linear()} {
		model := query.NewAnswers(w)
		for i := range model {
			model[i][0] = .4
		}
		for _, n := range relations {
			l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.Pure, Epsilon: .1})
			requests := keepRequests(w, model, 1)
			plan := must.Value(testGate(t, nil, l).keep(requests[0]))(t)
			event := plan.event
			scale, refusal, err := keepScale(event)
			must.Do(t, err)
			laws := map[int64]law{}
			of := func(short int64) law {
				if laws[short] == nil {
					laws[short] = keepLaw(short, refusal, scale)
				}
				return laws[short]
			}
			var worst spent
			type pair struct{ x, y int64 }
			seen := map[pair]bool{}
			for _, r := range requests {
				pairs(n, func(x, y []int64) {
					p := pair{testGate(t, x, l).shortfall(r), testGate(t, y, l).shortfall(r)}
					if !seen[p] {
						seen[p] = true
						worst.of(lossesOf(of(p.x), of(p.y), grid), exactLoss(t, event, dp.Pure), exactLoss(t, event, dp.ZCDP), grid)
					}
				})
			}
			worst.check(t, "keep test of "+name+", "+n.String(), .8)
		}
	}
}

// TestKeepDraws: answers through the curator have the law of their event, while answers of an event of twice the scale, and
// of a certain yes at the threshold, have not. The scores are 0 and 5 counts short. False alarms: 1e-6 in each case.
func TestKeepDraws(t *testing.T) {
	const runs = 3000
	w, model := small()
	for i := range model {
		copy(model[i], table{square, []int64{3, 0, 7, 1}}.floats(w.Marginals[i].Clique))
	}
	for _, sign := range []int8{1, -1} {
		for _, short := range []float64{0, 5} {
			l := zcdp(t, dp.AddRemove)
			g := testGate(t, []int64{3, 0, 7, 1}, l)
			seen := make([]int, 2)
			for run := range runs {
				yes := must.Value(g.curator().Keep("keep", run, w, model, query.Cell{Marginal: 1, Cell: 1, Sign: sign}, 11, short, dp.ShareOf(1, runs)))(t)
				if yes {
					seen[1]++
				} else {
					seen[0]++
				}
			}
			scale, refusal, err := keepScale(l.Events()[0])
			must.Do(t, err)
			steps := int64(short * (1 << accountant.ScoreGridBits))
			v := dptest.ChiSquare(seen, keepLaw(steps, refusal, scale).probabilities())
			must.Hold(t, v >= dptest.Alarm, "sign %d, %g short: p = %g: %v", sign, short, v, seen)
			v = dptest.ChiSquare(seen, keepLaw(steps, refusal*3, scale).probabilities())
			must.Hold(t, v <= dptest.Alarm, "sign %d, %g short: three times the refusals fit: p = %g: %v", sign, short, v, seen)
		}
	}
}
