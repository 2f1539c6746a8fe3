package records

import (
	"encoding/binary"
	"errors"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// BatchRows is the number of records that travel together. Beam spends about a microsecond on each
// element and DoFn, which would be most of the cost of a record that travelled alone.
const BatchRows = 4096

// Batch is a number of coded records, with their privacy IDs if the domain has one.
type Batch struct {
	N    int
	Rows []byte // N packed rows

	HasID  bool
	IDs    []byte   // ID of record i is IDs[IDEnds[i-1]:IDEnds[i]]; empty if the record has none
	IDEnds []uint32 // nil without IDs
}

// Row returns the packed row of record i.
func (b *Batch) Row(i int) []byte {
	w := len(b.Rows) / b.N
	return b.Rows[i*w : (i+1)*w]
}

// ID returns the privacy ID of record i, empty if it has none.
func (b *Batch) ID(i int) []byte {
	start := uint32(0)
	if i > 0 {
		start = b.IDEnds[i-1]
	}
	return b.IDs[start:b.IDEnds[i]]
}

// AddID appends the next record's ID; empty if it has none.
func (b *Batch) AddID(id []byte) {
	b.IDs = append(b.IDs, id...)
	b.IDEnds = append(b.IDEnds, uint32(len(b.IDs)))
}

// Encode returns the batch's encoding.
func (b *Batch) Encode() []byte {
	out := make([]byte, 0, 3*binary.MaxVarintLen64+len(b.Rows)+len(b.IDs)+2*len(b.IDEnds))
	out = binary.AppendUvarint(out, uint64(b.N))
	out = binary.AppendUvarint(out, uint64(len(b.Rows)))
	out = append(out, b.Rows...)
	if !b.HasID {
		return append(out, 0)
	}
	out = append(out, 1)
	for i := range b.N {
		out = binary.AppendUvarint(out, uint64(len(b.ID(i))))
	}
	return append(out, b.IDs...)
}

// errBatch says only that bytes were not made by Encode: they are private.
var errBatch = errors.New("records: malformed encoding of a batch")

// DecodeBatch reads what Encode wrote.
func DecodeBatch(in []byte) (*Batch, error) {
	d := wire.Reader{Rest: in}
	n := d.Uvarint()
	b := &Batch{N: int(n), Rows: append([]byte(nil), d.Take(d.Uvarint())...)}
	flag := d.Byte()
	if d.Bad || n > uint64(len(in)) || flag > 1 {
		return nil, errBatch
	}
	if flag == 1 {
		b.HasID, b.IDEnds = true, make([]uint32, n)
		end := uint64(0)
		for i := range b.IDEnds {
			end += d.Uvarint()
			b.IDEnds[i] = uint32(end)
		}
		b.IDs = append([]byte(nil), d.Take(end)...)
	}
	if !d.Done() {
		return nil, errBatch
	}
	return b, nil
}
