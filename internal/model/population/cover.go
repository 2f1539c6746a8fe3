package population

import (
	"cmp"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// group is a clique and the indices of the cliques of a list that it contains.
type group struct {
	clique  domain.Clique
	members []int
}

// cover assigns every clique of a list to one group. Groups grow from the largest remaining clique, by the attribute
// that completes most others for its size, as long as they have at most most cells. Members keep their order.
//
// Cost: for each group, the remaining cliques that share an attribute with it.
func cover(sizes []int, cliques []domain.Clique, most int) []group {
	c := &covering{sizes: sizes, cliques: cliques, of: make([][]int, len(sizes)), alone: make([]int, len(sizes)), missing: make([]int, len(cliques)), covered: make([]bool, len(cliques))}
	cells, order := make([]int64, len(cliques)), make([]int, len(cliques))
	for i, q := range cliques {
		n, err := q.Cells(sizes)
		if err != nil {
			panic("population: a clique whose cells cannot be counted")
		}
		cells[i], order[i], c.missing[i] = n, i, len(q)
		for _, a := range q {
			c.of[a] = append(c.of[a], i)
		}
		switch len(q) {
		case 0:
			c.empty = append(c.empty, i)
		case 1:
			c.alone[q[0]]++
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(cells[j], cells[i]) })
	var out []group
	for _, i := range order {
		if !c.covered[i] {
			out = append(out, c.grow(i, int(cells[i]), most))
		}
	}
	return out
}

// covering is the state of cover.
type covering struct {
	sizes   []int
	cliques []domain.Clique
	of      [][]int // the cliques with an attribute
	alone   []int   // remaining cliques of one attribute, by attribute
	missing []int   // attributes of a clique that are not in the group: all of them between groups
	covered []bool
	empty   []int // cliques without attributes, for the first group
}

// grow returns the group around a clique, which has the given number of cells.
func (c *covering) grow(first, cells, most int) group {
	in := make([]bool, len(c.sizes))
	gain := slices.Clone(c.alone) // cliques that an attribute would complete
	var touched []int
	add := func(a int) {
		in[a], gain[a] = true, 0
		for _, i := range c.of[a] {
			if c.covered[i] {
				continue
			}
			if c.missing[i] == len(c.cliques[i]) {
				touched = append(touched, i)
			}
			if c.missing[i]--; c.missing[i] == 1 {
				gain[c.cliques[i][slices.IndexFunc(c.cliques[i], func(b int) bool { return !in[b] })]]++
			}
		}
	}
	for _, a := range c.cliques[first] {
		add(a)
	}
	for {
		best := -1
		for a, n := range gain {
			if n > 0 && cells*c.sizes[a] <= most && (best < 0 || n*c.sizes[best] > gain[best]*c.sizes[a]) {
				best = a
			}
		}
		if best < 0 {
			break
		}
		add(best)
		cells *= c.sizes[best]
	}
	var g group
	for a, ok := range in {
		if ok {
			g.clique = append(g.clique, a)
		}
	}
	touched, c.empty = append(touched, c.empty...), nil
	for _, i := range touched {
		if c.missing[i] > 0 {
			c.missing[i] = len(c.cliques[i])
			continue
		}
		c.covered[i] = true
		if q := c.cliques[i]; len(q) == 1 {
			c.alone[q[0]]--
		}
		g.members = append(g.members, i)
	}
	slices.Sort(g.members)
	return g
}
