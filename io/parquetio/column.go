package parquetio

import (
	"errors"
	"fmt"
	"math/bits"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/decimal128"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/dapple-dp/dapple/dp/domain"
)

// batchRows is the number of rows handed to pqarrow at once: smaller batches cost more calls, larger
// ones only memory.
const batchRows = 1 << 16

// numericScale is the scale of BigQuery's NUMERIC.
const numericScale = 9

var dictionaryType = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// column collects the cells of one column until a batch is full. One of ints, floats, codes is used,
// by type; its length is the number of cells held.
type column struct {
	name     string
	typ      domain.Type
	scale    int // NUMERIC: decimal places of ints
	nullable bool

	ints   []int64
	floats []float64
	codes  []int32
	valid  []byte // bitmap; bit i is set where cell i is not NULL
	nulls  int

	dict   *dictionary // STRING
	parsed literals    // INT64 and BOOL that come as categories

	plain   bool    // STRING of texts that hardly repeat, without a dictionary
	bytes   []byte  // plain: the texts, one after the other
	offsets []int32 // plain: where each ends
}

func newColumn(name string, typ domain.Type, scale int, nullable bool) *column {
	c := &column{name: name, typ: typ, scale: scale, nullable: nullable, valid: make([]byte, batchRows/8)}
	switch typ {
	case domain.String:
		c.codes, c.dict = make([]int32, 0, batchRows), newDictionary()
	case domain.Float64:
		c.floats = make([]float64, 0, batchRows)
	default:
		c.ints = make([]int64, 0, batchRows)
	}
	return c
}

// newTextColumn returns a column of texts that hardly repeat.
func newTextColumn(name string) *column {
	c := &column{name: name, typ: domain.String, valid: make([]byte, batchRows/8), plain: true}
	c.offsets = append(make([]int32, 0, batchRows+1), 0)
	return c
}

// addText appends a text to a plain column.
func (c *column) addText(text []byte) {
	c.bytes = append(c.bytes, text...)
	c.offsets = append(c.offsets, int32(len(c.bytes)))
}

// takeText returns the n texts held as an array, and empties the column.
func (c *column) takeText(n int) arrow.Array {
	offsets := memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(c.offsets))
	data := array.NewData(c.arrowType(), n, []*memory.Buffer{nil, offsets, memory.NewBufferBytes(c.bytes)}, nil, 0, 0)
	defer data.Release()
	c.bytes, c.offsets = c.bytes[:0], c.offsets[:1]
	return array.MakeFromData(data)
}

func (c *column) dictionary() bool { return c.dict != nil }

// arrowType returns the Arrow type of io.md §6. The zone "+00:00" is neither empty nor "UTC", which
// makes pqarrow write a DATETIME as not adjusted to UTC.
func (c *column) arrowType() arrow.DataType {
	switch {
	case c.plain:
		return arrow.BinaryTypes.String
	case c.dict != nil:
		return dictionaryType
	}
	switch c.typ {
	case domain.Float64:
		return arrow.PrimitiveTypes.Float64
	case domain.Numeric:
		return &arrow.Decimal128Type{Precision: 38, Scale: numericScale}
	case domain.Bool:
		return arrow.FixedWidthTypes.Boolean
	case domain.Date:
		return arrow.FixedWidthTypes.Date32
	case domain.DateTime:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "+00:00"}
	case domain.Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	case domain.Time:
		return arrow.FixedWidthTypes.Time64us
	}
	return arrow.PrimitiveTypes.Int64
}

func (c *column) field() arrow.Field {
	return arrow.Field{Name: c.name, Type: c.arrowType(), Nullable: c.nullable}
}

var (
	errForm    = errors.New("the cells have a form that the column's type does not take")
	errLength  = errors.New("the column is shorter than its chunk")
	errNull    = errors.New("NULL in a column without null")
	errIndex   = errors.New("a dictionary index is outside the dictionary")
	errLiteral = errors.New("a category is not a number of the column's type")
	errDate    = errors.New("a date is beyond 32 bits of days")
)

// add appends cells lo..hi−1 of in to the column, which holds at cells.
func (c *column) add(in *domain.Column, lo, hi, at int) error {
	if err := c.mark(in, lo, hi, at); err != nil {
		return err
	}
	switch {
	case c.dict != nil && in.Form == domain.Dictionary && hi <= len(in.Ints):
		return c.addCodes(in, lo, hi)
	case c.dict != nil && in.Form == domain.Text && hi < len(in.Offsets):
		for i := lo; i < hi; i++ {
			c.codes = append(c.codes, c.dict.code(in.Text(i)))
		}
	case c.floats != nil && in.Form == domain.Floats && hi <= len(in.Floats):
		c.floats = append(c.floats, in.Floats[lo:hi]...)
	case c.ints != nil && in.Form == domain.Ints && hi <= len(in.Ints):
		c.ints = append(c.ints, in.Ints[lo:hi]...)
	case c.literal() && in.Form == domain.Dictionary && hi <= len(in.Ints):
		return c.addLiterals(in, lo, hi)
	default:
		return c.shapeError(in)
	}
	return nil
}

