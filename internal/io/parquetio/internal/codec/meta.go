package codec

import (
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/dapple-dp/dapple/internal/kit/wire"
)

// Meta is what the footer of a file states. Column chunks stay as they are in it until their row group is
// read, so that a footer takes little more memory than its bytes.
type Meta struct {
	Leaves  []Field
	Rows    int64
	groups  []group
	creator string
}

// Field is a column of cells, in a file.
type Field struct {
	Path     []string
	Top      int // the place of path[0] among the columns of the file
	Outer    Kind
	Physical parquet.Type
	Width    int // of a FIXED_LEN_BYTE_ARRAY
	Logical
	Optional bool // it or what contains it
	Repeated bool // the same
}

// group is a row group.
type group struct {
	rows   int64
	chunks []byte // a list of ColumnChunk
}

// chunk is what the footer states of one column in a row group.
type chunk struct {
	present, encrypted            bool
	physical, codec               int64
	encodings                     []parquet.Encoding
	values, plain, packed         int64
	dataPage, indexPage, dictPage int64
}

var (
	errFooterBytes = errors.New("the footer cannot be read; is this a whole Parquet file?")
	errLongFooter  = errors.New("its footer takes more than 256 MiB; rewrite the file with larger row groups")
	errEncrypted   = errors.New("it is encrypted, its footer too; write it again without encryption")
	errColumns     = errors.New("it has more than 262,144 columns")
)

const (
	maxFooter  = 256 << 20
	maxColumns = 1 << 18
	tailBytes  = 1 << 16 // what is read of a file at first: most footers are shorter
)

// readFooter returns the footer of a file of so many bytes.
func readFooter(src io.ReaderAt, size int64) ([]byte, error) {
	b := make([]byte, min(size, tailBytes))
	if n, err := src.ReadAt(b, size-int64(len(b))); n < len(b) {
		return nil, err
	}
	if len(b) < 8 {
		return nil, errFooterBytes
	}
	end := b[len(b)-8:]
	if string(end[4:]) == "PARE" {
		return nil, errEncrypted
	}
	n := int64(binary.LittleEndian.Uint32(end))
	switch {
	case string(end[4:]) != Magic || n > size-12:
		return nil, errFooterBytes
	case n > maxFooter:
		return nil, errLongFooter
	case n+8 <= int64(len(b)):
		return b[int64(len(b))-8-n : len(b)-8], nil
	}
	b = make([]byte, n)
	if got, err := src.ReadAt(b, size-8-n); got < len(b) {
		return nil, err
	}
	return b, nil
}

// readMeta reads a footer, and passes over what came into the format after this program.
//
// Source: Apache Parquet format, parquet.thrift, FileMetaData.
func readMeta(b []byte) (*Meta, error) {
	t, m := thrift{wire.Reader{Rest: b}}, &Meta{Rows: -1}
	var list []element
	t.fields(0, func(id, kind int) bool {
		switch {
		case id == 2 && kind == thriftList:
			t.list(func(int) {
				list = append(list, t.schemaElement())
				t.Bad = t.Bad || len(list) > maxColumns
			})
		case id == 3 && kind == thriftInt64:
			m.Rows = t.Varint()
		case id == 4 && kind == thriftList:
			t.list(func(int) { m.groups = append(m.groups, t.group()) })
		case id == 6 && kind == thriftText:
			m.creator = string(t.text())
		default:
			return false
		}
		return true
	})
	if len(list) > maxColumns {
		return nil, errColumns
	}
	if t.Bad || m.Rows < 0 || len(list) == 0 {
		return nil, errFooterBytes
	}
	if !m.build(list) {
		return nil, errFooterBytes
	}
	return m, nil
}

// build finds the columns in the elements of a schema, which are in the order of a depth-first walk.
func (m *Meta) build(list []element) bool {
	rest := list[1:]
	var walk func(f Field, depth int) bool
	walk = func(f Field, depth int) bool {
		if len(rest) == 0 || depth > maxDepth {
			return false
		}
		e := rest[0]
		rest = rest[1:]
		f.Path = append(slices.Clip(f.Path), e.name)
		f.Optional, f.Repeated = f.Optional || e.repeats == 1, f.Repeated || e.repeats == 2
		if depth == 0 {
			f.Outer = e.logical.Kind
		}
		if e.physical >= 0 {
			f.Physical, f.Width, f.Logical = parquet.Type(e.physical), int(e.width), e.logical
			m.Leaves = append(m.Leaves, f)
			return e.physical <= int64(parquet.Types.FixedLenByteArray) && e.children == 0
		}
		for range e.children { // there may be none
			if !walk(f, depth+1) {
				return false
			}
		}
		return true
	}
	for top := range list[0].children {
		if !walk(Field{Top: int(top)}, 0) {
			return false
		}
	}
	return len(rest) == 0
}

// element is a SchemaElement.
type element struct {
	name                     string
	physical, width, repeats int64
	children, converted      int64
	scale, precision         int64
	logical                  Logical
}

func (t *thrift) schemaElement() element {
	e := element{physical: -1, repeats: -1, converted: -1}
	t.fields(2, func(id, kind int) bool {
		switch {
		case id == 4 && kind == thriftText:
			e.name = string(t.text())
			return true
		case id == 10 && kind == thriftStruct:
			e.logical = t.logical()
			return true
		}
		return t.number(id, kind, &e.physical, &e.width, &e.repeats, nil, &e.children, &e.converted, &e.scale, &e.precision)
	})
	if e.logical.Kind == Unannotated && e.converted >= 0 {
		e.logical = converted(e.converted, e.precision, e.scale)
	}
	return e
}

func (t *thrift) group() (g group) {
	g.rows = -1
	t.fields(2, func(id, kind int) bool {
		switch {
		case id == 1 && kind == thriftList:
			from := t.Rest
			t.skip(thriftList, 3)
			g.chunks = from[:len(from)-len(t.Rest)]
		case id == 3 && kind == thriftInt64:
			g.rows = t.Varint()
		default:
			return false
		}
		return true
	})
	return g
}

// columns appends what a row group states of its columns to dst.
func (g *group) columns(dst []chunk) ([]chunk, error) {
	t := thrift{wire.Reader{Rest: g.chunks}}
	t.list(func(int) { dst = append(dst, t.chunk()) })
	if t.Bad {
		return dst, ErrPage
	}
	return dst, nil
}

// chunk reads a ColumnChunk.
func (t *thrift) chunk() (c chunk) {
	t.fields(4, func(id, kind int) bool {
		switch {
		case id == 3 && kind == thriftStruct:
			c.present = true
			t.fields(5, func(id, kind int) bool {
				if id == 2 && kind == thriftList {
					t.list(func(int) { c.encodings = append(c.encodings, parquet.Encoding(t.Varint())) })
					return true
				}
				return t.number(id, kind, &c.physical, nil, nil, &c.codec, &c.values, &c.plain, &c.packed, nil, &c.dataPage, &c.indexPage, &c.dictPage)
			})
			return true
		case id == 8:
			c.encrypted = true
		}
		return false
	})
	return c
}

// packedAlways reports whether the file is of a writer that said of compressed data pages of version 2 that
// they are not.
//
// Source: Apache Arrow, ARROW-17100: parquet-cpp-arrow before 3.0.0.
func (m *Meta) packedAlways() bool {
	version, ok := strings.CutPrefix(m.creator, "parquet-cpp-arrow version ")
	major, _, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(major)
	return ok && err == nil && n < 3
}
