package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/release/answer"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// TestFewBins: in declared bins that hold half of the people or more, intervals of means, deviations and counts hold the truth wherever
// in a bin people are, and quantiles do; of people at both ends no mean was held. Intervals of many bins stay narrow.
func TestFewBins(t *testing.T) {
	laws := map[string]func(r *rand.Rand) int{
		"both ends":   func(r *rand.Rand) int { return r.IntN(2) * 999 },
		"low ends":    func(r *rand.Rand) int { return r.IntN(20) / 10 * 500 },
		"high ends":   func(r *rand.Rand) int { return 499 + r.IntN(2)*500 },
		"a heap":      func(r *rand.Rand) int { return 333 },
		"even":        func(r *rand.Rand) int { return r.IntN(1000) },
		"exponential": func(r *rand.Rand) int { return min(int(60*r.ExpFloat64()), 999) },
		"hundreds":    func(r *rand.Rand) int { return r.IntN(10) * 100 },
	}
	for name, draw := range laws {
		for _, bins := range []int{1, 2, 40} {
			a := domain.Attribute{Name: "x", Type: domain.Int64, Cuts: domain.EqualCuts(0, 999, bins), Resolution: 1}
			d := &domain.Domain{Attributes: []domain.Attribute{a}}
			r, m, values := rand.New(rand.NewPCG(1, 61)), &population.Model{Sizes: d.Sizes(), Weights: make([]float64, bins)}, []float64(nil)
			for range 10_000 {
				x := draw(r)
				m.Weights[min(x*bins/1000, bins-1)]++
				values = append(values, float64(x))
			}
			u := &solver.Uncertainty{OneWay: []float64{25}, Pooled: [][]bool{make([]bool, bins)}}
			result := &solver.Result{Model: m, Total: query.Total{Units: 10_000, Variance: 9}, RMSE: math.NaN(), Uncertainty: u}
			release := &answer.Release{Domain: d, Model: m, Units: 10_000, Errors: interval.New(result)}
			slices.Sort(values)
			sum, square, low := 0.0, 0.0, 0.0
			for _, x := range values {
				sum, square = sum+x/10_000, square+x*x/10_000
				if x <= 100 {
					low++
				}
			}
			for sql, truth := range map[string]float64{"AVG(x)": sum, "SUM(x)": 10_000 * sum, "STDDEV(x)": math.Sqrt(square - sum*sum), "MEDIAN(x)": values[5000], "COUNT(*) FROM rows WHERE x <= 100": low} {
				if bins > 2 && sql != "AVG(x)" {
					continue
				}
				if sql[len(sql)-1] == ')' {
					sql += " FROM rows"
				}
				x := ask(t, release, "SELECT "+sql)[0]
				if bins < 40 && (x.Low > truth+1e-9 || x.High < truth-1e-9 || x.Measured) {
					t.Errorf("%s in %d bins, %s: %v, want %g", name, bins, sql, x, truth)
				}
				if bins == 40 && name != "a heap" && name != "both ends" && (x.High-x.Low > 40) {
					t.Errorf("%s in 40 bins, %s: %s", name, sql, fmt.Sprint(x.Texts()))
				}
			}
		}
	}
}

// TestSeasons: bins of years tell nothing of the seasons inside. Intervals of months and quarters hold the truth in 90 %, and those of
// years stay narrow.
func TestSeasons(t *testing.T) {
	const bins, years = 20, 40
	cuts := []int64{}
	for b := range bins + 1 {
		cuts = append(cuts, time.Date(1970+years/bins*b, 1, 1, 0, 0, 0, 0, time.UTC).Unix()/86400)
	}
	d := &domain.Domain{Attributes: []domain.Attribute{{Name: "d", Type: domain.Date, Cuts: cuts, Resolution: 1}}}
	held, asked := 0, 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 62))
		var parts [12]float64
		for range 24 {
			parts[r.IntN(12)] += 1. / 24
		}
		m, truth := &population.Model{Sizes: d.Sizes(), Weights: make([]float64, bins)}, map[string]float64{}
		for b := range bins {
			m.Weights[b] = 900 + 200*r.Float64()
			for month, part := range parts {
				truth[fmt.Sprint("MONTH(d) ", month+1)] += m.Weights[b] * part
				truth[fmt.Sprint("QUARTER(d) ", month/3+1)] += m.Weights[b] * part
			}
		}
		u := &solver.Uncertainty{OneWay: []float64{25}, Pooled: [][]bool{make([]bool, bins)}}
		release := &answer.Release{Domain: d, Model: m, Units: m.Total(), Errors: interval.New(&solver.Result{Model: m, Total: query.Total{Units: m.Total(), Variance: 9}, RMSE: math.NaN(), Uncertainty: u})}
		for _, key := range []string{"MONTH(d)", "QUARTER(d)"} {
			for _, a := range ask(t, release, "SELECT "+key+", COUNT(*) FROM rows GROUP BY 1") {
				asked++
				if x := truth[key+" "+a.Group[0]]; a.Low <= x && x <= a.High {
					held++
				}
			}
		}
		for _, a := range ask(t, release, "SELECT YEAR(d), COUNT(*) FROM rows GROUP BY 1") {
			must.Hold(t, a.StandardError < .2*a.Value+10, "of a year: %g ± %g", a.Value, a.StandardError)
		}
	}
	must.Hold(t, float64(held) >= .9*float64(asked), "%d of %d hold", held, asked)
}
