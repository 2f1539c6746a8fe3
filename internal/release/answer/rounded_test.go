package answer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestRoundedMeans: where a column has a resolution, intervals of means and sums hold those of the numbers before they were rounded to it,
// whether these are multiples of it or not: numbers in the middle are all rounded up. Columns are generated, with a cell for each value
// and in learned bins; a kind fails if fewer than 90 % hold, with a false-alarm rate below 1 in 100,000.
func TestRoundedMeans(t *testing.T) {
	kinds := holdings{}
	for draw := range uint64(192) {
		r := rand.New(rand.NewPCG(draw, 73))
		const n = 30_000
		size, float := []int64{2, 5, 10, 24}[r.IntN(4)], draw%4 > 1 // size: of the resolution, in units of the numbers before
		values, name := 4+r.IntN(16), "cells"
		if draw%2 == 1 {
			values, name = 100+r.IntN(300), "learned"
		}
		top, unit := size*int64(values-1), 1.0
		a := domain.Attribute{Name: "pay", Type: domain.Int64, Cuts: []int64{0, top}, Resolution: size, Learned: min(values, 20), HasFallback: true}
		if float {
			unit = .01
			a.Type, a.Cuts, a.Resolution, a.FloatCuts, a.FloatResolution = domain.Float64, nil, 0, []float64{0, float64(top) / 100}, float64(size)/100
		}
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: "g", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true}, a}}
		if name == "cells" {
			b := domain.LearnedBins{Attribute: 1, Runs: []domain.Run{{From: 0, Share: 1}}}
			for k := range values {
				b.Starts = append(b.Starts, k)
			}
			d = must.Value(d.WithBins([]domain.LearnedBins{b}))(t)
			d.Attributes[1].Runs = nil
		}
		e := domain.NewEncoder(d)
		p, sum, whole, power := &pays{values: d.RecordSizes()[1]}, 0.0, r.IntN(3) == 0, .5+2*r.Float64()
		for range n {
			x := int64(float64(top+1) * math.Pow(r.Float64(), power))
			if whole {
				x -= x % size
			}
			number := float64(x) * unit
			sum += number
			code, _ := e.FromFloat(1, number)
			if !float {
				code, _ = e.FromInt(1, x)
			}
			p.group, p.pay = append(p.group, r.IntN(3)), append(p.pay, int(code))
		}
		release := released(t, p, d, "rake", []dp.Epsilon{1, 3, 10}[r.IntN(3)], 1e-9, draw)
		kinds.of(name+", means").add(ask(t, release, "SELECT AVG(pay) FROM rows")[0], sum/n)
		kinds.of(name+", sums").add(ask(t, release, "SELECT SUM(pay) FROM rows")[0], sum)
	}
	kinds.check(t, "rake", func(string) float64 { return .9 })
}
