package population

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

const (
	// clusterCells is the largest number of cells of a cluster of several tables. Its beliefs are read and written
	// once for each table and inner sweep, the population twice for each cluster: 16,384 cells for ten tables take as
	// long as 300,000 records. 4,096 to 65,536 are within a fifth in time.
	clusterCells = 1 << 14
	// innerSweeps is how often the tables of a cluster are solved in turn for one pass over the population. Two
	// remove most of the effect of the tables on each other; another one gains less than the next cluster.
	innerSweeps = 2
)

// cluster is a set of tables inside one clique. They are raked on the clique's table, and the population is read
// and written once for all of them: the same coordinate ascent as table by table, in another order.
type cluster struct {
	clique        domain.Clique
	tables        []*Table
	onto          []*Projection // of the clique on each of tables
	mass          [][]float64   // scratch of each of tables
	belief, start []float64
	keep          bool        // index from sweep to sweep
	index         []int32     // cell of every record of a sample, if it is kept
	whole         *Projection // of a universe on the clique; nil for a sample
}

// solve rakes belief, the present table of the clique, and replaces it by the factor of every cell. The result is the
// largest L1 change of a table when it is first solved, counts.
func (b *cluster) solve() float64 {
	b.start = append(b.start[:0], b.belief...)
	change := 0.0
	for inner := range innerSweeps {
		for i, t := range b.tables {
			b.onto[i].Sum(b.mass[i], b.belief)
			if x := t.Solve(b.mass[i]); inner == 0 {
				change = max(change, x)
			}
			b.onto[i].Multiply(b.belief, b.mass[i])
		}
	}
	for c, x := range b.start {
		if x > 0 {
			b.belief[c] /= x
		}
	}
	return change
}

func newCluster(sizes []int, c domain.Clique, tables []*Table) *cluster {
	cells, err := c.Cells(sizes)
	if err != nil {
		panic("population: a cluster whose cells cannot be counted")
	}
	b := &cluster{clique: c, tables: tables, belief: make([]float64, cells)}
	for _, t := range tables {
		b.onto = append(b.onto, NewProjection(sizes, c, t.Clique))
		b.mass = append(b.mass, make([]float64, len(t.Theta)))
	}
	return b
}

// newClusters assigns each table of two and more attributes to one cluster, and adds the one-way tables to every
// cluster that contains their attribute.
func newClusters(sizes []int, tables, oneWays []*Table, most int) []*cluster {
	wide := slices.DeleteFunc(slices.Clone(tables), func(t *Table) bool { return len(t.Clique) < 2 })
	cliques := make([]domain.Clique, len(wide))
	for i, t := range wide {
		cliques[i] = t.Clique
	}
	var out []*cluster
	for _, g := range cover(sizes, cliques, most) {
		var inside []*Table
		for _, i := range g.members {
			inside = append(inside, wide[i])
		}
		for _, t := range oneWays {
			if g.clique.Contains(t.Clique) {
				inside = append(inside, t)
			}
		}
		out = append(out, newCluster(sizes, g.clique, inside))
	}
	return out
}
