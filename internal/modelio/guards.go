package modelio

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
)

// checkFooter looks at the schema before the library does, which trusts it: it follows the children of
// fields as deep as they go, and a made-up file can let them go in a circle until the stack is full; it
// also makes as much room for metadata as the file claims. No recover stops either.
//
// Source: Apache Arrow format, File.fbs and Schema.fbs; a field's slot is at 4 + 2·(its number).
func checkFooter(r io.ReaderAt, size int64) error {
	end := int64(len(ipc.Magic) + 4)
	if size < 2*end {
		return errForm
	}
	tail := make([]byte, end)
	if _, err := r.ReadAt(tail, size-end); err != nil && err != io.EOF {
		return err
	}
	n := int64(binary.LittleEndian.Uint32(tail))
	if !bytes.Equal(tail[4:], ipc.Magic) || n < 8 || n > size-end-int64(len(ipc.Magic)) {
		return errForm
	}
	footer := make([]byte, n)
	if _, err := r.ReadAt(footer, size-end-n); err != nil {
		return err
	}
	root := flatbuffers.Table{Bytes: footer, Pos: flatbuffers.GetUOffsetT(footer)}
	slot := root.Offset(6) // Footer.schema
	if slot == 0 || root.Offset(8) != 0 && root.VectorLen(flatbuffers.UOffsetT(root.Offset(8))) > 0 {
		return errForm // no schema, or dictionaries
	}
	schema := flatbuffers.Table{Bytes: footer, Pos: root.Indirect(root.Pos + flatbuffers.UOffsetT(slot))}
	text := n // no two texts of an honest file overlap
	if err := checkMetadata(schema, &text); err != nil {
		return err
	}
	return checkFields(schema, &text)
}

// checkMetadata bounds the number of entries, and takes the lengths of their texts from text.
func checkMetadata(schema flatbuffers.Table, text *int64) error {
	slot := flatbuffers.UOffsetT(schema.Offset(8)) // Schema.custom_metadata
	if slot == 0 {
		return errForm
	}
	count, start := schema.VectorLen(slot), schema.Vector(slot)
	for i := range count {
		entry := flatbuffers.Table{Bytes: schema.Bytes, Pos: schema.Indirect(start + flatbuffers.UOffsetT(4*i))}
		if !takeText(entry, 4, text) || !takeText(entry, 6, text) { // KeyValue.key and .value
			return errForm
		}
	}
	return nil
}

// takeText takes the length of a string and its prefix from text; false means that it is more.
func takeText(t flatbuffers.Table, slot flatbuffers.VOffsetT, text *int64) bool {
	*text -= 4
	if o := t.Offset(slot); o != 0 {
		*text -= int64(t.VectorLen(flatbuffers.UOffsetT(o)))
	}
	return *text >= 0
}

func checkFields(schema flatbuffers.Table, text *int64) error {
	slot := flatbuffers.UOffsetT(schema.Offset(6)) // Schema.fields
	if slot == 0 {
		return errForm
	}
	count, start := schema.VectorLen(slot), schema.Vector(slot)
	for i := range count {
		at := schema.Indirect(start + flatbuffers.UOffsetT(4*i))
		field := flatbuffers.Table{Bytes: schema.Bytes, Pos: at}
		children := flatbuffers.UOffsetT(field.Offset(14))    // Field.children
		own := field.Offset(12) != 0 || field.Offset(16) != 0 // a dictionary, metadata
		if own || children != 0 && field.VectorLen(children) > 0 || !takeText(field, 4, text) {
			return errForm
		}
	}
	return nil
}

// budget is an allocator with a limit: lengths in a damaged file can ask for any amount.
type budget struct {
	memory.Allocator
	left int64
}

var errBudget = errors.New("modelio: a message is larger than the file")

func newBudget(size int64) *budget { return &budget{memory.NewGoAllocator(), size} }

func (b *budget) Allocate(size int) []byte {
	b.spend(size)
	return b.Allocator.Allocate(size)
}

func (b *budget) Reallocate(size int, old []byte) []byte {
	b.spend(size - len(old))
	return b.Allocator.Reallocate(size, old)
}

func (b *budget) Free(old []byte) {
	b.left += int64(len(old))
	b.Allocator.Free(old)
}

func (b *budget) spend(n int) {
	if int64(n) > b.left {
		panic(errBudget)
	}
	b.left -= int64(n)
}
