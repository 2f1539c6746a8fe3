package discover

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/bounding"
	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// person is what a bundle knows of a person: the record of least rank, how many there are, and which columns change.
type person struct {
	rank    [bounding.RankSize]byte
	record  []byte
	rows    uint64
	changes []bool
}

// record encodes cells as texts: a length above 0 and the text, or 0 for NULL. No record is the beginning of another one
// of the same columns, as ranks need.
func record(dst []byte, c *domain.Chunk, attrs []domain.Attribute, row int, text []byte) (out, scratch []byte) {
	for k := range attrs {
		cell, null := cellText(text[:0], &c.Columns[k], &attrs[k], row)
		if null {
			dst = append(dst, 0)
			continue
		}
		text = cell
		kept := cell[:min(len(cell), maxCandidate+1)] // enough to tell that it is too long
		dst = append(binary.AppendUvarint(dst, uint64(len(kept))+1), kept...)
	}
	return dst, text
}

// cellText returns a cell as text.
func cellText(dst []byte, c *domain.Column, a *domain.Attribute, row int) (text []byte, null bool) {
	if c.Form == domain.Absent || c.Null(row) {
		return nil, true
	}
	switch c.Form {
	case domain.Text:
		return append(dst, c.Text(row)...), false
	case domain.Dictionary:
		return append(dst, c.Dict[c.Ints[row]]...), false
	case domain.Floats:
		return domain.AppendFloat(dst, c.Floats[row]), false
	}
	return a.AppendNative(dst, c.Ints[row]), false
}

// cells takes a record apart.
func cells(record []byte, columns int, each func(column int, text []byte, null bool)) bool {
	d := wire.Reader{Rest: record}
	for k := range columns {
		n := d.Uvarint()
		if n == 0 {
			each(k, nil, true)
			continue
		}
		each(k, d.Take(n-1), false)
	}
	return d.Done()
}

// join adds what another part of the records says of a person.
func (p *person) join(o *person, columns int) {
	var own, other [][]byte
	if p.rank != o.rank || !bytes.Equal(p.record, o.record) {
		cells(p.record, columns, func(_ int, text []byte, null bool) { own = append(own, mark(text, null)) })
		cells(o.record, columns, func(_ int, text []byte, null bool) { other = append(other, mark(text, null)) })
	}
	for k := range p.changes {
		p.changes[k] = p.changes[k] || o.changes[k] || own != nil && !bytes.Equal(own[k], other[k])
	}
	p.rows += o.rows
	if bytes.Compare(o.rank[:], p.rank[:]) < 0 {
		p.rank, p.record = o.rank, o.record
	}
}

// mark tells NULL from an empty text.
func mark(text []byte, null bool) []byte {
	if null {
		return nil
	}
	return append([]byte{1}, text...)
}

// append encodes a person with the ID.
func (p *person) append(b, id []byte) []byte {
	b = wire.AppendText(b, string(id))
	b = append(b, p.rank[:]...)
	b = binary.AppendUvarint(b, p.rows)
	for _, c := range p.changes {
		if c {
			b = append(b, 1)
		} else {
			b = append(b, 0)
		}
	}
	return wire.AppendText(b, string(p.record))
}

// errPeople does not say what is wrong: bytes are private.
var errPeople = errors.New("discover: malformed encoding of people")

// people collects persons by ID.
type people struct {
	columns int
	byID    map[string]*person
}

func newPeople(columns int) *people { return &people{columns, map[string]*person{}} }

func (p *people) add(id string, o *person) {
	if known := p.byID[id]; known != nil {
		known.join(o, p.columns)
		return
	}
	p.byID[id] = o
}

// decode adds the persons of an encoded list.
func (p *people) decode(in []byte) error {
	for d := (wire.Reader{Rest: in}); len(d.Rest) > 0; {
		id := d.Text()
		o := &person{changes: make([]bool, p.columns)}
		copy(o.rank[:], d.Take(bounding.RankSize))
		o.rows = d.Uvarint()
		for k, c := range d.Take(uint64(p.columns)) {
			o.changes[k] = c == 1
		}
		if o.record = []byte(d.Text()); d.Bad {
			return errPeople
		}
		p.add(id, o)
	}
	return nil
}

// count adds persons to a table.
func (p *people) count(t *table, readers []reader) error {
	for _, o := range p.byID {
		if err := t.addUnit(readers, o.record, o.rows, o.changes); err != nil {
			return err
		}
	}
	return nil
}

// addUnit counts a unit: in one cell of each statistic, and one value of each column at most.
func (t *table) addUnit(readers []reader, record []byte, rows uint64, changes []bool) error {
	t.units++
	t.dense[len(t.dense)-1][rowsCell(rows)]++
	whole := cells(record, len(readers), func(k int, text []byte, null bool) {
		at := readers[k].look(text, null)
		for s, cell := range at.cells {
			t.dense[attribute(k, s)][cell]++
		}
		stays := noRows
		switch {
		case rows > 1 && changes[k]:
			stays = changing
		case rows > 1:
			stays = constant
		}
		t.dense[attribute(k, constantOf)][stays]++
		if at.value {
			t.addValue(k, at.text)
		}
	})
	if !whole {
		return errPeople
	}
	return nil
}
