package population

import (
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
func cover(sizes []int, cliques []domain.Clique, most int) []group {
	cells := make([]int64, len(cliques))
	left := make([]int, len(cliques))
	for i, c := range cliques {
		n, err := c.Cells(sizes)
		if err != nil {
			panic("population: a clique whose cells cannot be counted")
		}
		cells[i], left[i] = n, i
	}
	slices.SortStableFunc(left, func(i, j int) int { return int(cells[j] - cells[i]) })
	var out []group
	for len(left) > 0 {
		g := group{clique: grow(sizes, cliques, left, int(cells[left[0]]), most)}
		var rest []int
		for _, i := range left {
			if g.clique.Contains(cliques[i]) {
				g.members = append(g.members, i)
			} else {
				rest = append(rest, i)
			}
		}
		slices.Sort(g.members)
		out, left = append(out, g), rest
	}
	return out
}

// grow returns the clique of a group around the first of those left, which has the given number of cells.
func grow(sizes []int, cliques []domain.Clique, left []int, cells, most int) domain.Clique {
	in := make([]bool, len(sizes))
	for _, a := range cliques[left[0]] {
		in[a] = true
	}
	gain := make([]int, len(sizes)) // cliques that an attribute would complete
	for {
		clear(gain)
		for _, i := range left {
			if a, ok := onlyMissing(cliques[i], in); ok {
				gain[a]++
			}
		}
		best := -1
		for a, n := range gain {
			if n > 0 && cells*sizes[a] <= most && (best < 0 || n*sizes[best] > gain[best]*sizes[a]) {
				best = a
			}
		}
		if best < 0 {
			break
		}
		in[best] = true
		cells *= sizes[best]
	}
	var c domain.Clique
	for a, ok := range in {
		if ok {
			c = append(c, a)
		}
	}
	return c
}

// onlyMissing returns the attribute of c that is not in, if there is exactly one.
func onlyMissing(c domain.Clique, in []bool) (a int, ok bool) {
	for _, b := range c {
		if in[b] {
			continue
		}
		if ok {
			return 0, false
		}
		a, ok = b, true
	}
	return a, ok
}
