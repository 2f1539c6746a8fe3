package synth

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/solver/methods"
	"github.com/dapple-dp/dapple/internal/testkit/dptest"
	"github.com/dapple-dp/dapple/internal/testkit/must"
	"github.com/dapple-dp/dapple/solver"
)

// visitors is a domain of people with visits of at most so many; cuts from 0 if people without visits exist.
func visitors(t *testing.T, most int64, usual bool, from ...int64) *domain.Domain {
	t.Helper()
	d := &domain.Domain{PrivacyID: "id", Attributes: []domain.Attribute{
		{Name: "sex", Type: domain.String, Values: []string{"F", "M"}, HasFallback: true},
		{Name: "ward", Type: domain.String, Values: []string{"a", "b", "c"}, HasFallback: true}}}
	var names []string
	if usual {
		names = []string{"ward"}
	}
	d = must.Value(d.WithEvents([]string{"sex"}, names, slices.Concat(from, domain.EqualRatioCuts(most)), most))(t)
	return d
}

// TestFewPeople: a run on 0 to 10 people with events always ends with a release, whatever the noise says of so few. 352
// runs (nightly 1,056).
func TestFewPeople(t *testing.T) {
	rng, runs := rand.New(rand.NewPCG(dptest.Seed(t), 6)), 0
	for _, d := range []*domain.Domain{visitors(t, 4, false), visitors(t, 4, true), visitors(t, 100, true), visitors(t, 4, true, 0)} {
		for _, epsilon := range []dp.Epsilon{.1, 1} {
			x := &trial{rng: rng, problem: solver.Problem{Domain: d, Neighbouring: dp.AddRemove, Epsilon: epsilon, Delta: 1e-9, Units: 1000, Seed: 3,
				Workload: query.WithRows(d, query.AllMarginals(d.Sizes(), 2, 2000), 2000)}}
			var err error
			x.method, err = methods.Lookup("rake")
			must.Do(t, err)
			for n := range 11 {
				table := x.count(t, x.people(n))
				for range dptest.Size(4, 12) {
					runs++
					must.Passes(x.run(table))(t, "%d people, ε = %g", n, float64(epsilon))
				}
			}
		}
	}
	dptest.Figure(t, "%d runs", runs)
}
