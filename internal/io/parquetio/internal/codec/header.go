package codec

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/parquet"
)

// page is what the header of a page states.
type page struct {
	dictionary    bool
	v2            bool
	plain, packed int // bytes of the body before and after compression, its levels among them
	cells, nulls  int
	levels        int // V2: bytes of the definition levels
	encoding      parquet.Encoding
	compressed    bool // V2
}

// appendHeader appends the header in Thrift's compact protocol.
//
// Source: Apache Parquet format, parquet.thrift, PageHeader; Apache Thrift, compact protocol.
func (p *page) appendHeader(dst []byte) []byte {
	const data, dictionary, dataV2 = 0, 2, 3 // PageType
	kind, field := data, byte(5)
	switch {
	case p.dictionary:
		kind, field = dictionary, 7
	case p.v2:
		kind, field = dataV2, 8
	}
	dst = appendInts(dst, kind, p.plain, p.packed)
	dst = append(dst, (field-3)<<4|thriftStruct)
	rle := int(parquet.Encodings.RLE)
	switch {
	case p.dictionary:
		dst = appendInts(dst, p.cells, int(p.encoding))
	case p.v2:
		dst = appendInts(dst, p.cells, p.nulls, p.cells, int(p.encoding), p.levels, 0)
		dst = append(dst, 1<<4|thriftBool(p.compressed))
	default:
		dst = appendInts(dst, p.cells, int(p.encoding), rle, rle)
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

func thriftBool(b bool) byte {
	if b {
		return thriftTrue
	}
	return thriftFalse
}

// appendInts appends the fields 1, 2, … of a struct.
func appendInts(dst []byte, values ...int) []byte {
	for _, v := range values {
		dst = append(dst, 1<<4|thriftInt32)
		dst = binary.AppendVarint(dst, int64(v)) // zigzag, as Thrift has it
	}
	return dst
}
