package publish

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/model/marginal"
	"github.com/dapple-dp/dapple/internal/release/answer"
)

// mostAsked is the most tables whose error is predicted: so many of them, evenly chosen, stand for all.
const mostAsked = 20

// unmeasured returns the average total variation that is predicted of tables of the rows' columns that no table of the workload has, how many
// there are, and how many tables of the widest kind there are in all. A column that a gap stands for is computed from several of the
// model's, and a table with it needs one of them all.
func unmeasured(r *answer.Release, w query.Workload) (tv float64, some, all int) {
	d, cliques := r.Domain, w.Tables().Maximal().Cliques()
	if len(d.Gaps) == 0 || d.Events != nil {
		return 0, 0, 0
	}
	width := 0
	for _, c := range cliques {
		width = max(width, len(c))
	}
	from := make([]domain.Clique, d.Len()) // of each column of the rows: those of the model
	for i := range from {
		from[i] = domain.Clique{i}
	}
	names := d.Names()
	for i, g := range d.Gaps {
		from[g.Place], names[g.Place] = domain.NewClique(append([]int{g.Place}, g.After...)...), d.Gaps[i].Declared.Name
	}
	var tables [][]string
	for _, c := range marginal.Subsets(domain.All(d.Len()), width) {
		var needs []int
		var columns []string
		for _, i := range c {
			needs, columns = append(needs, from[i]...), append(columns, names[i])
		}
		if all++; !slices.ContainsFunc(cliques, func(have domain.Clique) bool { return have.Contains(domain.NewClique(needs...)) }) {
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
