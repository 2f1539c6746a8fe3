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
// that nothing tells from a number. Intervals of means, sums and counts hold the truth, of all and beside the code. A declared one is a
// cell by itself, however few people have it. A kind fails if fewer than 90 % hold, with a false-alarm rate below 1 in 100,000.
func TestCodes(t *testing.T) {
	kinds := holdings{}
	for draw := range uint64(map[bool]int{false: 160, true: 1600}[dptest.Nightly()]) {
		r := rand.New(rand.NewPCG(draw, 71))
		n, top, epsilon := []int{4000, 30_000}[r.IntN(2)], []int{60, 999, 20_000}[r.IntN(3)], []dp.Epsilon{.3, 1, 3, 10}[r.IntN(4)]
		code := []int{-1, -99, 9999, 999_999}[r.IntN(4)]
		a := domain.Attribute{Name: "pay", Type: domain.Int64, Cuts: []int64{0, int64(top)}, Resolution: 1, Learned: 20, HasFallback: true}
		name, reach := "declared", float64(top)/8
		if code <= top && code > 0 {
			code = 99_999
		}
		if draw%2 == 1 {
			name, reach = "undeclared", reach*[]float64{.05, .3, 1}[r.IntN(3)]
			code = top - r.IntN(2)*r.IntN(top/2)
		} else {
			a.Exact = []int64{int64(code)}
			a.ReserveExact()
		}
		people := min(int(math.Exp(r.Float64()*math.Log(400))/float64(epsilon)), n/4)
		p, sum, rest := &pays{values: a.Fine()}, 0.0, 0.0
		for i := range n {
			x := min(int(reach*r.ExpFloat64()), top)
			rest += float64(x)
			if i < people {
				rest, x = rest-float64(x), code
			}
			sum += float64(x)
			p.group, p.pay = append(p.group, r.IntN(3)), append(p.pay, x)
		}
		for i, x := range p.pay {
			switch {
			case name == "declared" && x == code && code > 0:
				p.pay[i] = a.Fine() - 1
			case name == "declared" && x == code:
				p.pay[i] = 0
			case name == "declared" && code < 0:
				p.pay[i]++
			}
		}
		d := &domain.Domain{Attributes: []domain.Attribute{{Name: "g", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true}, a}}
		release := released(t, p, d, "rake", epsilon, 1e-9, draw)
		is := func(sql string, truth float64) {
			if a, ok := seen(t, release, "SELECT "+sql); ok {
				kinds.of(name+", "+sql[:12]).add(a, truth)
			}
		}
		is("AVG(pay) FROM rows", sum/float64(n))
		is("SUM(pay) FROM rows", sum)
		if name == "declared" {
			others := []string{"<", ">"}[map[bool]int{false: 0, true: 1}[code < 0]]
			sql := fmt.Sprintf("COUNT(*) FROM rows WHERE pay = %d", code)
			is(sql, float64(people))
			must.Hold(t, ask(t, release, "SELECT "+sql)[0].Measured, "%s is not measured, and %d of %d people have it, at ε = %g", sql, people, n, epsilon)
			is(fmt.Sprintf("COUNT(*) FROM rows WHERE pay %s %d", others, code), float64(n-people))
			is(fmt.Sprintf("AVG(pay) FROM rows WHERE pay %s %d", others, code), rest/float64(n-people))
		}
	}
	kinds.check(t, "rake", func(string) float64 { return .9 })
}
