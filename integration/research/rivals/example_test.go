package rivals_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/integration/research/rivals"
	"github.com/dapple-dp/dapple/solver"
)

// What each comparator would ask of private data is known before anything is read.
func ExampleAlgorithm_Accesses() {
	d := &domain.Domain{Attributes: []domain.Attribute{
		{Name: "sex", Values: []string{"female", "male"}, Other: true},
		{Name: "vote", Values: []string{"yes", "no"}, Other: true},
	}}
	p := solver.Problem{Domain: d, Workload: query.AllMarginals(d.Sizes(), 2, 1000), Epsilon: 1, Delta: 1e-9, Units: 10_000}
	for _, a := range rivals.All() {
		accesses, err := a.Accesses(p)
		if err != nil {
			fmt.Println(err)
			continue
		}
		events := 0
		for _, x := range accesses {
			events += x.Count
		}
		fmt.Println(a.Name, events)
	}
	// Output:
	// pmw 121
	// mwem 61
	// pep 51
	// adaptive 3
	// gem 3
	// mst 4
	// dualquery 4351
	// dqrs 33801
	// fem 301
	// sepfem 301
	// pmw-pub: it needs a table that anybody may see, with solver.Problem.Public; without one use method mwem
	// pap: it needs a table that anybody may see, with solver.Problem.Public; without one use method mwem
	// pe 11
}
