package cellkind

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Written is how people write the cells of a column, by an example: a number of thousands with a fraction, or the last
// day of 2024.
type Written string

// The forms that cells can have besides the usual ones.
const (
	PointNumbers Written = "1,234.5"
	CommaNumbers Written = "1.234,5"
	DayFirst     Written = "31.12.2024"
	MonthFirst   Written = "12/31/2024"
	NamedMonth   Written = "31 Dec 2024"
	DateDigits   Written = "20241231"
)

// WrittenForms are all forms, numbers first.
var WrittenForms = []Written{PointNumbers, CommaNumbers, DayFirst, MonthFirst, NamedMonth, DateDigits}

// Numbers reports whether w is a form of numbers, and not one of dates.
func (w Written) Numbers() bool { return w == PointNumbers || w == CommaNumbers }

// Fits reports whether a column of type t can be written so.
func (w Written) Fits(t domain.Type) bool {
	if f := t.Facts(); f.Calendar || !f.Bins {
		return !w.Numbers() && f.Calendar && f.Most >= f.Day
	}
	return w.Numbers()
}

// Canonical returns a cell as dapple reads it without w: 1234.5, or 2024-12-31 and what follows the date. False means
// that the cell is not written so; one that is written in the usual way may be. Of years of two digits it takes the
// last one up to latest. The text is written over dst.
func (w Written) Canonical(dst, cell []byte, latest int) (text []byte, ok bool) {
	cell = bytes.TrimFunc(cell, unicode.IsSpace)
	if w.Numbers() {
		return w.number(dst[:0], cell)
	}
	if digits(cell) == 4 && len(cell) > 4 {
		return append(dst[:0], cell...), true
	}
	return w.date(dst[:0], cell, latest)
}

// LatestShort is the year up to which years of two digits are taken where no range says more: 69 is 1969.
const LatestShort = 2068

// currencies are names of money beside the signs that Unicode knows as such.
var currencies = []string{"EUR", "USD", "GBP", "CHF", "JPY", "CNY", "INR", "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RON",
	"CAD", "AUD", "NZD", "BRL", "MXN", "ZAR", "TRY", "US$", "R$", "kr", "zł", "Kč", "Ft"}

// MayBeWritten reports whether a text may be a number or a date in any form: one that begins with another letter than a
// currency or a month does is none.
func MayBeWritten(text []byte) bool {
	if len(text) == 0 || text[0]|0x20 < 'a' || text[0]|0x20 > 'z' {
		return true
	}
	for _, name := range currencies {
		if name[0] == text[0] && bytes.HasPrefix(text, []byte(name)) {
			return true
		}
	}
	for i := 0; i < len(months) && len(text) >= 3; i += 3 {
		if months[i] == text[0]|0x20 && strings.EqualFold(months[i:i+3], string(text[:3])) {
			return true
		}
	}
	return false
}

// number reads a number with marks between thousands, a currency before or after it, a percent sign, which is dropped,
// and a minus on either side or parentheses.
func (w Written) number(dst, cell []byte) ([]byte, bool) {
	signs := 0
	for s := []byte(nil); len(s) != len(cell); {
		s = cell
		var sign byte
		if cell, sign = peel(cell); sign != 0 {
			signs++
		}
		if sign != 0 {
			dst = append(dst, sign)
		}
		cell = bytes.TrimFunc(cell, unicode.IsSpace)
	}
	point := byte('.')
	if w == CommaNumbers {
		point = ','
	}
	dst, cell, n, ok := groups(dst, cell, rune(point))
	if !ok {
		return nil, false
	}
	if len(cell) > 0 && cell[0] == point {
		more := digits(cell[1:])
		dst, cell = append(append(dst, '.'), cell[1:1+more]...), cell[1+more:]
		n += more
	}
	if len(cell) > 1 && cell[0]|0x20 == 'e' {
		power := cell[1:]
		if power[0] == '-' || power[0] == '+' {
			power = power[1:]
		}
		if k := digits(power); k > 0 && k == len(power) {
			dst, cell = append(dst, cell...), nil
		}
	}
	return dst, n > 0 && signs < 2 && len(cell) == 0
}

