package parquetio

import (
	"errors"
	"math"
	"strconv"

	"github.com/apache/arrow-go/v18/parquet"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/native"
	"github.com/dapple-dp/dapple/internal/io/parquetio/internal/codec"
)

// numericScale is the scale of BigQuery's NUMERIC.
const numericScale = 9

// column is a column that cells of a type are written to.
type column struct {
	*codec.Column
	typ         domain.Type
	form        domain.Form // of its cells; categories come as a dictionary, too
	scale       int         // NUMERIC: decimal places of the cells
	decimalForm             // NUMERIC: as it is in the file

	parsed literals // INT64 and BOOL that come as categories
}

// newColumn returns a column of a type. NUMERIC is as wide as BigQuery has it.
func newColumn(name string, typ domain.Type, scale int, nullable bool) *column {
	c := &column{Column: &codec.Column{Name: name, Physical: types[typ].physical, Nullable: nullable}, typ: typ, scale: scale, form: typ.Facts().Form}
	if c.form == domain.Text {
		c.Texts = codec.NewDictionary()
	}
	c.take(wide)
	return c
}

// take sets the form of NUMERIC, and what the file states of the column.
func (c *column) take(f decimalForm) {
	c.decimalForm = f
	c.Width, c.Factor, c.Logical = f.width, native.Power10(max(0, f.places-c.scale)), types[c.typ].logical(c)
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
	case c.Texts != nil && in.Form == domain.Dictionary && hi <= len(in.Ints):
		return c.addCodes(in, lo, hi)
	case c.Texts != nil && in.Form == domain.Text && hi < len(in.Offsets):
		for i := lo; i < hi; i++ {
			c.Cells = append(c.Cells, c.Texts.Code(in.Text(i)))
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
	if in.Form == c.form || in.Form == domain.Dictionary && (c.Texts != nil || c.literal()) {
		return errLength
	}
	return errForm
}

func (c *column) addFloat(f float64) { c.Cells = append(c.Cells, int64(math.Float64bits(f))) }

func (c *column) addInts(in *domain.Column, lo, hi int) error {
	switch c.Physical {
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
			c.Cells = append(c.Cells, int64(min(1, uint64(v))))
		}
		return nil
	}
	c.Cells = append(c.Cells, in.Ints[lo:hi]...)
	return nil
}

func (c *column) addCodes(in *domain.Column, lo, hi int) error {
	table := c.Texts.Translate(in.Dict)
	for i, x := range in.Ints[lo:hi] {
		switch {
		case uint64(x) < uint64(len(table)):
			c.Cells = append(c.Cells, table[x])
		case in.Null(lo + i): // the index of a NULL says nothing
			c.Cells = append(c.Cells, 0)
		default:
			return errIndex
		}
	}
	return nil
}

// literal reports whether the column takes categories as texts of numbers.
func (c *column) literal() bool { return c.form == domain.Ints && c.typ.Facts().Categories }

func (c *column) addLiterals(in *domain.Column, lo, hi int) error {
	c.parsed.read(in.Dict, c.Physical == parquet.Types.Boolean)
	for i, x := range in.Ints[lo:hi] {
		switch {
		case uint64(x) < uint64(len(c.parsed.values)) && !c.parsed.bad[x]:
			c.Cells = append(c.Cells, c.parsed.values[x])
		case in.Null(lo + i):
			c.Cells = append(c.Cells, 0)
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
	var nulls []bool
	if in.Nulls != nil {
		if len(in.Nulls) < hi {
			return errLength
		}
		nulls = in.Nulls[lo:hi]
	}
	if !c.Mark(at, hi-lo, nulls) {
		return errNull
	}
	return nil
}

// literals holds the numbers that the texts of a dictionary stand for.
type literals struct {
	source []string
	values []int64
	bad    []bool // the text is no number
}

// read parses source, whose texts are true and false or numbers, unless it was the last one read.
func (l *literals) read(source []string, truth bool) {
	if codec.Same(l.source, source) {
		return
	}
	l.source, l.values, l.bad = source, l.values[:0], l.bad[:0]
	for _, s := range source {
		v, err := strconv.ParseInt(s, 10, 64)
		if truth {
			var b bool
			if b, err = strconv.ParseBool(s); b {
				v = 1
			}
		}
		l.values, l.bad = append(l.values, v), append(l.bad, err != nil)
	}
}

// decimalForm is how a NUMERIC column is written: big-endian numbers of width bytes with places decimal places, of
// at most so many digits.
type decimalForm struct {
	digits, places, width int
	limit                 int64 // that values are below, in the column's unit; 0: all fit
}

// wide is BigQuery's NUMERIC.
var wide = decimalForm{digits: 38, places: numericScale, width: 16}

// declare takes digits and places from a, in the fewest bytes: what arrow writes of such a type.
func (c *column) declare(a *domain.Attribute) {
	if len(a.Cuts) == 0 && len(a.Values) == 0 {
		return
	}
	digits := a.Digits()
	form := decimalForm{digits: digits, places: a.Scale, width: decimalWidth(digits)}
	if digits < 19 {
		form.limit = int64(native.Power10(digits))
	}
	c.take(form)
}

// decimalWidth returns the fewest bytes that hold every number of so many digits, at most 19, and its sign.
func decimalWidth(digits int) int {
	limit, width := uint64(1), 1
	for range digits {
		limit *= 10
	}
	for ; width < 9 && limit-1 > 1<<(8*width-1)-1; width++ {
	}
	return width
}
