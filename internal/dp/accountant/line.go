package accountant

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Line is one line of a ledger as reports show it: an event, or several equal events of one stage in consecutive
// rounds. Rationals are exact, in the form a/b.
type Line struct {
	Stage string `json:"stage"` // of the run, such as pairs
	Round int    `json:"round"` // the first
	Kind  string `json:"kind"`  // the mechanism
	Count int    `json:"count"` // events on the line, in rounds round … round+count−1
	// Marginals and Coordinates describe one event; 0 for selections.
	Marginals   int   `json:"marginals,omitempty"`
	Coordinates int64 `json:"coordinates,omitempty"` // numbers with noise
	// Sensitivity is of one event, all its marginals together: l2squared=, l1= or range=, in counts.
	Sensitivity string `json:"sensitivity"`
	// Scale is sigma2= (counts²), scale= or b= (counts); with parts, "5/2 ×20, 7/2 ×15" for 35 marginals, or
	// "5/2 to 7/2" for many centred ones.
	Scale     string `json:"scale"`
	Delta     string `json:"delta,omitempty"`     // what a line of values_above adds to δ
	First     int64  `json:"first,omitempty"`     // of values_above: values of at most this count are dropped before the draw
	Threshold string `json:"threshold,omitempty"` // of values_above: what noisy counts have to exceed, in counts
	// Grid is the step of noise and scores, in counts.
	Grid string `json:"grid"`
	// Rho or Epsilon is the loss of the whole line in the unit of the ledger; lines sum to its total.
	Rho     string `json:"rho,omitempty"`
	Epsilon string `json:"epsilon,omitempty"` // the same of a pure ledger
}

// lines groups events: each joins the last group of its stage if it is equal and next in round.
func lines(events []Event, kind dp.Accounting) []Line {
	var groups []Event
	last := make(map[string]int)
	for _, e := range events {
		if g, ok := last[e.Stage]; ok && groups[g].precedes(e) {
			groups[g].Count += e.Count
			continue
		}
		last[e.Stage] = len(groups)
		groups = append(groups, e)
	}
	return lists.Of(groups, func(g Event) Line { return g.line(kind) })
}

// precedes reports whether f continues e: equal but for rounds, and in the rounds after e's.
func (e Event) precedes(f Event) bool {
	if f.Round != e.Round+e.Count || e.Kind != f.Kind || e.GridBits != f.GridBits || e.Coordinates != f.Coordinates ||
		e.Kind == dp.ValuesAbove || e.Range != f.Range || e.L1 != f.L1 || e.L2Squared != f.L2Squared {
		return false
	}
	return slices.EqualFunc(e.Scales, f.Scales, same) && slices.EqualFunc(e.Sensitivities, f.Sensitivities, same)
}

func (e Event) line(kind dp.Accounting) Line {
	l := Line{
		Stage: e.Stage, Round: e.Round, Kind: e.Kind.String(), Count: e.Count,
		Coordinates: e.Coordinates, Grid: power(-e.GridBits).RatString(),
	}
	if e.measures() {
		l.Marginals = len(e.Scales)
	}
	switch e.Kind {
	case dp.DiscreteGaussian, dp.ValuesAbove:
		l.Sensitivity, l.Scale = "l2squared=", "sigma2="
	case dp.DiscreteLaplace:
		l.Sensitivity, l.Scale = "l1=", "scale="
	default:
		l.Sensitivity, l.Scale = "range=", "b="
	}
	if e.Kind == dp.ValuesAbove {
		l.Delta, l.First, l.Threshold = times(e.Delta, int64(e.Count)).RatString(), e.First, e.Threshold.RatString()
	}
	l.Sensitivity += e.wholeSensitivity().RatString()
	l.Scale += e.scales()
	if kind == dp.Pure {
		l.Epsilon = e.total(kind).RatString()
	} else {
		l.Rho = e.total(kind).RatString()
	}
	return l
}

// wholeSensitivity returns the sensitivity of one event, all its marginals together.
func (e Event) wholeSensitivity() *big.Rat {
	switch {
	case e.Sensitivities != nil:
		return e.sum(e.change)
	case e.measures():
		return big.NewRat(e.sensitivity()*int64(len(e.Scales)), 1)
	}
	return big.NewRat(e.sensitivity(), 1)
}

// total returns Count times the loss of an event that the kind of ledger is known to admit.
func (e Event) total(kind dp.Accounting) *big.Rat {
	loss, err := e.Loss(kind)
	if err != nil {
		panic("accountant: a charged event has no loss")
	}
	return times(loss, int64(e.Count))
}

// mostParts is the largest number of different noises of centred marginals on a line; there can be thousands.
const mostParts = 16

// scales writes the noise of all marginals, with runs of equal values together; for many centred marginals it writes
// the least and the largest.
func (e Event) scales() string {
	least, most, runs := e.Scales[0], e.Scales[0], 0
	for i := 0; i < len(e.Scales); i += e.run(i) {
		if s := e.Scales[i]; s.Cmp(least) < 0 {
			least = s
		} else if s.Cmp(most) > 0 {
			most = s
		}
		runs++
	}
	if same(least, most) {
		return least.RatString()
	}
	if e.Sensitivities != nil && runs > mostParts {
		return least.RatString() + " to " + most.RatString()
	}
	var parts []string
	for i := 0; i < len(e.Scales); i += e.run(i) {
		parts = append(parts, fmt.Sprintf("%s ×%d", e.Scales[i].RatString(), e.run(i)))
	}
	return strings.Join(parts, ", ")
}
