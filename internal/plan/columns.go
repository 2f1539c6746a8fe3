package plan

import (
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// A domain of more than wideColumns columns takes at most that many lines: adjacent columns of the same kind share
// one.
const wideColumns = 100

func writeColumns(b *strings.Builder, attrs []domain.Attribute) {
	lines := 0
	for i := 0; i < len(attrs); lines++ {
		if lines == wideColumns {
			fmt.Fprintf(b, "  … and %d more columns, which the domain file lists\n", len(attrs)-i)
			return
		}
		n, cells := 1, cellsOf(&attrs[i])
		for len(attrs) > wideColumns && i+n < len(attrs) && cellsOf(&attrs[i+n]) == cells {
			n++
		}
		name := attrs[i].Name
		if n > 1 {
			name = fmt.Sprintf("%s … %s (%d columns)", name, attrs[i+n-1].Name, n)
		}
		fmt.Fprintf(b, "  %-20s %s\n", name, cells)
		i += n
	}
}

// cellsOf describes a column's cells.
func cellsOf(a *domain.Attribute) string {
	span := ""
	last := a.Bins() - 1
	if a.Learned > 0 { // its values are known, its bins are not
		last = a.Fine() - 1
	}
	if last >= 0 {
		span = a.Label(0)
		if last > 0 {
			span += " … " + a.Label(domain.Code(last))
		}
	}
	if a.Learned > 0 {
		span += ", learned"
	}
	if a.Other {
		span += " + other"
	}
	if a.Null {
		span += " + NULL"
	}
	return fmt.Sprintf("%-9s %5d cells  %s", a.Type, a.Size(), span)
}
