package main

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/families"
	"github.com/dapple-dp/dapple/internal/model/interval"
)

// TestAsked asks 1,000 random filters and groups of each table and ε, of 1 to 4 columns and .1 to 60 % of the people, and counts
// the 95 % intervals that hold: of the table's own people, and of the population that they were drawn from. Constants were
// chosen on the tables of package families but schedule; those here were looked at as a whole once or twice. The noise is fixed,
// so that a failure is never chance.
func TestAsked(t *testing.T) {
	type law struct {
		name       string
		population func() (*families.Table, error)
	}
	laws := []law{
		{"dense8", func() (*families.Table, error) { return dense8(200_000, 1), nil }},
		{"parity12", func() (*families.Table, error) { return parity12(200_000, 1), nil }},
		{"schedule", func() (*families.Table, error) { return families.Schedule(200_000, 1), nil }},
	}
	questions, epsilons := 1000, []dp.Epsilon{.3, 1, 3}
	if dir := os.Getenv("DAPPLE_DATA"); dir != "" && !testing.Short() {
		for _, name := range []string{"adult7", "adult14"} {
			laws = append(laws, law{name, func() (*families.Table, error) { return load(dir, name) }})
		}
	} else if !testing.Short() {
		t.Log("missing: the tables adult7 and adult14; set DAPPLE_DATA to the directory that holds them")
	}
	if testing.Short() {
		laws, questions, epsilons = laws[:1], 200, epsilons[1:2]
	}
	for _, l := range laws {
		all, err := l.population()
		if err != nil {
			t.Fatal(err)
		}
		for i, epsilon := range epsilons {
			people := all.Resampled(uint64(i)) // Adult: a population is its people, as often as one likes
			if all.Units() > 100_000 {
				people = all.Sample(40_000, uint64(i))
			}
			s, err := families.Solve(people, families.Request{Method: "auto", Epsilon: epsilon, Delta: 1e-9, Unrecorded: true}, families.Fixed(uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			iv, rng := interval.New(s.Result), rand.New(rand.NewPCG(uint64(i), 35))
			asked, own, drawn := 0.0, 0.0, 0.0
			for range questions {
				q := families.Ask(people, rng)
				a := q.Answer(iv, s.Model, s.Total.Units)
				truth, wide := q.True(people), q.True(all)
				if q.Mean < 0 {
					wide *= float64(people.Units()) / float64(all.Units())
				}
				if math.IsNaN(a.Value) { // the model has nobody of the kind
					continue
				}
				asked++
				if math.Abs(a.Value-truth) <= 1.96*a.Sample {
					own++
				}
				if math.Abs(a.Value-wide) <= 1.96*a.Population {
					drawn++
				}
			}
			own, drawn = own/asked, drawn/asked
			t.Logf("%s, ε = %g, %s: of %.0f intervals %.1f %% hold for the people, %.1f %% for the population", l.name, float64(epsilon), s.Method.Name, asked, 100*own, 100*drawn)
			if min(own, drawn) < .93 {
				t.Errorf("%s, ε = %g: %.3f and %.3f of the intervals hold, want .93", l.name, float64(epsilon), own, drawn)
			}
		}
	}
}
