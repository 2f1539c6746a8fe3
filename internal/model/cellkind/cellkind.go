// Package cellkind tells what a cell of text is: a truth value, a number, a date, a time, or other text. Proposals of domain
// files and their private discovery share the rule.
package cellkind

import (
	"bytes"
	"math"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Kind is what a cell is, or what all cells of a column have been so far.
type Kind uint8

// The kinds of cells.
const (
	None Kind = iota // no cell but NULL
	Boolean
	Integer
	Decimal
	Float
	Date
	DateTime // without a time zone
	Timestamp
	Clock // the time of a day
	Text
)

// Type is the type that a column of a kind gets.
func (k Kind) Type() domain.Type {
	return [...]domain.Type{domain.String, domain.Bool, domain.Int64, domain.Numeric, domain.Float64, domain.Date, domain.DateTime, domain.Timestamp, domain.Time, domain.String}[k]
}

// Of is the kind of the cells of a type.
func Of(t domain.Type) Kind {
	for k := Boolean; k < Text; k++ {
		if k.Type() == t {
			return k
		}
	}
	return Text
}

// MaxPlaces is the number of decimal places of a NUMERIC.
const MaxPlaces = 9

// Classify returns the kind of one cell, and the decimal places of a number.
func Classify(cell []byte) (k Kind, places int) {
	switch {
	case len(cell) == 0 || len(cell) > 64:
		return Text, 0
	case IsLetter(cell), bytes.EqualFold(cell, []byte("true")), bytes.EqualFold(cell, []byte("false")):
		return Boolean, 0
	case len(cell) >= 8 && (cell[4] == '-' || cell[4] == '/'):
		return Moment(string(cell)), 0
	case bytes.IndexByte(cell, ':') > 0:
		if _, ok := clocks.ParseNative(string(cell)); ok {
			return Clock, 0
		}
		return Text, 0
	}
	return number(cell)
}

// IsLetter reports whether a cell is a truth value as Postgres and R abbreviate it.
func IsLetter(cell []byte) bool {
	return bytes.EqualFold(cell, []byte("t")) || bytes.EqualFold(cell, []byte("f"))
}

var (
	dates      = domain.Attribute{Type: domain.Date}
	datetimes  = domain.Attribute{Type: domain.DateTime}
	timestamps = domain.Attribute{Type: domain.Timestamp}
	clocks     = domain.Attribute{Type: domain.Time}
)

// Moment returns the kind of a date or time, and Text for what is none.
func Moment(s string) Kind {
	if _, ok := dates.ParseNative(s); ok {
		return Date
	}
	if _, ok := datetimes.ParseNative(s); ok {
		return DateTime
	}
	if _, ok := timestamps.ParseNative(s); ok {
		return Timestamp
	}
	return Text
}

// number tells whole, decimal and other numbers apart.
func number(cell []byte) (Kind, int) {
	digits, plus := cell, cell[0] == '+'
	if plus || cell[0] == '-' {
		digits = cell[1:]
	}
	whole := count(digits)
	if whole > 1 && digits[0] == '0' {
		return Text, 0
	}
	rest, places := digits[whole:], 0
	point := len(rest) > 0 && rest[0] == '.'
	if point {
		places = count(rest[1:])
		rest = rest[1+places:]
	}
	switch {
	case whole+places == 0, plus && !point, len(rest) > 0 && !exponent(rest):
		return Text, 0
	case len(rest) == 0 && !point:
		if _, err := strconv.ParseInt(string(cell), 10, 64); err != nil {
			return Text, 0
		}
		return Integer, 0
	case len(rest) == 0 && places <= MaxPlaces:
		return Decimal, places
	}
	if v, err := strconv.ParseFloat(string(cell), 64); err != nil || math.IsInf(v, 0) {
		return Text, 0
	}
	return Float, 0
}

// Vast reports whether a text, which has no kind, is a whole number that no INT64 holds.
func Vast(cell []byte) bool {
	digits := bytes.TrimPrefix(cell, []byte("-"))
	return len(digits) >= 19 && len(cell) <= 64 && digits[0] != '0' && count(digits) == len(digits)
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

// Join returns the first kind that has room for cells of both.
func Join(a, b Kind) Kind {
	a, b = min(a, b), max(a, b)
	switch {
	case a == b || a == None:
		return b
	case a >= Integer && b <= Float, a >= Date && b <= Timestamp:
		return b
	}
	return Text
}
