package infer

import (
	"bytes"
	"math"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
)

// kind is what the cells of a column have been so far.
type kind uint8

const (
	none kind = iota // no cell but NULL
	boolean
	integer
	decimal
	float
	date
	datetime // without a time zone
	timestamp
	clock // the time of a day
	text
)

// typeOf is the type that a column of a kind gets.
func (k kind) typeOf() domain.Type {
	return [...]domain.Type{domain.String, domain.Bool, domain.Int64, domain.Numeric, domain.Float64, domain.Date, domain.DateTime, domain.Timestamp, domain.Time, domain.String}[k]
}

// join is the first kind that has room for cells of both.
func join(a, b kind) kind {
	a, b = min(a, b), max(a, b)
	switch {
	case a == b || a == none:
		return b
	case a >= integer && b <= float, a >= date && b <= timestamp:
		return b
	}
	return text
}

// maxPlaces is the number of decimal places of a NUMERIC.
const maxPlaces = 9

// classify returns the kind of one cell, and the decimal places of a number.
func classify(cell []byte) (k kind, places int) {
	switch {
	case len(cell) == 0 || len(cell) > 64:
		return text, 0
	case isLetter(cell), bytes.EqualFold(cell, []byte("true")), bytes.EqualFold(cell, []byte("false")):
		return boolean, 0
	case len(cell) >= 8 && (cell[4] == '-' || cell[4] == '/'):
		return moment(string(cell)), 0
	case bytes.IndexByte(cell, ':') > 0:
		if _, ok := clocks.ParseNative(string(cell)); ok {
			return clock, 0
		}
		return text, 0
	}
	return number(cell)
}

// isLetter reports whether a cell is a truth value as Postgres and R abbreviate it.
func isLetter(cell []byte) bool {
	return bytes.EqualFold(cell, []byte("t")) || bytes.EqualFold(cell, []byte("f"))
}

var (
	dates      = domain.Attribute{Type: domain.Date}
	datetimes  = domain.Attribute{Type: domain.DateTime}
	timestamps = domain.Attribute{Type: domain.Timestamp}
	clocks     = domain.Attribute{Type: domain.Time}
	truths     = domain.Attribute{Type: domain.Bool}
	wholes     = domain.Attribute{Type: domain.Int64}
)

func moment(s string) kind {
	if _, ok := dates.ParseNative(s); ok {
		return date
	}
	if _, ok := datetimes.ParseNative(s); ok {
		return datetime
	}
	if _, ok := timestamps.ParseNative(s); ok {
		return timestamp
	}
	return text
}

// number tells whole, decimal and other numbers apart.
func number(cell []byte) (kind, int) {
	digits, plus := cell, cell[0] == '+'
	if plus || cell[0] == '-' {
		digits = cell[1:]
	}
	whole := count(digits)
	if whole > 1 && digits[0] == '0' {
		return text, 0
	}
	rest, places := digits[whole:], 0
	point := len(rest) > 0 && rest[0] == '.'
	if point {
		places = count(rest[1:])
		rest = rest[1+places:]
	}
	switch {
	case whole+places == 0, plus && !point, len(rest) > 0 && !exponent(rest):
		return text, 0
	case len(rest) == 0 && !point:
		if _, err := strconv.ParseInt(string(cell), 10, 64); err != nil {
			return text, 0
		}
		return integer, 0
	case len(rest) == 0 && places <= maxPlaces:
		return decimal, places
	}
	if v, err := strconv.ParseFloat(string(cell), 64); err != nil || math.IsInf(v, 0) {
		return text, 0
	}
	return float, 0
}

// count returns the number of digits that b begins with.
func count(b []byte) int {
	for i, c := range b {
		if c < '0' || c > '9' {
			return i
		}
	}
	return len(b)
}

// exponent reports whether b is e, an optional sign, and digits.
func exponent(b []byte) bool {
	if b[0] != 'e' && b[0] != 'E' {
		return false
	}
	if b = b[1:]; len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		b = b[1:]
	}
	return len(b) > 0 && count(b) == len(b)
}
