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
// in other hours; an even spread has .20 and .62 there.
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
	r := solved(t, p, data, 1)
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
