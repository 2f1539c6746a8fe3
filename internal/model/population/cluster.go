package population

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// innerSweeps is how often the tables of a cluster are solved in turn for one pass over the population. Two remove most
// of the effect of the tables on each other; another one gains less than the next cluster.
const innerSweeps = 2

// cluster is a set of tables inside one clique. They are raked on the clique's table, and the population is read
// and written once for all of them: the same coordinate ascent as table by table, in another order.
type cluster struct {
	belief
	keep  bool        // index from sweep to sweep
	index []int32     // cell of every record of a sample, if it is kept
	at    []int32     // the same when it was summed last
	whole *Projection // of a universe on the clique; nil for a sample
}

// belief is the table of a clique on which a table, or the parts inside the clique, are raked.
type belief struct {
	clique      domain.Clique
	onto        *Projection // of the enclosing clique on this one
	mass, start []float64
	table       *Table // of the clique, if there are no parts
	parts       []*belief
}

// solve rakes mass, the present table of the clique, and replaces it by the factor of every cell. The result is the
// largest L1 change of a table when it is first solved, counts.
func (b *belief) solve(sweeps int) float64 {
	if b.table != nil {
		return b.table.Solve(b.mass)
	}
	b.start = append(b.start[:0], b.mass...)
	change := 0.0
	for sweep := range sweeps {
		for _, p := range b.parts {
			p.onto.Sum(p.mass, b.mass)
			if x := p.solve(1); sweep == 0 {
				change = max(change, x)
			}
			p.onto.Multiply(b.mass, p.mass)
		}
	}
	for c, x := range b.start {
		if x > 0 {
			b.mass[c] /= x
		}
	}
	return change
}

func newBelief(sizes []int, n *nest, tables []*Table) *belief {
	b := &belief{clique: n.clique, mass: make([]float64, n.cells)}
	if len(n.parts) == 0 {
		b.table = tables[n.table]
	}
	for i := range n.parts {
		p := newBelief(sizes, &n.parts[i], tables)
		p.onto = NewProjection(sizes, n.clique, p.clique)
		b.parts = append(b.parts, p)
	}
	return b
}

// newClusters returns the clusters of the tables, and at the end the one-way tables' clusters once more.
func newClusters(sizes []int, tables []*Table, most int) []*cluster {
	cliques := lists.Of(tables, func(t *Table) domain.Clique { return t.Clique })
	var out []*cluster
	for _, n := range newNests(sizes, cliques, most) {
		out = append(out, &cluster{belief: *newBelief(sizes, &n, tables)})
	}
	return out
}
