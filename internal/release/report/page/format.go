package page

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// labelRunes is how much of a name or label is shown: what is longer has no place next to a picture.
const labelRunes = 80

// noBreak is the blank between a number and its unit.
const noBreak = "\u00a0"

// Short cuts s to n characters; the last one then is "…".
func Short(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Percent writes a share with so many decimals: "12.3 %".
func Percent(share float64, decimals int) string {
	s := strconv.FormatFloat(100*share, 'f', decimals, 64)
	if s[0] == '-' && !nonZero(s) {
		s = s[1:]
	}
	return s + noBreak + "%"
}

// nonZero reports whether any digit of s is not 0.
func nonZero(s string) bool {
	for _, c := range s {
		if c >= '1' && c <= '9' {
			return true
		}
	}
	return false
}

// Decimals returns how many decimals a percentage needs for its error, a share, to have two digits or three.
func Decimals(err float64) int {
	if !(err > 0) {
		return 1
	}
	return int(min(max(math.Ceil(1-math.Log10(100*err)), 0), 5))
}

// Figures writes a share in percent with so many significant digits, for figures that stand alone.
func Figures(share float64, digits int) string {
	if share == 0 || math.IsNaN(share) {
		return "0" + noBreak + "%"
	}
	decimals := digits - 1 - int(math.Floor(math.Log10(100*math.Abs(share))))
	return Percent(share, min(max(decimals, 0), 6))
}

// Plain is Figures with two digits for a terminal, with a common blank.
func Plain(share float64) string { return strings.ReplaceAll(Figures(share, 2), noBreak, " ") }

// Count writes a whole number with commas between thousands.
func Count(x float64) string {
	s := strconv.FormatFloat(math.Round(math.Abs(x)), 'f', 0, 64)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if x < 0 && nonZero(s) {
		s = "-" + s
	}
	return s
}

// Plural returns the name of n things.
func Plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// Counted writes a number of things: "1 file", "1,200 files".
func Counted(n int, word string) string { return Count(float64(n)) + " " + Plural(n, word) }

// Bytes writes a number of bytes; NaN is "unknown".
func Bytes(x float64) string {
	if math.IsNaN(x) {
		return "unknown"
	}
	unit := 0
	for ; x >= 1000 && unit < 4; unit++ {
		x /= 1000
	}
	return fmt.Sprintf("%.3g %s", x, [...]string{"B", "kB", "MB", "GB", "TB"}[unit])
}

// Small writes a positive number, one far below 1 by its power of ten: "10⁻⁹", "2.5·10⁻⁵".
func Small(x float64) string {
	if !(x > 0) || x >= .001 {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	if len(mantissa) > 4 {
		mantissa, exponent, _ = strings.Cut(strconv.FormatFloat(x, 'e', 2, 64), "e")
	}
	power := "10⁻" + superscripts.Replace(strings.TrimLeft(exponent, "-0"))
	if mantissa == "1" {
		return power
	}
	return mantissa + "·" + power
}

var superscripts = strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹")
