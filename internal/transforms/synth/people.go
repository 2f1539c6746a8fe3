package synth

import (
	"context"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/modelfile"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// people are the persons of a sampling, each with rows.
type people struct {
	*population.People
	width  int               // attributes of the model
	same   []bool            // attributes of a record that do not change within a person
	tables [2]relation.Table // of people, and of their rows
}

// newPeople returns n persons of a model of a domain with Events.
func newPeople(f *modelfile.File, n int64, seed uint64) *people {
	e := f.Domain.Events
	p := &people{width: f.Domain.Len()}
	of := population.Events{Rows: e.Columns, Cuts: f.Domain.Attributes[e.Columns].Cuts}
	for a := e.Columns + 1; a < f.Domain.Len(); a++ {
		if f.Domain.OfPerson(a) {
			of.Person = append(of.Person, a)
		}
	}
	of.Person, of.Chain = append(of.Person, e.Columns), chainOf(&f.Domain)
	for a := range e.Columns {
		p.same = append(p.same, f.Domain.OfPerson(a))
		if p.same[a] {
			of.Person = append(of.Person, a)
		}
	}
	p.tables[0], p.tables[1] = relation.Tables(&f.Domain)
	p.People = population.NewPeople(f.Model, f.Cliques, of, n, seed)
	return p
}

// chainOf returns how rows of a domain follow each other; nil if they have no order.
func chainOf(d *domain.Domain) *population.Chain {
	if !d.Ordered() {
		return nil
	}
	e, q := d.Events, d.Events.Sequence
	least, gap, start := int64(0), domain.NewInside(&d.Attributes[e.Gap()]), domain.NewInside(&d.Attributes[e.First()])
	if q.Strict {
		least = 1
	}
	c := &population.Chain{Gap: e.Gap(), Start: e.First(), Columns: d.Remembered(), Strict: q.Strict, Order: e.Gap(), Last: int64(q.Declared.RecordSize()) - 1,
		Rhythm: d.Attributes[e.First()].Rhythm()}
	for i := range c.Columns {
		c.Before = append(c.Before, e.Before(i))
	}
	c.Value = func(a int, code domain.Code, position float64) int64 {
		if a == c.Gap {
			return least + gap.Value(code, position)
		}
		return start.Value(code, position)
	}
	return c
}

// eachPerson decodes the rows of a table of the people from … to−1.
func (s *rowSource) eachPerson(ctx context.Context, table int, from, to int64, next func() *domain.Chunk, visit func(*domain.Chunk) error) error {
	codes, whole, who := make([]domain.Code, 0, chunkRows*s.attrs), make([]domain.Code, s.people.width), make([]int64, 0, chunkRows)
	first := s.people.First(from)
	flush := func() error {
		if err := ctx.Err(); err != nil || len(who) == 0 {
			return err
		}
		chunk := next()
		s.decoder.Decode(chunk, codes, func(row, attr int) uint64 {
			if s.people.same[attr] {
				return s.words.of(personValues, uint64(who[row])).at(uint64(attr))
			}
			return s.words.at(uint64(first+int64(row))*uint64(s.attrs) + uint64(attr))
		})
		s.plan.Repair(chunk, codes, func(row int, i uint64) uint64 { return s.words.of(repairs, uint64(first)+uint64(row)).at(i) })
		s.plan.Complete(chunk, first, func(column int, i uint64) uint64 { return s.words.of(keys, uint64(column)).at(i) })
		number := domain.Column{Form: domain.Ints, Ints: slices.Clone(who)}
		chunk.Columns = domain.Arranged(s.order, slices.Insert(chunk.Columns, 0, number))
		first += int64(len(who))
		codes, who = codes[:0], who[:0]
		if table != oneTable {
			s.people.tables[table-ofPeople].Keep(chunk)
		}
		return visit(chunk)
	}
	for i := from; i < to; i++ {
		person := s.people.At(i)
		rows := person.Rows
		if table == ofPeople {
			rows = 1
		}
		for j := range rows {
			person.Read(j, whole)
			codes, who = append(codes, whole[:s.attrs]...), append(who, i+1)
			if len(who) == chunkRows {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}
