package domain

import "math"

// Moments returns the mean and the mean square of the values that a cell is decoded to, as numbers: BOOL is 0 or 1, NUMERIC as it
// is written, and times are in their native unit. ok is false for NULL and for types that are no numbers.
func (a *Attribute) Moments(code Code) (mean, square float64, ok bool) {
	unit := 1.0
	for range a.Scale {
		unit *= 10
	}
	if a.Type == Float64 {
		return a.floatMoments(code)
	}
	lo, hi, ok := a.Ends(code)
	if !ok {
		return 0, 0, false
	}
	if lo == hi || len(a.Values) > 0 {
		x := float64(lo) / unit
		return x, x * x, true
	}
	first, last := a.multiples(int(code))
	begin, _ := a.span()
	sum := moments{shares: a.Distribution()}
	below, above := outside(a.Exact, a.Cuts)
	sum.cell(int(first-begin), int(last-begin)+1, len(below), a.before(len(above)), func(k float64) float64 {
		return float64(a.written(begin+int64(k))) / unit
	}, func(k float64) float64 { return (float64(begin) + k) * float64(a.Resolution) / unit })
	mean, square = sum.result()
	return mean, square, true
}

func (a *Attribute) floatMoments(code Code) (mean, square float64, ok bool) {
	lo, hi, ok := a.FloatEnds(code)
	if !ok {
		return 0, 0, false
	}
	if a.FloatResolution == 0 || len(a.Runs) == 0 {
		m, half := (lo+hi)/2, (hi-lo)/2
		return m, m*m + half*half/3, true
	}
	whole, g := newGrid(a.whole(), 0), newGrid(a, int(code))
	sum := moments{shares: a.Distribution()}
	below, above := outside(a.FloatExact, a.FloatCuts)
	sum.cell(int(g.first-whole.first), int(g.last-whole.first)+1, len(below), a.before(len(above)), func(k float64) float64 {
		return a.writtenFloat(&whole, whole.first+k)
	}, func(k float64) float64 { return (whole.first + k) * a.FloatResolution })
	mean, square = sum.result()
	return mean, square, true
}

// moments collects the values of a cell: they are uniform in each run of the distribution, or in the whole cell without one.
type moments struct {
	shares                *Distribution
	weight, first, second float64
}

// before returns the number from which on values are the exact ones above the range, if there are any.
func (a *Attribute) before(above int) int {
	if above == 0 {
		return math.MaxInt
	}
	return a.whole().Fine() - above
}

// cell adds the values from … to−1, of which those before first and from last on are exact values beyond the range.
func (m *moments) cell(from, to, first, last int, exact, linear func(k float64) float64) {
	for k := from; k < min(to, first); k++ {
		m.add(k, k+1, exact)
	}
	m.add(max(from, first), min(to, last), linear)
	for k := max(from, last); k < to; k++ {
		m.add(k, k+1, exact)
	}
	if m.weight <= 0 && m.shares != nil { // no share: all values alike
		*m = moments{}
		m.cell(from, to, first, last, exact, linear)
	}
}

// add adds the values from … to−1; value is linear in their number.
func (m *moments) add(from, to int, value func(k float64) float64) {
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
		lo, hi := value(float64(at)), value(float64(end-1))
		mid, half := (lo+hi)/2, (hi-lo)/2
		spread := 0.0
		if n := float64(end - at); n > 1 {
			spread = half * half / 3 * (n + 1) / (n - 1)
		}
		m.weight += weight
		m.first += weight * mid
		m.second += weight * (mid*mid + spread)
		at = end
	}
}

func (m *moments) result() (mean, square float64) { return m.first / m.weight, m.second / m.weight }
