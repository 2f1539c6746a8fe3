package population

import (
	"math"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	// gapRounds is how often the gaps of a bin are corrected.
	gapRounds = 60
	// insideRows is how many numbers of rows stand for all of a bin.
	insideRows = 4
	// fitting is the least share of gaps that have to fit, so that few are drawn in vain.
	fitting = 1. / 8
)

// fitGaps multiplies the weights of the donors of later rows by factors of their gap and of their bin of the number of rows, so
// that gaps that fit into the range are as they are wanted. Long ones fit less often: without it histories end early.
func (h *histories) fitGaps(want []float64) {
	m, size := h.p.m, h.p.m.Sizes[h.Gap]
	grid := make([][]float64, size-1) // law of each gap on the grid
	for c := range grid {
		weights := make([]float64, size-1)
		weights[c] = 1
		grid[c] = h.rooms.law(h, weights)
	}
	factors := make([][]float64, m.Sizes[h.p.e.Rows])
	for b, starts := range h.starts() {
		if counts := h.p.gapCounts(b); len(counts) > 0 {
			rooms := make([]float64, roomCells+1)
			for c, w := range starts {
				for k := 0; k < insideGap && w > 0; k++ {
					left := float64(h.Last-h.Value(h.Start, domain.Code(c), (float64(k)+.5)/insideGap)) / h.rooms.width
					rooms[min(max(int(left+.5), 0), roomCells)] += w
				}
			}
			factors[b] = gapFactors(want[b*size:(b+1)*size-1], grid, rooms, counts)
		}
	}
	for i, r := range h.later.records {
		if f := factors[m.code(r, h.p.e.Rows)]; f != nil {
			h.later.weights[i] *= f[m.code(r, h.Gap)]
		}
	}
	h.later.add()
	h.rooms = newRooms(h)
}

// starts returns the weights of people by the cell in which they begin, for each bin of the number of rows.
func (h *histories) starts() [][]float64 {
	m, out := h.p.m, make([][]float64, h.p.m.Sizes[h.p.e.Rows])
	for b := range out {
		out[b] = make([]float64, m.Sizes[h.Start])
	}
	for i, w := range m.Weights {
		if r := uint32(i); w > 0 && !h.p.none(r) {
			out[m.code(r, h.p.e.Rows)][m.code(r, h.Start)] += w
		}
	}
	return out
}

// inside makes long gaps of a bin of the number of rows rarer if they would not fit, as noise may have it: rows that lie anywhere
// behind the first, n with it, leave an n-th of what is behind that on average, and these leave three quarters of it at least.
func (h *histories) inside(want []float64) {
	size := h.p.m.Sizes[h.Gap]
	middle := func(a, c int) float64 { return float64(h.Value(a, domain.Code(c), .5)) }
	for b, starts := range h.starts() {
		own, start, people := want[b*size:(b+1)*size-1], 0.0, 0.0
		for c, w := range starts {
			if w > 0 { // a last cell of people without rows has no value
				start += float64(w * middle(h.Start, c))
				people += w
			}
		}
		share, gaps := 0.0, 0
		for _, n := range h.p.gapCounts(b) {
			share += (float64(n) + .25) / float64(n+1)
			gaps += n
		}
		if gaps == 0 || people == 0 {
			continue
		}
		tilt(own, func(c int) float64 { return middle(h.Gap, c) }, (float64(h.Last)-start/people)*share/float64(gaps))
	}
}

// tilt multiplies weights by exp(−θ·value), with the θ ≥ 0 for which their mean value is at most that.
func tilt(weights []float64, value func(int) float64, most float64) {
	mean := func(theta float64) float64 {
		sum, total := 0.0, 0.0
		for c, w := range weights {
			w *= math.Exp(-theta * value(c) / most)
			sum += float64(w * value(c))
			total += w
		}
		return sum / total
	}
	if most <= 0 || !(mean(0) > most) {
		return
	}
	low, high := 0.0, 20.0
	for range 40 {
		if middle := (low + high) / 2; mean(middle) > most {
			low = middle
		} else {
			high = middle
		}
	}
	before, after := 0.0, 0.0
	for c, w := range weights {
		before += w
		weights[c] = w * math.Exp(-high*value(c)/most)
		after += weights[c]
	}
	for c := range weights {
		weights[c] *= before / after
	}
}

// gapCounts returns numbers of gaps of people of a bin, each of whom stands for equally many.
func (p *People) gapCounts(bin int) (counts []int) {
	sums := p.sums[bin]
	for k := range insideRows {
		n := sort.SearchFloat64s(sums, (float64(k)+.5)/insideRows*sums[len(sums)-1]) + int(p.e.Cuts[bin])
		if n > 1 {
			counts = append(counts, n-1)
		}
	}
	return counts
}

// gapFactors returns factors of the weights of gaps, with which those that fit into rooms of some law, so many at once, are as
// wanted: each round divides what is wanted by how likely a gap of a cell leaves enough for the others.
func gapFactors(want []float64, grid [][]float64, rooms []float64, counts []int) []float64 {
	factors := make([]float64, len(want))
	for c := range factors {
		factors[c] = 1
	}
	for range gapRounds {
		one, sum := make([]float64, roomCells+1), 0.0
		for c, w := range want {
			sum += float64(w * factors[c])
		}
		if sum == 0 {
			break
		}
		for c, w := range want {
			for x, share := range grid[c] {
				one[x] += float64(w * factors[c] / sum * share)
			}
		}
		leaves, total := make([]float64, roomCells+1), 0.0 // by the gap
		var less, all []float64
		for i, n := range counts {
			if i == 0 || n != counts[i-1] {
				others := power(one, n-1)
				all, less = firstSums(convolve(others, one)), firstSums(others)
			}
			fit, people := 0.0, 0.0
			for room, w := range rooms {
				if all[room] <= 0 {
					continue
				}
				fit += float64(w * all[room])
				people += w
				for x := range room + 1 {
					leaves[x] += float64(float64(n) * w * less[room-x] / all[room])
				}
			}
			if fit < people*math.Pow(fitting, float64(n)) {
				return factors
			}
			total += float64(float64(n) * people)
		}
		for c := range factors {
			chance := 0.0
			for x, share := range grid[c] {
				chance += float64(share * leaves[x])
			}
			if chance > 0 {
				factors[c] = total / chance
			}
		}
	}
	return factors
}

// power returns the law of the sum of n lengths of a law.
func power(law []float64, n int) []float64 {
	out := make([]float64, len(law))
	for out[0] = 1; n > 0; n /= 2 {
		if n%2 == 1 {
			out = convolve(out, law)
		}
		law = convolve(law, law)
	}
	return out
}
