package discover

import (
	"math"
	"slices"
)

// The magnitudes say how many numbers a column has, and the cells of a range how many of these are in it. Where few people are spread over
// many magnitudes, no cell stands out of the noise, but what the range lacks does. Then an end is where what is beyond the range stands
// out most, by lower bars than where nothing is known to be missing, and still high ones for a range that goes on across 0.
const (
	leastMissing = .02 // of the numbers
	missingBar   = 3   // standard deviations of noise
	reachBar     = 2
	acrossBar    = 3.5
	farthest     = 24 // magnitudes
)

// reach widens a range until it lacks no more than noise hides.
func (f *FoundColumn) reach(e *extent, n figures, units float64) {
	cells, at := f.held(n.sizes)
	first, last := slices.Index(at, e.first), slices.Index(at, e.last)
	numbers := units - n.sizes.cells[magnitudeCells-1]
	for {
		missing := numbers - sum(cells.cells[first:last+1])
		if missing <= max(leastMissing*numbers, missingBar*cells.sigma*math.Sqrt(float64(last-first+2))) {
			break
		}
		end, best := -1, 0.
		for _, direction := range []int{-1, 1} {
			known, total := first, 0.
			if direction > 0 {
				known = last
			}
			for k := 1; k <= farthest && known+k*direction >= 0 && known+k*direction < len(at); k++ {
				i, bar := known+k*direction, float64(reachBar)
				if at[i] < powers && at[known] >= powers || at[i] > powers && at[known] < powers {
					bar = acrossBar
				}
				total += cells.cells[i]
				if z := total / (cells.sigma * math.Sqrt(float64(k))); z > bar && z > best {
					end, best = i, z
				}
			}
		}
		if end < 0 {
			break
		}
		first, last = min(first, end), max(last, end)
	}
	e.first, e.last = at[first], at[last]
}
