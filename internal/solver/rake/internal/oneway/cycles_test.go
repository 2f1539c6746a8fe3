package oneway

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestCycleParts: days and hours before 1970 and after, of attributes that begin inside a day.
func TestCycleParts(t *testing.T) {
	for _, begin := range []time.Time{time.Date(1969, 12, 28, 5, 0, 0, 0, time.UTC), time.Date(2024, 2, 27, 23, 30, 0, 0, time.UTC)} {
		a := domain.Attribute{Type: domain.DateTime, Cuts: []int64{begin.UnixMicro(), begin.AddDate(0, 3, 0).UnixMicro()}, Resolution: 1800e6, Learned: 20}
		for i := range Cycles {
			must.Need(t, Cycles[i].fits(&a), "%s do not fit", Cycles[i].Stage)
		}
		for k := range 4000 {
			at := begin.Add(time.Duration(k) * 30 * time.Minute)
			day, hour := Cycles[0].part(&a, k), Cycles[1].part(&a, k)
			must.Need(t, day == (int(at.Weekday())+6)%7 && hour == at.Hour(), "%v: day %d, hour %d", at, day, hour)
		}
		whole := []query.Piece{{From: 0, To: 1000, Count: 500}, {From: 1000, To: a.Fine(), Count: 70}}
		at, sum := 0, 0.0
		for _, x := range cutAtSlots(whole, &a, 2) {
			must.Need(t, x.From == at && Cycles[1].part(&a, x.From) == Cycles[1].part(&a, x.To-1), "piece %+v after %d", x, at)
			at, sum = x.To, sum+x.Count
		}
		must.Hold(t, at == a.Fine() && math.Abs(sum-570) <= 1e-9, "%g records up to %d", sum, at)
	}
	for _, a := range []domain.Attribute{
		{Type: domain.Date, Cuts: []int64{0, 26}, Resolution: 1, Learned: 20},
		{Type: domain.Date, Cuts: []int64{0, 1000}, Resolution: 7, Learned: 20},
		{Type: domain.Date, Cuts: []int64{0, 1000}, Resolution: 1},
		{Type: domain.Int64, Cuts: []int64{0, 1000}, Resolution: 1, Learned: 20},
		{Type: domain.Time, Cuts: []int64{0, 86_399e6}, Resolution: 1e6, Learned: 20},
	} {
		for i := range Cycles {
			must.Hold(t, !Cycles[i].fits(&a), "%s of %+v", Cycles[i].Stage, a)
		}
	}
}

// TestCyclesOfOneMorning: all values lie in the first hours of a month, where noise is all that cycles show of other days. Counts
// stay finite, and counts of the pieces stay as they are.
func TestCyclesOfOneMorning(t *testing.T) {
	a := &domain.Attribute{Type: domain.DateTime, Cuts: []int64{0, 30 * 86_400_000_000}, Resolution: 60_000_000, Learned: 20}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var list []Measured
		for i := range Cycles {
			m := Measured{Cycle: Cycles[i], sigma: 25}
			for range m.Parts {
				m.counts = append(m.counts, max(0, 40*rng.NormFloat64()))
			}
			list = append(list, m)
		}
		pieces := []query.Piece{{From: 0, To: 720, Count: 2990}, {From: 720, To: 30 * 1440, Count: 1e-9}}
		sum := 0.0
		for _, x := range applySeasonality(pieces, a, list) {
			sum += x.Count
		}
		must.Need(t, math.Abs(sum-2990) < 1e-6, "seed %d: counts add up to %g", seed, sum)
	}
}
