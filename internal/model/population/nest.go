package population

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

const (
	// clusterCells is the largest number of cells of the outermost clique of several tables. It is read and written
	// once for each part and inner sweep, the population twice: 16,384 cells for ten parts take as long as 300,000
	// records. 4,096 to 65,536 are within a fifth in time.
	clusterCells = 1 << 14
	// nestRatio is how many times smaller an inner clique of several tables is, at least.
	nestRatio = 8
	// oneWayCells is the largest number of cells of the clique of several one-way tables: one for a hundred records.
	oneWayCells = 1 << 12
	// solvedCell is the time that it takes to solve a cell of a table, in cells that are read and written.
	solvedCell = 4
)

// nest says how the tables of cliques are raked on the table of a clique that contains them: in turn, and those inside
// a smaller clique together, on the table of that one.
type nest struct {
	clique domain.Clique
	cells  int64
	table  int    // index of its clique, if there are no parts
	parts  []nest // inside clique
}

// newNests covers all cliques: wider ones, of two and more attributes, by nests of at most most cells, or of one clique, and each of
// one attribute by every nest that contains it and, last, by one of at most oneWayCells cells, with others.
func newNests(sizes []int, cliques []domain.Clique, most int) []nest {
	var oneWays, wide []int
	for i, c := range cliques {
		if len(c) < 2 {
			oneWays = append(oneWays, i)
		} else {
			wide = append(wide, i)
		}
	}
	var out []nest
	for _, g := range cover(sizes, pick(cliques, wide), most) {
		inside := pick(wide, g.members)
		for _, i := range oneWays {
			if g.clique.Contains(cliques[i]) {
				inside = append(inside, i)
			}
		}
		out = append(out, newNest(sizes, g.clique, cliques, inside))
	}
	for _, g := range cover(sizes, pick(cliques, oneWays), min(most, oneWayCells)) {
		out = append(out, newNest(sizes, g.clique, cliques, pick(oneWays, g.members)))
	}
	return out
}

// newNest returns the nest on c of the cliques with the indices inside.
func newNest(sizes []int, c domain.Clique, cliques []domain.Clique, inside []int) nest {
	n := nest{clique: c, cells: cellsOf(sizes, c)}
	if len(inside) == 1 {
		n.table = inside[0]
		return n
	}
	for _, g := range cover(sizes, pick(cliques, inside), int(n.cells/nestRatio)) {
		own := pick(inside, g.members)
		if len(own) > 1 && len(g.clique) < len(c) { // else it would be the same again
			n.parts = append(n.parts, newNest(sizes, g.clique, cliques, own))
			continue
		}
		for _, i := range own {
			n.parts = append(n.parts, newNest(sizes, cliques[i], cliques, []int{i}))
		}
	}
	return n
}

// cellsOf returns the cells of a clique that was counted before.
func cellsOf(sizes []int, c domain.Clique) int64 {
	n, err := c.Cells(sizes)
	if err != nil {
		panic("population: a clique whose cells cannot be counted")
	}
	return n
}

// pick returns the elements of list at the given places.
func pick[T any](list []T, places []int) []T {
	return lists.Of(places, func(p int) T { return list[p] })
}

// work returns the cells that are read and written when every table is solved once.
func (n *nest) work() float64 {
	if len(n.parts) == 0 {
		return solvedCell * float64(n.cells)
	}
	sum := 0.
	for i := range n.parts {
		sum += float64(n.cells) + n.parts[i].work()
	}
	return sum
}

// Work returns the work of raking the tables of all cliques once, including one-way tables: passes over the records
// of a sample, or the cells of a universe, and cells of the tables' clusters that are read and written. Counting
// takes as many passes.
func Work(sizes []int, cliques []domain.Clique) (passes int, cells float64) {
	list := newNests(sizes, cliques, clusterCells)
	for i := range list {
		cells += innerSweeps * list[i].work()
	}
	return len(list), cells
}
