package mechanism

import (
	"reflect"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// loop is a small adaptive algorithm: each request depends on the releases before it.
func loop(c *Curator) error {
	w, model := small()
	total, err := c.Total("total", dp.ShareOf(1, 50))
	if err != nil {
		return err
	}
	for round := 1; round <= 3; round++ {
		block, err := c.SelectBlock("select", round, w, model, dp.ShareOf(1, 10))
		if err != nil {
			return err
		}
		for i, s := range block.Signs {
			model[block.Marginal][i] += float64(s) * .01 * total.Units
		}
		if _, err := c.SelectCell("cell", round, w, model, total.Units, dp.ShareOf(1, 20)); err != nil {
			return err
		}
		if _, err := c.LaplaceMaxCell("laplace", round, w, model, 100); err != nil {
			return err
		}
		if _, err := c.FirstAbove("above", round, w, model, round, 3, dp.ShareOf(1, 40)); err != nil {
			return err
		}
	}
	if _, err := c.Votes("votes", 1, []int32{0, 1, 1, 0}, 2, dp.ShareOf(1, 40)); err != nil {
		return err
	}
	if _, err := c.Keep("keep", 1, w, model, query.Cell{Marginal: 2, Cell: 3, Sign: 1}, total.Units, total.Units/2, dp.ShareOf(1, 40)); err != nil {
		return err
	}
	if _, err = c.Accept("accept", w, model, []float64{4, 0, 2.5}, dp.ShareOf(1, 20)); err != nil {
		return err
	}
	if _, err = c.MeanDistance("distance", w, model, dp.ShareOf(1, 40)); err != nil {
		return err
	}
	_, err = c.MaxError("max", w, model, dp.ShareOf(1, 40))
	return err
}

// TestReplay records the loop on one table. Its replay, and its replay recorded again, make the same
// requests: nothing of the table reaches them but through releases. A changed request is refused.
func TestReplay(t *testing.T) {
	for _, n := range relations {
		l := zcdp(t, n)
		g := testGate(t, []int64{3, 0, 7, 1}, l)
		must.Do(t, loop(g.curator()))
		calls := g.recorder.Calls
		frozen, left := Replay(g.curator().Budget(), calls)
		if err := loop(frozen); err != nil || left() != 0 {
			t.Errorf("%v: %v, %d calls left", n, err, left())
		}
		must.Hold(t, frozen.Budget() == l.Budget(), "%v: budget of the replay is %v", n, frozen.Budget())
		for i := range calls {
			other := append([]Call(nil), calls...)
			other[i].Request.Share = dp.ShareOf(1, 19)
			frozen, left := Replay(l.Budget(), other)
			if err := loop(frozen); err == nil || left() != len(calls)-i {
				t.Errorf("%v: call %d differs: %v, %d left", n, i, err, left())
			}
		}
		short, _ := Replay(l.Budget(), calls[:len(calls)-1])
		must.Fail(t, loop(short), "", "%v: a call more than recorded was answered", n)
	}
}

// TestMeasuredSensitivity compares each measured event with the largest squared or absolute change of
// one marginal between neighbours.
func TestMeasuredSensitivity(t *testing.T) {
	w, _ := small()
	for _, n := range relations {
		most := int64(0)
		pairs(n, func(x, y []int64) {
			for _, m := range w.Marginals {
				change := int64(0) // counts change by 1, so squares and absolute values agree
				b := table{square, y}.Marginal(m.Clique)
				for c, count := range (table{square, x}).Marginal(m.Clique) {
					change += (count - b[c]) * (count - b[c])
				}
				most = max(most, change)
			}
		})
		for _, l := range []*accountant.Ledger{zcdp(t, n), pure(t, n), gdp(t, n)} {
			g := testGate(t, []int64{3, 0, 7, 1}, l)
			for _, r := range requests()[:3] {
				must.Value(g.answer(r))(t)
			}
			for _, e := range l.Events() {
				declared := int64(e.L1) + int64(e.L2Squared)
				must.Hold(t, declared == most, "%v %v %s: sensitivity %d, declared %d", n, e.Kind, e.Stage, most, declared)
			}
		}
	}
}

// TestRecordedRangesHold replays the recorded models of the loop on neighbours: every score range is
// at most the declared one, along a path of models that a run really took.
func TestRecordedRangesHold(t *testing.T) {
	for _, n := range relations {
		x := []int64{3, 0, 7, 1}
		a := testGate(t, x, zcdp(t, n))
		must.Do(t, loop(a.curator()))
		for _, y := range dptest.Neighbours(n, x) {
			b := testGate(t, y, zcdp(t, n))
			for _, c := range a.recorder.Calls {
				r := c.Request
				var got int64
				switch r.Method {
				case SelectBlock:
					got = spread(blockCandidates(a, r.Workload, r.Model), blockCandidates(b, r.Workload, r.Model))
				case SelectCell:
					got = spread(cellCandidates(a, r.Workload, r.Model, r.Total), cellCandidates(b, r.Workload, r.Model, r.Total))
				case LaplaceMaxCell:
					got = spread(signedCandidates(a, r.Workload, r.Model), signedCandidates(b, r.Workload, r.Model))
				default:
					continue
				}
				limit := int64(c.Event.Range) << c.Event.GridBits
				must.Hold(t, got <= limit, "%v, %s round %d: range %d, declared %d", n, r.Method, r.Round, got, limit)
			}
		}
	}
}

// TestDigests changes each field of a request and of a release.
func TestDigests(t *testing.T) {
	seen := map[[32]byte]string{}
	note := func(name string, digest [32]byte) {
		with, ok := seen[digest]
		must.Hold(t, !ok, "%s and %s share a digest", name, with)
		seen[digest] = name
	}
	base := requests()[5] // SelectCell
	base.Cliques, base.Precision, base.Noise = base.Workload.Cliques()[:1], []float64{1}, 3
	base.From, base.Limits, base.Cell = 2, []float64{4}, query.Cell{Sign: 1}
	base.Choice, base.Candidates = []int32{1}, 2
	base.Merge = query.Recoding{{1, 0}, nil}
	base.Shapes = []query.TreeShape{{}}
	base.Of, base.Part = []query.ValuesOf{{Column: 1, Prefix: 2, Standing: []string{"a"}}}, dp.ShareOf(1, 2)
	note("request", base.Digest())
	own := base
	own.Shapes = []query.TreeShape{{Own: []int{0}}}
	note("a value of its own", own.Digest())
	changed := reflect.TypeOf(base)
	for i := range changed.NumField() {
		other := base
		reflect.ValueOf(&other).Elem().Field(i).SetZero()
		note(changed.Field(i).Name, other.Digest())
	}
	g := testGate(t, []int64{3, 0, 7, 1}, zcdp(t, dp.AddRemove))
	for _, r := range requests() {
		release := must.Value(g.answer(r))(t)
		note("release of "+string(r.Method), release.Digest())
		for _, m := range release.Measurements {
			m.Values[0]++
		}
		for i := range release.Block.Signs {
			release.Block.Signs[i] *= -1
		}
	}
	for _, c := range g.recorder.Calls { // releases were handed out and recorded apart
		must.Hold(t, seen[c.Release.Digest()] == "release of "+string(c.Request.Method), "%s: recorded release differs from the returned one", c.Request.Method)
	}
}
