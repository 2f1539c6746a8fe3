package population

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// Errors of what follows what add up along a history: where the first states are right and one transition is a little too
// likely, late rows are far off. What all rows together are like is known better, from the model, and costs nothing more: the
// weights of donors are corrected until histories agree with it.
const (
	// driftRounds of drawing histories, The first draw a twentieth of driftRows, and the last averaged ones draw all.
	// Those move by 1, 1/2, … of what they see, so that chance among the rows that they draw evens out. With 25,000 rows the
	// one-ways of purchases were off by .009 without noise, with 100,000 by .003; at ε = 1 transitions of purchases and
	// careers by 2 and 4 % more. With one averaged round more, figures of both were within 2 % for 6 % of a run's time.
	driftRounds = 7
	averaged    = 2
	driftRows   = 100_000
	// mostDrift bounds the factor of a round.
	mostDrift = 2
)

// calibrate multiplies the weights of the donors of later rows by factors of each of their codes, so that the histories that
// are drawn have the rows of the model, column by column.
func (h *histories) calibrate() {
	events := h.events
	if len(h.later.records) == 0 || h.p.n == 0 {
		return
	}
	want := h.rowMarginals()
	for round := range driftRounds {
		most, step := int64(driftRows/20), 1.0
		if nth := round - driftRounds + averaged; nth >= 0 {
			most, step = driftRows, 1/float64(nth+1)
		}
		first, later, rows := h.simulate(most)
		if rows == 0 {
			return
		}
		for k, factors := range later { // in place of the counts
			sum := summation.InOrder(want[k])
			for v, n := range factors {
				factors[v] = 1
				if n > 0 {
					target := max(want[k][v]/sum*float64(rows)-first[k][v], 0)
					factors[v] = math.Pow(min(max((target+1)/(n+1), 1./mostDrift), mostDrift), step)
				}
			}
		}
		for i := range h.later.weights {
			for k, c := range h.later.codes[i*len(events) : (i+1)*len(events)] {
				h.later.weights[i] *= later[k][c]
			}
		}
		h.later.add()
		h.rooms = newRooms(h)
	}
}

// tables returns a table of zeros for each event.
func (h *histories) tables() [][]float64 {
	return lists.Of(h.events, func(a int) []float64 { return make([]float64, h.p.m.Sizes[a]) })
}

// rowMarginals returns what all rows are like, by the model: the one-way table of each column, in which a person counts as
// often as it has rows.
func (h *histories) rowMarginals() [][]float64 {
	m, mean, events, out := h.p.m, h.p.meanRows(), h.events, h.tables()
	for i, w := range m.Weights {
		r := uint32(i)
		if w <= 0 || h.p.none(r) {
			continue
		}
		for k, a := range events {
			out[k][m.code(r, a)] += w * mean[m.code(r, h.p.e.Rows)]
		}
	}
	return out
}

// simulate draws histories of all persons, or of some with about so many rows, and counts the first rows and the later ones by column.
func (h *histories) simulate(most int64) (first, later [][]float64, rows int64) {
	p, events := h.p, h.events
	first, later = h.tables(), h.tables()
	width, step := len(p.m.Sizes), max(1, p.Rows()/most)
	var dst []domain.Code
	for i := int64(0); i < p.n; i += step {
		q := p.person(i)
		if q.Rows == 0 {
			continue
		}
		dst = slices.Grow(dst[:0], width*int(q.Rows))[:width*int(q.Rows)]
		h.draw(dst, q.codes, q.own, i, q.Rows)
		rows += q.Rows
		for j := range int(q.Rows) {
			count := later
			if j == 0 {
				count = first
			}
			for k, a := range events {
				count[k][dst[j*width+a]]++
			}
		}
	}
	return first, later, rows
}
