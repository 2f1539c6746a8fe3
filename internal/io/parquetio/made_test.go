package parquetio

import (
	"encoding/binary"
	"hash/crc32"
	"slices"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
)

// made is a column of a file that a test makes byte by byte: what libraries here do not write.
type made struct {
	schema [][]byte // SchemaElements: the column, or a group and what is in it
	leaves int      // among them; default 1
	kind   parquet.Type
	body   []byte // one page of encoding PLAIN, without NULLs
	nulls  bool   // all cells are NULL
	chunk  []any  // more fields of its ColumnChunk
	page   func(plain, cells int) []any
	pages  []byte // in place of that page
	codec  int
}

// The types of Thrift's compact protocol that files are made of.
const (
	thriftTrue, thriftFalse, thriftByte, thriftInt32, thriftInt64 = 1, 2, 3, 5, 6
	thriftDouble, thriftText, thriftList, thriftStruct            = 7, 8, 9, 12
)

// structOf writes a struct in Thrift's compact protocol: numbers of fields, each followed by its value. An
// int is 32 bits, a [][]byte a list of structs, and a []byte a struct.
func structOf(fields ...any) (b []byte) {
	last := 0
	head := func(id, kind int) {
		if id > last && id-last < 16 {
			b = append(b, byte((id-last)<<4|kind))
		} else {
			b = binary.AppendVarint(append(b, byte(kind)), int64(id))
		}
		last = id
	}
	for i := 0; i < len(fields); i += 2 {
		id := fields[i].(int)
		switch v := fields[i+1].(type) {
		case bool:
			head(id, map[bool]int{true: thriftTrue, false: thriftFalse}[v])
		case int:
			head(id, thriftInt32)
			b = binary.AppendVarint(b, int64(v))
		case int64:
			head(id, thriftInt64)
			b = binary.AppendVarint(b, v)
		case int8:
			head(id, thriftByte)
			b = append(b, byte(v))
		case float64:
			head(id, thriftDouble)
			b = append(b, make([]byte, 8)...)
		case string:
			head(id, thriftText)
			b = append(binary.AppendUvarint(b, uint64(len(v))), v...)
		case []byte:
			head(id, thriftStruct)
			b = append(b, v...)
		case [][]byte:
			head(id, thriftList)
			b = binary.AppendUvarint(append(b, 15<<4|thriftStruct), uint64(len(v)))
			for _, s := range v {
				b = append(b, s...)
			}
		case []int64:
			head(id, thriftList)
			b = append(b, byte(len(v)<<4|thriftInt32))
			for _, n := range v {
				b = binary.AppendVarint(b, n)
			}
		default:
			panic("no such kind of field")
		}
	}
	return append(b, 0)
}

// element is the SchemaElement of an optional column; more fields follow.
func elementOf(kind parquet.Type, name string, more ...any) []byte {
	return structOf(append([]any{1, int(kind), 3, 1, 4, name}, more...)...)
}

// logicalOf is field 10 of a SchemaElement, with the member of a number.
func logicalOf(number int, member ...any) []any {
	return []any{10, structOf(number, structOf(member...))}
}

func column1(kind parquet.Type, body []byte, more ...any) made {
	return made{schema: [][]byte{elementOf(kind, "x", more...)}, kind: kind, body: body}
}

// pageV1 is the header of a page with levels.
func pageV1(plain, cells int) []any {
	return []any{1, 0, 2, plain, 3, plain, 5, structOf(1, cells, 2, 0, 3, 3, 4, 3)}
}

// summed is the same with a checksum.
func summed(sum func(page []byte) uint32, page []byte) func(plain, cells int) []any {
	return func(plain, cells int) []any {
		return []any{1, 0, 2, plain, 3, plain, 4, int(int32(sum(page))), 5, structOf(1, cells, 2, 0, 3, 3, 4, 3)}
	}
}

func goodSum(page []byte) uint32 { return crc32.ChecksumIEEE(page) }

// levelled is a page's body: n cells, all of them there or none.
func (m *made) levelled(n int) []byte {
	level, body := byte(1), m.body
	if m.nulls {
		level, body = 0, nil
	}
	run := append(binary.AppendUvarint(nil, uint64(n)<<1), level)
	return append(append(binary.LittleEndian.AppendUint32(nil, uint32(len(run))), run...), body...)
}

// madeFile is a file of the columns, each of rows cells; more are fields of its footer.
func madeFile(rows int, columns []made, more ...any) []byte {
	file := []byte(codec.Magic)
	var schema, chunks [][]byte
	for _, c := range columns {
		page := c.levelled(rows)
		if c.page == nil {
			c.page = pageV1
		}
		schema = append(schema, c.schema...)
		for range max(1, c.leaves) {
			at := int64(len(file))
			if c.pages != nil {
				file = append(file, c.pages...)
			} else {
				file = append(append(file, structOf(c.page(len(page), rows)...)...), page...)
			}
			size := int64(len(file)) - at
			meta := structOf(1, int(c.kind), 2, []int64{0, 3}, 4, c.codec, 5, int64(rows), 6, size, 7, size, 9, at)
			chunks = append(chunks, structOf(append([]any{2, int64(0), 3, meta}, c.chunk...)...))
		}
	}
	schema = append([][]byte{structOf(4, "schema", 5, len(columns))}, schema...)
	footer := structOf(append([]any{1, 2, 2, schema, 3, int64(rows), 4, [][]byte{structOf(1, chunks, 2, int64(0), 3, int64(rows))}}, more...)...)
	file = append(file, footer...)
	return append(binary.LittleEndian.AppendUint32(file, uint32(len(footer))), codec.Magic...)
}

// copyRows returns rows from..to−1 of a chunk, in memory of their own.
func copyRows(c *domain.Chunk, from, to int) *domain.Chunk {
	out := &domain.Chunk{
		Rows: to - from, ID: copyColumn(&c.ID, from, to), Columns: make([]domain.Column, len(c.Columns)), Source: c.Source,
	}
	for k := range c.Columns {
		out.Columns[k] = copyColumn(&c.Columns[k], from, to)
	}
	return out
}

func copyColumn(c *domain.Column, from, to int) domain.Column {
	out := domain.Column{Form: c.Form, Dict: c.Dict}
	switch c.Form {
	case domain.Text:
		start := c.Offsets[from]
		out.Bytes, out.Offsets = slices.Clone(c.Bytes[start:c.Offsets[to]]), slices.Clone(c.Offsets[from:to+1])
		for i := range out.Offsets {
			out.Offsets[i] -= start
		}
	case domain.Floats:
		out.Floats = slices.Clone(c.Floats[from:to])
	case domain.Ints, domain.Dictionary:
		out.Ints = slices.Clone(c.Ints[from:to])
	}
	if c.Nulls != nil {
		out.Nulls = slices.Clone(c.Nulls[from:to])
	}
	return out
}
