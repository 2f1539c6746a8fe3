package answer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/internal/testkit/solvertest"
)

// rareOutcomes draws 30,000 to 3,000,000 people in few cells: the last column's last value is of 1 in 100 to 1 in 100,000 of each.
func rareOutcomes(r *rand.Rand) records {
	shape := [][]int{{2, 2, 2}, {3, 4, 2}, {5, 7, 2}, {2, 2}, {4, 3}}[r.IntN(5)]
	p, people, skew := records{solvertest.NewTable(shape...)}, math.Pow(10, 4.5+2*r.Float64()), 3*r.Float64()
	for cell, k := 0, shape[len(shape)-1]; cell < len(p.Counts); cell++ {
		part := math.Exp(-skew*float64(cell/k%7)/2) * (.5 + r.Float64()) / float64(len(p.Counts))
		if cell%k == k-1 {
			part *= math.Pow(10, -5+3*r.Float64())
		}
		p.Counts[cell] = math.Floor(people * part)
	}
	return p
}

// TestRareOutcomes: intervals of counts hold of cells with a rare outcome as of others, whatever the number of people. By rake 92 % of such
// cells held where noise is small, since noise of the column was taken to fall on its cells by their shares; the fit spreads it evenly
// where pairs were measured too. No fit by dpam is off: steps for a million people took too long for ten. Noise is fixed.
func TestRareOutcomes(t *testing.T) {
	for _, method := range []string{"rake", "dpam", "dpfw"} {
		kinds := holdings{}
		for _, delta := range []dp.Delta{1e-10, 0} {
			seeds := uint64(80)
			if testing.Short() && (method != "rake" || delta == 0) {
				seeds = 20
			}
			for _, epsilon := range []dp.Epsilon{1, 3, 10} {
				for seed := range seeds {
					p := rareOutcomes(rand.New(rand.NewPCG(seed, 78)))
					release := released(t, p, named(p), method, epsilon, delta, seed)
					columns, off := "c0", false
					for a := 1; a < len(p.Sizes); a++ {
						columns += fmt.Sprint(", c", a)
					}
					for _, x := range ask(t, release, "SELECT "+columns+", COUNT(*) FROM rows GROUP BY "+columns) {
						cell := 0
						for a, k := range p.Sizes {
							cell = cell*k + codeOf(t, x.Group[a])
						}
						kind := "frequent"
						if k := p.Sizes[len(p.Sizes)-1]; cell%k == k-1 {
							kind = "rare"
						}
						kinds.of(fmt.Sprintf("%s, δ = %g", kind, float64(delta))).add(x, p.Counts[cell])
						off = off || !x.Measured
					}
					if off && method == "dpam" {
						t.Errorf("seed %d, ε = %g, δ = %g: the fit is off", seed, float64(epsilon), float64(delta))
					}
				}
			}
		}
		kinds.check(t, method, func(string) float64 { return .955 })
	}
}
