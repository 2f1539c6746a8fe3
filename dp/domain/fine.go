package domain

import "sort"

// fine numbers the values of an attribute with learned bins. Values outside the range become its ends. Between two
// multiples of the resolution INT64, NUMERIC and FLOAT64 round to the nearer one, times to the earlier one.
type fine struct {
	n int

	first, resolution int64 // first·resolution is value 0
	nearest           bool

	grid *grid // FLOAT64

	exact      map[int]int64 // values written in place of native, by number
	floatExact map[int]float64
}

func newFine(a *Attribute) *fine {
	f := &fine{n: a.Fine()}
	if len(a.FloatCuts) > 1 {
		g := newGrid(a, 0)
		f.grid = &g
		f.floatExact = make(map[int]float64, len(a.FloatExact))
		for _, v := range a.FloatExact {
			f.floatExact[int(f.ofFloat(v))] = v
		}
		return f
	}
	f.first, _ = a.span()
	f.resolution, f.nearest = a.Resolution, a.Type == Int64 || a.Type == Numeric
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
	return Code(min(max(g.nearest(v)-g.first, 0), float64(f.n-1)))
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

// nearest returns the number of the multiple of the resolution, of those in the range, that is nearest to v.
func (a *Attribute) nearest(v int64) int64 {
	first, last := a.span()
	return min(max(rounded(v, a.Resolution, true), first), last)
}

// Nearest returns the multiple of the resolution in the range that is nearest to v, an exact value of an INT64 or NUMERIC:
// v is written in place of it.
func (a *Attribute) Nearest(v int64) int64 { return a.nearest(v) * a.Resolution }

// written returns multiple k of the resolution, or the exact value that is written in place of it.
func (a *Attribute) written(k int64) int64 {
	if len(a.Exact) > 0 {
		of := func(i int) int64 { return a.nearest(a.Exact[i]) }
		if i := sort.Search(len(a.Exact), func(i int) bool { return of(i) >= k }); i < len(a.Exact) && of(i) == k {
			return a.Exact[i]
		}
	}
	return k * a.Resolution
}

// writtenFloat is written for FLOAT64; g is the grid of any bin.
func (a *Attribute) writtenFloat(g *grid, k float64) float64 {
	if len(a.FloatExact) > 0 {
		whole := newGrid(a.whole(), 0)
		of := func(i int) float64 { return min(max(g.nearest(a.FloatExact[i]), whole.first), whole.last) }
		if i := sort.Search(len(a.FloatExact), func(i int) bool { return of(i) >= k }); i < len(a.FloatExact) && of(i) == k {
			return a.FloatExact[i]
		}
	}
	return g.multiple(k)
}
