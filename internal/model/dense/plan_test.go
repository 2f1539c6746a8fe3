package dense

import (
	"testing"

	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestWork: all triples cost four passes over the universe (one for each of the three largest axes that
// a marginal may lack, and one for the marginal that lacks none of them) and little beside, whatever
// the order of the attributes.
func TestWork(t *testing.T) {
	for _, sizes := range [][]int{{16, 15, 10, 7, 5, 2, 2}, {2, 2, 5, 7, 10, 15, 16}, {2, 16, 2, 10, 5, 15, 7}} {
		p := NewPlan(sizes, query.AllMarginals(sizes, 3, 1<<40).Maximal().Cliques())
		n := len(p.nodes[0].children)
		must.Hold(t, n == 4, "%v: %d passes over the universe, want 4", sizes, n)
		work := 0
		for _, n := range p.nodes[1:] {
			work += n.outer * n.axis * n.inner
		}
		limit := p.k * 26 / 5
		must.Hold(t, work <= limit, "%v: %d cells read, want at most %d", sizes, work, limit)
	}
}

// TestLongRunsAreSplit: no node but the one of a single long axis sums more than maxRun terms.
func TestLongRunsAreSplit(t *testing.T) {
	sizes := []int{90, 80, 70, 5000, 3}
	p := NewPlan(sizes, query.Workload{Sizes: sizes, Marginals: []query.Marginal{{Clique: []int{4}}}}.Cliques())
	for _, n := range p.nodes[1:] {
		must.Hold(t, n.axis <= maxRun || n.axis == 5000, "a node sums %d terms", n.axis)
	}
}
