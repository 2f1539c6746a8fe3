package parquetio

import (
	"errors"
	"math"

	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/parquet"
	"github.com/apache/arrow/go/v15/parquet/schema"

	"github.com/dapple-dp/dapple/dp/domain"
)

// batchRows is the largest number of rows of a page. A file being written holds the cells of a page of every
// column: 128 KiB each, so that rows without end take no more memory than a few. Four times as many rows would
// make files of categories 3 % smaller; parquet-java ends a page at 20,000 rows too.
const batchRows = 1 << 14

// numericScale is the scale of BigQuery's NUMERIC.
const numericScale = 9

// column collects the cells of one column until they make a page.
type column struct {
	name        string
	typ         domain.Type
	physical    parquet.Type
	form        domain.Form // of its cells; categories come as a dictionary, too
	scale       int         // NUMERIC: decimal places of ints
	decimalForm             // NUMERIC: as it is in the file
	nullable    bool

	ints  []int64 // the cells: codes of STRING, bits of FLOAT64, else the native unit
	valid []byte  // bitmap; bit i is set if cell i is not NULL
	nulls int

	dict   *dictionary // STRING
	parsed literals    // INT64 and BOOL that come as categories

	plain   bool    // STRING of texts that hardly repeat, without a dictionary; never NULL
	bytes   []byte  // plain: the texts, one after the other
	offsets []int32 // plain: where each begins, and the last one ends
}

func newColumn(name string, typ domain.Type, scale int, nullable bool) *column {
	c := &column{name: name, typ: typ, scale: scale, nullable: nullable, decimalForm: wide}
	c.physical, c.form = rowOf(typ).physical, typ.Facts().Form
	if c.form == domain.Text {
		c.dict = newDictionary()
	}
	return c
}

// newTextColumn returns a column of texts that hardly repeat.
func newTextColumn(name string) *column {
	return &column{name: name, typ: domain.String, physical: parquet.Types.ByteArray, form: domain.Text, plain: true, offsets: []int32{0}}
}

// addText appends a text to a plain column.
func (c *column) addText(text []byte) {
	c.bytes = append(c.bytes, text...)
	c.offsets = append(c.offsets, int32(len(c.bytes)))
}

// reserve makes room for n more cells of a page of size cells. A file of one chunk takes as much as that;
// any other will fill its page, and growing step by step would leave four pages behind.
func (c *column) reserve(n, size int) {
	switch held := len(c.ints); {
	case c.plain || cap(c.ints)-held >= n:
	case held == 0:
		c.ints = make([]int64, 0, n)
	default:
		c.ints = append(make([]int64, 0, size), c.ints...)
	}
}

// empty drops the cells, which have become a page.
func (c *column) empty() {
	c.ints, c.nulls = c.ints[:0], 0
	if c.plain {
		c.bytes, c.offsets = c.bytes[:0], c.offsets[:1]
	}
}

// node returns the column's place in the file's schema, of the type that the package comment lists.
func (c *column) node() (schema.Node, error) {
	rep, width := parquet.Repetitions.Required, -1
	if c.nullable {
		rep = parquet.Repetitions.Optional
	}
	if c.physical == parquet.Types.FixedLenByteArray {
		width = c.width
	}
	return schema.NewPrimitiveNodeLogical(c.name, rep, rowOf(c.typ).logical(c), c.physical, width, -1)
}

var (
	errForm    = errors.New("the cells have a form that the column's type does not take")
	errLength  = errors.New("the column is shorter than its chunk")
	errNull    = errors.New("NULL in a column without null")
	errIndex   = errors.New("a dictionary index is outside the dictionary")
	errLiteral = errors.New("a category is not a number of the column's type")
	errDigits  = errors.New("a number is outside the range of its attribute")
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
			c.ints = append(c.ints, c.dict.code(in.Text(i)))
		}
	case c.form == domain.Floats && in.Form == domain.Floats && hi <= len(in.Floats):
		for _, f := range in.Floats[lo:hi] {
			c.addFloat(f)
		}
	case c.form == domain.Ints && in.Form == domain.Ints && hi <= len(in.Ints):
		return c.addInts(in, lo, hi)
	case c.literal() && in.Form == domain.Dictionary && hi <= len(in.Ints):
		return c.addLiterals(in, lo, hi)
	default:
		return c.shapeError(in)
	}
	return nil
}

func (c *column) shapeError(in *domain.Column) error {
	if in.Form == c.form || in.Form == domain.Dictionary && (c.dict != nil || c.literal()) {
		return errLength
	}
	return errForm
}

func (c *column) addFloat(f float64) { c.ints = append(c.ints, int64(math.Float64bits(f))) }

func (c *column) addInts(in *domain.Column, lo, hi int) error {
	switch c.physical {
	case parquet.Types.Int32:
		for i, v := range in.Ints[lo:hi] {
			if int64(int32(v)) != v && !in.Null(lo+i) {
				return errDate
			}
		}
	case parquet.Types.FixedLenByteArray:
		for i, v := range in.Ints[lo:hi] {
			if c.limit > 0 && (v >= c.limit || v <= -c.limit) && !in.Null(lo+i) {
				return errDigits
			}
		}
	case parquet.Types.Boolean: // anything but 0 is true
		for _, v := range in.Ints[lo:hi] {
			c.ints = append(c.ints, int64(min(1, uint64(v))))
		}
		return nil
	}
	c.ints = append(c.ints, in.Ints[lo:hi]...)
	return nil
}

func (c *column) addCodes(in *domain.Column, lo, hi int) error {
	table := c.dict.translate(in.Dict)
	for i, x := range in.Ints[lo:hi] {
		switch {
		case uint64(x) < uint64(len(table)):
			c.ints = append(c.ints, table[x])
		case in.Null(lo + i): // the index of a NULL says nothing
			c.ints = append(c.ints, 0)
		default:
			return errIndex
		}
	}
	return nil
}

// literal reports whether the column takes categories as texts of numbers.
func (c *column) literal() bool { return c.form == domain.Ints && c.typ.Facts().Categories }

func (c *column) addLiterals(in *domain.Column, lo, hi int) error {
	c.parsed.read(in.Dict, c.physical == parquet.Types.Boolean)
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
	for len(c.valid) < (at+hi-lo+7)/8 {
		c.valid = append(c.valid, 0)
	}
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
