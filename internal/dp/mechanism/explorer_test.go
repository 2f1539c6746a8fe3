package mechanism

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// explorer runs an algorithm once for every sequence of releases that it can receive, on many tables at
// once: a run's requests are public, so one visit serves all tables. Every release before the last is
// enumerated with its probability on each table. Noise on the last statistics is not enumerated: what a
// pair of tables loses there depends on the shift of each statistic alone.
type explorer struct {
	t      *testing.T
	params accountant.Params
	gates  []*gate
	plans  map[Method]accountant.Event // calibrations: one share per method in these runs

	known map[string]law // laws of totals, by units

	walk
	last *statistics // with which the run ends, nil before them
	lean float64     // added to the noisy counts that final returns
}

// statistics are integers released with noise of one kind, by one call or by several whose requests do not
// depend on one another's releases.
type statistics struct {
	events []accountant.Event
	values [][]int64  // by table
	scale  []*big.Rat // of each statistic
}

// shift returns the change of statistic s from table i to table j.
func (l *statistics) shift(s, i, j int) int64 { return l.values[j][s] - l.values[i][s] }

// leaf is one complete run: its probability on each table, and its last statistics.
type leaf struct {
	law
	last *statistics
}

func newExplorer(t *testing.T, p accountant.Params, tables [][]int64) *explorer {
	x := &explorer{t: t, params: p, walk: walk{tables: len(tables)}, plans: map[Method]accountant.Event{}, known: map[string]law{}}
	for _, cells := range tables {
		x.gates = append(x.gates, testGate(t, cells, ledger(t, p)))
	}
	return x
}

// explore visits every complete run and returns the events that all of them charge.
func (x *explorer) explore(run func(*Curator) error, visit func(leaf)) (events []accountant.Event) {
	for {
		x.depth, x.last = 0, nil
		must.Do(x.t, run(&Curator{budget: x.gates[0].ledger.Budget(), answer: x.answer}))
		visit(x.leaf())
		charged := x.charged()
		if events == nil {
			events = charged
		}
		must.Need(x.t, len(events) == len(charged), "runs of %d and %d events", len(events), len(charged))
		if !x.advance() {
			return events
		}
	}
}

func (x *explorer) charged() (events []accountant.Event) {
	for _, s := range x.path {
		events = append(events, s.event)
	}
	if x.last != nil {
		events = append(events, x.last.events...)
	}
	return events
}

func (x *explorer) leaf() leaf { return leaf{x.reached(), x.last} }

// answer has the signature of gate.answer.
func (x *explorer) answer(r Request) (Release, error) {
	if r.Method == Total && x.params.Neighbouring == dp.Replace {
		return Release{Total: query.Total{Units: float64(x.gates[0].counts.Units())}}, nil
	}
	must.Need(x.t, x.last == nil || r.Method == MeasureVariance, "%s after the release of the last statistics", r.Method)
	if x.atEnd() {
		event := x.event(r)
		if r.Method == Measure || r.Method == MeasureVariance || r.Method == MaxError {
			return x.final(r, event), nil
		}
		x.path = append(x.path, x.enumerate(r, event))
	}
	s := x.next()
	return s.releases[s.at], nil
}

// event returns what the gate would charge for r.
func (x *explorer) event(r Request) accountant.Event {
	if e, ok := x.plans[r.Method]; ok {
		return e.At(r.Stage, r.Round)
	}
	p := must.Value(x.gates[0].plan(r))(x.t)
	x.plans[r.Method] = p.event
	return p.event.At(r.Stage, r.Round)
}

// enumerate lists what a selection or a noisy total can return.
func (x *explorer) enumerate(r Request, event accountant.Event) step {
	s := step{event: event, before: x.reached()}
	var known exponentials
	if r.Method == SelectCell || r.Method == SelectBlock {
		known = newExponentials(steps(event))
	}
	for _, g := range x.gates {
		switch r.Method {
		case SelectCell:
			s.laws = append(s.laws, cellMasses(g, r.Workload, r.Model, r.Total, known))
		case SelectBlock:
			s.laws = append(s.laws, blockMasses(g, r.Workload, r.Model, known))
		case LaplaceMaxCell:
			s.laws = append(s.laws, maxLaw(g.workloadErrors(r.Workload, r.Model), event.Steps(0)))
		case Total:
			s.laws = append(s.laws, x.totalLaw(g.counts.Units(), event))
		default:
			x.t.Fatalf("%s before the end of a run", r.Method)
		}
	}
	for i := range s.laws[0] {
		s.releases = append(s.releases, releaseAt(r, i, event))
	}
	return s
}

