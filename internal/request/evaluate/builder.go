package evaluate

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// Builder codes chunks of raw records into a Table.
//
// If the domain has a privacy ID it keeps one record of each privacy unit, and none of records
// without an ID, because that is the table that is synthesised: of a unit's different coded records the
// one of lowest rank (package bounding). With the zero run key, the default of private.BoundParams, these
// are the records that the synthesis counted.
type Builder struct {
	domain  *domain.Domain
	encoder *domain.Encoder
	table   *Table
	units   map[string]*unit // nil if every record is a unit
	persons map[string]int32 // their numbers, if all of their records are kept
	codes   []domain.Code    // of a chunk, row-major
	cells   []cell           // of a row
	id      []byte
	kept    []domain.Code // the row that a unit has so far
	layout  *contribution.Layout
	ranker  *contribution.Ranker
	packed  []byte
}

// unit is what is known of the records of a privacy unit so far.
type unit struct {
	at    int    // its row of the table
	least string // rank of that; empty as long as there is no other
	times map[string]uint64
}

// NewBuilder returns a builder of tables over a valid domain. For rows without IDs, such as synthetic
// ones, clear the domain's PrivacyID. Of derived columns, which chunks have after the others, only values are kept:
// they have no cells.
func NewBuilder(d *domain.Domain, derived ...domain.Attribute) *Builder {
	b := &Builder{
		domain: d, encoder: domain.NewEncoder(d), table: NewTable(d), kept: make([]domain.Code, d.Len()),
		layout: contribution.NewLayout(d.Sizes()), ranker: contribution.NewRanker(make([]byte, contribution.RunKeySize)),
	}
	for _, a := range slices.Concat(d.Attributes, derived) {
		b.table.values = append(b.table.values, newValues(&a))
	}
	if d.PrivacyID != "" {
		b.units = map[string]*unit{}
	}
	return b
}

// Add codes the records of a chunk. Any value at all has a cell: adding does not fail.
func (b *Builder) Add(chunk *domain.Chunk) {
	d := b.domain.Len()
	b.codes = slices.Grow(b.codes[:0], chunk.Rows*d)[:chunk.Rows*d]
	b.encoder.Encode(&domain.Chunk{Rows: chunk.Rows, Columns: chunk.Columns[:d]}, b.codes)
	for r := range chunk.Rows {
		row, id := b.codes[r*d:(r+1)*d], b.unit(&chunk.ID, r)
		switch {
		case b.units == nil && b.persons == nil:
			b.append(row, b.cellsOf(chunk, r))
		case len(id) == 0: // a row of nobody
		case b.persons != nil:
			b.addOf(id, row, b.cellsOf(chunk, r))
		default:
			b.bound(id, row, chunk, r)
		}
	}
}

// NewPeopleBuilder returns a builder of tables of many rows per person: it keeps every record that has an ID, and whose
// it is.
func NewPeopleBuilder(d *domain.Domain, derived ...domain.Attribute) *Builder {
	b := NewBuilder(d, derived...)
	b.units, b.persons = nil, map[string]int32{}
	return b
}

// addOf adds a row of a person.
func (b *Builder) addOf(id []byte, row []domain.Code, values []cell) {
	person, ok := b.persons[string(id)]
	if !ok {
		person = int32(len(b.persons))
		b.persons[string(id)] = person
		b.table.people++
	}
	b.table.persons = append(b.table.persons, person)
	b.append(row, values)
}

// Table returns the table built so far.
func (b *Builder) Table() *Table { return b.table }

// append adds a row: its codes, and its values.
func (b *Builder) append(row []domain.Code, values []cell) {
	t := b.table
	for a, code := range row {
		t.Columns[a] = append(t.Columns[a], code)
	}
	for a, v := range t.values {
		v.add(values[a].column, values[a].row)
	}
	t.Rows++
}

// bound keeps row as the unit's record if it has none, or one of higher rank.
func (b *Builder) bound(id []byte, row []domain.Code, chunk *domain.Chunk, r int) {
	u, ok := b.units[string(id)]
	if !ok {
		b.units[string(id)] = &unit{at: b.table.Rows}
		b.append(row, b.cellsOf(chunk, r))
		return
	}
	if u.times == nil {
		for a := range row {
			b.kept[a] = b.table.Columns[a][u.at]
		}
		u.times = map[string]uint64{}
		u.least = b.rank(u, id, b.kept)
	}
	rank := b.rank(u, id, row)
	if rank >= u.least {
		return
	}
	u.least = rank
	for a, code := range row {
		b.table.Columns[a][u.at] = code
	}
	for a, v := range b.table.values {
		v.set(u.at, &chunk.Columns[a], r)
	}
}

// rank returns the rank of the next record of a unit.
func (b *Builder) rank(u *unit, id []byte, row []domain.Code) string {
	b.packed = b.layout.Pack(b.packed[:0], row)
	rank := b.ranker.Rank(id, b.packed, u.times[string(b.packed)])
	u.times[string(b.packed)]++
	return string(rank[:])
}

// wholeNumber is how privacy IDs that are numbers are written.
var wholeNumber = domain.Attribute{Type: domain.Int64}

// unit returns the privacy ID of record r, empty if it has none. It is valid until the next call.
func (b *Builder) unit(ids *domain.Column, r int) []byte {
	if ids.Form == domain.Absent || ids.Null(r) {
		return nil
	}
	b.id = appendCell(b.id[:0], &wholeNumber, ids, r)
	return b.id
}
