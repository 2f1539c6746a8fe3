package interval

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestDrift: draws whose relations of numbers are weaker than the model's in all draws alike say so, and those that scatter around it do not.
func TestDrift(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 78))
		k := 3 + r.IntN(20)
		d := &domain.Domain{Attributes: []domain.Attribute{
			{Name: "s", Type: domain.String, Values: []string{"a", "b"}},
			{Name: "x", Type: domain.Int64, Cuts: domain.EqualCuts(0, int64(k-1), k), Resolution: 1},
			{Name: "y", Type: domain.Int64, Cuts: domain.EqualCuts(0, int64(k-1), k), Resolution: 1, Null: true},
		}}
		band := func(mixed float64) *population.Model {
			m := &population.Model{Sizes: d.Sizes()}
			for range 2 {
				for x := range k {
					for y := range k + 1 {
						w := mixed / float64(k)
						if y == x || y == k {
							w += 1 - mixed
						}
						m.Weights = append(m.Weights, w)
					}
				}
			}
			return m
		}
		weaker := seed%2 == 0
		x := NewDrift(d, band(.3))
		for range 20 {
			mixed := .3 + .05*r.NormFloat64()
			if weaker {
				mixed += .2
			}
			x.Add(band(mixed))
		}
		said := strings.Join(x.Note(d), "\n")
		must.Hold(t, strings.Contains(said, "r of x and y from 0.70 to") == weaker && (said != "") == weaker, "weaker: %t: %q", weaker, said)
	}
}
