package plan

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/solver"
)

// unlinked names pairs of columns that no marginal of the workload holds; it may be empty.
func unlinked(p solver.Problem) string {
	const shown = 3
	linked := map[[2]int]bool{}
	for _, m := range p.Workload.Marginals {
		for i, a := range m.Clique {
			for _, b := range m.Clique[i+1:] {
				linked[[2]int{a, b}] = true
			}
		}
	}
	var names []string
	more := 0
	for b := range p.Domain.Attributes {
		for a := range b {
			switch {
			case linked[[2]int{a, b}]:
			case len(names) < shown:
				names = append(names, fmt.Sprintf("%q and %q", p.Domain.Attributes[a].Name, p.Domain.Attributes[b].Name))
			default:
				more++
			}
		}
	}
	if more > 0 {
		names = append(names, fmt.Sprintf("%d more pairs", more))
	}
	return strings.Join(names, ", ")
}
