package rake

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/solver"
)

// TestCalendar: of 30,000 times of two years in opening hours, fewer on Saturdays and none on Sundays, days and hours
// survive at ε = 1. The seeds are fixed, so that nothing is left to chance: .002 of the records are on other days and .009
// in other hours, of which an even spread has .20 and .62.
func TestCalendar(t *testing.T) {
	const n = 30_000
	begin := time.Date(2023, 1, 1, 0, 0, 0, 0, time.UTC)
	first, last := begin.UnixMicro(), begin.AddDate(2, 0, 0).UnixMicro()-1
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "at", Type: domain.Timestamp, Cuts: []int64{first, last}, Resolution: 3600e6, Learned: 20, Null: true},
		{Name: "class", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true},
	}}
	rng := rand.New(rand.NewPCG(5, 6))
	data := records{sizes: d.RecordSizes(), columns: make([][]domain.Code, 2)}
	for range n {
		day := rng.IntN(730)
		for w := begin.AddDate(0, 0, day).Weekday(); w == time.Sunday || w == time.Saturday && rng.Float64() < .5; w = begin.AddDate(0, 0, day).Weekday() {
			day = rng.IntN(730)
		}
		data.columns[0] = append(data.columns[0], domain.Code(day*24+9+rng.IntN(9)))
		data.columns[1] = append(data.columns[1], domain.Code(rng.IntN(3)))
	}
	p := solver.Problem{Domain: d, Workload: query.AllMarginals(d.Sizes(), 2, 10_000), Epsilon: 1, Delta: 1e-9, Units: n}
	mu := solver.GaussianMu(p.Epsilon, p.Delta)
	r, err := Solve(p, newCurator(t, data, p, mu*mu/2, 1))
	if err != nil {
		t.Fatal(err)
	}
	var days, hours [24]float64
	for _, c := range data.columns[0] {
		at := begin.Add(time.Duration(c) * time.Hour)
		days[at.Weekday()] += 1. / n
		hours[at.Hour()] += 1. / n
	}
	runs, sum := r.Bins[0].Runs, 0.0
	for _, x := range runs {
		sum += x.Share
	}
	for i, x := range runs {
		end := 730 * 24
		if i+1 < len(runs) {
			end = runs[i+1].From
		}
		for v := x.From; v < end; v++ {
			at := begin.Add(time.Duration(v) * time.Hour)
			share := x.Share / sum / float64(end-x.From)
			days[at.Weekday()] -= share
			hours[at.Hour()] -= share
		}
	}
	apart := func(list []float64) (tv float64) {
		for _, x := range list {
			tv += math.Abs(x) / 2
		}
		return tv
	}
	t.Logf("%.4f of the records on other days, %.4f in other hours", apart(days[:]), apart(hours[:]))
	if apart(days[:]) > .02 || apart(hours[:]) > .03 {
		t.Errorf("%.4f of the records on other days, %.4f in other hours", apart(days[:]), apart(hours[:]))
	}
}

// TestCycleParts: days and hours before 1970 and after, of attributes that begin inside a day.
func TestCycleParts(t *testing.T) {
	for _, begin := range []time.Time{time.Date(1969, 12, 28, 5, 0, 0, 0, time.UTC), time.Date(2024, 2, 27, 23, 30, 0, 0, time.UTC)} {
		a := domain.Attribute{Type: domain.DateTime, Cuts: []int64{begin.UnixMicro(), begin.AddDate(0, 3, 0).UnixMicro()}, Resolution: 1800e6, Learned: 20}
		for i := range cycles {
			if !cycles[i].fits(&a) {
				t.Fatalf("%s do not fit", cycles[i].stage)
			}
		}
		for k := range 4000 {
			at := begin.Add(time.Duration(k) * 30 * time.Minute)
			if day, hour := cycles[0].part(&a, k), cycles[1].part(&a, k); day != (int(at.Weekday())+6)%7 || hour != at.Hour() {
				t.Fatalf("%v: day %d, hour %d", at, day, hour)
			}
		}
		whole := []query.Piece{{From: 0, To: 1000, Count: 500}, {From: 1000, To: a.Fine(), Count: 70}}
		at, sum := 0, 0.0
		for _, x := range cutAtSlots(whole, &a, 2) {
			if x.From != at || cycles[1].part(&a, x.From) != cycles[1].part(&a, x.To-1) {
				t.Fatalf("piece %+v after %d", x, at)
			}
			at, sum = x.To, sum+x.Count
		}
		if at != a.Fine() || math.Abs(sum-570) > 1e-9 {
			t.Errorf("%g records up to %d", sum, at)
		}
	}
	for _, a := range []domain.Attribute{
		{Type: domain.Date, Cuts: []int64{0, 26}, Resolution: 1, Learned: 20},
		{Type: domain.Date, Cuts: []int64{0, 1000}, Resolution: 7, Learned: 20},
		{Type: domain.Date, Cuts: []int64{0, 1000}, Resolution: 1},
		{Type: domain.Int64, Cuts: []int64{0, 1000}, Resolution: 1, Learned: 20},
		{Type: domain.Time, Cuts: []int64{0, 86_399e6}, Resolution: 1e6, Learned: 20},
	} {
		for i := range cycles {
			if cycles[i].fits(&a) {
				t.Errorf("%s of %+v", cycles[i].stage, a)
			}
		}
	}
}

// TestCyclesOfOneMorning: all values lie in the first hours of a month, where noise is all that cycles show of other days. Counts
// stay finite, and those of the pieces stay as they are.
func TestCyclesOfOneMorning(t *testing.T) {
	a := &domain.Attribute{Type: domain.DateTime, Cuts: []int64{0, 30 * 86_400_000_000}, Resolution: 60_000_000, Learned: 20}
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var list []measured
		for i := range cycles {
			m := measured{cycle: cycles[i], sigma: 25}
			for range m.parts {
				m.counts = append(m.counts, max(0, 40*rng.NormFloat64()))
			}
			list = append(list, m)
		}
		pieces := []query.Piece{{From: 0, To: 720, Count: 2990}, {From: 720, To: 30 * 1440, Count: 1e-9}}
		sum := 0.0
		for _, x := range applySeasonality(pieces, a, list) {
			sum += x.Count
		}
		if !(math.Abs(sum-2990) < 1e-6) {
			t.Fatalf("seed %d: counts add up to %g", seed, sum)
		}
	}
}
