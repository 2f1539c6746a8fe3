package answer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Mean is the mean of a column with half of its 95 % interval.
type Mean struct {
	Known       bool
	Value, Half float64
	Range       string // see Answer
}

// String writes a mean with its interval, to two digits of the latter.
func (m Mean) String() string {
	said := fmt.Sprintf("mean %s ± %s", known(m.Value, m.Half, 2, 6), known(m.Half, m.Half, 2, 6))
	if m.Range != "" {
		said += ", " + m.Range
	}
	return said
}

// known writes a number to so many digits of its error, with at most so many decimals; with a power of ten if these would not show the
// number, or it is beyond all whole numbers. Without an error it has the decimals that it needs.
func known(x, sd float64, digits, most int) string {
	decimals := most
	if sd > 0 {
		decimals = digits - 1 - int(math.Floor(math.Log10(sd)))
	}
	if size := math.Abs(x); size == 0 || size < 1e19 && (decimals <= most || size >= math.Pow10(digits-1-most)) {
		text := strconv.FormatFloat(x, 'f', max(min(decimals, most), 0), 64)
		if sd == 0 && most > 0 {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		return text
	}
	return strconv.FormatFloat(x, 'e', min(max(decimals+int(math.Floor(math.Log10(math.Abs(x)))), digits-1), 16), 64)
}
