package modelfile

import (
	"encoding/binary"
	"fmt"
	"slices"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/dapple-dp/dapple/internal/kit/buildinfo"
)

// Source of what follows: Apache Arrow columnar format, IPC file format, with Message.fbs, Schema.fbs and File.fbs; the
// comments give the fields of each table in the order of their slots.

const (
	magic        = "ARROW1\x00\x00" // padded as at the start of a file
	continuation = "\xff\xff\xff\xff"
	versionV5    = 4
)

// layout is the shape of the body of the one batch: weights of 8 bytes, then codes of 2, column by column, each
// column at a multiple of 8 bytes.
type layout struct{ records, columns int }

func (l layout) columnSize() int { return (2*l.records + 7) / 8 * 8 }

func (l layout) size() int { return 8*l.records + l.columns*l.columnSize() }

// padded returns b with zeros up to a multiple of 8 bytes.
func padded(b []byte) []byte { return append(b, make([]byte, -len(b)&7)...) }

// frame returns the bytes before and after the body.
func frame(l layout, names, values []string) (head, tail []byte) {
	schema := func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return schemaTable(b, names, values) }
	head = slices.Concat([]byte(magic), message(1, 0, schema))
	batch := message(3, l.size(), l.batchTable)
	at := len(head)
	head = append(head, batch...)

	b := flatbuffers.NewBuilder(1024) // Footer: version, schema, dictionaries, record batches
	s := schema(b)
	b.StartVector(24, 1, 8) // Block: offset, length of the message, length of the body
	b.Prep(8, 24)
	b.PrependInt64(int64(l.size()))
	b.Pad(4)
	b.PrependInt32(int32(len(batch)))
	b.PrependInt64(int64(at))
	blocks := b.EndVector(1)
	b.StartVector(24, 0, 8)
	dictionaries := b.EndVector(0)
	b.StartObject(4)
	b.PrependUOffsetTSlot(3, blocks, 0)
	b.PrependUOffsetTSlot(2, dictionaries, 0)
	b.PrependUOffsetTSlot(1, s, 0)
	b.PrependInt16Slot(0, versionV5, 0)
	b.Finish(b.EndObject())
	tail = slices.Concat([]byte(continuation+"\x00\x00\x00\x00"), b.FinishedBytes())
	tail = binary.LittleEndian.AppendUint32(tail, uint32(len(b.FinishedBytes())))
	return head, append(tail, magic[:6]...)
}

