package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestCodes: numbers among which a few people have a code, far from all others: one that the domain declares as an exact value, or one
// that nothing tells from a number, of as many people as noise may hide. Intervals of means, sums, deviations and counts hold the truth, of
// all and beside the code. A declared one is a cell by itself, however few people have it. A kind fails if fewer than 90 % hold, with a
// false-alarm rate below 1 in 100,000.
func TestCodes(t *testing.T) {
	kinds := holdings{}
	for draw := range uint64(dptest.Size(480, 3000)) {
		r := rand.New(rand.NewPCG(draw, 71))
		n, top, epsilon := []int{4000, 30_000}[r.IntN(2)], []int{60, 999, 20_000}[r.IntN(3)], []dp.Epsilon{.3, 1, 3, 10}[r.IntN(4)]
		a := domain.Attribute{Name: "pay", Type: domain.Int64, Cuts: []int64{0, int64(top)}, Resolution: 1, Learned: 20, HasFallback: true}
		reach := float64(top) * []float64{.02, .1}[r.IntN(2)]
		law := []func() float64{
			func() float64 { return reach / 7 * r.ExpFloat64() }, func() float64 { return reach * r.Float64() }, func() float64 { return reach / 6 * (3 + r.NormFloat64()) },
		}[r.IntN(3)]
		name, code, people := "undeclared", top-r.IntN(2)*r.IntN(top/2), min(int((20+60*r.Float64())/float64(epsilon)), n/4)
		if draw%3 == 0 {
			name, code = "declared", []int{-1, -99, 99_999, 999_999}[r.IntN(4)]
			people = min(int(math.Exp(r.Float64()*math.Log(400))/float64(epsilon)), n/4)
			a.Exact = []int64{int64(code)}
			if draw%2 == 0 {
				a = domain.Attribute{Name: "pay", Type: domain.Float64, FloatCuts: []float64{0, float64(top)}, FloatResolution: 1, Learned: 20, HasFallback: true, FloatExact: []float64{float64(code)}}
			}
			a.ReserveExact()
		}
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: "g", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true}, a}}
		e := domain.NewEncoder(d)
		p, sum, rest, square := &pays{values: a.Fine()}, 0.0, 0.0, 0.0
		for i := range n {
			x := min(max(int(law()), 0), top)
			if i < people {
				x = code
			} else {
				rest += float64(x)
			}
			sum, square = sum+float64(x), square+float64(x*x)
			number, _ := e.FromFloat(1, float64(x))
			p.group, p.pay = append(p.group, r.IntN(3)), append(p.pay, int(number))
		}
		release := released(t, p, d, "rake", epsilon, 1e-9, draw)
		is := func(sql string, truth float64) {
			if a, ok := seen(t, release, "SELECT "+sql); ok {
				kinds.of(name+", "+sql[:4]).add(a, truth)
			}
		}
		is("AVG(pay) FROM rows", sum/float64(n))
		is("STDDEV(pay) FROM rows", math.Sqrt(square/float64(n)-sum*sum/float64(n*n)))
		is("SUM(pay) FROM rows", sum)
		if name == "declared" {
			others := fmt.Sprintf("FROM rows WHERE pay != %d", code)
			is("COUNT(*) "+others, float64(n-people))
			is("AVG(pay) "+others, rest/float64(n-people))
			sql := fmt.Sprintf("COUNT(*) FROM rows WHERE pay = %d", code)
			is(sql, float64(people))
			must.Hold(t, ask(t, release, "SELECT "+sql)[0].Measured, "%s is not measured, and %d of %d people have it, at ε = %g", sql, people, n, epsilon)
		}
	}
	kinds.check(t, "rake", func(string) float64 { return .9 })
}
