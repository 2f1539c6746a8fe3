package discover

import (
	"cmp"
	"math"
	"math/big"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

// farEnd returns the end of a range with the larger magnitude, and where the range ends without it, if that leaves most of
// it empty: no other magnitude with values is near, and these are more, and not all 0. What noise may hide between both is little.
func (n noisy) farEnd(e extent) (cell, next int, far bool) {
	size := func(i int) int { return max(i-powers, powers-i) }
	direction := 1
	if cell = e.last; size(e.first) > size(e.last) {
		cell, direction = e.first, -1
	}
	other, largest, inner, gap := e.first+e.last-cell, 0, 0., noisy{sigma: n.sigma}
	next = other
	z := quantile(firstFalse / float64(e.last-e.first+1))
	for i := cell - direction; i != other-direction; i -= direction {
		if seen := n.cells[i] > z*n.sigma; seen || i == other {
			if next == other && seen {
				next = i
			}
			if i != other || (i < powers) == (cell < powers) || !seen { // codes may be on both sides of 0
				largest = max(largest, size(i))
			}
		}
		if inner += n.cells[i]; next == other && i != other {
			gap.cells = append(gap.cells, n.cells[i])
		}
	}
	hidden := max(0, sum(gap.cells)) + n.sigma*math.Sqrt(float64(len(gap.cells)))
	return cell, next, cell != other && size(cell)-largest > farMagnitudes && largest > 0 && hidden <= mostApart*(inner+n.cells[cell])
}

// farMagnitudes is how many empty magnitudes make what is beyond them far from the rest: with it, at most a sixteenth of the range
// would have values.
const farMagnitudes = 3

// far reports whether a column has magnitudes for which codes are worth asking.
func (f *FoundColumn) far(sizes noisy) bool {
	e, ok := f.extent(sizes)
	if !ok {
		return false
	}
	_, _, far := sizes.farEnd(e)
	return far
}

// apart takes magnitudes off both ends of the range that are far from all else, and hold a code, or one eighth alone.
func (f *FoundColumn) apart(e *extent, n figures) {
	for {
		cell, next, far := n.sizes.farEnd(*e)
		if !far || !n.narrow(cell) {
			break
		}
		if e.apart = append(e.apart, cell); cell == e.last {
			e.last = next
		} else {
			e.first = next
		}
	}
	if len(e.apart) > 0 && e.first > powers && e.last-e.first > 6 {
		e.first = powers
	}
}

// narrow reports whether a magnitude holds a code that was released, or values of one of its eighths alone.
func (n figures) narrow(cell int) bool {
	if len(n.codesIn(cell)) > 0 {
		return true
	}
	if n.details.cells == nil || n.sizes.cells[cell] > sum(n.sizes.cells[:magnitudeCells-1])/2 {
		return false
	}
	full := 0
	for i := range details {
		if n.details.cells[cell*details+i] > 3*n.details.sigma {
			full++
		}
	}
	return full <= 1
}

// codesIn returns the codes of a magnitude that stand out of the noise.
func (n figures) codesIn(cell int) (list []string) {
	for _, i := range n.codes.seenCodes(func(c sentinel) bool { return !c.date && magnitude(c.number) == cell }) {
		list = append(list, codes[i].text)
	}
	return list
}

// mostApart is the part of the values that may be beyond a range for its steps to be as fine as the others need.
const mostApart = .1

// standFor returns the values that stand for all of a magnitude: its codes, or the middle of each eighth that has values.
func (f *FoundColumn) standFor(cell int, n figures) (list []string) {
	if list = n.codesIn(cell); len(list) > 0 {
		return list
	}
	low, high := within(cell)
	middles := []float64{(low + high) / 2}
	for i := cell * details; n.details.cells != nil && i < (cell+1)*details; i++ {
		if n.details.cells[i] > 3*n.details.sigma {
			low, high := detailWithin(i)
			middles = append(middles, (low+high)/2)
		}
	}
	if len(middles) > 1 {
		middles = middles[1:]
	}
	for _, x := range middles {
		unit := math.Pow10(int(math.Floor(math.Log10(math.Abs(x)))) - 2) // three digits
		if f.Type == domain.Int64 || f.Type == domain.Numeric {
			unit = max(unit, 1)
		}
		list = append(list, strings.TrimSuffix(string(domain.AppendFloat(nil, math.Round(x/unit)*unit)), ".0"))
	}
	return list
}

// common keeps a value of the eighth with the most units.
func (f *FoundColumn) common(e extent, n noisy) {
	if n.cells == nil {
		return
	}
	low, high := detailWithin(n.most(e.first*details, (e.last+1)*details-1))
	x := new(big.Rat).SetFloat64((low + high) / 2)
	lo, hi, step := decimal(f.Min), decimal(f.Max), decimal(cmp.Or(f.Resolution, "1"))
	if x = cellkind.FloorTo(x, step); x.Sign() < 0 { // cells below 0 have their end
		x.Add(x, step)
	}
	if x.Cmp(lo) >= 0 && x.Cmp(hi) <= 0 {
		f.Common = cellkind.Digits(x)
	}
}
