package domain

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

const (
	// MaxFine is the largest number of values of an attribute with learned bins.
	MaxFine = 1 << 20
	// DefaultLearned is the default number of learned bins: three such columns, each with a NULL, have 9,261 cells
	// together, and the default workload holds marginals of at most 10,000.
	DefaultLearned = 20
)

// Fine returns the number of values of an attribute with learned bins: the multiples of its resolution between its
// two cut points. It is 0 for every other attribute, and MaxFine+1 if there are more than MaxFine.
func (a *Attribute) Fine() int {
	switch {
	case a.Learned == 0:
		return 0
	case len(a.FloatCuts) > 1:
		g := newGrid(a, 0)
		return int(min(max(g.last-g.first+1, 0), MaxFine+1))
	}
	lo, hi := a.span()
	if lo > hi {
		return 0
	}
	return int(min(uint64(hi)-uint64(lo), MaxFine)) + 1
}

// span returns the least and the largest multiple of the resolution between the first and the last cut point, each
// divided by the resolution.
func (a *Attribute) span() (lo, hi int64) {
	return ceilDiv(a.Cuts[0], a.Resolution), floorDiv(a.Cuts[len(a.Cuts)-1], a.Resolution)
}

// RecordSize returns the number of codes that a record can have in this attribute: the cells or, if bins are to be
// learned, the values that bins are made of, then NULL.
func (a *Attribute) RecordSize() int {
	if a.Learned == 0 {
		return a.Size()
	}
	n := a.Fine()
	if a.Null {
		n++
	}
	return n
}

// RecordSizes returns the number of codes that a record can have in each attribute.
func (d *Domain) RecordSizes() []int {
	s := make([]int, len(d.Attributes))
	for i := range d.Attributes {
		s[i] = d.Attributes[i].RecordSize()
	}
	return s
}

// Learns reports whether the bins of some attribute are learned.
func (d *Domain) Learns() bool {
	return slices.ContainsFunc(d.Attributes, func(a Attribute) bool { return a.Learned > 0 })
}

// Run is a share of the records, spread evenly over the values from number From up to the From of the next run.
// Values are numbered by the multiples of the resolution, from 0 at the least.
type Run struct {
	From  int
	Share float64
}

// LearnedBins holds the learned bins of one attribute, from a release. It is public.
type LearnedBins struct {
	Attribute int
	Starts    []int // number of the first value of each bin: ascending from 0, as many as the attribute says
	Runs      []Run // the distribution over all values, ascending from 0

	Coupling *Coupling `json:",omitempty"` // nil: values inside bins are independent of all else
}

// WithBins returns the domain with learned bins in place of those to be learned, together with the distribution of
// values inside them. It fails if the list does not name every attribute that learns bins exactly once, or if bins do
// not fit their attribute.
func (d *Domain) WithBins(list []LearnedBins) (*Domain, error) {
	out := d.copied()
	for _, b := range list {
		if b.Attribute < 0 || b.Attribute >= d.Len() || out.Attributes[b.Attribute].Learned == 0 {
			return nil, fmt.Errorf("domain: learned bins of column %d, which has no bins to learn, or has them twice", b.Attribute+1)
		}
		if err := out.Attributes[b.Attribute].learn(b); err != nil {
			return nil, err
		}
	}
	if out.Learns() {
		return nil, fmt.Errorf("domain: a column whose bins were not learned")
	}
	_, err := out.couple()
	return out, err
}

// EqualBins returns the domain with equal bins in place of those that are to be learned, for programs that compare
// tables and have no release. The domain has to be valid.
func (d *Domain) EqualBins() *Domain {
	var list []LearnedBins
	for a := range d.Attributes {
		if x := &d.Attributes[a]; x.Learned > 0 {
			list = append(list, x.equalBins(a))
		}
	}
	out, err := d.WithBins(list)
	if err == nil && d.Ordered() && d.Events.Sequence.Declared.Learned > 0 {
		events, q := *d.Events, *d.Events.Sequence // the column that orders records has none of a release
		err = q.Declared.learn(q.Declared.equalBins(q.Place))
		events.Sequence, out.Events = &q, &events
	}
	if err != nil {
		panic("domain: equal bins of a domain that is not valid")
	}
	return out
}

func (a *Attribute) equalBins(number int) LearnedBins {
	b := LearnedBins{Attribute: number, Runs: []Run{{0, 1}}}
	for i := range a.Learned {
		b.Starts = append(b.Starts, i*a.Fine()/a.Learned)
	}
	return b
}

