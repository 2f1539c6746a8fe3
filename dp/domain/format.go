package domain

import (
	"math"
	"strconv"
)

// AppendNative appends the canonical text of a value in the attribute's native unit: INT64 and NUMERIC
// in decimal without trailing zeros, BOOL as true (anything but 0) or false, DATE as 2006-01-02, DATETIME as 2006-01-02T15:04:05, TIMESTAMP
// with a final Z, TIME as 15:04:05, the last three with a fraction unless it is 0.
//
// ParseNative reads the text back as v. STRING and FLOAT64 have no native unit; the text is then the
// integer's.
func (a *Attribute) AppendNative(dst []byte, v int64) []byte {
	if format := types[a.Type].format; format != nil {
		return format(dst, v, a.Scale)
	}
	return strconv.AppendInt(dst, v, 10)
}

// AppendFloat appends the shortest decimal text that reads back as v.
func AppendFloat(dst []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendFloat(dst, v, 'f', -1, 64)
	}
	return strconv.AppendFloat(dst, v, 'g', -1, 64)
}

// Digits returns how many decimal digits the numbers of a NUMERIC attribute have at most, at its scale: 1 to 19, and all 19 of an
// int64 where neither range nor values are declared.
func (a *Attribute) Digits() int {
	if len(a.Cuts) == 0 && len(a.Values) == 0 {
		return 19
	}
	digits := max(1, a.Scale)
	count := func(v int64) {
		size := uint64(v)
		if v < 0 {
			size = -size
		}
		digits = max(digits, len(strconv.FormatUint(size, 10)))
	}
	if n := len(a.Cuts); n > 0 {
		count(a.Cuts[0])
		count(a.Cuts[n-1])
	}
	for _, v := range a.Exact { // which may lie beyond the cut points
		count(v)
	}
	for _, s := range a.Values {
		if v, ok := a.ParseNative(s); ok {
			count(v)
		}
	}
	return digits
}

// appendTruth appends a BOOL.
func appendTruth(dst []byte, v int64, _ int) []byte { return strconv.AppendBool(dst, v != 0) }

// appendDecimal appends v·10^−scale without trailing zeros.
func appendDecimal(dst []byte, v int64, scale int) []byte {
	u := uint64(v)
	if v < 0 {
		dst = append(dst, '-')
		u = -u
	}
	unit := uint64(1)
	for range scale {
		unit *= 10
	}
	dst = strconv.AppendUint(dst, u/unit, 10)
	return appendFraction(dst, u%unit, unit)
}

// appendFraction appends f/unit as a decimal fraction without trailing zeros, nothing for 0; unit is a
// power of ten above f.
func appendFraction(dst []byte, f, unit uint64) []byte {
	if f == 0 {
		return dst
	}
	dst = append(dst, '.')
	for f > 0 {
		unit /= 10
		dst = append(dst, '0'+byte(f/unit))
		f %= unit
	}
	return dst
}

func appendDate(dst []byte, days int64) []byte {
	y, m, d := civilDate(days)
	dst = appendPadded(dst, y, 4)
	dst = appendPadded(append(dst, '-'), m, 2)
	return appendPadded(append(dst, '-'), d, 2)
}

func appendDateTime(dst []byte, micros int64) []byte {
	day := floorDiv(micros, microsPerDay)
	dst = append(appendDate(dst, day), 'T')
	return appendClock(dst, micros-day*microsPerDay)
}

func appendTimestamp(dst []byte, micros int64) []byte {
	return append(appendDateTime(dst, micros), 'Z')
}

func appendClock(dst []byte, micros int64) []byte {
	s := micros / microsPerSecond
	dst = appendPadded(dst, s/3600, 2)
	dst = appendPadded(append(dst, ':'), s/60%60, 2)
	dst = appendPadded(append(dst, ':'), s%60, 2)
	return appendFraction(dst, uint64(micros%microsPerSecond), microsPerSecond)
}

// appendPadded appends v with leading zeros up to width.
func appendPadded(dst []byte, v int64, width int) []byte {
	var b [20]byte
	s := strconv.AppendInt(b[:0], v, 10)
	for n := len(s); n < width; n++ {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}
