package evaluate

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// parents are the people of a table that has the columns of a person in a table of their own.
type parents struct {
	encoder *domain.Encoder
	columns []int             // attributes of a record that are theirs
	rest    []int             // the others
	of      map[string]parent // by their ID: the first record with it
	codes   []domain.Code
}

// parent is where the values of a person are.
type parent struct {
	codes []domain.Code // of parents.columns
	chunk *domain.Chunk
	row   int
}

// split returns the domains of people and of their rows.
func split(d *domain.Domain, e *domain.Events) (people, rows *domain.Domain, p *parents) {
	p = &parents{of: map[string]parent{}}
	people, rows, p.columns, p.rest = e.Split(d)
	p.encoder = domain.NewEncoder(people)
	return people, rows, p
}

// add keeps the people of a chunk. Any but the first record of a person, and those without an ID, are left out.
func (p *parents) add(b *Builder, chunk *domain.Chunk) {
	k := len(p.columns)
	p.codes = slices.Grow(p.codes[:0], chunk.Rows*k)[:chunk.Rows*k]
	p.encoder.Encode(chunk, p.codes)
	kept := &domain.Chunk{Rows: chunk.Rows, Columns: make([]domain.Column, k)}
	for i := range kept.Columns {
		kept.Columns[i] = clone(&chunk.Columns[i])
	}
	codes := slices.Clone(p.codes)
	for r := range chunk.Rows {
		id := b.unit(&chunk.ID, r)
		if _, known := p.of[string(id)]; len(id) > 0 && !known {
			p.of[string(id)] = parent{codes[r*k : (r+1)*k], kept, r}
		}
	}
}

// clone copies a column that its reader fills anew.
func clone(c *domain.Column) domain.Column {
	return domain.Column{
		Form: c.Form, Bytes: slices.Clone(c.Bytes), Offsets: slices.Clone(c.Offsets), Ints: slices.Clone(c.Ints),
		Floats: slices.Clone(c.Floats), Dict: slices.Clone(c.Dict), Nulls: slices.Clone(c.Nulls),
	}
}

// addRows adds the rows of a chunk, each with the columns of its person. Rows of people who are not among the parents
// are counted and left out.
func (b *Builder) addRows(chunk *domain.Chunk, p *parents, encoder *domain.Encoder) {
	k := len(p.rest)
	b.codes = slices.Grow(b.codes[:0], chunk.Rows*k)[:chunk.Rows*k]
	encoder.Encode(chunk, b.codes)
	row := make([]domain.Code, b.domain.Len())
	cells := make([]cell, b.domain.Len())
	for r := range chunk.Rows {
		id := b.unit(&chunk.ID, r)
		of, known := p.of[string(id)]
		if !known {
			b.table.orphans++
			continue
		}
		for i, a := range p.columns {
			row[a], cells[a] = of.codes[i], cell{&of.chunk.Columns[i], of.row}
		}
		for i, a := range p.rest {
			row[a], cells[a] = b.codes[r*k+i], cell{&chunk.Columns[i], r}
		}
		b.addOf(id, row, cells)
	}
}

// addWithout adds the people who have no rows.
func (b *Builder) addWithout(p *parents) {
	for id, of := range p.of {
		if _, has := b.persons[id]; !has {
			b.table.without = append(b.table.without, of.codes)
		}
	}
}

// cell is one value of a column.
type cell struct {
	column *domain.Column
	row    int
}

// cellsOf returns the cells of a row of a chunk.
func (b *Builder) cellsOf(chunk *domain.Chunk, r int) []cell {
	b.cells = b.cells[:0]
	for a := range chunk.Columns {
		b.cells = append(b.cells, cell{&chunk.Columns[a], r})
	}
	return b.cells
}
