package infer

import (
	"math"
	"slices"
)

// alikeBy is by how much two rows of a person have to agree more often than rows of two people.
const alikeBy = .1

// usualCells is the number of cells of a column of which a person's commonest value is proposed, at most: each adds a column
// of as many.
const usualCells = 32

// alike returns by how much more often two rows of a person agree in a column than rows of two people, less what chance
// alone gives once in 30,000 columns.
func (h *histories) alike(a int) float64 {
	several := h.several()
	agree, n := 0, max(len(several), 1)
	for i, p := range several {
		if h.first[a][p] == h.later[a][p] {
			agree++
		}
		if far := several[(i+n/2)%n]; h.first[a][far] == h.later[a][p] { // neighbours in the table may be alike
			agree--
		}
	}
	return float64(agree)/float64(n) - 4*math.Sqrt(.5/float64(n))
}

// fewCells reports whether the cells of a column are fixed, and so few that pairs of them can be counted.
func (p proposal) fewCells() bool {
	d, err := parsed(p.keys)
	return err == nil && d.Attributes[0].Learned == 0 && d.Sizes()[0] <= usualCells
}

// usual proposes the columns of few cells of rows in which people are alike to themselves.
func (s *Source) usual(h *histories, lines []proposal, e *events) (columns []string) {
	if h == nil {
		return nil
	}
	line := byName(lines)
	for a, c := range s.readable() {
		if p := line[c.name]; !p.out && plain(c.name) != e.order && !slices.Contains(e.person, plain(c.name)) && p.fewCells() && h.alike(a) > alikeBy {
			columns = append(columns, plain(c.name))
		}
	}
	return columns
}
