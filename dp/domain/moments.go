package domain

import "math"

// Stretch is some values of a cell: evenly spaced, in their order, and alike.
type Stretch struct {
	Low, High float64 // the first and the last one
	Values    float64 // their number; +Inf: all between
	Weight    float64 // beside other stretches of the cell
}

// Moments returns the mean and the mean square of the values that a cell is decoded to, as numbers: BOOL is 0 or 1, NUMERIC as it
// is written, and times are in their native unit. ok is false for NULL and for types that are no numbers.
func (a *Attribute) Moments(code Code) (mean, square float64, ok bool) {
	weight := 0.0
	for _, s := range a.Stretches(code) {
		mid, half := (s.Low+s.High)/2, (s.High-s.Low)/2
		spread := 0.0
		if s.Values > 1 {
			spread = half * half / 3 * (1 + 2/(s.Values-1))
		}
		weight += s.Weight
		mean += s.Weight * mid
		square += s.Weight * (mid*mid + spread)
	}
	if weight == 0 {
		return 0, 0, false
	}
	return mean / weight, square / weight, true
}

// Stretches returns the values that a cell is decoded to, in their order, as numbers as Moments has them; none if those have none.
func (a *Attribute) Stretches(code Code) []Stretch {
	if a.Type == Float64 {
		return a.floatStretches(code)
	}
	unit := math.Pow10(a.Scale)
	lo, hi, ok := a.Ends(code)
	switch {
	case !ok:
		return nil
	case lo == hi || len(a.Values) > 0:
		return []Stretch{{float64(lo) / unit, float64(lo) / unit, 1, 1}}
	}
	first, last := a.multiples(int(code))
	begin, _ := a.span()
	below, above := outside(a.Exact, a.Cuts)
	return a.stretches(uint64(first)-uint64(begin), uint64(last)-uint64(begin), len(below), len(above), func(k uint64) float64 {
		return float64(a.written(begin+int64(k))) / unit
	}, func(k uint64) float64 { return (float64(begin) + float64(k)) * float64(a.Resolution) / unit })
}

func (a *Attribute) floatStretches(code Code) []Stretch {
	lo, hi, ok := a.FloatEnds(code)
	switch {
	case !ok:
		return nil
	case a.FloatResolution == 0:
		return []Stretch{{lo, hi, math.Inf(1), 1}}
	}
	whole, g := newGrid(a.whole(), 0), newGrid(a, int(code))
	below, above := outside(a.FloatExact, a.FloatCuts)
	return a.stretches(uint64(g.first-whole.first), uint64(g.last-whole.first), len(below), len(above), func(k uint64) float64 {
		return a.writtenFloat(&whole, whole.first+float64(k))
	}, func(k uint64) float64 { return (whole.first + float64(k)) * a.FloatResolution })
}

// stretches collects the values of a cell: they are uniform in each run of the distribution, or in the whole cell without one.
type stretches struct {
	shares *Distribution
	weight float64
	list   []Stretch
}

// stretches returns the values from … to, so many of them exact ones below and above the range. Numbers of values are unsigned: all
// of int64 has 2^64.
func (a *Attribute) stretches(from, to uint64, below, above int, exact, linear func(k uint64) float64) []Stretch {
	last := to
	if above > 0 {
		last = uint64(a.whole().Fine() - 1 - above)
	}
	cut := func(m stretches) stretches {
		for k := from; k <= to && k < uint64(below); k++ {
			m.add(k, k, exact)
		}
		m.add(max(from, uint64(below)), min(to, last), linear)
		for k := max(from, last+1); above > 0 && k <= to; k++ {
			m.add(k, k, exact)
		}
		return m
	}
	out := cut(stretches{shares: a.Distribution()})
	if out.weight <= 0 { // no share: all values alike
		out = cut(stretches{})
	}
	return out.list
}

// add adds the values at … to; value is linear in their number.
func (m *stretches) add(at, to uint64, value func(k uint64) float64) {
	for at <= to {
		end, weight := to, float64(to-at)+1
		if m.shares != nil {
			for _, f := range m.shares.from {
				if uint64(f) > at {
					end = min(end, uint64(f)-1)
					break
				}
			}
			weight = m.shares.Below(float64(end)+1) - m.shares.Below(float64(at))
		}
		m.list = append(m.list, Stretch{value(at), value(end), float64(end-at) + 1, weight})
		m.weight += weight
		if end == to {
			return
		}
		at = end + 1
	}
}
