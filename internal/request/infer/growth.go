package infer

import (
	"cmp"

	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/model/cellkind"
)

const (
	falling = .01 // share of people with several rows within whom a column that orders rows may fall
	growing = .5  // least share of rows that lie behind the row before
)

// growth says of a column of each person whether it grows from row to row.
type growth struct {
	last    []float64 // of each person; NaN: nothing to compare with
	fell    []bool
	falls   int // people within whom it fell
	steps   int
	forward int // steps to a larger value
}

// add takes the cell of a row of person p.
func (g *growth) add(p int32, x float64) {
	if int(p) == len(g.last) {
		g.last, g.fell = append(g.last, x), append(g.fell, false)
		return
	}
	g.steps++
	switch last := g.last[p]; {
	case x > last:
		g.forward++
	case !(x >= last) && !g.fell[p]: // or there is no value
		g.fell[p] = true
		g.falls++
	}
	g.last[p] = x
}

// grows reports whether rows are in the order of the column, in which hardly two are equal.
func (g *growth) grows(several int) bool {
	return float64(g.falls) <= falling*float64(several) && float64(g.forward) >= growing*float64(max(g.steps, 1))
}

// order returns the column that orders the rows of people: dates and times before numbers, then the first one. A file that is sorted
// by the keys of what people have bought says nothing of when they did.
func (s *Source) order(h *histories, lines []proposal) string {
	if h == nil {
		return ""
	}
	found, line := "", byName(lines)
	for a, c := range s.readable() {
		p := line[c.Name]
		if p.out || p.key || cellkind.SaysIdentifier(c.Name) || !h.growth[a].grows(h.many) {
			continue
		}
		if p.typ.Facts().Calendar {
			return yamltext.Plain(c.Name)
		}
		found = cmp.Or(found, yamltext.Plain(c.Name))
	}
	return found
}
