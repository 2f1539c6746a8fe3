package mechanism

import (
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestSelectionDraws compares 60,000 draws of whole plans with the laws that law_test.go checks, at the
// scale of the event. False alarms: 1e-6 per case.
func TestSelectionDraws(t *testing.T) {
	w, model := small()
	for _, n := range relations {
		l := ledger(t, accountant.Params{Neighbouring: n, Accounting: dp.Pure, Epsilon: 4})
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		src := root(t).Stream("draws", 0, [32]byte{})
		g.open = func(string, int, [32]byte) noise.Source { return src }
		for _, c := range []struct {
			method Method
			law    selectionLaw
			index  func(Release) int
		}{
			{SelectCell, cellLaw, cellIndex},
			{SelectBlock, blockLaw, blockIndex},
		} {
			p := must.Value(g.plan(Request{Method: c.method, Stage: "s", Workload: w, Model: model, Total: 2.7, Share: dp.ShareOf(1, 2)}))(t)
			law := c.law(g, w, model, steps(p.event)).probabilities()
			seen := make([]int, len(law))
			for range 60_000 {
				seen[c.index(p.draw())]++
			}
			v := dptest.ChiSquare(seen, law)
			must.Hold(t, v >= dptest.Alarm, "%v %s: p = %g", n, c.method, v)
		}
	}
}

// cellIndex and blockIndex number releases in the order of cellLaw and blockLaw on the workload small.
func cellIndex(r Release) int {
	first := [...]int{0, 2, 4}[r.Cell.Marginal]
	return 2*(first+r.Cell.Cell) + int(1-r.Cell.Sign)/2
}

func blockIndex(r Release) int {
	i := [...]int{0, 4, 8}[r.Block.Marginal]
	for c, s := range r.Block.Signs {
		i += int(1-s) / 2 << c
	}
	return i
}

// TestOppositeScores: the two scores of a cell sum to n − total under AddRemove and to 0 under Replace.
func TestOppositeScores(t *testing.T) {
	w, model := small()
	for _, n := range relations {
		scores := cellCandidates(testGate(t, []int64{3, 0, 7, 1}, zcdp(t, n)), w, model, 2.75)
		want := int64((11 - 2.75) * (1 << accountant.ScoreGridBits))
		if n == dp.Replace {
			want = 0
		}
		for i := 0; i < len(scores); i += 2 {
			must.Equal(t, scores[i]+scores[i+1], want, "%v, cell %d: scores sum to", n, i/2)
		}
	}
}
