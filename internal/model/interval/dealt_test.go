package interval

import (
	"math"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// TestDealing: 300 people of 1, 2 and 5 rows, which have one answer, are half of one value and half of another. Those of the second have 400
// rows if they are independent, 600 at most and 200 at least. Noise that may hide 50 more of 5 rows makes it more. Numbers of rows
// with answers of their own are known, and beside people who are no different little of it is likely.
func TestDealing(t *testing.T) {
	codes := [][]domain.Code{{0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 0, 1, 0, 1, 0, 1}}
	q := []float64{0, 1, 0, 2, 0, 5, 0, 9}
	for _, c := range []struct {
		cells  int
		pooled []bool
		last   [2]float64 // people of a number of rows with an answer of its own
		noise  float64
		want   float64
	}{
		{6, []bool{true, true, true}, [2]float64{}, 0, 200},
		{6, []bool{true, true, true}, [2]float64{}, 2500, 275},
		{8, []bool{true, true, true, false}, [2]float64{100, 0}, 0, 200},
		{8, []bool{true, true, true, false}, [2]float64{50, 50}, 0, 20},
	} {
		p := &part{base: []float64{50, 50, 50, 50, 50, 50, c.last[0], c.last[1]}[:c.cells], codes: [][]domain.Code{codes[0][:c.cells], codes[1][:c.cells]}}
		d := p.deals(0, c.pooled, []float64{0, 0, c.noise, 0})
		if got := d.off(q[:c.cells]); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v, %v more of 5 rows: off by %g, want %g", c.pooled, math.Sqrt(c.noise), got, c.want)
		}
	}
	if p := (&part{base: []float64{1, 1}, codes: [][]domain.Code{{0, 1}, {0, 0}}}); p.deals(0, []bool{false, false}, []float64{9, 9}) != nil {
		t.Error("numbers of rows with answers of their own are dealt")
	}
}
