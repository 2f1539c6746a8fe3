package domain

import (
	"slices"
	"sort"
)

// fine numbers the values of an attribute with learned bins. Values outside the range become the nearest of its ends and
// the exact values beyond. Between two multiples of the resolution INT64, NUMERIC and FLOAT64 round to the nearer one,
// times to the earlier one.
type fine struct {
	n int

	first, resolution int64 // first·resolution is value 0
	nearest           bool

	grid *grid // FLOAT64

	exact      map[int]int64 // values written in place of native, by number
	floatExact map[int]float64

	outer      outer[int64]
	floatOuter outer[float64]
}

// outer are the exact values beyond the cut points, and between them the two ends of the range, each with its number.
type outer[T int64 | float64] struct {
	values  []T
	numbers []int
	ends    [2]T
}

// newOuter is empty without exact values beyond. Those below have the first of n numbers, and those above the last.
func newOuter[T int64 | float64](exact, cuts []T, n int, multiple func(k int) T) (o outer[T]) {
	below, above := outside(exact, cuts)
	if len(below)+len(above) == 0 {
		return o
	}
	first, last := len(below), n-1-len(above)
	o.ends = [2]T{multiple(first), multiple(last)}
	o.values = slices.Concat(below, o.ends[:], above)
	for k := range first {
		o.numbers = append(o.numbers, k)
	}
	o.numbers = append(o.numbers, first, last)
	for k := last + 1; k < n; k++ {
		o.numbers = append(o.numbers, k)
	}
	return o
}

// outside returns the exact values below and above all cut points.
func outside[T int64 | float64](exact, cuts []T) (below, above []T) {
	from := sort.Search(len(exact), func(i int) bool { return exact[i] >= cuts[0] })
	to := sort.Search(len(exact), func(i int) bool { return exact[i] > cuts[len(cuts)-1] })
	return exact[:from], exact[max(from, to):]
}

// nearest returns the number of what a value outside the range becomes.
func (o *outer[T]) nearest(v T) (k int, ok bool) {
	if len(o.values) == 0 || o.ends[0] <= v && v <= o.ends[1] {
		return 0, false
	}
	i := sort.Search(len(o.values), func(i int) bool { return o.values[i] >= v })
	if i == len(o.values) || i > 0 && float64(v)-float64(o.values[i-1]) < float64(o.values[i])-float64(v) {
		i--
	}
	return o.numbers[i], true
}

func newFine(a *Attribute) *fine {
	f := &fine{n: a.Fine()}
	if len(a.FloatCuts) > 1 {
		g := newGrid(a, 0)
		f.grid = &g
		f.floatExact = make(map[int]float64, len(a.FloatExact))
		f.floatOuter = newOuter(a.FloatExact, a.FloatCuts, f.n, func(k int) float64 { return g.multiple(g.first + float64(k)) })
		for _, v := range a.FloatExact {
			f.floatExact[int(f.ofFloat(v))] = v
		}
		return f
	}
	f.first, _ = a.span()
	f.resolution, f.nearest = a.Resolution, a.rounds()
	f.outer = newOuter(a.Exact, a.Cuts, f.n, func(k int) int64 { return (f.first + int64(k)) * f.resolution })
	f.exact = make(map[int]int64, len(a.Exact))
	for _, v := range a.Exact {
		f.exact[int(f.ofNative(v))] = v
	}
	return f
}

// whole returns the attribute with one range in place of bins that were learned, or are still to be.
func (a *Attribute) whole() *Attribute {
	w := *a
	w.Learned, w.Runs, w.Coupling = 1, nil, nil
	if n := len(a.FloatCuts); n > 1 {
		w.FloatCuts = []float64{a.FloatCuts[0], a.FloatCuts[n-1]}
	} else {
		w.Cuts = []int64{a.Cuts[0], a.Cuts[len(a.Cuts)-1]}
	}
	return &w
}

// ofMultiples reports whether bins were learned from multiples of the resolution, or are one each: then a number has the bin of
// the multiple that is written in its place. Other bins that were declared hold the number itself.
func (a *Attribute) ofMultiples() bool {
	return a.Learned == 0 && (a.Resolution > 0 && len(a.Cuts) > 1 || len(a.FloatCuts) > 1) && (len(a.Runs) > 0 || a.whole().Fine() == a.Bins())
}

// numbered returns the values of each bin: from the number of the first one to before the second.
func (a *Attribute) numbered() [][2]int {
	out := make([][2]int, a.Bins())
	if len(a.FloatCuts) > 1 {
		whole := newGrid(a.whole(), 0)
		for b := range out {
			g := newGrid(a, b)
			out[b] = [2]int{int(g.first - whole.first), int(g.last-whole.first) + 1}
		}
		return out
	}
	first, _ := a.span()
	for b := range out {
		lo, hi := a.multiples(b)
		out[b] = [2]int{int(lo - first), int(hi-first) + 1}
	}
	return out
}

// ofNative returns the number of the value of a number in the native unit.
func (f *fine) ofNative(v int64) Code {
	if f.grid != nil {
		return f.ofFloat(float64(v))
	}
	if k, ok := f.outer.nearest(v); ok {
		return Code(k)
	}
	k := rounded(v, f.resolution, f.nearest)
	switch {
	case k <= f.first:
		return 0
	case uint64(k)-uint64(f.first) >= uint64(f.n):
		return Code(f.n - 1)
	}
	return Code(uint64(k) - uint64(f.first))
}

