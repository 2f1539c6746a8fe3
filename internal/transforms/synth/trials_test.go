package synth

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
)

// TestRandomRuns draws domains, people, options and methods, and runs each on records by the transforms of a job. For
// three neighbours of each table every number that noise was added to, and every score, is computed from its definition in
// exact fractions: it changes by no more than was declared and charged. A run without data that gets the recorded answers
// makes the same requests and the same artifact, byte by byte.
//
// 120 runs (nightly 30,000); nothing is left to chance once they are drawn.
func TestRandomRuns(t *testing.T) {
	seed, want := dptest.Seed(t), dptest.Size(120, 30_000)
	if testing.Short() {
		want = 12
	}
	tally := &trialTally{most: map[mechanism.Method]float64{}, drawn: map[string]int{}}
	for i := uint64(0); tally.runs < want; i++ {
		x, ok := newTrial(rand.New(rand.NewPCG(seed, i)))
		if !ok {
			continue
		}
		if err := x.compare(t, tally); err != nil {
			t.Errorf("trial %d, method %s, ε = %g, δ = %g, %v: %v", i, x.method.Name, float64(x.problem.Epsilon), float64(x.problem.Delta), x.problem.Neighbouring, err)
		}
	}
	for _, m := range []mechanism.Method{mechanism.Total, mechanism.Measure, mechanism.Residuals, mechanism.Scores, mechanism.Trees, mechanism.Accept, mechanism.MeanDistance} {
		if tally.most[m] < .999 && !testing.Short() {
			t.Errorf("no pair uses all that %s charges: largest part %.4f", m, tally.most[m])
		}
	}
	dptest.Figure(t, "%d runs, %d pairs, %d requests compared; %s", tally.runs, tally.pairs, tally.requests, tally.options())
}

// trialTally is what trials have seen.
type trialTally struct {
	runs, pairs, requests int
	most                  map[mechanism.Method]float64 // part of the charge that a pair uses
	drawn                 map[string]int               // trials with an option
}

func (s *trialTally) options() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.drawn)) {
		list = append(list, fmt.Sprintf("%s %d", name, s.drawn[name]))
	}
	return strings.Join(list, ", ")
}

func (s *trialTally) add(x *trial) {
	d, p := x.problem.Domain, x.problem
	s.runs++
	for name, is := range map[string]bool{"events": d.Events != nil, "people without rows": d.Events != nil && d.Events.NoRows, "learned bins": d.Learns(), "orders": d.Ordered(),
		"criteria": len(p.Criteria.Limits) > 0, "public tables": p.Public != nil, "impossible records": len(d.StructuralZeros) > 0, "linear queries": p.Workload.Linear() > 0} {
		if is {
			s.drawn[name]++
		}
	}
}

// compare makes a run of a trial, and compares its table with three neighbours.
func (x *trial) compare(t *testing.T, tally *trialTally) error {
	t.Helper()
	people := x.people(x.rng.IntN(7))
	table := x.count(t, people)
	if n := int64(len(people)); table.Units() != n {
		return fmt.Errorf("%d units of %d people", table.Units(), n)
	}
	run, err := x.run(table)
	if err != nil {
		return err
	}
	if err := run.charged(); err != nil {
		return err
	}
	if again, err := x.replay(run); err != nil || !bytes.Equal(again, run.artifact) {
		return fmt.Errorf("without data the answers make another release (error %w)", err)
	}
	tally.add(x)
	for range 3 {
		other := x.neighbour(people)
		if other == nil {
			continue
		}
		tally.pairs++
		err := each(run.calls, x.truth(table), x.truth(x.count(t, other)), func(c mechanism.Call, a, b *truth) error {
			used, err := change(c, x.problem.Neighbouring, run.ledger.Params().Accounting, a, b)
			tally.requests++
			tally.most[c.Request.Method] = max(tally.most[c.Request.Method], used)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// neighbour returns the people with one more, one fewer, or another one in the place of one; nil if there is nobody to be
// replaced.
func (x *trial) neighbour(people []person) []person {
	other, i := slices.Clone(people), 0
	if len(people) > 0 {
		i = x.rng.IntN(len(people))
	}
	switch {
	case x.problem.Neighbouring == dp.Replace && len(people) == 0:
		return nil
	case x.problem.Neighbouring == dp.Replace:
		other[i] = x.person(oneOf(x.rng, people[i].id, "replaced"))
		return other
	case len(people) == 0 || x.rng.IntN(2) == 0:
		return append(other, x.person("another"))
	}
	return slices.Delete(other, i, i+1)
}
