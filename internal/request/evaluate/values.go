package evaluate

import (
	"math"
	"slices"
	"strconv"

	"github.com/dapple-dp/dapple/dp/domain"
)

// kind is what a column is to SDMetrics: its "sdtype".
type kind uint8

const (
	numerical   kind = iota // INT64, FLOAT64, NUMERIC and TIME
	datetime                // DATE, DATETIME and TIMESTAMP
	categorical             // STRING, and INT64 with declared values
	boolean
)

var kindNames = [...]string{"numerical", "datetime", "categorical", "boolean"}

func (k kind) String() string   { return kindNames[k] }
func (k kind) continuous() bool { return k == numerical || k == datetime }

func kindOf(a *domain.Attribute) kind {
	switch facts := a.Type.Facts(); {
	case a.Type == domain.Bool:
		return boolean
	case len(a.Values) > 0 || !facts.Bins:
		return categorical
	case facts.Calendar && a.Type != domain.Time:
		return datetime
	}
	return numerical
}

// values is a column as it is written: not in cells. What the column's type cannot hold is NULL.
type values struct {
	attr *domain.Attribute
	kind kind

	origin  int64     // what numbers are counted from: 0 unless float64 is too coarse for the column's range
	numbers []float64 // of a continuous column: native units, NUMERIC in ones; NaN is NULL

	codes []domain.Code // of the others: 0 is NULL, else 1 + the position in texts
	texts []string
	known map[string]domain.Code // the code of each text
}

// exactly is how large whole numbers are that float64 holds each of.
const exactly = 1 << 53

func newValues(a *domain.Attribute) *values {
	v := &values{attr: a, kind: kindOf(a), known: map[string]domain.Code{}}
	if n := len(a.Cuts); n > 0 && max(-float64(a.Cuts[0]), float64(a.Cuts[n-1])) >= exactly {
		v.origin = a.Cuts[0]
	}
	return v
}

// add appends cell i of a column of a chunk.
func (v *values) add(col *domain.Column, i int) {
	if v.kind.continuous() {
		v.numbers = append(v.numbers, v.read(col, i))
	} else {
		v.codes = append(v.codes, v.code(col, i))
	}
}

// set puts cell i of a column of a chunk into row at.
func (v *values) set(at int, col *domain.Column, i int) {
	if v.kind.continuous() {
		v.numbers[at] = v.read(col, i)
	} else {
		v.codes[at] = v.code(col, i)
	}
}

// read returns a cell of a continuous column from the origin on, NaN for NULL and for what is no number of the type.
func (v *values) read(col *domain.Column, i int) float64 {
	if v.origin == 0 || col.Null(i) {
		return number(v.attr, col, i)
	}
	if col.Form == domain.Ints {
		return v.offset(col.Ints[i])
	}
	if col.Form != domain.Floats {
		if x, ok := v.attr.ParseNative(string(appendCell(nil, v.attr, col, i))); ok {
			return v.offset(x)
		}
	}
	return number(v.attr, col, i) - inOnes(v.attr, v.origin)
}

// offset returns a number of native units from the origin on: exactly, if it is less than 2^53 of them away.
func (v *values) offset(x int64) float64 {
	d := x - v.origin
	if (d >= 0) != (x >= v.origin) { // more than an int64 holds
		return inOnes(v.attr, x) - inOnes(v.attr, v.origin)
	}
	return inOnes(v.attr, d)
}

// number returns the number of a row.
func (v *values) number(r int) float64 { return v.numbers[r] + inOnes(v.attr, v.origin) }

// exact writes a number, given from the origin on, with all its digits.
func (v *values) exact(x float64) string {
	if v.attr.Type == domain.Numeric {
		x = math.Round(x * math.Pow10(v.attr.Scale))
	}
	d := int64(x)
	if sum := v.origin + d; float64(d) == x && (sum >= v.origin) == (d >= 0) {
		return string(v.attr.AppendNative(nil, sum))
	}
	return strconv.FormatFloat(x+float64(v.origin), 'g', 6, 64)
}

