package mechanism

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// texts is a table of columns of texts; Values gives back what it holds, also what it may leave out.
type texts struct {
	table
	columns [][]query.Value
}

func (t texts) Values(of query.ValuesOf, _ int64) []query.Value { return t.columns[of.Column] }

// ofCounts is a table with one column of three values.
func ofCounts(counts []int64) texts {
	var list []query.Value
	for i, n := range counts {
		if n > 0 {
			list = append(list, query.Value{Text: string(rune('a' + i)), Count: n})
		}
	}
	return texts{table{[]int{len(counts)}, counts}, [][]query.Value{list}}
}

func valuesLedger(t *testing.T, n dp.Neighbouring, p accountant.Params) *accountant.Ledger {
	p.Neighbouring = n
	return ledger(t, p)
}

// outcomes is the law of what is released of a value of a count: its noisy counts above the threshold, and nothing, last.
// It goes through the same comparison as a draw does.
func outcomes(e accountant.Event, noise *dptest.NoiseLaw, count, most int64) []float64 {
	p := make([]float64, most+1)
	if count <= e.First { // dropped, or not there
		p[most] = 1
		return p
	}
	reach := noise.Reach(0)
	for z := -reach; z <= reach; z++ {
		at, _ := noise.At(z).P.Float64()
		if y, ok := above(e, count, z); ok {
			p[int64(y)] += at
		} else {
			p[most] += at
		}
	}
	return p
}

// TestValuesLaw computes the law of what is released of all tables of at most four units over three values, with and without
// a first cut, and compares it with every neighbour's: hockey sticks with δ(ε) of the loss and the event's delta, and
// the divergence given that no new value passes with the loss. Values whose counts are equal have one law on both sides
// and cancel.
func TestValuesLaw(t *testing.T) {
	grid := append(epsilonGrid(.25, 24), 80) // where nothing is left but what new values cost
	for _, n := range relations {
		for _, first := range []int64{0, 1} {
			var byNoise, byValue, divergence float64      // the largest part of its claim that a pair uses
			for _, epsilon := range []dp.Epsilon{.3, 8} { // thresholds on a fine grid of noise, and counts far above a threshold
				l := valuesLedger(t, n, accountant.Params{Epsilon: epsilon, Delta: .2, ValuesDelta: .1})
				g := newGate(ofCounts([]int64{1, 1, 1}), Params{Sizes: []int{3}, Ledger: l, Root: root(t)})
				p := must.Value(g.plan(Request{Method: Values, Stage: "values", Of: make([]query.ValuesOf, 1), From: int(first), Part: dp.ShareOf(1, 1), Share: dp.ShareOf(1, 1)}))(t)
				noise := dptest.DiscreteGaussian(p.event.Scales[0])
				most := noise.Reach(0) + 8
				laws := map[int64][]float64{}
				for count := range int64(6) {
					laws[count] = outcomes(p.event, noise, count, most)
				}
				rho, _ := exactLoss(t, p.event, dp.ZCDP).Float64()
				delta, _ := p.event.Delta.Float64()
				for _, x := range dptest.Tables(3, 4) {
					for _, y := range dptest.Neighbours(n, x) {
						a, b := differing(x, y)
						for _, e := range grid {
							got := hockeyOf(laws, a, b, math.Exp(e))
							bound := accountant.RhoDeltaCeil(rho, dp.Epsilon(e))
							must.Need(t, got <= (bound+delta)*(1+1e-12),
								"%v, first cut %d: %v against %v has δ(%g) = %g, claimed are %g and %g", n, first, x, y, e, got, bound, delta)
							byNoise = max(byNoise, got/(bound+delta))
							if bound < delta/1000 {
								byValue = max(byValue, got/delta)
							}
						}
						divergence = max(divergence, given(laws, a, b, first)/rho)
					}
				}
			}
			if divergence > 1+1e-12 || divergence < .45 { // under Replace no four units have two counts far above the threshold
				t.Errorf("%v, first cut %d: the divergence given that no new value passes is %.3f of the loss", n, first, divergence)
			}
			must.Hold(t, byValue >= .6, "%v, first cut %d: no pair uses more than %.3f of the delta of new values: too little to see an error", n, first, byValue)
			dptest.Figure(t, "values above a threshold, %v, first cut %d: used of δ(ε) + delta: %.2f, of delta %.2f, of rho %.2f", n, first, byNoise, byValue, divergence)
		}
	}
}

// differing returns the counts that differ.
func differing(x, y []int64) (a, b []int64) {
	for i := range x {
		if x[i] != y[i] {
			a, b = append(a, x[i]), append(b, y[i])
		}
	}
	return a, b
}

