package rivals

import (
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
)

// TestNearest compares the choices with distances to all candidates, one by one, on a mixed universe.
func TestNearest(t *testing.T) {
	sizes, rng := []int{5, 2, 1, 7, 3}, rand.New(rand.NewPCG(4, 4))
	m := &mutator{session: &session{setup: &setup{workload: query.Workload{Sizes: sizes}}}, ordered: []bool{true, false, true, true, false}}
	record := func(z int) []domain.Code {
		r := make([]domain.Code, len(sizes))
		for a := len(sizes) - 1; a >= 0; a-- {
			r[a], z = domain.Code(z%sizes[a]), z/sizes[a]
		}
		return r
	}
	distance := func(x, y []domain.Code) (sum int) {
		for a, v := range x {
			d := int(v) - int(y[a])
			switch {
			case d == 0:
			case m.ordered[a]:
				sum += max(d, -d) * (farthest / (sizes[a] - 1))
			default:
				sum += farthest
			}
		}
		return sum
	}
	var candidates [][]domain.Code
	for range 9 {
		candidates = append(candidates, record(rng.IntN(5*2*7*3)))
	}
	for z, got := range m.nearest(candidates) {
		best := 0
		for i, c := range candidates {
			if distance(record(z), c) < distance(record(z), candidates[best]) {
				best = i
			}
		}
		if int(got) != best {
			t.Errorf("record %v votes for %v, and %v is nearest", record(z), candidates[got], candidates[best])
		}
	}
}
