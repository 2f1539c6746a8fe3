package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// constraints finds the records of a true table that break what a domain declares between columns.
type constraints struct {
	d       *domain.Domain
	plan    *relation.Plan
	at      [relation.Generated][]int // where the entries of a list are counted
	derived []int                     // where the derived columns are in a chunk; −1: the table has none
	encoder *domain.Encoder
	finer   []int             // decimal places that the attributes of a chunk have besides
	zeros   domain.Exclusions // impossible combinations
	first   int               // where those are counted
}

// relate makes the checker count what breaks constraints, and returns the domain whose columns it wants: derived columns
// are among them that the table has.
func (c *checker) relate(ctx context.Context, r *CheckRequest) (*domain.Domain, error) {
	d := r.declared
	plan, err := relation.New(d)
	if err != nil {
		return nil, err
	}
	b := &constraints{d: d, plan: plan, encoder: domain.NewEncoder(d)}
	for i := range d.Attributes {
		b.finer = append(b.finer, r.source.domain.Attributes[i].Scale-d.Attributes[i].Scale)
	}
	declare := func(k relation.Kind, format string, args ...any) {
		if k < relation.Generated {
			b.at[k] = append(b.at[k], len(c.fit.Broken))
		}
		c.fit.Broken = append(c.fit.Broken, Broken{Declared: fmt.Sprintf(format, args...)})
	}
	for _, o := range d.Orders {
		declare(relation.Order, "order: %s", strings.Join(o.Columns, " <= "))
	}
	for _, x := range d.Dates {
		declare(relation.Date, "date: %s, %s, %s", x.Year, x.Month, x.Day)
	}
	wanted := *r.source.domain
	wanted.Attributes = slices.Clone(wanted.Attributes)
	for _, x := range d.Derived {
		switch {
		case len(x.Sum) > 0:
			declare(relation.Derived, "sum: %s, of %s", x.Column.Name, strings.Join(x.Sum, ", "))
		default:
			declare(relation.Derived, "derive: %s, from %s", x.Column.Name, strings.TrimSuffix(x.From+", "+x.With, ", "))
		}
		with := wanted
		with.Attributes = append(slices.Clone(wanted.Attributes), x.Column)
		place := -1
		if r.source.table.Check(ctx, &with, r.source.form) == nil {
			place, wanted = wanted.Len(), with
		}
		b.derived = append(b.derived, place)
	}
	b.first = len(c.fit.Broken)
	b.zeros = d.StructuralZeros[:len(d.StructuralZeros)-r.related] // without those that orders and dates add
	for _, e := range b.zeros {
		parts := make([]string, len(e.Clique))
		for i, a := range e.Clique {
			parts[i] = d.Attributes[a].Name + ": " + strings.Join(zeroLabels(d, e, i), ", ")
		}
		declare(relation.Generated, "impossible: %s", strings.Join(parts, "; "))
	}
	c.between = b
	return &wanted, nil
}

// add counts the records of a chunk.
func (b *constraints) add(chunk *domain.Chunk, counts []Broken) {
	if b == nil || len(counts) == 0 {
		return
	}
	n := b.d.Len()
	c := domain.Chunk{Rows: chunk.Rows, Columns: slices.Clone(chunk.Columns[:n])}
	for k := range c.Columns {
		c.Columns[k] = coarser(c.Columns[k], b.finer[k])
	}
	for _, place := range b.derived {
		column := domain.Column{}
		if place >= 0 {
			column = chunk.Columns[place]
		}
		c.Columns = append(c.Columns, column)
	}
	b.plan.Broken(&c, func(k relation.Kind, i, _ int) { counts[b.at[k][i]].Records++ })
	if len(b.zeros) == 0 {
		return
	}
	c.Columns = c.Columns[:n]
	codes := make([]domain.Code, n*c.Rows)
	b.encoder.Encode(&c, codes)
	for i := range b.zeros {
		for row := range c.Rows {
			if b.zeros[i:i+1].Violated(codes[row*n:(row+1)*n]) >= 0 {
				counts[b.first+i].Records++
			}
		}
	}
}

// coarser returns a column with fewer decimal places, rounded down as where texts are read.
func coarser(c domain.Column, places int) domain.Column {
	if c.Form != domain.Ints || places == 0 {
		return c
	}
	unit := int64(math.Pow10(places))
	c.Ints = slices.Clone(c.Ints)
	for i, x := range c.Ints {
		if c.Ints[i] = x / unit; x%unit < 0 {
			c.Ints[i]--
		}
	}
	return c
}
