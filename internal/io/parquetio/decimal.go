package parquetio

import (
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/native"
)

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