// groups reads digits with marks between thousands, or hundreds as in India, and returns how many the last group has.
func groups(dst, cell []byte, point rune) (number, rest []byte, n int, ok bool) {
	mark := rune(0)
	n = digits(cell)
	dst, cell = append(dst, cell[:n]...), cell[n:]
	for before := n; before > 0; {
		r, size := utf8.DecodeRune(cell)
		between := r == '.' || r == ',' || r == '\'' || r == '’' || unicode.IsSpace(r)
		if !between || r == point || mark != 0 && r != mark {
			break
		}
		n = digits(cell[size:])
		if n != 3 && n != 2 || before > 3 || mark != 0 && before < 2 {
			return nil, nil, 0, false
		}
		dst, cell = append(dst, cell[size:size+n]...), cell[size+n:]
		mark, before = r, n
	}
	return dst, cell, n, mark == 0 || n == 3
}

// peel takes one sign, currency or percent sign off either end of a number. The sign is + or -, if there was one.
func peel(s []byte) (rest []byte, sign byte) {
	if len(s) > 2 && s[0] == '(' && s[len(s)-1] == ')' {
		return s[1 : len(s)-1], '-'
	}
	for _, mark := range []struct {
		text string
		sign byte
	}{{"-", '-'}, {"−", '-'}, {"+", '+'}} {
		if rest, ok := bytes.CutPrefix(s, []byte(mark.text)); ok {
			return rest, mark.sign
		}
		if rest, ok := bytes.CutSuffix(s, []byte(mark.text)); ok && mark.sign == '-' {
			return rest, mark.sign
		}
	}
	if rest, ok := bytes.CutSuffix(s, []byte("%")); ok {
		return rest, 0
	}
	if r, n := utf8.DecodeRune(s); unicode.Is(unicode.Sc, r) {
		return s[n:], 0
	}
	if r, n := utf8.DecodeLastRune(s); unicode.Is(unicode.Sc, r) {
		return s[:len(s)-n], 0
	}
	for _, name := range currencies {
		if rest, ok := bytes.CutPrefix(s, []byte(name)); ok {
			return rest, 0
		}
		if rest, ok := bytes.CutSuffix(s, []byte(name)); ok {
			return rest, 0
		}
	}
	return s, 0
}

// digits returns the number of digits that s begins with.
func digits(s []byte) (n int) {
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// months are the beginnings of their English names.
const months = "janfebmaraprmayjunjulaugsepoctnovdec"

// dateParts returns year, month and day as they stand, and what is behind them.
func (w Written) dateParts(s []byte) (parts [3][]byte, rest []byte, ok bool) {
	if w == DateDigits {
		if digits(s) != 8 {
			return parts, nil, false
		}
		return [3][]byte{s[:4], s[4:6], s[6:8]}, s[8:], true
	}
	mark := byte(0)
	for i := range parts {
		n := digits(s)
		if n == 0 && w == NamedMonth {
			n = max(bytes.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }), 0)
		}
		parts[i], s = s[:n], s[n:]
		switch {
		case n == 0:
			return parts, nil, false
		case i == 2:
		case w == NamedMonth:
			s = bytes.TrimLeft(s, " .,-/")
		case len(s) == 0 || bytes.IndexByte([]byte("./-"), s[0]) < 0 || i > 0 && s[0] != mark:
			return parts, nil, false
		default:
			mark, s = s[0], s[1:]
		}
	}
	if w == MonthFirst || digits(parts[0]) == 0 {
		parts[0], parts[1] = parts[1], parts[0]
	}
	parts[0], parts[2] = parts[2], parts[0]
	return parts, s, true
}

// date reads a date, after which a time of the day may follow.
func (w Written) date(dst, s []byte, latest int) ([]byte, bool) {
	parts, s, ok := w.dateParts(s)
	if !ok {
		return nil, false
	}
	year, month, day := parts[0], parts[1], parts[2]
	switch len(year) {
	case 2:
		y := int(year[0]-'0')*10 + int(year[1]-'0')
		dst = fmt.Appendf(dst, "%04d", max(latest-((latest-y)%100+100)%100, 0))
	case 4:
		dst = append(dst, year...)
	default:
		return nil, false
	}
	dst = append(dst, '-')
	if w == NamedMonth {
		at := strings.Index(months, strings.ToLower(string(month[:min(len(month), 3)])))
		if len(month) < 3 || at < 0 || at%3 > 0 {
			return nil, false
		}
		dst = strconv.AppendInt(dst, int64(at/3+1), 10)
	} else {
		dst = append(dst, month...)
	}
	dst = append(append(dst, '-'), day...)
	if len(month) > 2 && w != NamedMonth || len(day) > 2 || digits(day) == 0 {
		return nil, false
	}
	if time := bytes.TrimLeft(s, ", T"); len(time) > 0 {
		if len(time) == len(s) {
			return nil, false
		}
		dst = append(append(dst, ' '), time...)
	}
	return dst, true
}
