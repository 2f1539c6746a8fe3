package population

import (
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

const (
	// roomCells is the number of cells of the grid on which sums of gaps are computed.
	roomCells = 64
	// insideGap is how many positions in a bin of gaps stand for all of its values.
	insideGap = 8
	// eachRows is up to which number of rows each has a law of its own. Behind it there are half as many for each doubling.
	eachRows = 16
)

// rooms says how likely the gaps of so many rows fit into what is left of the range. Gaps are drawn independently of each
// other, by bin of the number of rows, as they are in such people. A history that ends inside the range has a small gap where
// little is left, the more so the more rows are to come.
type rooms struct {
	width float64       // values of a cell of the grid
	least int64         // the smallest gap
	rows  []int64       // 1, 2, … up to the most rows of a person, ascending; see rowSteps
	fit   [][][]float64 // by bin, then as rows, then by room in cells
}

// rowSteps returns numbers from 1 to at most most. Each is the sum of the one before and another of them.
func rowSteps(most int64) (steps []int64) {
	step := int64(1)
	for n := step; n <= most; n += step {
		if steps = append(steps, n); n >= eachRows*step {
			step *= 2
		}
	}
	return steps
}

// newRooms returns the room of the gaps of the donors of h.
func newRooms(h *histories) *rooms {
	m, cuts := h.p.m, h.p.e.Cuts
	r := &rooms{width: max(1, float64(h.Last)/roomCells), rows: rowSteps(cuts[len(cuts)-1]), fit: make([][][]float64, m.Sizes[h.p.e.Rows])}
	if h.Strict {
		r.least = 1
	}
	gaps := make([][]float64, len(r.fit))
	for b := range gaps {
		gaps[b] = make([]float64, m.Sizes[h.Gap])
	}
	for i, w := range h.later.weights {
		of := h.later.records[i]
		gaps[m.code(of, h.p.e.Rows)][m.code(of, h.Gap)] += w
	}
	for b, weights := range gaps {
		law := r.law(h, weights[:len(weights)-1])
		laws := map[int64][]float64{1: law}
		for i, n := range r.rows {
			if law == nil || n > cuts[b+1] {
				break
			}
			if i > 0 {
				before := r.rows[i-1]
				laws[n] = convolve(laws[before], laws[n-before])
			}
			r.fit[b] = append(r.fit[b], firstSums(laws[n]))
		}
	}
	return r
}

// law returns the law of a gap by cell of the grid, with the same mean; nil without one. Longer ones than the range are left out.
func (r *rooms) law(h *histories, weights []float64) []float64 {
	total := summation.InOrder(weights)
	if total == 0 {
		return nil
	}
	out := make([]float64, roomCells+2)
	for c, w := range weights {
		for k := 0; k < insideGap && w > 0; k++ {
			x := float64(h.Value(h.Gap, domain.Code(c), (float64(k)+.5)/insideGap)) / r.width
			cell := int(x)
			if cell > roomCells {
				continue
			}
			part, share := x-float64(cell), w/total/insideGap
			out[cell] += float64(share * (1 - part))
			out[cell+1] += float64(share * part)
		}
	}
	return out[:roomCells+1]
}

// convolve returns the law of the sum of two lengths, as far as the grid goes.
func convolve(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for i, x := range a {
		for j, y := range b[:len(b)-i] {
			out[i+j] += float64(x * y)
		}
	}
	return out
}

// firstSums returns the sums of the first values, of 1, 2, … of them.
func firstSums(values []float64) []float64 {
	out, sum := make([]float64, len(values)), 0.0
	for i, x := range values {
		sum += x
		out[i] = sum
	}
	return out
}

// room is that for so many rows of people of a bin.
type room struct {
	width float64
	least int64     // what the rows need at least
	fit   []float64 // nil: whatever is not less
}

// of returns the room that so many rows need.
func (r *rooms) of(bin domain.Code, rows int64) room {
	out, laws := room{width: r.width, least: rows * r.least}, r.fit[bin]
	if i := min(sort.Search(len(r.rows), func(i int) bool { return r.rows[i] > rows }), len(laws)); i > 0 {
		out.fit = laws[i-1]
	}
	return out
}

// chance returns how likely the rows fit into so many values.
func (r room) chance(values int64) float64 {
	switch x := float64(values) / r.width; {
	case values < r.least:
		return 0
	case r.fit == nil:
		return 1
	case x >= roomCells:
		return r.fit[roomCells]
	default:
		cell := int(x)
		part := x - float64(cell)
		return float64(r.fit[cell]*(1-part)) + float64(r.fit[cell+1]*part)
	}
}
