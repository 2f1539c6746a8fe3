package codec

import (
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// BatchRows is the largest number of rows of a page. A file being written holds the cells of a page of every
// column: 128 KiB each, so that rows without end take no more memory than a few. Four times as many rows would
// make files of categories 3 % smaller; parquet-java ends a page at 20,000 rows too.
const BatchRows = 1 << 14

// Column collects the cells of one column until they make a page.
type Column struct {
	Name     string
	Physical parquet.Type
	Logical  schema.LogicalType
	Width    int    // FIXED_LEN_BYTE_ARRAY: bytes of a number
	Factor   uint64 // the same: which cells are multiplied by; below 2^63
	Nullable bool

	Cells []int64     // codes of Texts, bits of a float, or numbers
	Texts *Dictionary // BYTE_ARRAY that is not Plain

	Plain   bool    // BYTE_ARRAY of texts that hardly repeat, without a dictionary; never NULL
	bytes   []byte  // Plain: the texts, one after the other
	offsets []int32 // Plain: where each begins, and the last one ends

	valid []byte // bitmap; bit i is set if cell i is not NULL
	nulls int
}

// AddText appends a text to a plain column.
func (c *Column) AddText(text []byte) {
	c.bytes = append(c.bytes, text...)
	c.offsets = append(c.offsets, int32(len(c.bytes)))
}

// NewTextColumn returns a plain column of texts.
func NewTextColumn(name string) *Column {
	return &Column{Name: name, Physical: parquet.Types.ByteArray, Logical: schema.StringLogicalType{}, Plain: true, offsets: []int32{0}}
}

// Mark says which of the n cells from at on are NULL; none if nulls is nil. It reports whether the column takes that.
func (c *Column) Mark(at, n int, nulls []bool) bool {
	for len(c.valid) < (at+n+7)/8 {
		c.valid = append(c.valid, 0)
	}
	if nulls == nil {
		bitutil.SetBitsTo(c.valid, int64(at), int64(n), true)
		return true
	}
	for i, null := range nulls[:n] {
		if !null {
			bitutil.SetBit(c.valid, at+i)
			continue
		}
		if !c.Nullable {
			return false
		}
		bitutil.ClearBit(c.valid, at+i)
		c.nulls++
	}
	return true
}

// SetValid says whether cell at, the last one, is a value; else it is NULL.
func (c *Column) SetValid(at int, valid bool) {
	if at/8 == len(c.valid) {
		c.valid = append(c.valid, 0)
	}
	bitutil.SetBitTo(c.valid, at, valid)
	if !valid {
		c.nulls++
	}
}

// reserve makes room for n more cells of a page of size cells. A file of one chunk takes as much as that;
// any other will fill its page, and growing step by step would leave four pages behind.
func (c *Column) reserve(n, size int) {
	switch held := len(c.Cells); {
	case c.Plain || cap(c.Cells)-held >= n:
	case held == 0:
		c.Cells = make([]int64, 0, n)
	default:
		c.Cells = append(make([]int64, 0, size), c.Cells...)
	}
}

// empty drops the cells, which have become a page.
func (c *Column) empty() {
	c.Cells, c.nulls = c.Cells[:0], 0
	if c.Plain {
		c.bytes, c.offsets = c.bytes[:0], c.offsets[:1]
	}
}

// Node returns the column's place in the file's schema.
func (c *Column) Node() (schema.Node, error) {
	rep, width := parquet.Repetitions.Required, -1
	if c.Nullable {
		rep = parquet.Repetitions.Optional
	}
	if c.Physical == parquet.Types.FixedLenByteArray {
		width = c.Width
	}
	return schema.NewPrimitiveNodeLogical(c.Name, rep, c.Logical, c.Physical, width, -1)
}
