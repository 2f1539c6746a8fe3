// Package columns turns arrays of Arrow into columns of a domain. It is the one place that says which types of files hold the
// values of what types of a domain, and it keeps every value or makes it unusable: none becomes another one.
package columns

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/lines"
	"github.com/dapple-dp/dapple/internal/io/native"
)

// Column reads the arrays of one column. Its zero value reads none, and leaves a column Absent.
type Column struct {
	fill    filling
	settled *domain.Attribute // whose type may lack numbers of the arrays; nil: it has all of them
}

// filling sets a column to cells lo … hi−1 of an array. NULLs are marked, and their values say nothing.
type filling func(a arrow.Array, lo, hi int, out *domain.Column)

// Of returns how arrays of a type are read as an attribute; false: they do not hold its values.
func Of(t arrow.DataType, a *domain.Attribute) (c Column, ok bool) {
	if t.ID() == arrow.NULL {
		return Column{fill: nulls}, true
	}
	for _, row := range types {
		if row.Type == a.Type {
			c.fill = row.of(t, a.Scale)
		}
	}
	if t.ID() != arrow.INT64 || a.Type != domain.Int64 {
		c.settled = a
	}
	return c, c.fill != nil
}

// ID returns how arrays of a type are read as a privacy ID. Every type that is accepted keeps its values distinct.
func ID(t arrow.DataType) (c Column, ok bool) {
	switch {
	case t.ID() == arrow.NULL:
		c.fill = nulls
	case t.ID() == arrow.UINT64:
		c.fill = func(a arrow.Array, lo, hi int, out *domain.Column) {
			spell(a.(*array.Uint64).ValueStr, lines.ID, lo, hi, out)
		}
	case wholes(t) != nil:
		c.fill = wholes(t)
	default:
		c.fill = texts(t, lines.ID)
	}
	return c, c.fill != nil
}

// Take sets a column to cells lo … hi−1 of an array, in memory of its own.
func (c *Column) Take(a arrow.Array, lo, hi int, out *domain.Column) {
	if c.fill == nil {
		return
	}
	null := a.DataType().ID() == arrow.NULL // whose IsNull is false
	if null || a.NullN() > 0 {
		out.Nulls = make([]bool, hi-lo)
		valid, from := a.NullBitmapBytes(), a.Data().Offset()+lo
		for i := range out.Nulls {
			out.Nulls[i] = null || !bitutil.BitIsSet(valid, from+i)
		}
	}
	if c.fill(a, lo, hi, out); c.settled != nil {
		native.Settle(out, c.settled)
	}
}

// types has a row for every type of a domain, in the order in which Describe tries them.
var types = []struct {
	domain.Type
	of func(t arrow.DataType, scale int) filling // nil: it does not hold their values
}{
	{domain.String, func(t arrow.DataType, _ int) filling { return texts(t, category) }},
	{domain.Float64, func(t arrow.DataType, _ int) filling { return floats(t) }},
	{domain.Int64, func(t arrow.DataType, _ int) filling {
		if f := wholes(t); f != nil {
			return f
		}
		return floats(t)
	}},
	{domain.Numeric, decimals},
	{domain.Bool, func(t arrow.DataType, _ int) filling { return truths(t) }},
	{domain.Date, func(t arrow.DataType, _ int) filling { return dates(t) }},
	{domain.Timestamp, stamps(true)},
	{domain.DateTime, stamps(false)},
	{domain.Time, func(t arrow.DataType, _ int) filling { return clocks(t) }},
}

// nulls fills a column whose cells are all NULL.
func nulls(_ arrow.Array, lo, hi int, out *domain.Column) {
	out.Form, out.Ints = domain.Ints, make([]int64, hi-lo)
}

// isText reports whether a type holds texts, one in each value.
func isText(t arrow.DataType) bool {
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}

// texts keeps dictionaries, with which arrays of a type may come or not. kept returns what a column holds of a text.
func texts(t arrow.DataType, kept func(string) string) filling {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	if !isText(t) {
		return nil
	}
	return func(a arrow.Array, lo, hi int, out *domain.Column) {
		if d, ok := a.(*array.Dictionary); ok {
			entries(d, kept, lo, hi, out)
		} else {
			spell(a.(valued[string]).Value, kept, lo, hi, out)
		}
	}
}

// category keeps a text as it is. One that is longer than a column holds makes its cell NULL, in every format.
func category(s string) string { return s }

func longText(s string) bool { return len(s) > lines.Most }

// spell fills a column of texts.
func spell(text func(int) string, kept func(string) string, lo, hi int, out *domain.Column) {
	out.Form, out.Offsets = domain.Text, make([]uint32, 1, hi-lo+1)
	for i := range hi - lo {
		if !out.Null(i) {
			if s := kept(text(lo + i)); longText(s) {
				setNull(out, i, hi-lo)
			} else {
				out.Bytes = append(out.Bytes, s...)
			}
		}
		out.Offsets = append(out.Offsets, uint32(len(out.Bytes)))
	}
}

// entries fills a column of categories from a dictionary.
func entries(d *array.Dictionary, kept func(string) string, lo, hi int, out *domain.Column) {
	list := d.Dictionary().(valued[string])
	out.Form, out.Ints, out.Dict = domain.Dictionary, make([]int64, hi-lo), make([]string, max(1, list.Len()))
	absent := make([]bool, len(out.Dict)) // a NULL in the dictionary is one in the column, and so is a long text
	for i := range list.Len() {
		if absent[i] = list.IsNull(i); absent[i] {
			continue
		}
		if out.Dict[i] = kept(list.Value(i)); longText(out.Dict[i]) {
			out.Dict[i], absent[i] = "", true
		}
	}
	if indices, ok := d.Indices().(*array.Int32); ok { // the usual width, which Parquet has too
		for i, n := range indices.Int32Values()[lo:hi] {
			out.Ints[i] = int64(n)
		}
	} else {
		for i := range out.Ints {
			out.Ints[i] = int64(d.GetValueIndex(lo + i))
		}
	}
	for i, n := range out.Ints {
		switch {
		case out.Null(i):
			out.Ints[i] = 0
		case n < 0 || n >= int64(list.Len()):
			panic("columns: an index outside of its dictionary")
		case absent[n]:
			setNull(out, i, hi-lo)
		}
	}
}

func setNull(out *domain.Column, i, rows int) {
	if out.Nulls == nil {
		out.Nulls = make([]bool, rows)
	}
	if out.Nulls[i] = true; out.Form == domain.Dictionary {
		out.Ints[i] = 0
	}
}
