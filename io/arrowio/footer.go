package arrowio

import (
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"
)

// Slots of the tables of a footer that hold lists, by Arrow's File.fbs and Schema.fbs.
const (
	schemaOfFooter   = 1
	fieldsOfSchema   = 1
	metadataOfSchema = 2
	childrenOfField  = 5
	metadataOfField  = 6

	tailBytes    = 10 // of the length of the footer, and the mark behind it
	deepestField = 64
)

// checkFooter compares the lengths of the lists in a file's table of contents with its size: the library makes room for as many
// entries as are said. It panics on what is damaged, as the library does.
func checkFooter(src *watched) {
	tail := make([]byte, tailBytes)
	if _, err := src.ReadAt(tail, src.Size()-tailBytes); err != nil || string(tail[4:]) != begin {
		panic(errDamaged)
	}
	n := int64(int32(binary.LittleEndian.Uint32(tail)))
	if n <= 0 || n > src.Size()-tailBytes {
		panic(errDamaged)
	}
	footer := make([]byte, n)
	if _, err := src.ReadAt(footer, src.Size()-tailBytes-n); err != nil {
		panic(errDamaged)
	}
	root := flatbuffers.Table{Bytes: footer, Pos: flatbuffers.GetUOffsetT(footer)}
	c := contents{left: len(footer) / 4}
	schema := c.table(root, schemaOfFooter)
	c.list(schema, metadataOfSchema)
	c.fields(schema, fieldsOfSchema, 0)
}

// contents counts the entries that a footer has room for.
type contents struct{ left int }

func slot(t flatbuffers.Table, i int) flatbuffers.UOffsetT {
	return flatbuffers.UOffsetT(t.Offset(flatbuffers.VOffsetT(4 + 2*i)))
}

func (c *contents) table(t flatbuffers.Table, i int) flatbuffers.Table {
	o := slot(t, i)
	if o == 0 {
		panic(errDamaged)
	}
	return flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(o + t.Pos)}
}

// list returns where a list begins, and its length.
func (c *contents) list(t flatbuffers.Table, i int) (at flatbuffers.UOffsetT, n int) {
	o := slot(t, i)
	if o == 0 {
		return 0, 0
	}
	if n = t.VectorLen(o); n < 0 || n > c.left {
		panic(errDamaged)
	}
	c.left -= n
	return t.Vector(o), n
}

func (c *contents) fields(t flatbuffers.Table, i, depth int) {
	if depth > deepestField {
		panic(errDamaged)
	}
	at, n := c.list(t, i)
	for k := range n {
		f := flatbuffers.Table{Bytes: t.Bytes, Pos: t.Indirect(at + flatbuffers.UOffsetT(4*k))}
		c.list(f, metadataOfField)
		c.fields(f, childrenOfField, depth+1)
	}
}