// number returns a cell of a continuous column, NaN for NULL and for what is no number of the type.
func number(a *domain.Attribute, col *domain.Column, i int) float64 {
	if col.Null(i) {
		return math.NaN()
	}
	switch col.Form {
	case domain.Text:
		return parsed(a, string(col.Text(i)))
	case domain.Dictionary:
		return parsed(a, col.Dict[col.Ints[i]])
	case domain.Ints:
		return inOnes(a, col.Ints[i])
	case domain.Floats:
		if x := col.Floats[i]; !math.IsInf(x, 0) && (a.Type != domain.Int64 || x == math.Trunc(x)) {
			return x
		}
	}
	return math.NaN()
}

func parsed(a *domain.Attribute, s string) float64 {
	if a.Type == domain.Float64 || a.Type == domain.Numeric {
		if x, ok := domain.ParseFloat(s); ok {
			return x
		}
	} else if x, ok := a.ParseNative(s); ok {
		return float64(x)
	}
	return math.NaN()
}

// inOnes returns a number of native units, for a NUMERIC in ones.
func inOnes(a *domain.Attribute, x int64) float64 {
	if a.Type == domain.Numeric {
		return float64(x) / math.Pow10(a.Scale)
	}
	return float64(x)
}

// code returns the code of a cell of a column of categories.
func (v *values) code(col *domain.Column, i int) domain.Code {
	if col.Form == domain.Absent || col.Null(i) {
		return 0
	}
	var small [32]byte
	return v.text(appendCell(small[:0], v.attr, col, i))
}

// appendCell appends a cell that is not NULL as people read it.
func appendCell(dst []byte, a *domain.Attribute, col *domain.Column, i int) []byte {
	switch col.Form {
	case domain.Text:
		return append(dst, col.Text(i)...)
	case domain.Dictionary:
		return append(dst, col.Dict[col.Ints[i]]...)
	case domain.Floats:
		return domain.AppendFloat(dst, col.Floats[i])
	}
	return a.AppendNative(dst, col.Ints[i])
}

// text returns the code of a category: of BOOL and INT64 its canonical text counts, or NULL if it has none.
func (v *values) text(b []byte) domain.Code {
	if code, ok := v.known[string(b)]; ok {
		return code
	}
	s := string(b)
	if v.attr.Type != domain.String {
		x, ok := v.attr.ParseNative(s)
		if !ok {
			return v.learn(s, 0)
		}
		s = string(v.attr.AppendNative(nil, x))
	}
	code, ok := v.known[s]
	if !ok {
		v.texts = append(v.texts, s)
		code = v.learn(s, domain.Code(len(v.texts)))
	}
	return v.learn(string(b), code)
}

func (v *values) learn(s string, code domain.Code) domain.Code {
	v.known[s] = code
	return code
}

// label writes a number of the column as people read it.
func (v *values) label(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NULL"
	case v.origin != 0:
		return v.exact(x)
	case v.kind == datetime || v.attr.Type == domain.Time:
		return string(v.attr.AppendNative(nil, int64(math.Round(x))))
	}
	return strconv.FormatFloat(x, 'g', 6, 64)
}

// finer returns the domain with NUMERIC columns in smaller native units, so that a value is read with
// the digits that it has. Cells stay what they are.
func finer(d *domain.Domain) *domain.Domain {
	out := *d
	out.Attributes = append([]domain.Attribute(nil), d.Attributes...)
	for i := range out.Attributes {
		a := &out.Attributes[i]
		if a.Type != domain.Numeric || len(a.Cuts) == 0 {
			continue
		}
		largest, by := max(math.Abs(float64(a.Cuts[0])), math.Abs(float64(a.Cuts[len(a.Cuts)-1])), float64(a.Resolution)), int64(1)
		for a.Scale < 9 && largest*float64(by)*10 < 1<<53 {
			a.Scale++
			by *= 10
		}
		a.Cuts, a.Exact = slices.Clone(a.Cuts), slices.Clone(a.Exact)
		for _, list := range [][]int64{a.Cuts, a.Exact} {
			for k := range list {
				list[k] *= by
			}
		}
		a.Resolution *= by
	}
	return &out
}