// releaseAt is the release of index i in the laws of enumerate.
func releaseAt(r Request, i int, event accountant.Event) Release {
	switch r.Method {
	case SelectCell, LaplaceMaxCell:
		return Release{Cell: cellAt(r.Model, i)}
	case Total:
		return Release{Total: query.Total{Units: float64(i + 1), Variance: event.Variance(0)}}
	}
	for m := range r.Model {
		if n := 1 << len(r.Model[m]); i >= n {
			i -= n
			continue
		}
		signs := make([]int8, len(r.Model[m]))
		for c := range signs {
			signs[c] = int8(1 - 2*(i>>c&1))
		}
		return Release{Block: query.Block{Marginal: m, Signs: signs}}
	}
	panic("mechanism: no such block")
}

// totalLaw is the law of a noisy total as the algorithms here use it: all totals of at most 1 are 1, and the last result
// stands for all totals from its own on, of probability below 1e-6. That is post-processing: the runs explored are those
// of an algorithm that takes the least of the two, with its exact law.
func (x *explorer) totalLaw(units int64, event accountant.Event) law {
	key := fmt.Sprint(event.Stage, units)
	if x.known[key] == nil {
		noise := noiseLaw(event, event.Scales[0])
		reach, _ := event.Scales[0].Float64()
		if reach *= 14; event.Kind == dp.DiscreteGaussian {
			reach = 5 * math.Sqrt(reach/14)
		}
		top := int64(math.Ceil(reach)) + 4
		all := law{dptest.MassOf(noise.From(units - 1))} // P(units + Z ≤ 1), by symmetry
		for total := int64(2); total < top; total++ {
			all = append(all, noise.At(total-units))
		}
		x.known[key] = append(all, dptest.MassOf(noise.From(top-units)))
	}
	return x.known[key]
}

// pmfOf returns the law of an event's noise on whole counts, and a reach beyond which less than 1e-12 of
// it lies.
func pmfOf(e accountant.Event, scale *big.Rat) (pmf func(y float64) float64, reach float64) {
	x, _ := scale.Float64()
	weight := func(y float64) float64 { return math.Exp(-math.Abs(y) / x) }
	reach = math.Ceil(28 * x)
	if e.Kind == dp.DiscreteGaussian {
		weight = func(y float64) float64 { return math.Exp(-y * y / (2 * x)) }
		reach = math.Ceil(8 * math.Sqrt(x))
	}
	sum := 0.0
	for y := -reach; y <= reach; y++ {
		sum += weight(y)
	}
	return func(y float64) float64 { return weight(y) / sum }, reach
}

// final notes the statistics that a run ends with, and returns a release: nothing that is asked after it
// depends on what it returns.
func (x *explorer) final(r Request, event accountant.Event) Release {
	if x.last == nil {
		x.last = &statistics{values: make([][]int64, len(x.gates))}
	}
	x.last.events = append(x.last.events, event)
	for i, g := range x.gates {
		if r.Method == MaxError {
			v, _ := ceilTo(largest(g.workloadErrors(r.Workload, r.Model)), accountant.ScoreGridBits, event.GridBits)
			x.last.values[i] = append(x.last.values[i], v)
		}
		for _, c := range r.Cliques {
			x.last.values[i] = append(x.last.values[i], g.marginal(c)...)
		}
	}
	for j := range x.last.values[0][len(x.last.scale):] {
		x.last.scale = append(x.last.scale, event.Scales[marginalOf(r, x.gates[0], j)])
	}
	release := Release{}
	for i, c := range r.Cliques {
		m := query.Measurement{Clique: c, Values: make([]float64, x.gates[0].cells(c)), Variance: event.Variance(i)}
		for j := range m.Values {
			m.Values[j] = float64(j+1) + x.lean
		}
		release.Measurements = append(release.Measurements, m)
	}
	return release
}

// marginalOf returns the marginal of r that statistic j belongs to.
func marginalOf(r Request, g *gate, j int) int {
	for i, c := range r.Cliques {
		if j < g.cells(c) {
			return i
		}
		j -= g.cells(c)
	}
	return 0
}