// hockeyOf is the sum of the positive parts of P(x) − factor·P(y) over what is released of one or two values.
func hockeyOf(laws map[int64][]float64, a, b []int64, factor float64) (sum float64) {
	p, q := laws[a[0]], laws[b[0]]
	for i := range p {
		if len(a) == 1 {
			sum += max(0, p[i]-factor*q[i])
			continue
		}
		for j, pj := range laws[a[1]] {
			sum += max(0, p[i]*pj-factor*q[i]*laws[b[1]][j])
		}
	}
	return sum
}

// given is the divergence over the values that both tables have above the first cut: others release nothing, given that they
// do not pass.
func given(laws map[int64][]float64, a, b []int64, first int64) (sum float64) {
	for v := range a {
		if a[v] <= first || b[v] <= first {
			continue
		}
		p, q := laws[a[v]], laws[b[v]]
		for i := range p {
			if p[i] > 0 && q[i] > 0 {
				sum += p[i] * math.Log(p[i]/q[i])
			}
		}
	}
	return sum
}

// TestValuesRelease: what passes is there by falling noisy count, exceeds the threshold, and is of the table; short counts,
// long texts and what was cut first are not there; the order in which a table holds its values changes nothing, and a
// replay gives the same.
func TestValuesRelease(t *testing.T) {
	list := []query.Value{
		{Text: "often", Count: 90_000}, {Text: "", Count: 30_000}, {Text: "rare", Count: 2}, {Text: strings.Repeat("x", query.MaxValueBytes+1), Count: 80_000},
		{Text: strings.Repeat("y", query.MaxValueBytes), Count: 70_000}, {Text: "once", Count: 1},
		{Text: "few", Count: 10}, // above the first cut, and above the threshold by noise of 5 standard deviations alone
	}
	if got := candidates(list, 3); len(got) != 4 || slices.ContainsFunc(got, func(v query.Value) bool { return v.Count <= 3 }) {
		t.Errorf("noise is drawn for %d values, want 4 of more than 3 units", len(got))
	}
	other := slices.Clone(list)
	slices.Reverse(other)
	for _, kind := range []dp.Accounting{dp.ZCDP, dp.GaussianOnly} {
		var released []Release
		for _, values := range [][]query.Value{list, other} {
			l := valuesLedger(t, dp.AddRemove, accountant.Params{Accounting: kind, Epsilon: 1, Delta: 1e-9, ValuesDelta: 1e-10, Coordinates: 10})
			recorder := &Recorder{}
			c := newGate(texts{table{[]int{1, 1}, []int64{1}}, [][]query.Value{nil, values}}, Params{Sizes: []int{1, 1}, Ledger: l, Root: root(t), Recorder: recorder}).curator()
			found := must.Value(c.Values("values", 1, []query.ValuesOf{{Column: 0}, {Column: 1}}, 3, dp.ShareOf(1, 1), dp.ShareOf(1, 2)))(t)
			must.Need(t, len(found) == 2 && len(found[0].Values) == 0 && len(found[1].Values) == 3 && found[1].Values[0].Text == "often" && found[1].Values[2].Text == "",
				"%v: released %v", kind, found)
			for i, v := range found[1].Values {
				must.Hold(t, v.Count > found[1].Threshold && (i <= 0 || v.Count <= found[1].Values[i-1].Count),
					"%v: value %d has %g, the threshold is %g", kind, i, v.Count, found[1].Threshold)
			}
			events := l.Events()
			must.Hold(t, len(events) == 1 && events[0].Kind == dp.ValuesAbove && events[0].First == 3, "%v: charged %v", kind, events)
			again, left := Replay(c.Budget(), recorder.Calls)
			replayed, err := again.Values("values", 1, []query.ValuesOf{{Column: 0}, {Column: 1}}, 3, dp.ShareOf(1, 1), dp.ShareOf(1, 2))
			must.Hold(t, err == nil && left() == 0 && len(replayed[1].Values) == 3, "%v: replayed %v, %v", kind, replayed, err)
			released = append(released, recorder.Calls[0].Release)
		}
		must.Hold(t, released[0].Digest() == released[1].Digest(), "%v: the order of a table decides what is released", kind)
	}
}

// TestValuesBeyondInts: a count times the steps of a fine grid is beyond int64, and is compared all the same.
func TestValuesBeyondInts(t *testing.T) {
	e := accountant.Event{GridBits: 36, Threshold: big.NewRat(500, 1)}
	for _, c := range []struct {
		count, z int64
		passes   bool
	}{{1 << 40, -1 << 45, true}, {500, 1, true}, {500, 0, false}, {501, -1 << 36, false}, {501, 1 - 1<<36, true}} {
		_, ok := above(e, c.count, c.z)
		must.Hold(t, ok == c.passes, "a count of %d with noise of %d steps: passes is %v", c.count, c.z, ok)
	}
}
