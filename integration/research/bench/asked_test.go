package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/integration/research/families"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestAsked asks 1,000 (300, but for the nightly run) random filters and groups of each table and ε, of 1 to 4 columns and
// .1 to 60 % of the people, and counts the 95 % intervals that hold: of the table's own people, and of the population that
// they were drawn from. Questions without an answer are left out. Constants were chosen on the tables of package families
// but schedule; questions for dpam and dpfw on adult7, which is among the tables here. The noise is fixed, so that a failure is
// never chance. In November 2026, 93 to 99.7 % held at 1,000 questions.
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
	if !dptest.Nightly() {
		questions, epsilons = 300, epsilons[1:2]
	}
	if dir := os.Getenv("DAPPLE_DATA"); dir != "" && !testing.Short() {
		for _, name := range []string{"adult7", "adult14"} {
			laws = append(laws, law{name, func() (*families.Table, error) { return load(dir, name) }})
		}
	} else if !testing.Short() {
		t.Log("missing: the tables adult7 and adult14; set DAPPLE_DATA to the directory that holds them")
	}
	if testing.Short() {
		laws, questions = laws[:1], 200
	}
	for _, l := range laws {
		for i, epsilon := range epsilons {
			t.Run(fmt.Sprintf("%s/%g", l.name, float64(epsilon)), func(t *testing.T) {
				all := must.Value(l.population())(t)
				people := all.Resampled(uint64(i)) // Adult: a population is its people, as often as one likes
				if all.Units() > 100_000 {
					people = all.Sample(40_000, uint64(i))
				}
				s, err := families.Solve(people, families.Request{Method: "auto", Epsilon: epsilon, Delta: 1e-9, Unrecorded: true}, families.Fixed(uint64(i)))
				must.Do(t, err)
				askedOf(t, s, people, all, questions, rand.New(rand.NewPCG(uint64(i), 35)))
			})
		}
	}
}

// askedOf asks a release about the people, who were drawn from all.
func askedOf(t *testing.T, s *families.Solved, people, all *families.Table, questions int, rng *rand.Rand) {
	iv := interval.New(s.Result)
	asked, own, drawn, answering := 0.0, 0.0, 0.0, time.Duration(0)
	for range questions {
		q := families.Ask(people, rng)
		began := time.Now()
		a := q.Answer(iv, s.Model, s.Total.Units)
		answering += time.Since(began)
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
	t.Logf("%s: of %.0f intervals %.1f %% hold for the people, %.1f %% for the population; %.0f ms an answer on a machine with others", s.Method.Name, asked, 100*own, 100*drawn,
		float64(answering.Milliseconds())/float64(questions))
	must.Hold(t, min(own, drawn) >= leastHeld, "%.3f and %.3f of the intervals hold, want %.2f", own, drawn, leastHeld)
}

// leastHeld is the least part of the 95 % intervals that has to hold: 300 of a release have a standard deviation of .02 or more,
// since its errors are shared.
const leastHeld = .92
