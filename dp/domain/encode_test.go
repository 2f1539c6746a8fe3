package domain

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dapple-dp/dapple/internal/testkit/must"
)

// TestFromText has one row per rule of reading; the cell is given by its label.
func TestFromText(t *testing.T) {
	d := allTypes(t)
	enc := NewEncoder(d)
	huge := strings.Repeat("9", 10<<20)
	tests := []struct {
		column, text, label string
		usable              bool
	}{
		{"sex", "Male", "Male", true},
		{"sex", "", "", true},
		{"sex", "male", "other", true},
		{"sex", "other", "other", true},
		{"sex", "\xff", "other", false},
		{"sex", huge, "other", true},
		{"code", "7", "7", true},
		{"code", "+07", "7", true},
		{"code", "-0", "0", true},
		{"code", "8", "other", true},
		{"code", "x", "other", false},
		{"age", "17", "[17, 21)", true},
		{"age", "20", "[17, 21)", true},
		{"age", "21", "[21, 25)", true},
		{"age", "90", "[87, 90]", true},
		{"age", "91", "[87, 90]", true},
		{"age", "-9223372036854775808", "[17, 21)", true},
		{"age", "9223372036854775807", "[87, 90]", true},
		{"age", "9223372036854775808", "NULL", false},
		{"age", "-9223372036854775809", "NULL", false},
		{"age", "99999999999999999999", "NULL", false},
		{"age", huge, "NULL", false},
		{"age", "", "NULL", false},
		{"age", "-", "NULL", false},
		{"age", " 20", "NULL", false},
		{"age", "20.5", "NULL", false},
		{"age", "20.00.", "NULL", false},
		{"age", ".", "NULL", false},
		{"age", "1e-1", "NULL", false},
		{"small", "12.0", "9", true},
		{"rate", ".5", "[0.5, 0.6)", true},
		{"rate", "+0.5", "[0.5, 0.6)", true},
		{"rate", "0.", "[0, 0.1)", true},
		{"rate", ".", "NULL", false},
		{"income", "+0.5", "[-5, 7807.66)", true},
		{"income", "7807.", "[-5, 7807.66)", true},
		{"age", "2_0", "NULL", false},
		{"small", "x", "3", false},
		{"small", "12", "9", true},
		{"rate", "-0", "[0, 0.1)", true},
		{"rate", "0.3", "[0.3, 0.4)", true},
		{"rate", "1e-400", "[0, 0.1)", true},
		{"rate", "5e-324", "[0, 0.1)", true},
		{"rate", "2", "[0.9, 1]", true},
		{"rate", "1e400", "NULL", false},
		{"rate", "NaN", "NULL", false},
		{"rate", "-Inf", "NULL", false},
		{"rate", "infinity", "NULL", false},
		{"rate", "0x1p-2", "NULL", false},
		{"rate", "1_0", "NULL", false},
		{"rate", huge, "NULL", false},
		{"income", "-5", "[-5, 7807.66)", true},
		{"income", "7807.65999999999999999999999999", "[-5, 7807.66)", true},
		{"income", "7807.66", "[7807.66, 15620.32)", true},
		{"income", "780766e-2", "[7807.66, 15620.32)", true},
		{"income", "0.00000780766E+9", "[7807.66, 15620.32)", true},
		{"income", huge, "[242187.35, 250000]", true},
		{"income", "-" + huge, "[-5, 7807.66)", true},
		{"income", "1e99999999999999999999", "[242187.35, 250000]", true},
		{"income", "1e-99999999999999999999", "[-5, 7807.66)", true},
		{"income", ".5", "[-5, 7807.66)", true},
		{"income", ".", "NULL", false},
		{"income", "1e", "NULL", false},
		{"income", "1.2.3", "NULL", false},
		{"income", "1,5", "NULL", false},
		{"married", "TRUE", "true", true},
		{"married", "f", "false", true},
		{"married", "1", "true", true},
		{"married", "no", "false", true},
		{"married", "2", "NULL", false},
		{"married", "\x11", "NULL", false},
		{"married", "truest", "NULL", false},
		{"visited", "2020-01-15", "2020-01-15 – 2020-01-31", true},
		{"visited", "2020-2-29", "2020-02-01 – 2020-02-29", true},
		{"visited", "2021-02-29", "NULL", false},
		{"visited", "1066-10-14", "2020-01-15 – 2020-01-31", true},
		{"visited", "2024-12-31", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024-13-01", "NULL", false},
		{"visited", "24-12-01", "NULL", false},
		{"visited", "2024-12-01T00:00:00", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024-12-01 00:00:00.000", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024-12-01T00:00:01", "NULL", false},
		{"visited", "2024-12-01T00:00:00.000Z", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024-12-01 00:00:00+01:00", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024-12-01 00:00:00 ", "NULL", false},
		{"visited", "2024-12-01 00:00:00+01:0", "NULL", false},
		{"visited", "2024-12-01 12:00 AM", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024-12-01 12:00 PM", "NULL", false},
		{"visited", "2024/12/1", "2024-12-01 – 2024-12-31", true},
		{"visited", "2024/12-01", "NULL", false},
		{"seen", "1969-01-05T23:59:59.9999999", "[1968-12-30T00:00:00, 1969-01-06T00:00:00)", true},
		{"seen", "1969-01-06 0:0:0", "[1969-01-06T00:00:00, 1969-01-13T00:00:00)", true},
		{"seen", "1969-01-06t00:00", "[1969-01-06T00:00:00, 1969-01-13T00:00:00)", true},
		{"seen", "1969-01-06 ", "[1968-12-30T00:00:00, 1969-01-06T00:00:00)", false},
		{"seen", "1969-01-06 00:00:00.", "[1968-12-30T00:00:00, 1969-01-06T00:00:00)", false},
		{"seen", "1969-01-06 24:00:00", "[1968-12-30T00:00:00, 1969-01-06T00:00:00)", false},
		{"seen", "1969-01-06 00:00:00Z", "[1968-12-30T00:00:00, 1969-01-06T00:00:00)", false},
		{"stamp", "2023-12-31 23:30:00-01:00", "[2024-01-01T00:00:00Z, 2025-01-01T00:00:00Z)", true},
		{"stamp", "2024-01-01 05:29:59+0530", "[2023-01-01T00:00:00Z, 2024-01-01T00:00:00Z)", true},
		{"stamp", "2024-01-01 00:00:00 UTC", "[2024-01-01T00:00:00Z, 2025-01-01T00:00:00Z)", true},
		{"stamp", "2024-01-01T00:00:00.000Z", "[2024-01-01T00:00:00Z, 2025-01-01T00:00:00Z)", true},
		{"stamp", "2024-01-01 00:00:00 ", "NULL", false},
		{"stamp", "2024-01-01 00:00:00+25", "NULL", false},
		{"stamp", "2024-01-01 00:00:00 Europe/Paris", "NULL", false},
		{"clock", "23:59:59.999999999", "[23:00:00, 23:59:59.999999]", true},
		{"clock", "7:5", "[07:00:00, 08:00:00)", true},
		{"clock", "24:00:00", "NULL", false},
		{"clock", "11:59:59.5 pm", "[23:00:00, 23:59:59.999999]", true},
		{"clock", "12:30AM", "[00:00:00, 01:00:00)", true},
		{"clock", "12:30 PM", "[12:00:00, 13:00:00)", true},
		{"clock", "13:30 PM", "NULL", false},
		{"clock", "0:30 am", "NULL", false},
		{"clock", "1:30 Pn", "NULL", false},
	}
	for _, test := range tests {
		a := d.Index(test.column)
		code, usable := enc.FromText(a, []byte(test.text))
		if got := d.Attributes[a].Label(code); got != test.label || usable != test.usable {
			t.Errorf("%s, %.40q: cell %s, usable %v; want %s, %v", test.column, test.text, got, usable, test.label, test.usable)
		}
		again, _ := enc.FromString(a, test.text)
		must.Hold(t, again == code, "%s, %.40q: FromString gives %d, FromText %d", test.column, test.text, again, code)
	}
}

// TestFromValues has one row per kind of Go value and column.
func TestFromValues(t *testing.T) {
	d := allTypes(t)
	enc := NewEncoder(d)
	at := time.Date(2024, 1, 1, 1, 2, 3, 4, time.FixedZone("", 7200))
	tests := []struct {
		column string
		value  any
		label  string
		usable bool
	}{
		{"sex", "Female", "Female", true},
		{"sex", 5, "other", true},
		{"sex", true, "other", false},
		{"code", -3, "-3", true},
		{"code", 4, "other", true},
		{"code", 7.0, "7", true},
		{"age", 21, "[21, 25)", true},
		{"age", 21.0, "[21, 25)", true},
		{"age", 21.5, "NULL", false},
		{"age", math.NaN(), "NULL", false},
		{"age", 1e19, "NULL", false},
		{"age", "21", "[21, 25)", true},
		{"age", true, "NULL", false},
		{"age", at, "NULL", false},
		{"rate", 1, "[0.9, 1]", true},
		{"rate", math.Copysign(0, -1), "[0, 0.1)", true},
		{"rate", math.Inf(1), "NULL", false},
		{"real", math.NaN(), "[-1e+308, -7.142857142857142e+307)", false},
		{"income", 7807, "[-5, 7807.66)", true},
		{"income", 7807.66, "[7807.66, 15620.32)", true},
		{"income", math.MaxInt64, "[242187.35, 250000]", true},
		{"income", math.MinInt64, "[-5, 7807.66)", true},
		{"income", -1e300, "[-5, 7807.66)", true},
		{"married", true, "true", true},
		{"married", 0, "false", true},
		{"married", 2, "NULL", false},
		{"visited", 19000, "NULL", false},
		{"visited", at, "2024-01-01 – 2024-01-31", true},
		{"stamp", at, "[2023-01-01T00:00:00Z, 2024-01-01T00:00:00Z)", true},
		{"clock", at, "[01:00:00, 02:00:00)", true},
	}
	for _, test := range tests {
		a := d.Index(test.column)
		var code Code
		var usable bool
		switch v := test.value.(type) {
		case string:
			code, usable = enc.FromString(a, v)
		case int:
			code, usable = enc.FromInt(a, int64(v))
		case float64:
			code, usable = enc.FromFloat(a, v)
		case bool:
			code, usable = enc.FromBool(a, v)
		case time.Time:
			code, usable = enc.FromTime(a, v)
		}
		if got := d.Attributes[a].Label(code); got != test.label || usable != test.usable {
			t.Errorf("%s, %v: cell %s, usable %v; want %s, %v", test.column, test.value, got, usable, test.label, test.usable)
		}
	}
}

// TestUnusable: the declared cell of NULL and of an unusable value under every declaration.
func TestUnusable(t *testing.T) {
	tests := []struct {
		name              string
		other, null       bool
		ofNull, ofGarbage string
	}{
		{"other and null", true, true, "NULL", "other"},
		{"other", true, false, "other", "other"},
		{"null", false, true, "NULL", "NULL"},
		{"fallback", false, false, "b", "b"},
	}
	for _, test := range tests {
		d := &Domain{Attributes: []Attribute{{Name: "x", Type: String, Values: []string{"a", "b"},
			Other: test.other, OtherValue: "o", Null: test.null, HasFallback: true, Fallback: 1}}}
		enc := NewEncoder(d)
		null, nullOK := enc.Null(0)
		garbage, _ := enc.FromString(0, "c")
		got := d.Attributes[0].Label(null)
		must.Hold(t, got == test.ofNull && nullOK == test.null, "%s: NULL becomes %s, usable %v", test.name, got, nullOK)
		must.Equal(t, d.Attributes[0].Label(garbage), test.ofGarbage, "%s: an unknown value becomes", test.name)
	}
}

// TestEncodeForms: one column of two rows and a NULL in every form, long and short dictionaries.
func TestEncodeForms(t *testing.T) {
	d := &Domain{Attributes: []Attribute{{Name: "x", Type: Int64, Cuts: EqualCuts(0, 9, 10), Resolution: 1, Null: true}}}
	enc := NewEncoder(d)
	nulls := []bool{false, false, true}
	for name, col := range map[string]Column{
		"text":             {Form: Text, Bytes: []byte("38"), Offsets: []uint32{0, 1, 2, 2}, Nulls: nulls},
		"ints":             {Form: Ints, Ints: []int64{3, 8, 0}, Nulls: nulls},
		"floats":           {Form: Floats, Floats: []float64{3, 8, 0}, Nulls: nulls},
		"dictionary":       {Form: Dictionary, Dict: []string{"8", "3"}, Ints: []int64{1, 0, 0}, Nulls: nulls},
		"large dictionary": {Form: Dictionary, Dict: []string{"8", "3", "1", "2"}, Ints: []int64{1, 0, 0}, Nulls: nulls},
	} {
		got := make([]Code, 3)
		row, _, ok := enc.EncodeStrict(&Chunk{Rows: 3, Columns: []Column{col}}, got)
		must.Hold(t, got[0] == 3 && got[1] == 8 && got[2] == 10 && ok, "%s: codes %v, ok %v at row %d", name, got, ok, row)
	}
	got := make([]Code, 3)
	enc.Encode(&Chunk{Rows: 3, Columns: make([]Column, 1)}, got)
	must.Hold(t, got[0] == 10 && got[2] == 10, "absent column: codes %v, want NULL", got)
}

// TestEncodeStrict: the first unusable cell is the first in order of rows, not of columns.
func TestEncodeStrict(t *testing.T) {
	d := &Domain{Attributes: []Attribute{
		{Name: "x", Type: Int64, Cuts: EqualCuts(0, 9, 10), Resolution: 1, Null: true},
		{Name: "y", Type: Int64, Cuts: EqualCuts(0, 9, 10), Resolution: 1, HasFallback: true},
	}}
	chunk := &Chunk{Rows: 3, Columns: []Column{
		{Form: Dictionary, Dict: []string{"1", "bad"}, Ints: []int64{0, 0, 1}},
		{Form: Ints, Ints: []int64{1, 2, 3}, Nulls: []bool{false, true, false}},
	}}
	row, attr, ok := NewEncoder(d).EncodeStrict(chunk, make([]Code, 6))
	must.Hold(t, row == 1 && attr == 1 && !ok, "first unusable cell: row %d, attribute %d, ok %v; want 1, 1, false", row, attr, ok)
	chunk.Columns[0] = Column{Form: Floats, Floats: []float64{1, 1.5, 1}}
	row, attr, ok = NewEncoder(d).EncodeStrict(chunk, make([]Code, 6))
	must.Hold(t, row == 1 && attr == 0 && !ok, "first unusable cell of two in a row: row %d, attribute %d, ok %v; want 1, 0, false", row, attr, ok)
	dictionary := Column{Form: Dictionary, Dict: []string{"1", "bad"}, Ints: []int64{0, 0, 1}}
	chunk.Columns = []Column{dictionary, {Form: Ints, Ints: []int64{1, 2, 3}}}
	row, attr, ok = NewEncoder(d).EncodeStrict(chunk, make([]Code, 6))
	must.Hold(t, row == 2 && attr == 0 && !ok, "unusable entry of a dictionary: row %d, attribute %d, ok %v; want 2, 0, false", row, attr, ok)
}

// Numbers of a chunk have the cells that they have one by one, in columns of narrow and wide ranges, and NULL has its own.
func TestNumbersOfAChunk(t *testing.T) {
	d := allTypes(t)
	d.Attributes = append(d.Attributes,
		Attribute{Name: "hour", Type: Int64, Cuts: EqualCuts(0, 23, 24), Null: true},
		Attribute{Name: "bins", Type: Int64, Cuts: []int64{-1 << 63, -5, 7, 2000, 1<<63 - 1}},
		Attribute{Name: "far", Type: Int64, Cuts: []int64{-1 << 63, -1<<63 + 2, 1<<63 - 1}},
		Attribute{Name: "listed", Type: Int64, Values: []string{"-3", "900", "7"}, Other: true})
	numbers := []int64{-1 << 63, -1<<63 + 1, -1<<63 + 2, 1<<63 - 1, 1<<63 - 2, -1 << 62, 1 << 62}
	for v := int64(-5000); v < 5000; v++ {
		numbers = append(numbers, v)
	}
	enc, codes := NewEncoder(d), make([]Code, 2*len(numbers)*d.Len())
	chunk := &Chunk{Rows: 2 * len(numbers)}
	for range d.Attributes {
		col := Column{Form: Ints, Ints: slices.Concat(numbers, numbers), Nulls: make([]bool, 2*len(numbers))}
		for i := range numbers {
			col.Nulls[i] = true
		}
		chunk.Columns = append(chunk.Columns, col)
	}
	enc.Encode(chunk, codes)
	for a := range d.Attributes {
		for i, v := range numbers {
			null, _ := enc.Null(a)
			want, _ := enc.FromNative(a, v)
			got := codes[i*d.Len()+a]
			must.Need(t, got == null, "%s: NULL is in cell %d, want %d", d.Attributes[a].Name, got, null)
			got = codes[(len(numbers)+i)*d.Len()+a]
			must.Need(t, got == want, "%s: %d is in cell %d, want %d", d.Attributes[a].Name, v, got, want)
		}
	}
}

// A code is of its own category, else of its longest prefix that is one, by characters; else it is other.
func TestPrefixes(t *testing.T) {
	d := &Domain{Attributes: []Attribute{{Name: "dx", Type: String, Values: []string{"D66.5", "D66*", "D*", "ä1*"}, Prefixes: []int{1, 2, 3}, Other: true, OtherValue: "other"}}}
	must.Do(t, d.Validate())
	e := NewEncoder(d)
	for text, want := range map[string]Code{"D66.5": 0, "D66.51": 1, "D66": 1, "D66*": 1, "D6": 2, "D": 2, "D77": 2, "ä1": 3, "ä12": 3, "ä": 4, "": 4, "X": 4} {
		code, ok := e.FromString(0, text)
		must.Hold(t, code == want && ok, "%q has the code %d, want %d", text, code, want)
	}
	for _, lengths := range [][]int{{0}, {2, 1}, {3, 3}, {MaxPrefix + 1}} {
		d.Attributes[0].Prefixes = lengths
		must.Hold(t, d.Validate() != nil, "prefixes %v are accepted", lengths)
	}
}