// rounded returns the number of the multiple of the resolution that is nearest to v, or not above it.
func rounded(v, resolution int64, nearest bool) int64 {
	if resolution <= 1 {
		return v
	}
	k := floorDiv(v, resolution)
	if rest := v - k*resolution; nearest && rest >= resolution-rest {
		k++
	}
	return k
}

// ofFloat returns the number of the value of a float64 that is a number.
func (f *fine) ofFloat(v float64) Code {
	g := f.grid
	if k, ok := f.floatOuter.nearest(v); ok {
		return Code(k)
	}
	return Code(min(max(g.nearest(v)-g.first, 0), float64(f.n-1)))
}

// stand returns the multiple that stands for a value.
func (f *fine) stand(v int64) int64 { return (f.first + int64(f.ofNative(v))) * f.resolution }

// standFloat is stand for FLOAT64.
func (f *fine) standFloat(v float64) float64 {
	return f.grid.multiple(f.grid.first + float64(f.ofFloat(v)))
}

// native returns value k in the native unit.
func (f *fine) native(k int) int64 {
	if v, ok := f.exact[k]; ok {
		return v
	}
	return (f.first + int64(k)) * f.resolution
}

// float returns value k of a FLOAT64.
func (f *fine) float(k int) float64 {
	if v, ok := f.floatExact[k]; ok {
		return v
	}
	return f.grid.multiple(f.grid.first + float64(k))
}

// rounds reports whether values between two multiples of the resolution become the nearer one.
func (a *Attribute) rounds() bool { return a.Type == Int64 || a.Type == Numeric }

// nearest returns the number of the multiple of the resolution in place of which v is written: the nearest in the range, or
// the number of an exact value beyond.
func (a *Attribute) nearest(v int64) int64 {
	first, last := a.span()
	below, above := outside(a.Exact, a.Cuts)
	if i, ok := slices.BinarySearch(below, v); ok {
		return first + int64(i)
	}
	if i, ok := slices.BinarySearch(above, v); ok {
		return last - int64(len(above)-1-i)
	}
	return min(max(rounded(v, a.Resolution, a.rounds()), first), last)
}

// Nearest returns the multiple of the resolution that v, an exact value, is written in place of.
func (a *Attribute) Nearest(v int64) int64 { return a.nearest(v) * a.Resolution }

// written returns multiple k of the resolution, or the exact value that is written in place of it.
func (a *Attribute) written(k int64) int64 {
	first, last := a.span()
	switch below, above := outside(a.Exact, a.Cuts); {
	case k >= first && uint64(k-first) < uint64(len(below)): // a difference may leave int64
		return below[k-first]
	case k <= last && uint64(last-k) < uint64(len(above)):
		return above[int64(len(above))-1-(last-k)]
	}
	if len(a.Exact) > 0 {
		of := func(i int) int64 { return a.nearest(a.Exact[i]) }
		if i := sort.Search(len(a.Exact), func(i int) bool { return of(i) >= k }); i < len(a.Exact) && of(i) == k {
			return a.Exact[i]
		}
	}
	return k * a.Resolution
}

// ReserveExact makes room for the exact values beyond the cut points: the outermost multiples of the resolution, which
// each of them is written in place of, lie outside the range that was given.
func (a *Attribute) ReserveExact() {
	if len(a.Cuts) > 1 {
		below, above := outside(a.Exact, a.Cuts)
		first, last := a.span()
		if len(below) > 0 {
			a.Cuts[0] = (first - int64(len(below))) * a.Resolution
		}
		if len(above) > 0 {
			a.Cuts[len(a.Cuts)-1] = (last + int64(len(above))) * a.Resolution
		}
	} else if len(a.FloatCuts) > 1 {
		below, above := outside(a.FloatExact, a.FloatCuts)
		g := newGrid(a, 0)
		if len(below) > 0 {
			a.FloatCuts[0] = g.multiple(g.first - float64(len(below)))
		}
		if len(above) > 0 {
			a.FloatCuts[len(a.FloatCuts)-1] = g.multiple(g.last + float64(len(above)))
		}
	}
}

// writtenFloat is written for FLOAT64; g is the grid of any bin.
func (a *Attribute) writtenFloat(g *grid, k float64) float64 {
	if len(a.FloatExact) > 0 {
		whole := newGrid(a.whole(), 0)
		switch below, above := outside(a.FloatExact, a.FloatCuts); {
		case k >= whole.first && k-whole.first < float64(len(below)):
			return below[int(k-whole.first)]
		case k <= whole.last && whole.last-k < float64(len(above)):
			return above[len(above)-1-int(whole.last-k)]
		}
		of := func(i int) float64 { return min(max(g.nearest(a.FloatExact[i]), whole.first), whole.last) }
		if i := sort.Search(len(a.FloatExact), func(i int) bool { return of(i) >= k }); i < len(a.FloatExact) && of(i) == k {
			return a.FloatExact[i]
		}
	}
	return g.multiple(k)
}