func (c *column) shapeError(in *domain.Column) error {
	want := c.ints != nil && in.Form == domain.Ints || c.literal() && in.Form == domain.Dictionary || c.floats != nil && in.Form == domain.Floats ||
		c.dict != nil && (in.Form == domain.Dictionary || in.Form == domain.Text)
	if want {
		return errLength
	}
	return errForm
}

func (c *column) addCodes(in *domain.Column, lo, hi int) error {
	table := c.dict.translate(in.Dict)
	for i, x := range in.Ints[lo:hi] {
		switch {
		case uint64(x) < uint64(len(table)):
			c.codes = append(c.codes, table[x])
		case in.Null(lo + i): // the index of a NULL says nothing
			c.codes = append(c.codes, 0)
		default:
			return errIndex
		}
	}
	return nil
}

// literal reports whether the column takes categories as texts of numbers.
func (c *column) literal() bool { return c.typ == domain.Int64 || c.typ == domain.Bool }

func (c *column) addLiterals(in *domain.Column, lo, hi int) error {
	c.parsed.read(in.Dict, c.typ)
	for i, x := range in.Ints[lo:hi] {
		switch {
		case uint64(x) < uint64(len(c.parsed.values)) && !c.parsed.bad[x]:
			c.ints = append(c.ints, c.parsed.values[x])
		case in.Null(lo + i):
			c.ints = append(c.ints, 0)
		case uint64(x) < uint64(len(c.parsed.values)):
			return errLiteral
		default:
			return errIndex
		}
	}
	return nil
}

// mark records which of the cells are NULL.
func (c *column) mark(in *domain.Column, lo, hi, at int) error {
	if in.Nulls == nil {
		bitutil.SetBitsTo(c.valid, int64(at), int64(hi-lo), true)
		return nil
	}
	if len(in.Nulls) < hi {
		return errLength
	}
	for i, null := range in.Nulls[lo:hi] {
		if !null {
			bitutil.SetBit(c.valid, at+i)
			continue
		}
		if !c.nullable {
			return errNull
		}
		bitutil.ClearBit(c.valid, at+i)
		c.nulls++
	}
	return nil
}

// take returns the n cells held as an array, and empties the column. The array shares the column's
// memory: it is used up before the next cell is added.
func (c *column) take(n int) (arrow.Array, error) {
	if c.plain {
		return c.takeText(n), nil
	}
	values, err := c.values()
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", c.name, err)
	}
	var valid *memory.Buffer
	if c.nulls > 0 {
		valid = memory.NewBufferBytes(c.valid)
	}
	data := array.NewData(c.arrowType(), n, []*memory.Buffer{valid, memory.NewBufferBytes(values)}, nil, c.nulls, 0)
	defer data.Release()
	if c.dict != nil {
		data.SetDictionary(c.dict.array().Data())
	}
	c.ints, c.floats, c.codes, c.nulls = c.ints[:0], c.floats[:0], c.codes[:0], 0
	return array.MakeFromData(data), nil
}

// values returns the bytes of the cells in Arrow's layout.
func (c *column) values() ([]byte, error) {
	switch c.typ {
	case domain.String:
		return arrow.Int32Traits.CastToBytes(c.codes), nil
	case domain.Float64:
		return arrow.Float64Traits.CastToBytes(c.floats), nil
	case domain.Numeric:
		return c.decimals(), nil
	case domain.Bool:
		return c.bools(), nil
	case domain.Date:
		return c.days()
	}
	return arrow.Int64Traits.CastToBytes(c.ints), nil
}

func (c *column) bools() []byte {
	b := make([]byte, bitutil.BytesForBits(int64(len(c.ints))))
	for i, v := range c.ints {
		if v != 0 {
			bitutil.SetBit(b, i)
		}
	}
	return b
}

func (c *column) days() ([]byte, error) {
	d := make([]int32, len(c.ints))
	for i, v := range c.ints {
		d[i] = int32(v)
		if int64(d[i]) != v && bitutil.BitIsSet(c.valid, i) {
			return nil, errDate
		}
	}
	return arrow.Int32Traits.CastToBytes(d), nil
}

// decimals returns the cells as 128-bit multiples of 10^−9. An int64 times 10^9 always fits.
func (c *column) decimals() []byte {
	factor := uint64(1)
	for i := c.scale; i < numericScale; i++ {
		factor *= 10
	}
	d := make([]decimal128.Num, len(c.ints))
	for i, v := range c.ints {
		d[i] = multiply(v, factor)
	}
	return arrow.Decimal128Traits.CastToBytes(d)
}

// multiply returns v·f without overflow, for f below 2^63.
func multiply(v int64, f uint64) decimal128.Num {
	hi, lo := bits.Mul64(uint64(v), f)
	if v < 0 { // uint64(v) is v + 2^64
		hi -= f
	}
	return decimal128.New(int64(hi), lo)
}