// message returns a message with its lengths. Message: version, kind of the header, header, length of the body.
func message(kind byte, body int, table func(*flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(1024)
	header := table(b)
	b.StartObject(4)
	b.PrependInt64Slot(3, int64(body), 0)
	b.PrependUOffsetTSlot(2, header, 0)
	b.PrependByteSlot(1, kind, 0)
	b.PrependInt16Slot(0, versionV5, 0)
	b.Finish(b.EndObject())
	text := padded(b.FinishedBytes())
	return append(binary.LittleEndian.AppendUint32([]byte(continuation), uint32(len(text))), text...)
}

// batchTable writes a RecordBatch: length, nodes, buffers.
func (l layout) batchTable(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	n := 1 + l.columns
	b.StartVector(16, 2*n, 8) // Buffer: offset, length; of each column one for NULLs, which is empty, and one of values
	for i := n - 1; i >= 0; i-- {
		offset, length := 0, 8*l.records
		if i > 0 {
			offset, length = 8*l.records+(i-1)*l.columnSize(), 2*l.records
		}
		for _, size := range []int{length, 0} {
			b.Prep(8, 16)
			b.PrependInt64(int64(size))
			b.PrependInt64(int64(offset))
		}
	}
	buffers := b.EndVector(2 * n)
	b.StartVector(16, n, 8) // FieldNode: length, number of NULLs
	for range n {
		b.Prep(8, 16)
		b.PrependInt64(0)
		b.PrependInt64(int64(l.records))
	}
	nodes := b.EndVector(n)
	b.StartObject(3)
	b.PrependUOffsetTSlot(2, buffers, 0)
	b.PrependUOffsetTSlot(1, nodes, 0)
	b.PrependInt64Slot(0, int64(l.records), 0)
	return b.EndObject()
}

// schemaTable writes a Schema: byte order, fields, metadata.
func schemaTable(b *flatbuffers.Builder, names, values []string) flatbuffers.UOffsetT {
	var fields, entries []flatbuffers.UOffsetT
	for i, name := range names {
		fields = append(fields, field(b, name, i == 0))
	}
	for i, key := range keys { // KeyValue: key, value
		k, v := b.CreateString(key), b.CreateString(values[i])
		b.StartObject(2)
		b.PrependUOffsetTSlot(1, v, 0)
		b.PrependUOffsetTSlot(0, k, 0)
		entries = append(entries, b.EndObject())
	}
	f, m := b.CreateVectorOfTables(fields), b.CreateVectorOfTables(entries)
	b.StartObject(3)
	b.PrependUOffsetTSlot(2, m, 0)
	b.PrependUOffsetTSlot(1, f, 0)
	return b.EndObject()
}

// field writes a Field: name, nullable, kind of the type, type, dictionary, children.
func field(b *flatbuffers.Builder, name string, float bool) flatbuffers.UOffsetT {
	n := b.CreateString(name)
	b.StartVector(4, 0, 4)
	children := b.EndVector(0)
	kind := byte(2) // Int: bits, signed
	b.StartObject(2)
	if float {
		kind = 3 // FloatingPoint: precision
		b.PrependInt16Slot(0, 2, 0)
	} else {
		b.PrependInt32Slot(0, 16, 0)
	}
	typ := b.EndObject()
	b.StartObject(6)
	b.PrependUOffsetTSlot(5, children, 0)
	b.PrependUOffsetTSlot(3, typ, 0)
	b.PrependByteSlot(2, kind, 0)
	b.PrependUOffsetTSlot(0, n, 0)
	return b.EndObject()
}

// metadata returns the values of the schema's metadata. It follows offsets wherever they lead; those that lead
// outside the data panic.
func metadata(data []byte) (values []string, err error) {
	const start = len(magic) + 8
	if len(data) < start || string(data[:start-4]) != magic+continuation {
		return nil, errForm
	}
	defer func() {
		if recover() != nil {
			values, err = nil, errForm
		}
	}()
	end := start + int(binary.LittleEndian.Uint32(data[start-4:]))
	b := data[:len(data):len(data)][start:end:end] // what has room behind the data is none of it
	message := flatbuffers.Table{Bytes: b, Pos: flatbuffers.GetUOffsetT(b)}
	var schema flatbuffers.Table
	message.Union(&schema, flatbuffers.UOffsetT(message.Offset(8)))
	entries := flatbuffers.UOffsetT(schema.Offset(8))
	if entries == 0 {
		return nil, errForm
	}
	text := func(entry, slot int) string {
		e := flatbuffers.Table{Bytes: b, Pos: schema.Indirect(schema.Vector(entries) + flatbuffers.UOffsetT(4*entry))}
		return string(e.ByteVector(e.Pos + flatbuffers.UOffsetT(e.Offset(flatbuffers.VOffsetT(4+2*slot)))))
	}
	n := schema.VectorLen(entries)
	for i := range keys { // the first is read before the others: another format may have other keys
		if i == 1 && values[0] != format && text(0, 0) == keys[0] {
			other := &buildinfo.OtherFormat{Format: values[0], Reads: format}
			if n > 1 && text(1, 0) == keys[1] {
				other.Version = text(1, 1)
			}
			return values, fmt.Errorf("model: the file %w", other)
		}
		if i == 1 && n != len(keys) {
			return nil, errForm
		}
		values = append(values, text(i, 1))
	}
	return values, nil
}
