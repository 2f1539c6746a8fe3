package query_test

import (
	"fmt"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/query"
)

// All marginals of up to two of three columns, of at most 100 cells: the widest columns do not meet.
func ExampleAllMarginals() {
	w := query.AllMarginals([]int{2, 12, 30}, 2, 100)
	for _, m := range w.Marginals {
		cells, err := m.Clique.Cells(w.Sizes)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m.Clique, cells)
	}
	// Output:
	// [0] 2
	// [1] 12
	// [2] 30
	// [0 1] 24
	// [0 2] 60
}

// A table of linear queries takes the place of a marginal's cells. Its sensitivity follows from the queries' values.
func ExamplePrefixes() {
	prefixes, err := query.Prefixes([]int{2, 5}, 1, 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := query.Workload{Sizes: []int{2, 5}, Marginals: []query.Marginal{prefixes}}
	fmt.Println(w.Linear(), "queries, squared sensitivity", prefixes.Queries.L2Squared(dp.AddRemove).RatString())
	// Output: 4 queries, squared sensitivity 4
}
