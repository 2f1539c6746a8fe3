package discover

import (
	"bytes"
	"encoding/binary"
	"errors"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// person is what a bundle knows of a person: the record of least rank, how many there are, and which columns change.
type person struct {
	rank    [contribution.RankSize]byte
	record  []byte
	rows    uint64
	changes []byte // 1: the column changes
	same    int    // columns of people that do not change
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

// join adds what another part of the records says of a person. It keeps none of o's memory.
func (p *person) join(o *person, columns int) {
	own, other := p.record, o.record
	for k := 0; k < columns && p.same > 0; k++ { // equal cells have equal encodings
		a, b := ends(own), ends(other)
		if p.changes[k] == 0 && (o.changes[k] != 0 || !bytes.Equal(own[:a], other[:b])) {
			p.changes[k] = 1
			p.same--
		}
		own, other = own[a:], other[b:]
	}
	p.rows += o.rows
	if bytes.Compare(o.rank[:], p.rank[:]) < 0 {
		p.rank, p.record = o.rank, append(p.record[:0], o.record...)
	}
}

// ends returns where the first cell of a record ends.
func ends(record []byte) int {
	size, n := binary.Uvarint(record)
	return min(max(n, 0)+max(int(size), 1)-1, len(record))
}

// append encodes a person with the ID.
func (p *person) append(b []byte, id string) []byte {
	b = wire.AppendText(b, id)
	b = append(b, p.rank[:]...)
	b = binary.AppendUvarint(b, p.rows)
	b = append(b, p.changes...)
	return append(binary.AppendUvarint(b, uint64(len(p.record))), p.record...)
}

// errPeople does not say what is wrong: bytes are private.
var errPeople = errors.New("discover: malformed encoding of people")

// people collects persons by ID. Their memory comes in blocks: there is one for each record of a bundle.
type people struct {
	columns int
	byID    map[string]*person
	size    int // about as many bytes as their encodings have

	persons []person
	changes []byte
	records []byte
}

func newPeople(columns int) *people { return &people{columns: columns, byID: map[string]*person{}} }

// block is how many persons have their memory in one block, and recordBlock the bytes of a block of records.
const (
	block       = 256
	recordBlock = 1 << 16
)

// add adds a person. What o refers to may change afterwards.
func (p *people) add(id []byte, o *person) {
	if known := p.byID[string(id)]; known != nil {
		known.join(o, p.columns)
		return
	}
	if len(p.persons) == 0 {
		p.persons, p.changes = make([]person, block), make([]byte, block*p.columns)
	}
	if len(o.record) > cap(p.records)-len(p.records) {
		p.records = make([]byte, 0, max(recordBlock, len(o.record)))
	}
	p.size += len(id) + len(o.rank) + len(o.record) + p.columns + 2*binary.MaxVarintLen32
	own, changes, from := &p.persons[0], p.changes[:p.columns:p.columns], len(p.records)
	p.persons, p.changes, p.records = p.persons[1:], p.changes[p.columns:], append(p.records, o.record...)
	copy(changes, o.changes)
	*own = person{rank: o.rank, record: p.records[from:len(p.records):len(p.records)], rows: o.rows, changes: changes, same: bytes.Count(changes, []byte{0})}
	p.byID[string(id)] = own
}

// decode adds the persons of an encoded list.
func (p *people) decode(in []byte) error {
	o := &person{}
	for d := (wire.Reader{Rest: in}); len(d.Rest) > 0; {
		id := d.Take(d.Uvarint())
		copy(o.rank[:], d.Take(contribution.RankSize))
		o.rows = d.Uvarint()
		o.changes = d.Take(uint64(p.columns))
		if o.record = d.Take(d.Uvarint()); d.Bad {
			return errPeople
		}
		p.add(id, o)
	}
	return nil
}

// count adds persons to a bundle.
func (p *people) count(b *bundle) error {
	for _, o := range p.byID {
		if err := b.addUnit(o.record, o.rows, o.changes); err != nil {
			return err
		}
	}
	return nil
}
