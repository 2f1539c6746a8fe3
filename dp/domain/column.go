package domain

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// column is an attribute prepared for encoding. Every method returns a cell, and whether the attribute could use the
// value.
type column struct {
	attr *Attribute // type and scale
	bins int

	texts   map[string]Code // canonical categories
	longest int             // length of the longest of them
	ints    map[int64]Code  // INT64 and NUMERIC with categories, in the native unit
	bools   [2]Code         // the cells of false and true
	isBool  [2]bool         // which of them are declared

	fine *fine // if bins are learned

	direct direct // of numbers in the native unit

	inner      []int64   // cut points but the first and the last
	innerFloat []float64 // the same for FLOAT64
	whole      *fine     // if there are exact values beyond the cut points: finds what a number beyond the range becomes

	unusable Code // the cell of a value that cannot be used
	null     Code // the cell of NULL
}

func newColumn(a *Attribute) column {
	c := column{attr: a, bins: a.Bins(), unusable: a.Fallback}
	if a.Null {
		c.unusable = Code(a.RecordSize() - 1)
	}
	c.null = c.unusable
	if o, ok := a.OtherCode(); ok {
		c.unusable = o
		if !a.Null {
			c.null = o
		}
	}
	switch {
	case len(a.Values) > 0:
		c.categories()
	case a.Learned > 0:
		c.fine = newFine(a)
	case len(a.Cuts) > 1:
		c.inner = a.Cuts[1 : len(a.Cuts)-1]
	case len(a.FloatCuts) > 1:
		c.innerFloat = a.FloatCuts[1 : len(a.FloatCuts)-1]
	}
	if a.ofMultiples() {
		c.whole = newFine(a.whole())
	}
	c.direct = newDirect(&c)
	return c
}

// categories fills the tables of an attribute with categories.
func (c *column) categories() {
	c.texts = make(map[string]Code, c.bins)
	if c.attr.Type == Int64 || c.attr.Type == Numeric {
		c.ints = make(map[int64]Code, c.bins)
	}
	for i, s := range c.attr.Values {
		c.texts[s] = Code(i)
		c.longest = max(c.longest, len(s))
		if v, ok := c.attr.ParseNative(s); ok && c.ints != nil {
			c.ints[v] = Code(i)
		}
		if v, ok := parseBool(s); ok && c.attr.Type == Bool {
			c.bools[index(v)], c.isBool[index(v)] = Code(i), true
		}
	}
}

func index(v bool) int {
	if v {
		return 1
	}
	return 0
}

// count returns how many of the ascending cut points are at most v.
func count[T int64 | float64](cuts []T, v T) Code {
	lo, n := 0, len(cuts)
	for n > 0 {
		half := n >> 1
		if cuts[lo+half] <= v {
			lo += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return Code(lo)
}

// ofNull returns the cell of NULL.
func (c *column) ofNull() (Code, bool) { return c.null, c.attr.Null }

// ofText returns the cell of a text and does not keep s.
func (c *column) ofText(s string) (Code, bool) {
	switch c.attr.Type {
	case String:
		return c.ofCategory(s)
	case Float64:
		if v, ok := ParseFloat(s); ok {
			return c.ofFloat(v)
		}
	case Numeric:
		return c.ofDecimal(s)
	default:
		if v, ok := c.attr.ParseNative(s); ok {
			return c.ofNative(v)
		}
	}
	return c.unusable, false
}

// ofDecimal returns the cell of a NUMERIC. Parsing rounds down, which would keep values of an odd resolution from the
// nearer of its multiples, so the next decimal place is rounded there.
func (c *column) ofDecimal(s string) (Code, bool) {
	v, exact, ok := parseExact(s, c.attr.Scale)
	if !ok {
		return c.unusable, false
	}
	if c.ints != nil && !exact { // the number differs from every value in digits below the scale
		return c.unusable, c.attr.Other
	}
	if (c.fine != nil || c.whole != nil) && !exact && c.attr.Resolution%2 == 1 {
		if next, _, _ := parseExact(s, c.attr.Scale+1); next-floorDiv(next, 10)*10 >= 5 && floorDiv(next, 10) == v {
			v++
		}
	}
	return c.ofNative(v)
}

// ofCategory returns the cell of a STRING. A text longer than every category is not hashed, since it may be huge.
func (c *column) ofCategory(s string) (Code, bool) {
	if len(s) <= c.longest {
		if code, ok := c.texts[s]; ok {
			return code, true
		}
	}
	for _, n := range slices.Backward(c.attr.Prefixes) {
		if p, ok := Prefix(s, n); ok {
			if code, ok := c.texts[p]; ok {
				return code, true
			}
		}
	}
	return c.unusable, c.attr.Other && utf8.ValidString(s)
}

// PrefixMark ends the categories that stand for all values that begin with what is before it.
const PrefixMark = "*"

// Prefix returns the category of values with the first n characters of s: these and a star. ok is false if s has fewer.
func Prefix(s string, n int) (category string, ok bool) {
	end := 0
	for ; n > 0; n-- {
		if end == len(s) {
			return "", false
		}
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
	}
	return s[:end] + PrefixMark, true
}

// ofNative returns the cell of a number in the attribute's native unit; BOOL is 0 or 1.
func (c *column) ofNative(v int64) (Code, bool) {
	switch {
	case c.inner != nil:
		if c.whole != nil {
			v = c.whole.stand(v)
		}
		return count(c.inner, v), true
	case c.fine != nil:
		return c.fine.ofNative(v), true
	case c.ints != nil:
		if code, ok := c.ints[v]; ok {
			return code, true
		}
		return c.unusable, c.attr.Other
	case c.innerFloat != nil:
		return c.ofFloat(float64(v))
	case c.attr.Type == Bool && v>>1 == 0:
		return c.ofBool(v == 1)
	case c.attr.Type == String:
		var b [20]byte
		return c.ofCategory(string(strconv.AppendInt(b[:0], v, 10)))
	}
	return c.unusable, false
}

// ofInt returns the cell of a whole number.
func (c *column) ofInt(v int64) (Code, bool) {
	if types[c.attr.Type].Calendar {
		return c.unusable, false
	}
	for range c.attr.Scale {
		v = saturatingTimes10(v)
	}
	return c.ofNative(v)
}

func saturatingTimes10(v int64) int64 {
	switch {
	case v > math.MaxInt64/10:
		return math.MaxInt64
	case v < math.MinInt64/10:
		return math.MinInt64
	}
	return v * 10
}

// ofFloat returns the cell of a float64. For a NUMERIC the number is read from the shortest decimal text; an INT64
// accepts whole numbers only.
func (c *column) ofFloat(v float64) (Code, bool) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return c.unusable, false
	}
	switch c.attr.Type {
	case Float64:
		if c.fine != nil {
			return c.fine.ofFloat(v), true
		}
		if c.whole != nil {
			v = c.whole.standFloat(v)
		}
		return count(c.innerFloat, v), true
	case Numeric:
		var b [32]byte
		return c.ofDecimal(string(strconv.AppendFloat(b[:0], v, 'e', -1, 64)))
	case Int64:
		if v == math.Trunc(v) && v >= -1<<63 && v < 1<<63 {
			return c.ofNative(int64(v))
		}
	}
	return c.unusable, false
}

// ofBool returns the cell of a bool.
func (c *column) ofBool(v bool) (Code, bool) {
	if c.attr.Type == Bool && c.isBool[index(v)] {
		return c.bools[index(v)], true
	}
	return c.unusable, false
}
