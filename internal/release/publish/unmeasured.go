package publish

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/release/answer"
)

// mostAsked is the most tables whose error is predicted: so many of them, evenly chosen, stand for all.
const mostAsked = 2

// unmeasured returns the average total variation that is predicted of the workload's widest tables that need more of the model's
// columns than they have, as a column that a gap stands for is computed from several; how many such tables there are, and how many of the
// widest in all.
func unmeasured(r *answer.Release, w query.Workload) (tv float64, some, all int) {
	d := r.Domain
	if len(d.Gaps) == 0 || d.Events != nil {
		return 0, 0, 0
	}
	names, after := d.Names(), make([][]int, d.Len())
	for _, g := range d.Gaps {
		names[g.Place], after[g.Place] = g.Declared.Name, g.After
	}
	width, tables := 0, [][]string(nil)
	for _, c := range w.Tables().Maximal().Cliques() {
		if len(c) < width {
			continue
		}
		if len(c) > width {
			width, tables, all = len(c), nil, 0
		}
		var columns []string
		needs := []int(c)
		for _, i := range c {
			needs, columns = append(needs[:len(needs):len(needs)], after[i]...), append(columns, names[i])
		}
		if all++; len(domain.NewClique(needs...)) > len(c) {
			tables = append(tables, columns)
		}
	}
	asked := 0
	for k := range min(len(tables), mostAsked) {
		if miss, ok := r.Miss(tables[k*len(tables)/min(len(tables), mostAsked)]); ok {
			tv, asked = tv+miss, asked+1
		}
	}
	if asked == 0 {
		return 0, 0, all
	}
	return tv / float64(asked), len(tables), all
}
