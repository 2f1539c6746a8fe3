package discover

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
)

// noisy are the released cells of a statistic.
type noisy struct {
	cells []float64
	sigma float64
}

// of adds up some cells.
func (n noisy) of(cells ...int) (s float64) {
	for _, cell := range cells {
		s += n.cells[cell]
	}
	return s
}

// measure releases statistics by their indices in sizes.
func measure(c asker, stage string, share dp.Share, statistics ...int) ([]noisy, error) {
	if len(statistics) == 0 {
		return nil, nil
	}
	cliques, out := make([]domain.Clique, len(statistics)), make([]noisy, len(statistics))
	for i, s := range statistics {
		cliques[i] = domain.Clique{s}
	}
	measured, err := c.Measure(stage, 1, cliques, nil, share)
	for i, m := range measured {
		out[i] = noisy{m.Values, math.Sqrt(m.Variance)}
	}
	return out, err
}

// measureColumns releases a statistic of some columns. The map goes by the index of the column.
func measureColumns(c asker, stage string, statistic int, columns []int, share dp.Share) (map[int]noisy, error) {
	indices, out := make([]int, len(columns)), map[int]noisy{}
	for i, column := range columns {
		indices[i] = attribute(column, statistic)
	}
	list, err := measure(c, stage, share, indices...)
	for i, n := range list {
		out[columns[i]] = n
	}
	return out, err
}

// The chances that noise alone makes an end of a range, by where it would be: within reach of the cells that are seen
// already, where it makes the range a little longer; or far from them, where it would make one that is empty for the most
// part. With little noise some wild records would make an end: it has a few people, too, and a part of all.
const (
	reach      = 2
	firstFalse = .001
	nearFalse  = 2e-5 // within reach, and as much beyond it: less than 1 of 10,000 ranges together
	farFalse   = 1e-7
	widest     = 8 // neighbouring cells that are looked at together
	fewestEnd  = 5 // people
	leastEnd   = 1e-4
)

// seen returns the outermost cells that stand out of the noise, by themselves or together with those behind them. It begins
// at the largest, and goes on from what it sees. The bars are such that noise alone passes any of them with the
// probabilities above, whatever the number of cells. width, if not nil, gives the width of a range from one cell to another: what makes the
// range twice as wide at most is not far from it either, such as what is below 0 where nearly all is above.
func (n noisy) seen(width func(first, last int) float64) (first, last int, ok bool) {
	if first, last, ok = n.top(); !ok {
		return 0, 0, false
	}
	for from, to := -1, -1; from != first || to != last; { // what is far from one end may be near the next
		from, to = first, last
		wide := func(i int) bool {
			return width != nil && width(min(first, i), max(last, i)) <= 2*width(first, last)
		}
		first, last = n.end(first, -1, wide), n.end(last, 1, wide)
	}
	return first, last, true
}

// top returns the fullest cell or, where people are few and spread, the fullest 2, 4 or 8 neighbouring ones; of the fewest that stand
// out.
func (n noisy) top() (first, last int, ok bool) {
	for wide := 1; wide <= min(widest, len(n.cells)); wide *= 2 {
		most, total := n.sigma*quantile(firstFalse/4/float64(len(n.cells)))*math.Sqrt(float64(wide)), 0.
		for i, x := range n.cells {
			if total += x; i >= wide {
				total -= n.cells[i-wide]
			}
			if i >= wide-1 && total > most {
				most, first, last, ok = total, i-wide+1, i, true
			}
		}
		if ok {
			break
		}
	}
	return first, last, ok
}

// end returns the outermost cell beyond one, in a direction of 1 or −1, that stands out; or that one.
func (n noisy) end(known, direction int, near func(int) bool) int {
	outermost, inside, least := 0, 0, max(fewestEnd, leastEnd*sum(n.cells))
	if direction > 0 {
		outermost = len(n.cells) - 1
	}
	for i := known; i != outermost && near(i+direction); i += direction {
		inside++
	}
	for i := outermost; i != known; i -= direction {
		chance := nearFalse / (2 * reach)
		switch beyond := (i - known) * direction; {
		case beyond <= reach:
		case beyond <= inside:
			chance = nearFalse / (2 * float64(inside))
		default:
			chance = farFalse / float64(len(n.cells))
		}
		z := quantile(chance / 4) // of 1, 2, 4 and 8 cells
		total := 0.
		for wide := 1; wide <= min(widest, (outermost-i)*direction+1); wide++ {
			total += n.cells[i+(wide-1)*direction]
			if wide&(wide-1) == 0 && total > max(least, z*n.sigma*math.Sqrt(float64(wide))) {
				return i
			}
		}
	}
	return known
}

func sum(list []float64) (s float64) {
	for _, x := range list {
		s += x
	}
	return s
}

// quantile is the value that a standard normal exceeds with a probability.
func quantile(p float64) float64 { return -distuv.UnitNormal.Quantile(p) }
