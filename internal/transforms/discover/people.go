package discover

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/wire"
	"github.com/dapple-dp/dapple/internal/model/contribution"
)

// people collects persons by ID: of each the record of least rank, how many there are, and which columns change. A table by hash has the
// places of their encodings in one piece of memory: rank, rows, changes, ID, record.
type people struct {
	columns int
	slots   slots
	list    []place
	bytes   []byte // some of it is of records that longer ones have replaced
}

// place is where the encoding of a person is, in bytes.
type place struct {
	hash             uint64
	from, record, to int // record: where the cells begin
}

// Offsets in an encoding.
const (
	rowsAt    = contribution.RankSize
	changesAt = rowsAt + 8
)

// record encodes cells as texts: a length above 0 and the text, or 0 for NULL. No record is the beginning of another one
// of the same columns, as ranks need.
func record(dst []byte, c *domain.Chunk, attrs []domain.Attribute, row int, text []byte) (out, scratch []byte) {
	for k := range attrs {
		column := &c.Columns[k]
		cell, null := text[:0], false
		if column.Form == domain.Text && !column.Null(row) {
			cell = column.Text(row)
		} else if cell, null = cellText(cell, column, &attrs[k], row); cap(cell) > cap(text) {
			text = cell
		}
		if null {
			dst = append(dst, 0)
			continue
		}
		cell = candidate(cell)
		dst = append(binary.AppendUvarint(dst, uint64(len(cell))+1), cell...)
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

// ends returns where the first cell of a record ends.
func ends(record []byte) int {
	if len(record) > 0 && record[0] < 0x80 {
		return min(max(int(record[0]), 1), len(record))
	}
	size, n := binary.Uvarint(record)
	return min(max(n, 0)+max(int(size), 1)-1, len(record))
}

// errPeople does not say what is wrong: bytes are private.
var errPeople = errors.New("discover: malformed encoding of people")

func newPeople(columns int) *people { return &people{columns: columns} }

// reset forgets all persons, and keeps the memory.
func (p *people) reset() {
	clear(p.slots)
	p.list, p.bytes = p.list[:0], p.bytes[:0]
}

// id is the encoded ID of a person.
func (p *people) id(at *place) []byte {
	id := p.bytes[at.from+changesAt+p.columns : at.record]
	_, n := binary.Uvarint(id)
	return id[n:]
}

// add adds records of a person: the head is rank, rows and changes. It keeps nothing of what it is given.
func (p *people) add(id, head, record []byte) {
	hash := maphash.Bytes(textSeed, id)
	slot, known := p.slots.find(hash, func(i int) bool { return p.list[i].hash == hash && string(p.id(&p.list[i])) == string(id) })
	if known >= 0 {
		p.join(&p.list[known], head, record)
		return
	}
	from := len(p.bytes)
	p.bytes = append(binary.AppendUvarint(append(p.bytes, head...), uint64(len(id))), id...)
	at := len(p.bytes)
	p.bytes = append(p.bytes, record...)
	p.list = append(p.list, place{hash, from, at, len(p.bytes)})
	p.slots.put(slot, len(p.list), func(i int) uint64 { return p.list[i].hash })
}

// join adds what another part of the records says of a person.
func (p *people) join(at *place, head, record []byte) {
	own := p.bytes[at.from:at.to]
	kept, changes, changed := own[at.record-at.from:], own[changesAt:changesAt+p.columns], head[changesAt:]
	for k, a, b := 0, kept, record; bytes.IndexByte(changes[k:], 0) >= 0; k++ { // equal cells have equal encodings
		n, m := ends(a), ends(b)
		if changes[k] == 0 && (changed[k] != 0 || string(a[:n]) != string(b[:m])) {
			changes[k] = 1
		}
		a, b = a[n:], b[m:]
	}
	binary.LittleEndian.PutUint64(own[rowsAt:], binary.LittleEndian.Uint64(own[rowsAt:])+binary.LittleEndian.Uint64(head[rowsAt:]))
	if bytes.Compare(head[:rowsAt], own[:rowsAt]) >= 0 {
		return
	}
	copy(own, head[:rowsAt])
	if len(record) > len(kept) { // there is no room
		from := len(p.bytes)
		p.bytes = append(p.bytes, own[:at.record-at.from]...)
		*at = place{at.hash, from, len(p.bytes), len(p.bytes) + len(record)}
		p.bytes = append(p.bytes, record...)
		return
	}
	at.to = at.record + copy(kept, record)
}

// append encodes a person behind others.
func (p *people) append(b []byte, at *place) []byte {
	b = append(b, p.bytes[at.from:at.record]...)
	return append(binary.AppendUvarint(b, uint64(at.to-at.record)), p.bytes[at.record:at.to]...)
}

// decode adds the persons of an encoded list.
func (p *people) decode(in []byte) error {
	for d := (wire.Reader{Rest: in}); len(d.Rest) > 0; {
		head, id := d.Take(uint64(changesAt+p.columns)), d.Take(d.Uvarint())
		record := d.Take(d.Uvarint())
		if d.Bad {
			return errPeople
		}
		p.add(id, head, record)
	}
	return nil
}

// count adds persons to a bundle.
func (p *people) count(b *bundle) error {
	for i := range p.list {
		own := p.bytes[p.list[i].from:]
		if err := b.addUnit(p.bytes[p.list[i].record:p.list[i].to], binary.LittleEndian.Uint64(own[rowsAt:]), own[changesAt:]); err != nil {
			return err
		}
	}
	return nil
}
