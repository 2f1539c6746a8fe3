package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Of three gaps that are drawn until they fit, each is as wanted.
func TestGapsFit(t *testing.T) {
	want := []float64{1, 2, 3, 4, 3, 2, 2, 3}
	grid := make([][]float64, len(want))
	for c := range grid {
		grid[c] = make([]float64, roomCells+1)
		grid[c][c] = 1
	}
	rooms := make([]float64, roomCells+1)
	rooms[14], rooms[18] = 3, 1
	factors := gapFactors(want, grid, rooms, []int{3, 3})
	off := func(factors []float64) (tv float64) {
		got, rooms := make([]float64, len(want)), map[int]float64{14: .75, 18: .25}
		for room, w := range rooms {
			fit, total := make([]float64, len(want)), 0.0
			for a, x := range want {
				for b, y := range want {
					for c, z := range want {
						if a+b+c <= room {
							p := x * y * z * factors[a] * factors[b] * factors[c]
							fit[a] += p
							total += p
						}
					}
				}
			}
			for a, p := range fit {
				got[a] += w * p / total
			}
		}
		for a, w := range want {
			tv += math.Abs(got[a]-w/20) / 2
		}
		return tv
	}
	if tv := off(factors); tv > .001 {
		t.Errorf("gaps that fit are off by %.4f in total variation", tv)
	}
	if tv := off([]float64{1, 1, 1, 1, 1, 1, 1, 1}); tv < .02 {
		t.Errorf("gaps without factors are off by %.4f only", tv)
	}
}

// Weights whose mean is too large get the mean that they may have, and keep their sum. Others stay.
func TestTilt(t *testing.T) {
	for most, want := range map[float64]float64{1: 1, 2: 2, 2.5: 2.5, 3: 2.5} {
		weights, sum, mean := []float64{0, 1, 1, 1, 1}, 0.0, 0.0
		tilt(weights, func(c int) float64 { return float64(c) }, most)
		for c, w := range weights {
			sum += w
			mean += w * float64(c)
		}
		if mean /= sum; math.Abs(sum-4) > 1e-9 || math.Abs(mean-want) > 1e-6 {
			t.Errorf("at most %g: sum %g, mean %g; want 4 and %g", most, sum, mean, want)
		}
	}
}

// Where none of the donors that agree with a row has a gap that fits, those that agree in less have one.
func TestDonorsGiveWay(t *testing.T) {
	m, e := historyModel(1, 12, 3000, 0)
	h, rng := NewPeople(m, nil, e, 100, 7).chain, rand.New(rand.NewPCG(1, 2))
	for before := range domain.Code(4) { // after states 1 and 2 nobody has a gap below 2
		for range 100 {
			row := []domain.Code{0, 0, 0, 3, 4, before}
			if gap := h.follow(row, 1, 0, 0, rng); gap > 1 {
				t.Fatalf("a gap of %d after state %d, want at most 1", gap, before)
			}
		}
	}
}
