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
	return a.stretches(int(first-begin), int(last-begin)+1, len(below), len(above), func(k float64) float64 {
		return float64(a.written(begin+int64(k))) / unit
	}, func(k float64) float64 { return (float64(begin) + k) * float64(a.Resolution) / unit })
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
	return a.stretches(int(g.first-whole.first), int(g.last-whole.first)+1, len(below), len(above), func(k float64) float64 {
		return a.writtenFloat(&whole, whole.first+k)
	}, func(k float64) float64 { return (whole.first + k) * a.FloatResolution })
}

// stretches collects the values of a cell: they are uniform in each run of the distribution, or in the whole cell without one.
type stretches struct {
	shares *Distribution
	weight float64
	list   []Stretch
}

// stretches returns the values from … to−1, so many of them exact ones below and above the range.
func (a *Attribute) stretches(from, to, below, above int, exact, linear func(k float64) float64) []Stretch {
	last := to
	if above > 0 {
		last = a.whole().Fine() - above
	}
	cut := func(m stretches) stretches {
		for k := from; k < min(to, below); k++ {
			m.add(k, k+1, exact)
		}
		m.add(max(from, below), min(to, last), linear)
		for k := max(from, last); k < to; k++ {
			m.add(k, k+1, exact)
		}
		return m
	}
	out := cut(stretches{shares: a.Distribution()})
	if out.weight <= 0 { // no share: all values alike
		out = cut(stretches{})
	}
	return out.list
}

// add adds the values from … to−1; value is linear in their number.
func (m *stretches) add(from, to int, value func(k float64) float64) {
	for at := from; at < to; {
		end, weight := to, float64(to-at)
		if m.shares != nil {
			for _, f := range m.shares.from {
				if f > at {
					end = min(end, f)
					break
				}
			}
			weight = m.shares.Below(float64(end)) - m.shares.Below(float64(at))
		}
		m.list = append(m.list, Stretch{value(float64(at)), value(float64(end - 1)), float64(end - at), weight})
		m.weight += weight
		at = end
	}
}
