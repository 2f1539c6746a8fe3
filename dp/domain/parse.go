package domain

import (
	"math"
	"strconv"
)

// ParseNative reads canonical text, or any other accepted form, as a value in the attribute's native unit. It returns
// false if the text is not a value of the type, or if the type has no native unit, as STRING and FLOAT64.
//
// Digits below the native unit are rounded down. That is exact with respect to cells: cut points are whole units, and
// x < c is the same as ⌊x⌋ < c for a whole c. A NUMERIC beyond int64 saturates. Digits may be missing on one side of
// the point (.5 and 5.), a plus sign may precede them, and an exponent may follow; for an INT64 the number has to be
// whole (2.0).
//
// Dates and times are accepted in ISO 8601 and BigQuery's canonical forms: YYYY-[M]M-[D]D, then a blank or T and
// [H]H:[M]M[:[S]S[.F]] [AM|PM], which for DATE has to be midnight; TIMESTAMP and DATE may end in Z, UTC or ±HH[:MM],
// and a TIMESTAMP without one is UTC. YYYY/[M]M/[D]D is a date too.
func (a *Attribute) ParseNative(s string) (int64, bool) {
	if parse := types[a.Type].parse; parse != nil {
		return parse(s, a.Scale)
	}
	return 0, false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// cutSign takes a leading sign off s.
func cutSign(s string) (rest string, negative bool) {
	if s != "" && (s[0] == '-' || s[0] == '+') {
		return s[1:], s[0] == '-'
	}
	return s, false
}

// parseInt reads an optional sign and digits, or a decimal number that is whole, such as 2.0, as written by programs
// that hold whole numbers as floats. Unlike strconv.ParseInt it does not allocate on failure: there may be many
// unusable cells.
func parseInt(s string) (int64, bool) {
	for i := range len(s) {
		switch s[i] {
		case '.', 'e', 'E':
			return parseWhole(s, i)
		}
	}
	return parseDigits(s)
}

// parseWhole reads a whole number with a point or an exponent at s[at].
func parseWhole(s string, at int) (int64, bool) {
	mantissa, exponent, ok := cutExponent(s)
	if !ok {
		return 0, false
	}
	if exponent == 0 && s[at] == '.' { // int64's whole range
		fraction := mantissa[at+1:]
		for i := range len(fraction) {
			if fraction[i] != '0' {
				return 0, false
			}
		}
		if unsigned, _ := cutSign(mantissa[:at]); unsigned == "" {
			return 0, fraction != ""
		}
		return parseDigits(mantissa[:at])
	}
	v, exact, ok := parseExact(s, 0)
	return v, ok && exact && v != math.MaxInt64 && v != -math.MaxInt64
}

// parseDigits reads an optional sign and digits.
func parseDigits(s string) (int64, bool) {
	s, negative := cutSign(s)
	if s == "" {
		return 0, false
	}
	v := uint64(0)
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 || v > math.MaxInt64/10 {
			return 0, false
		}
		v = v*10 + uint64(d) // at most MaxInt64 + 2: no overflow
	}
	switch {
	case negative && v <= 1<<63:
		return -int64(v), true
	case v <= math.MaxInt64:
		return int64(v), true
	}
	return 0, false
}

// maxExponent bounds a decimal exponent: far beyond any effect, far from overflow.
const maxExponent = 1 << 40

// parseDecimal reads sign, digits, fraction and exponent as ⌊x·10^scale⌋, exactly, and saturates.
func parseDecimal(s string, scale int) (int64, bool) {
	v, _, ok := parseExact(s, scale)
	return v, ok
}

// parseExact is parseDecimal, and also reports whether no digit was rounded off.
func parseExact(s string, scale int) (v int64, exact, ok bool) {
	s, negative := cutSign(s)
	mantissa, exponent, ok := cutExponent(s)
	if !ok {
		return 0, false, false
	}
	// The digits before position whole, counted without the point, make the integer part.
	point, digits := len(mantissa), 0
	for i := range len(mantissa) {
		switch c := mantissa[i]; {
		case c == '.' && point == len(mantissa):
			point = i
		case isDigit(c):
			digits++
		default:
			return 0, false, false
		}
	}
	if digits == 0 {
		return 0, false, false
	}
	v, exact = scaleDigits(mantissa, int64(point)+exponent+int64(scale))
	if !negative {
		return v, exact, true
	}
	if exact || v == math.MaxInt64 {
		return -v, exact, true
	}
	return -v - 1, false, true
}

// scaleDigits returns the number made of the first whole digits of the mantissa, saturating, and whether all digits
// after those are 0. Missing digits are 0.
func scaleDigits(mantissa string, whole int64) (v int64, exact bool) {
	n := int64(0) // digits seen
	exact = true
	for i := range len(mantissa) {
		c := mantissa[i]
		if c == '.' {
			continue
		}
		if n++; n > whole {
			exact = exact && c == '0'
			continue
		}
		v = shiftIn(v, int64(c-'0'))
	}
	for ; n < whole && v != 0 && v != math.MaxInt64; n++ {
		v = shiftIn(v, 0)
	}
	return v, exact
}

// shiftIn returns 10·v + d, at most MaxInt64.
func shiftIn(v, d int64) int64 {
	if v > (math.MaxInt64-d)/10 {
		return math.MaxInt64
	}
	return v*10 + d
}

// cutExponent splits s at e or E and reads the exponent, saturating.
func cutExponent(s string) (mantissa string, exponent int64, ok bool) {
	for i := range len(s) {
		if s[i] != 'e' && s[i] != 'E' {
			continue
		}
		digits, negative := cutSign(s[i+1:])
		if digits == "" {
			return "", 0, false
		}
		for j := range len(digits) {
			if !isDigit(digits[j]) {
				return "", 0, false
			}
			exponent = min(exponent*10+int64(digits[j]-'0'), maxExponent)
		}
		if negative {
			exponent = -exponent
		}
		return s[:i], exponent, true
	}
	return s, 0, true
}

// ParseFloat reads a decimal floating-point number. NaN, infinities, hexadecimal forms and numbers
// beyond float64 are not usable.
func ParseFloat(s string) (float64, bool) {
	digit := false
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digit = true
		case c != '.' && c != '-' && c != '+' && c != 'e' && c != 'E':
			return 0, false
		}
	}
	if !digit {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil
}

// parseBool reads the forms that BigQuery reads, in any case.
func parseBool(s string) (value, ok bool) {
	var low [5]byte
	if len(s) > len(low) {
		return false, false
	}
	for i := range len(s) {
		low[i] = s[i]
		if 'A' <= s[i] && s[i] <= 'Z' {
			low[i] += 'a' - 'A'
		}
	}
	switch string(low[:len(s)]) {
	case "true", "t", "1", "yes", "y":
		return true, true
	case "false", "f", "0", "no", "n":
		return false, true
	}
	return false, false
}

// parseTruth is parseBool in the native unit: 0 or 1.
func parseTruth(s string, _ int) (int64, bool) {
	v, ok := parseBool(s)
	return int64(index(v)), ok
}
