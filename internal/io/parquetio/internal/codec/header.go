package codec

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet"
)

// page is what the header of a page states.
type page struct {
	dictionary    bool
	plain, packed int // bytes of the body before and after compression, its levels among them
	cells, nulls  int
	levels        int // bytes of the definition levels
	encoding      parquet.Encoding
}

// appendHeader appends the header in Thrift's compact protocol. Pages of cells have version 2, and are compressed.
//
// Source: Apache Parquet format, parquet.thrift, PageHeader; Apache Thrift, compact protocol.
func (p *page) appendHeader(dst []byte) []byte {
	const dictionary, data = 2, 3 // PageType
	kind, field := data, byte(8)
	if p.dictionary {
		kind, field = dictionary, 7
	}
	dst = appendInts(dst, kind, p.plain, p.packed)
	dst = append(dst, (field-3)<<4|thriftStruct)
	if p.dictionary {
		dst = appendInts(dst, p.cells, int(p.encoding))
	} else {
		dst = appendInts(dst, p.cells, p.nulls, p.cells, int(p.encoding), p.levels, 0)
		dst = append(dst, 1<<4|thriftTrue)
	}
	return append(dst, 0, 0) // the ends of both structs
}

// The types of Thrift's compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftInt16  = 4
	thriftInt32  = 5
	thriftInt64  = 6
	thriftDouble = 7
	thriftText   = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
	thriftUUID   = 13
)

// appendInts appends the fields 1, 2, … of a struct.
func appendInts(dst []byte, values ...int) []byte {
	for _, v := range values {
		dst = append(dst, 1<<4|thriftInt32)
		dst = binary.AppendVarint(dst, int64(v)) // zigzag, as Thrift has it
	}
	return dst
}
