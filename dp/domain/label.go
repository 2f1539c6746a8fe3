package domain

import (
	"slices"
	"strings"
)

// Label returns a cell as people read it: a category, "other", "NULL", one value such as "17" or "2021-03-01", the
// first and last day of a DATE cell "2021-03-01 – 2021-03-31", or an interval "[20, 35)". All labels of an attribute
// differ. If bins are to be learned, the code is a record's. It panics on a code that is not a cell.
func (a *Attribute) Label(code Code) string {
	c := int(code)
	if a.Learned > 0 {
		return a.fineLabel(c)
	}
	if c >= a.Size() {
		panic("domain: Label of a code that is not a cell")
	}
	if n, ok := a.NullCode(); ok && code == n {
		return a.distinct("NULL", " (no value)")
	}
	if o, ok := a.OtherCode(); ok && code == o {
		return a.distinct("other", " (any other value)")
	}
	switch {
	case len(a.Values) > 0:
		return a.Values[c]
	case len(a.FloatCuts) > 0 && a.FloatCuts[c] == a.FloatCuts[c+1]:
		return string(AppendFloat(nil, a.FloatCuts[c]))
	case len(a.FloatCuts) > 0:
		b := append(AppendFloat([]byte{'['}, a.FloatCuts[c]), ", "...)
		return string(a.closing(AppendFloat(b, a.FloatCuts[c+1]), c))
	}
	return a.binLabel(c)
}

// fineLabel returns value number c.
func (a *Attribute) fineLabel(c int) string {
	switch fine := a.Fine(); {
	case c >= a.RecordSize():
		panic("domain: Label of a code that is not a cell")
	case c == fine:
		return a.distinct("NULL", " (no value)")
	case len(a.FloatCuts) > 0:
		g := newGrid(a, 0)
		return string(AppendFloat(nil, a.writtenFloat(&g, g.first+float64(c))))
	}
	lo, _ := a.span()
	return string(a.AppendNative(nil, a.written(lo+int64(c))))
}

// distinct returns the label, or the longer label if a category has that text.
func (a *Attribute) distinct(label, more string) string {
	for slices.Contains(a.Values, label) {
		label += more
	}
	return label
}

// binLabel returns the label of bin c between whole cut points.
func (a *Attribute) binLabel(c int) string {
	lo, hi := a.Cuts[c], a.Cuts[c+1]
	if from, to := a.multiples(c); from == to && len(a.Exact) > 0 && a.written(from) != from*a.Resolution {
		return string(a.AppendNative(nil, a.written(from)))
	}
	day := types[a.Type].Day == 1
	whole := day || a.Type == Int64
	last := hi
	if c < a.Bins()-1 {
		last--
	}
	switch {
	case lo == hi || whole && lo == last:
		return string(a.AppendNative(nil, lo))
	case day:
		return string(a.AppendNative(append(a.AppendNative(nil, lo), " – "...), last))
	}
	b := append(a.AppendNative([]byte{'['}, lo), ", "...)
	return string(a.closing(a.AppendNative(b, hi), c))
}

// closing appends the bracket at the end of bin c.
func (a *Attribute) closing(b []byte, c int) []byte {
	if c == a.Bins()-1 {
		return append(b, ']')
	}
	return append(b, ')')
}

// Wants describes a readable cell of the attribute for the error of a strict reader: "an INT64", "one of its values",
// …. It depends on public facts alone.
func (a *Attribute) Wants() string {
	switch {
	case a.Type == String && a.Other:
		return "valid UTF-8"
	case len(a.Values) > 0 && a.Type != Bool && !a.Other:
		return "one of its values"
	case strings.ContainsAny(a.Type.String()[:1], "AEIO"):
		return "an " + a.Type.String()
	}
	return "a " + a.Type.String()
}
