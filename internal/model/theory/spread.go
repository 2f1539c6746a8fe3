package theory

import (
	"math"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	// LeastSeen is how many standard deviations of a difference's noise the records of a value are that stand out of a
	// released tree by themselves.
	LeastSeen = 3
	// UnsureSpread is the part of the squared deviations of a column from which on, if fewer records than can be seen hold it,
	// the standard deviation of rows is often off by more than a tenth: 18 of 59 times above it on six made-up tables of
	// 20,000 to 35,000 records, two runs each at ε = 1, from which it was chosen. Below it 2 of 31 times, both of a column with
	// a single value far from all others.
	UnsureSpread = .3
)

// FarSpread returns the part of the squared deviations of values, released as runs over the values 0 … n−1, that the given
// share of the records holds which has the largest values, or the smallest if those hold more.
func FarSpread(runs []domain.Run, n int, share float64) float64 {
	end := func(i int) int {
		if i+1 < len(runs) {
			return runs[i+1].From
		}
		return n
	}
	// squares returns the mean of (v − mean)² over the values from … to−1.
	squares := func(from, to, mean float64) float64 {
		middle, width := (from+to-1)/2-mean, max(to-from, 1)
		return middle*middle + (width*width-1)/12
	}
	records, mean, all := 0.0, 0.0, 0.0
	for i, r := range runs {
		records += r.Share
		mean += r.Share * float64(r.From+end(i)-1) / 2
	}
	if records <= 0 {
		return 0
	}
	mean /= records
	for i, r := range runs {
		all += r.Share * squares(float64(r.From), float64(end(i)), mean)
	}
	if all <= 0 {
		return 0
	}
	most := 0.0
	for _, upper := range []bool{false, true} {
		left, sum := share*records, 0.0
		for k := 0; k < len(runs) && left > 0; k++ {
			i := k
			if upper {
				i = len(runs) - 1 - k
			}
			r := runs[i]
			if r.Share <= 0 {
				continue
			}
			from, to := float64(r.From), float64(end(i))
			taken := min(left, r.Share)
			if width := max((to-from)*taken/r.Share, 1); upper {
				from = to - width
			} else {
				to = from + width
			}
			sum += taken * squares(from, to, mean)
			left -= taken
		}
		most = max(most, sum)
	}
	return math.Min(1, most/all)
}
