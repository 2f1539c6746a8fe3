package discover

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// extent are the cells of magnitudes in which a range begins and ends, and what is apart from it.
type extent struct {
	first, last int
	apart       []int // cells outside of it that hold values
}

// What fades out at an end of a range is cut off by noise if people are few. A range that is longer costs less. So the next
// cell is part of it if it shows so much of the units, by itself or with the one behind it, with this chance for noise alone. No
// range goes across 0 for that.
const (
	nextFalse   = .05
	leastFaded  = .01
	mostLost    = .03 // of the numbers: more of them may lie behind an end where noise hides so many in the next cell
	mirrorFalse = 5e-4
	steepest    = 8 // times as many values as the next cell have what fades out: an end that is steeper is one
)

// fades reports whether values go on beyond an end in a direction.
func (n noisy) fades(known, direction int, least float64) bool {
	bar := max(quantile(nextFalse/2)*n.sigma, least, n.cells[known]/steepest)
	x, next := n.cells[known+direction], known+2*direction
	if x > bar || next < 0 || next >= len(n.cells) {
		return x > bar
	}
	return x+n.cells[next] > math.Sqrt2*bar
}

// extent returns the outermost cells that stand out of the noise.
func (f *FoundColumn) extent(sizes noisy) (e extent, ok bool) {
	cells, at := f.held(sizes)
	first, last, ok := cells.seen(func(first, last int) float64 {
		low, _ := within(at[first])
		_, high := within(at[last])
		return high - low
	})
	if !ok {
		return e, false
	}
	least := leastFaded * sum(cells.cells[first:last+1])
	for first > 0 && at[first] != powers && cells.fades(first, -1, least) {
		first--
	}
	for last < len(at)-1 && at[last] != powers && cells.fades(last, 1, least) {
		last++
	}
	e.first, e.last = at[first], at[last]
	if !e.mirrored(sizes, least) {
		e.toZero(sizes, least)
	}
	return e, true
}

// mirrored widens a range on one side of 0 to the other side, if cells of the same magnitudes stand out there together: half of the numbers that
// lie around 0 may do so where none of their cells does.
func (e *extent) mirrored(sizes noisy, least float64) bool {
	if e.first <= powers && e.last >= powers {
		return false
	}
	first, last := 2*powers-e.last, 2*powers-e.first
	if sum(sizes.cells[first:last+1]) <= max(least, quantile(mirrorFalse)*sizes.sigma*math.Sqrt(float64(last-first+1))) {
		return false
	}
	e.first, e.last = min(first, e.first), max(last, e.last)
	return true
}

// toZero makes 0 an end of a range that is far from it beside its width, is seen there, or may be so as far as noise lets one see: a quarter of
// the range, or less, lies there.
func (e *extent) toZero(sizes noisy, least float64) {
	inner, hidden := e.last-e.first, quantile(nextFalse/2)*sizes.sigma > mostLost*sum(sizes.cells[e.first:e.last+1])
	switch near := inner > 6 || hidden && inner > 0 || inner > 1 && sizes.cells[powers] > max(quantile(nextFalse)*sizes.sigma, least); {
	case near && e.first > powers:
		e.first = powers
	case near && e.last < powers:
		e.last = powers
	}
}

// held are the cells of magnitudes that the type can have, and where they are: numbers of so many places have none below the last.
func (f *FoundColumn) held(magnitudes noisy) (list noisy, at []int) {
	least := f.least
	if list.sigma = magnitudes.sigma; f.Type == domain.Int64 {
		least = 1
	}
	for i, x := range magnitudes.cells[:magnitudeCells-1] {
		if low, high := within(i); i != powers && max(-low, high) <= least {
			continue
		}
		list.cells, at = append(list.cells, x), append(at, i)
	}
	return list, at
}

// The magnitudes say how many numbers a column has, and the cells of a range how many of these are in it. Where few people are spread over
// many magnitudes, no cell stands out of the noise, but what the range lacks does. Then an end is where what is beyond the range stands
// out most, by lower bars than where nothing is known to be missing, and still high ones for a range that goes on across 0.
const (
	leastMissing = .02 // of the numbers
	missingBar   = 3.  // standard deviations of noise
	reachBar     = 2.
	acrossBar    = 3.5
	aloneBar     = 1.5 // where 0 alone is seen, of which a column cannot be made: what seems to be missing lies somewhere
	farthest     = 24  // magnitudes
)

// reach widens a range until it lacks no more than noise hides.
func (f *FoundColumn) reach(e *extent, n figures, units float64) {
	cells, at := f.held(n.sizes)
	first, last := slices.Index(at, e.first), slices.Index(at, e.last)
	numbers := units - n.sizes.cells[magnitudeCells-1]
	for {
		missing, missingBar, reachBar := numbers-sum(cells.cells[first:last+1]), missingBar, reachBar
		if first == last && at[first] == powers {
			missingBar, reachBar = aloneBar, aloneBar
		}
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
				i, bar := known+k*direction, reachBar
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
