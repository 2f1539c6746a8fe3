package domain

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// shiftedDomain has a column b whose values lie further up in their two bins where column a is in its second one, and
// the quantiles of the scores for records that are in the bins of a as often as share says.
func shiftedDomain(t *testing.T, share [3]float64) *Domain {
	t.Helper()
	s := &Shift{With: []int{0}, Adds: [][]float64{{0, 3, 1}}, Spread: .5}
	d := &Domain{}
	for _, name := range []string{"a", "b"} {
		d.Attributes = append(d.Attributes, Attribute{Name: name, Type: Int64, Cuts: []int64{0, 999}, Resolution: 1, Learned: 2, Null: true})
	}
	rng, scores := rand.New(rand.NewPCG(5, 6)), []float64{}
	for range 100_000 {
		scores = append(scores, s.Score(func(int) Code { return drawn(share, rng) }, rng.Float64()))
	}
	slices.Sort(scores)
	var q []float64
	for _, level := range ShiftLevels {
		q = append(q, scores[int(level*float64(len(scores)))])
	}
	s.Levels = [][]float64{nil, q} // values in the first bin stay where they are
	out := must.Value(d.WithBins([]LearnedBins{
		{Attribute: 0, Starts: []int{0, 500}, Runs: []Run{{0, 1}}},
		{Attribute: 1, Starts: []int{0, 500}, Runs: []Run{{0, .3}, {500, .7}}, Coupling: &Coupling{With: -1, Shift: s}},
	}))(t)
	return out
}

func drawn(share [3]float64, rng *rand.Rand) Code {
	for c, u := 0, rng.Float64(); c < 2; c++ {
		if u -= share[c]; u < 0 {
			return Code(c)
		}
	}
	return 2
}

// TestShift: values move in their bin by the bin of another column, and all together remain as they were: Kolmogorov's
// 2.2/√n and as much for the quantiles, which follow from 100,000 draws; a false alarm in 1e4 if the noise were not fixed.
func TestShift(t *testing.T) {
	const n = 20_000
	share := [3]float64{.6, .3, .1}
	d, rng := shiftedDomain(t, share), rand.New(rand.NewPCG(1, 2))
	var codes []Code
	for range n {
		codes = append(codes, drawn(share, rng), Code(rng.IntN(2)))
	}
	var chunk Chunk
	NewDecoder(d).Decode(&chunk, codes, func(int, int) uint64 { return rng.Uint64() })
	var means, counts [2][3]float64
	var second []int64
	for r := range n {
		a, b, v := codes[2*r], codes[2*r+1], chunk.Columns[1].Ints[r]
		must.Need(t, (v >= 500) == (b == 1), "%d in bin %d", v, b)
		means[b][a] += (float64(v%500) + .5) / 500
		counts[b][a]++
		if b == 1 {
			second = append(second, v)
		}
	}
	for b := range means {
		for a := range means[b] {
			means[b][a] /= counts[b][a]
		}
	}
	x := means[1]
	must.Hold(t, x[0] <= .35 && x[2] >= x[0]+.1 && x[1] >= .8, "mean places %.2f where the other column is in its first bin, its second and NULL", x)
	if x := means[0]; slices.Max(x[:])-slices.Min(x[:]) > .05 {
		t.Errorf("mean places %.2f in a bin without quantiles", x)
	}
	slices.Sort(second)
	off := 0.0
	for i, v := range second {
		off = max(off, math.Abs((float64(v-500)+.5)/500-float64(i)/float64(len(second))))
	}
	must.Hold(t, off <= .03, "values of the bin are off by %.3f", off)
	s, last := d.Attributes[1].Coupling.Shift, 0.0
	for x := -8.; x < 8; x += .01 { // rising and inside the bin, beyond all quantiles too
		p := s.place(x, .5, 1)
		must.Need(t, p >= last && p < 1 && p-last <= .02, "place %g at %g after %g", p, x, last)
		last = p
	}
	must.Hold(t, last >= .9999, "the largest place is %g", last)
}

// TestShiftFaults: a shift that does not fit its columns is refused, and one is adapted where bins are split.
func TestShiftFaults(t *testing.T) {
	for name, spoil := range map[string]func(s *Shift){
		"itself":            func(s *Shift) { s.With = []int{1} },
		"unknown column":    func(s *Shift) { s.With = []int{2} },
		"column below 0":    func(s *Shift) { s.With = []int{-1} },
		"too few numbers":   func(s *Shift) { s.Adds = [][]float64{{0, 1}} },
		"no numbers":        func(s *Shift) { s.Adds = nil },
		"number below 0":    func(s *Shift) { s.Adds = [][]float64{{0, -1, 0}} },
		"no number":         func(s *Shift) { s.Adds = [][]float64{{0, math.NaN(), 0}} },
		"no spread":         func(s *Shift) { s.Spread = 0 },
		"too few bins":      func(s *Shift) { s.Levels = s.Levels[:1] },
		"too few quantiles": func(s *Shift) { s.Levels[1] = s.Levels[1][:3] },
		"falling":           func(s *Shift) { s.Levels[1][3] = -9 },
		"NaN":               func(s *Shift) { s.Levels[1][3] = math.NaN() },
		"infinite":          func(s *Shift) { s.Levels[1][len(ShiftLevels)-1] = math.Inf(1) },
	} {
		d := shiftedDomain(t, [3]float64{.5, .5, 0})
		must.Value(d.couple())(t)
		spoil(d.Attributes[1].Coupling.Shift)
		must.Fails(d.couple())(t, "", "%s is taken", name)
	}
	d := shiftedDomain(t, [3]float64{.5, .5, 0})
	d.Attributes[0].Cuts, d.Attributes[1].Cuts = []int64{0, 250, 500, 999}, []int64{0, 500, 750, 999}
	d.Recouple(0, []Code{0, 0, 1, 2})
	d.Recouple(1, []Code{0, 1, 1, 2})
	s := d.Attributes[1].Coupling.Shift
	must.Hold(t, slices.Equal(s.Adds[0], []float64{0, 0, 3, 1}) && len(s.Levels) == 3 && len(s.Levels[0]) == 0 && slices.Equal(s.Levels[1], s.Levels[2]),
		"after a split: %+v", s)
	must.Passes(d.couple())(t)
}

// TestShiftOfPeople: a value of a person, the same in all rows, is not moved by what differs between them.
func TestShiftOfPeople(t *testing.T) {
	for _, person := range [][]string{{"b"}, {"a", "b"}} {
		d := shiftedDomain(t, [3]float64{.5, .5, 0})
		d.PrivacyID = "who"
		d.Attributes = append(d.Attributes, Attribute{Name: "c", Type: Bool, Values: []string{"false", "true"}, HasFallback: true})
		events := must.Value(d.WithEvents(person, nil, []int64{1}, 4))(t)
		must.Equal(t, events.Recorded().Attributes[1].Coupling != nil, (len(person) == 2), "columns of the person %v: the shift is kept", person)
	}
}
