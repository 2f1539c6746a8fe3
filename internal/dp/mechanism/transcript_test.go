package mechanism

import (
	"fmt"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/internal/noise"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
	"github.com/dapple-dp/dapple/solver/dpfw"
)

// TestTranscriptsFit compares whole runs with the law of TestWholeRuns: 20,000 runs (nightly 200,000) of
// two rounds through the real ledger, streams and samplers against the probability of each sequence of
// selections. False alarms: 1e-6 per case. The same runs against the law of a neighbour must not fit.
func TestTranscriptsFit(t *testing.T) {
	if testing.Short() {
		t.Skip("missing: time for 20,000 runs, 10 seconds; make verify runs them")
	}
	x, y := []int64{1, 0, 0, 2}, []int64{1, 0, 1, 1}
	for _, form := range []dpfw.Form{dpfw.Block, dpfw.Cell} {
		r := wholeRun{cliques: oneWay, relation: dp.Replace, delta: 1e-3, rounds: 2, solve: fw(form)}
		p := solver.Problem{
			Workload: r.workload(), Neighbouring: r.relation, Epsilon: 4, Delta: r.delta,
			MemoryLimit: 1 << 20, Rounds: r.rounds,
		}
		index, laws := map[string]int{}, [2][]float64{}
		explorer := newExplorer(t, r.params(), [][]int64{x, y})
		explorer.explore(func(c *Curator) error { return r.solve(p, c) }, func(l leaf) {
			key := ""
			for _, s := range explorer.path {
				key += transcriptKey(s.releases[s.at])
			}
			index[key] = len(laws[0])
			for i := range laws {
				laws[i] = append(laws[i], l.probabilities()[i])
			}
		})
		seen := make([]int, len(index))
		for run := range dptest.Size(20_000, 200_000) {
			g := testGate(t, x, ledger(t, r.params()))
			open := g.open
			g.open = func(stage string, round int, inputs [32]byte) noise.Source {
				return open(fmt.Sprint(stage, run), round, inputs)
			}
			must.Do(t, r.solve(p, g.curator()))
			key := ""
			for _, c := range g.recorder.Calls {
				if c.Request.Method == SelectBlock || c.Request.Method == SelectCell {
					key += transcriptKey(c.Release)
				}
			}
			i, ok := index[key]
			must.Need(t, ok, "a run outside the law: %s", key)
			seen[i]++
		}
		v := dptest.ChiSquare(seen, laws[0])
		must.Hold(t, v >= dptest.Alarm, "form %s: p = %g", form, v)
		v = dptest.ChiSquare(seen, laws[1])
		must.Hold(t, v <= dptest.Alarm, "form %s: runs fit the law of a neighbour: p = %g", form, v)
		dptest.Figure(t, "form %q: p = %.3g over %d transcripts", form, dptest.ChiSquare(seen, laws[0]), len(seen))
	}
}

func transcriptKey(r Release) string { return fmt.Sprint(r.Block, r.Cell) }
