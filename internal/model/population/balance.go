package population

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// overlap is a table and one inside it. A number that is added to the potentials of all cells of the wider table that are
// one cell of the other, and taken from that cell's, changes the ridges' part of the objective and leaves the model as it
// is. Raking, a table at a time, goes such ways in steps as short as the ridges are small beside the masses: it is what
// keeps pairs of columns that follow from each other from their targets.
type overlap struct {
	wide, inside *Table
	onto         *Projection
	ridge, pull  []float64 // scratch, for every cell of inside: sums over cells of wide
}

// newOverlaps returns the overlaps of every table with those inside it, but for tables inside these.
func newOverlaps(sizes []int, tables []*Table) []overlap {
	byClique := map[string]*Table{}
	for _, t := range tables {
		byClique[t.Clique.Key()] = t
	}
	var out []overlap
	for _, t := range tables {
		first := len(out)
		for level := subcliques(t.Clique); len(level) > 0; {
			for _, c := range level {
				if inside := byClique[c.Key()]; inside != nil {
					sums := make([]float64, 2*len(inside.Theta))
					out = append(out, overlap{t, inside, NewProjection(sizes, t.Clique, c), sums[:len(inside.Theta)], sums[len(inside.Theta):]})
				}
			}
			var next []domain.Clique
			for _, c := range level {
				next = append(next, subcliques(c)...)
			}
			found := out[first:]
			level = slices.DeleteFunc(next, func(c domain.Clique) bool {
				return slices.ContainsFunc(found, func(o overlap) bool { return o.inside.Clique.Contains(c) })
			})
			slices.SortFunc(level, domain.Clique.Compare)
			level = slices.CompactFunc(level, slices.Equal)
		}
	}
	return out
}

// subcliques returns the cliques, not empty, that lack one attribute of c.
func subcliques(c domain.Clique) []domain.Clique {
	var out []domain.Clique
	for i := range c {
		if len(c) > 1 {
			out = append(out, slices.Delete(slices.Clone(c), i, i+1))
		}
	}
	return out
}

// balance goes to the least of the objective along all these ways. A potential of 0 is one of a cell without mass, which
// no table has ever moved: such cells stay out.
func (o *overlap) balance() {
	clear(o.ridge)
	clear(o.pull)
	wide, inside, n := o.wide, o.inside, o.onto.block
	for b, at := range o.onto.offsets {
		theta := wide.Theta[b*n : (b+1)*n]
		ridge, target := wide.Ridge[b*n:][:len(theta)], wide.Target[b*n:][:len(theta)]
		sumRidge, sumPull := o.ridge[at:], o.pull[at:]
		if o.onto.inside {
			sumRidge, sumPull = sumRidge[:len(theta)], sumPull[:len(theta)]
			for i, x := range theta {
				if x != 0 {
					sumRidge[i] += ridge[i]
					sumPull[i] += target[i] - ridge[i]*x
				}
			}
			continue
		}
		r, p := 0.0, 0.0
		for i, x := range theta {
			if x != 0 {
				r += ridge[i]
				p += target[i] - ridge[i]*x
			}
		}
		sumRidge[0] += r
		sumPull[0] += p
	}
	move := o.pull
	for c, x := range inside.Theta {
		if x == 0 || o.ridge[c] == 0 {
			move[c] = 0
			continue
		}
		move[c] = (o.pull[c] - inside.Target[c] + inside.Ridge[c]*x) / (o.ridge[c] + inside.Ridge[c])
		inside.Theta[c] -= move[c]
	}
	for b, at := range o.onto.offsets {
		theta := wide.Theta[b*n : (b+1)*n]
		if o.onto.inside {
			for i, m := range move[at:][:len(theta)] {
				if theta[i] != 0 {
					theta[i] += m
				}
			}
			continue
		}
		if m := move[at]; m != 0 {
			for i, x := range theta {
				if x != 0 {
					theta[i] = x + m
				}
			}
		}
	}
}
