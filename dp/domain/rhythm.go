package domain

// leastRounds is over how many weeks, or days, values have to be spread for a rhythm: where half of them are of one week, as the
// first flights in a year of planes are, its days pass for the days of all weeks.
const leastRounds = 4

// Rhythm returns how likely the moments of a week are in the learned distribution of dates or times, each as a part of the
// likeliest; of a day if values are of fewer than four weeks. Value k lies at moment k modulo their number. All weeks count
// alike. It is nil if no distribution was learned, or if even the days are too few.
func (a *Attribute) Rhythm() []float64 {
	f, d := a.Type.Facts(), a.Distribution()
	if d == nil || !f.Calendar || f.Day == 0 || a.Type == Time {
		return nil
	}
	for _, days := range [2]int64{7, 1} {
		if n := days * f.Day / a.Resolution; n > 1 && days*f.Day%a.Resolution == 0 {
			if out, rounds := d.folded(int(n)); rounds >= leastRounds {
				return out
			}
		}
	}
	return nil
}

// folded returns how likely values are modulo n, as parts of the likeliest, in the mean of all whole rounds of n values, and over
// how many rounds alike the values are spread, as one over the sum of their squared shares.
func (d *Distribution) folded(n int) (out []float64, rounds float64) {
	out = make([]float64, n)
	whole, squares, most := 0.0, 0.0, 0.0
	for from := 0; from+n <= d.from[len(d.from)-1]; from += n {
		before := d.Below(float64(from))
		round := d.Below(float64(from+n)) - before
		if !(round > 0) {
			continue
		}
		whole, squares = whole+round, squares+round*round
		for i := range out {
			next := d.Below(float64(from + i + 1))
			out[i] += (next - before) / round
			before = next
		}
	}
	for _, x := range out {
		most = max(most, x)
	}
	if most == 0 {
		return nil, 0
	}
	for i := range out {
		out[i] /= most
	}
	return out, whole * whole / squares
}
