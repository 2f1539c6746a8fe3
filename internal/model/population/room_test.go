package population

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// scattered is a list of records of (gap 0–39 or none, rows 1–8, first value 0–39) of people whose rows lie at values 0–39,
// drawn independently of each other, with first values of the first half that have nothing to do with the rest, as noise makes them.
func scattered(people int) (*Model, Events) {
	const values = 40
	e := Events{Person: []int{2, 1}, Rows: 1, Cuts: []int64{1, 2, 3, 4, 5, 6, 7, 8, 8}, Chain: &Chain{Gap: 0, Start: 2,
		Last: values - 1, Order: 0, Value: func(_ int, code domain.Code, _ float64) int64 { return int64(code) }}}
	m := &Model{Sizes: []int{values + 1, 8, values}, Columns: make([][]domain.Code, 3)}
	rng := rand.New(rand.NewPCG(3, 4))
	for range people {
		at := make([]int, 1+rng.IntN(8))
		for j := range at {
			at[j] = rng.IntN(values)
		}
		slices.Sort(at)
		for j := range at {
			gap := values
			if j > 0 {
				gap = at[j] - at[j-1]
			}
			for a, c := range []int{gap, len(at) - 1, rng.IntN(values / 2)} {
				m.Columns[a] = append(m.Columns[a], domain.Code(c))
			}
			m.Weights = append(m.Weights, 1/float64(len(at)))
		}
	}
	return m, e
}

// Rows lie as often at the last value as at others: histories are not cut off there. Gaps follow the model.
func TestHistoriesEndAnywhere(t *testing.T) {
	m, e := scattered(10_000)
	p := NewPeople(m, nil, e, 10_000, 7)
	var at, gaps, want [40]float64 // by value
	rows, record := 0., make([]domain.Code, 3)
	for i := range p.n {
		q, before := p.At(i), domain.Code(0)
		for j := range q.Rows {
			q.Read(j, record)
			at[record[0]]++
			if j > 0 {
				gaps[record[0]-before]++
			}
			before, rows = record[0], rows+1
		}
	}
	for r, w := range m.Weights {
		if gap := m.Columns[0][r]; gap < 40 {
			want[gap] += w * float64(m.Columns[1][r]+1)
		}
	}
	// With gaps that are shrunk, wherever a history ends behind the last value, these are .041 and .050. A standard deviation of
	// chance is .0007 of the rows.
	share := at[39] / rows
	must.Hold(t, share <= .033, "%.4f of the rows lie at the last value, want 1 of 40", share)
	tv := 0.
	for v := range gaps {
		tv += math.Abs(gaps[v]-want[v]) / (rows - 10_000) / 2
	}
	t.Logf("%.4f of the rows lie at the last value; gaps are off by %.4f in total variation", at[39]/rows, tv)
	must.Hold(t, tv <= .043, "gaps do not follow the model")
}

// The chance of room is the chance of sums of gaps, counted; and rises with room.
func TestRoomIsCounted(t *testing.T) {
	m, e := historyModel(5, 12, 400, .5)
	e.Chain.Last = roomCells
	p := NewPeople(m, nil, e, 100, 7)
	h := p.chain
	for b := 1; b < len(h.rooms.fit); b++ { // of bin 0, which is one row, none has a gap
		law := make([]float64, 10)
		total := 0.0
		for i, r := range h.later.records {
			if int(m.code(r, 3)) == b {
				law[m.code(r, 1)] += h.later.weights[i]
				total += h.later.weights[i]
			}
		}
		sums := map[int64]float64{0: 1}
		for rows := int64(1); rows <= 4; rows++ {
			next := map[int64]float64{}
			for s, x := range sums {
				for gap, w := range law {
					next[s+int64(gap)] += x * w / total
				}
			}
			sums = next
			for values := range int64(40) {
				want := 0.0
				for s, x := range sums {
					if s <= values {
						want += x
					}
				}
				got := h.rooms.of(domain.Code(b), rows).chance(values)
				must.Need(t, math.Abs(got-want) <= 1e-9, "%d rows of bin %d fit into %d with a chance of %g, want %g", rows, b, values, got, want)
			}
		}
		must.Hold(t, h.rooms.of(domain.Code(b), 2).chance(-1) == 0, "rows fit into less than nothing")
	}
}

// Numbers of rows that have laws are all of the first ones, and each is the sum of the one before and another.
func TestRowSteps(t *testing.T) {
	for most := range int64(3000) {
		steps := rowSteps(most)
		for i, n := range steps {
			must.Need(t, (n > eachRows || n == int64(i)+1) && (i <= 0 || slices.Contains(steps[:i], n-steps[i-1]) && n <= most), "steps to %d: %v", most, steps)
		}
		must.Need(t, len(steps) <= 80 && (most <= 0 || steps[len(steps)-1] >= most*7/8), "%d steps to %d: %v", len(steps), most, steps)
	}
}