// learn replaces the one range of values by bins.
func (a *Attribute) learn(b LearnedBins) error {
	fine := a.Fine()
	if len(b.Starts) != a.Learned || !ascending(b.Starts, fine) {
		return fmt.Errorf("domain: column %q: learned bins that do not fit it", a.Name)
	}
	if a.HasFallback {
		a.Fallback = Code(sort.SearchInts(b.Starts, int(a.Fallback)+1) - 1)
	}
	f := newFine(a) // an exact value may be below its multiple
	if f.grid != nil {
		cuts := []float64{a.FloatCuts[0]}
		for _, k := range b.Starts[1:] {
			cuts = append(cuts, f.cutFloat(k))
		}
		a.FloatCuts = append(cuts, a.FloatCuts[1])
	} else {
		cuts := []int64{a.Cuts[0]}
		for _, k := range b.Starts[1:] {
			cuts = append(cuts, f.cut(k))
		}
		a.Cuts = append(cuts, a.Cuts[1])
	}
	a.Learned, a.Runs, a.Coupling = 0, slices.Clone(b.Runs), b.Coupling
	return a.Validate()
}

// cut is where a bin begins whose first value is number k: at the multiple, or at the exact value below it that stands for it.
func (f *fine) cut(k int) int64 {
	multiple := (f.first + int64(k)) * f.resolution
	if slices.Contains(f.outer.values, f.native(k)) {
		return multiple
	}
	return min(f.native(k), multiple)
}

// cutFloat is cut for FLOAT64.
func (f *fine) cutFloat(k int) float64 {
	multiple := f.grid.multiple(f.grid.first + float64(k))
	if slices.Contains(f.floatOuter.values, f.float(k)) {
		return multiple
	}
	return min(f.float(k), multiple)
}

// ascending reports whether x begins with 0, rises and stays below limit.
func ascending(x []int, limit int) bool {
	for i, v := range x {
		if i == 0 && v != 0 || i > 0 && v <= x[i-1] || v >= limit {
			return false
		}
	}
	return true
}

// allBins reports whether codes are all bins of the attribute, or none: of learned bins no others can be told apart.
func (a *Attribute) allBins(codes []Code) bool {
	bins := 0
	for _, c := range codes {
		if int(c) < a.Learned {
			bins++
		}
	}
	return bins == 0 || bins == a.Learned
}

// learned checks the settings of learned bins, and what was learned.
func (v *validator) learned() {
	a := v.a
	v.runs()
	v.exact()
	if a.Learned == 0 {
		return
	}
	whole, float := len(a.Cuts) == 2 && a.Resolution >= 1, len(a.FloatCuts) == 2 && a.FloatResolution > 0
	if !whole && !float || len(a.Runs) > 0 {
		v.add("learned bins need a least and a largest value and a resolution, and no other cells")
		return
	}
	switch n := a.Fine(); {
	case a.Learned < 0 || a.Learned > MaxSize-1:
		v.add("%d learned bins; want 1 to %d", a.Learned, MaxSize-1)
	case n > MaxFine:
		v.add("has more than 2^20 = %d values at its resolution; use a larger resolution, a smaller range, or bins", MaxFine)
	case n < a.Learned:
		v.add("has %d values at its resolution, fewer than its %d learned bins; list it with bins", n, a.Learned)
	}
}

// runs checks a learned distribution.
func (v *validator) runs() {
	a := v.a
	if len(a.Runs) == 0 {
		return
	}
	if len(a.Cuts) < 2 && (len(a.FloatCuts) < 2 || a.FloatResolution == 0) {
		v.add("a learned distribution without bins of multiples of a resolution")
		return
	}
	from := make([]int, len(a.Runs))
	for i, r := range a.Runs {
		if from[i] = r.From; !(r.Share >= 0) || math.IsInf(r.Share, 0) {
			v.add("a learned distribution with a share that is negative or not a number")
			return
		}
	}
	if !ascending(from, a.whole().Fine()) {
		v.add("a learned distribution whose runs do not ascend from 0 inside its range")
	}
}

// exact checks that each exact value has a multiple of the resolution to itself, and is written in its place.
func (v *validator) exact() {
	a := v.a
	if len(a.Exact)+len(a.FloatExact) == 0 {
		return
	}
	whole, float := len(a.Cuts) > 1 && a.Resolution >= 1, len(a.FloatCuts) > 1 && a.FloatResolution > 0
	if a.Learned == 0 && len(a.Runs) == 0 || len(a.Exact) > 0 != whole || len(a.FloatExact) > 0 != float || a.Type == Time {
		v.add("exact values of a column that is no number or date with learned bins")
		return
	}
	w := a.whole()
	if n := w.Fine(); len(a.Exact)+len(a.FloatExact) >= n {
		v.add("has %d exact values and %d values at its resolution; list all with values: [A, B]", len(a.Exact)+len(a.FloatExact), n)
		return
	}
	f, last := newFine(w), -1
	next := func(text string, k Code) {
		if int(k) <= last || int(k) >= f.n {
			v.add("exact value %s is not above the one before it, or rounded to the same multiple of the resolution", text)
		}
		last = int(k)
	}
	for _, x := range a.Exact {
		next(string(a.AppendNative(nil, x)), f.ofNative(x))
	}
	for _, x := range a.FloatExact {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			v.add("exact value %g is not a finite number", x)
			return
		}
		next(string(AppendFloat(nil, x)), f.ofFloat(x))
	}
}
