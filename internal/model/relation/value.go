package relation

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// value is an expression made ready: what it is, between which ends it lies, and how a row's is computed. It is
// a number in units of 10^−scale, or a date or time in the native unit of its type. The ends are for columns that declare none.
type value struct {
	typ    domain.Type // Int64 stands for all numbers
	scale  int
	lo, hi int64
	column int    // the column that it is, or −1
	eval   number // not ok: 64 bits do not hold it, or it is divided by 0

	partial bool // it may be divided by 0, or leave its type or 64 bits
}

// number computes a whole number of a row.
type number func(columns []domain.Column, row int) (x int64, ok bool)

// compiler compiles the expressions of one plan.
type compiler struct {
	p    *Plan
	uses []int // columns that the expression has named so far
}

func (c *compiler) compile(e *expr) (v value, err error) {
	switch e.op {
	case '#':
		v = constant(e.value)
	case 'c':
		v, err = c.column(e.name)
	case 'f':
		if v, err = c.compile(e.args[0]); err == nil {
			v, err = apply(e.name, v)
		}
	case '~':
		if v, err = c.compile(e.args[0]); err == nil {
			v, err = c.combine('-', constant(0), v)
		}
	default:
		var a, b value
		if a, err = c.compile(e.args[0]); err != nil {
			return v, err
		}
		if b, err = c.compile(e.args[1]); err != nil {
			return v, err
		}
		v, err = c.combine(e.op, a, b)
	}
	if inner := (*at)(nil); err != nil && !errors.As(err, &inner) {
		err = &at{e.at, err}
	}
	return v, err
}

// at is an error at a position of an expression.
type at struct {
	character int
	error
}

func (e *at) Error() string { return fmt.Sprintf("character %d: %v", e.character, e.error) }

func constant(x int64) value {
	return value{lo: x, hi: x, typ: domain.Int64, column: -1, eval: func([]domain.Column, int) (int64, bool) { return x, true }}
}

func (c *compiler) column(name string) (value, error) {
	i, err := c.p.find(name)
	if err != nil {
		return value{}, err
	}
	a := &c.p.columns[i]
	switch a.Type {
	case domain.String, domain.Bool, domain.Float64:
		return value{}, fmt.Errorf("column %q is a %v, which expressions cannot use; give a map of its values instead", name, a.Type)
	}
	lo, hi := span(a)
	c.uses = append(c.uses, i)
	v := value{typ: a.Type, lo: lo, hi: hi, column: i,
		eval: func(columns []domain.Column, row int) (int64, bool) { return columns[i].Ints[row], true }}
	if a.Type == domain.Numeric {
		v.typ, v.scale = domain.Int64, a.Scale
	}
	return v, nil
}

// span returns the ends of a column's values in its native unit.
func span(a *domain.Attribute) (lo, hi int64) {
	first := true
	for code := range cells(a) {
		if l, h, ok := a.Ends(domain.Code(code)); ok {
			if first {
				lo, hi, first = l, h, false
			}
			lo, hi = min(lo, l), max(hi, h)
		}
	}
	return lo, hi
}

// cells returns how many cells of a column have ends of their own: bins that are to be learned have none.
func cells(a *domain.Attribute) int {
	if a.Learned > 0 {
		return 1
	}
	return a.Size()
}

// combine returns a op b.
func (c *compiler) combine(op rune, a, b value) (value, error) {
	if a.typ != domain.Int64 || b.typ != domain.Int64 {
		return c.times(op, a, b)
	}
	if op != '*' {
		scale := max(a.scale, b.scale)
		a, b = a.scaled(scale), b.scaled(scale)
	}
	v := c.apply(op, a, b)
	switch v.scale = a.scale; {
	case op == '*':
		if v.scale += b.scale; v.scale > maxScale {
			return v, fmt.Errorf("the product has %d decimal places; at most %d are possible", v.scale, maxScale)
		}
	case (op == '/' || op == '%') && b.lo == 0 && b.hi == 0:
		return v, fmt.Errorf("the right side of %c is 0", op)
	case op == '/':
		v.scale = 0
	}
	return v, nil
}

// maxScale is the number of decimal places of a NUMERIC.
const maxScale = 9

// operations compute in 64 bits, or say that these do not hold the result.
var operations = map[rune]func(x, y int64) (int64, bool){
	'+': func(x, y int64) (int64, bool) { return x + y, (x+y > x) == (y > 0) },
	'-': func(x, y int64) (int64, bool) { return x - y, (x-y < x) == (y > 0) },
	'*': func(x, y int64) (int64, bool) {
		return x * y, x == 0 || y == 0 || x*y/y == x && (y != -1 || x != math.MinInt64)
	},
	'/': func(x, y int64) (int64, bool) {
		if y == 0 || y == -1 && x == math.MinInt64 {
			return 0, false
		}
		return floorDiv(x, y), true
	},
	'%': func(x, y int64) (int64, bool) {
		if y == 0 {
			return 0, false
		}
		return x - y*floorDiv(x, y), true
	},
}

// apply returns a op b as a number. A difference is not negative if the domain declares that b is at most a.
func (c *compiler) apply(op rune, a, b value) value {
	x, y, f := a.eval, b.eval, operations[op]
	v := value{typ: domain.Int64, column: -1, eval: func(columns []domain.Column, row int) (int64, bool) {
		p, ok := x(columns, row)
		q, well := y(columns, row)
		if !ok || !well {
			return 0, false
		}
		return f(p, q)
	}}
	v.partial = a.partial || b.partial || (op == '/' || op == '%') && b.lo <= 0 && b.hi >= 0
	if op == '%' {
		v.lo, v.hi = min(0, b.lo+1), max(0, b.hi-1)
		return v
	}
	corners := []int64{b.lo, b.hi}
	if op == '/' {
		corners = slices.DeleteFunc([]int64{b.lo, b.hi, -1, 1}, func(y int64) bool { return y == 0 || y < b.lo || y > b.hi })
	}
	v.lo, v.hi = math.MaxInt64, math.MinInt64
	for _, y := range corners { // operations are monotone in each argument
		for _, x := range []int64{a.lo, a.hi} {
			end, fits := f(x, y)
			if !fits {
				v.partial, end = true, nearest(op, x, y)
			}
			v.lo, v.hi = min(v.lo, end), max(v.hi, end)
		}
	}
	if op == '-' && a.column >= 0 && b.column >= 0 && c.p.ordered(b.column, a.column) {
		v.lo = max(v.lo, 0)
	}
	return v
}

// nearest returns the end of int64 that x op y lies beyond.
func nearest(op rune, x, y int64) int64 {
	negative := x < 0
	if op == '*' || op == '/' {
		negative = negative != (y < 0)
	}
	if negative {
		return math.MinInt64
	}
	return math.MaxInt64
}

// scaled returns v in units of 10^−scale, which are not larger.
func (v value) scaled(scale int) value {
	if v.scale == scale {
		return v
	}
	unit := int64(1)
	for range scale - v.scale {
		unit *= 10
	}
	v = (*compiler)(nil).apply('*', v, constant(unit))
	v.scale = scale
	return v
}

// times returns a op b if one of them is a date or a time.
func (c *compiler) times(op rune, a, b value) (value, error) {
	unit := constant(1) // of a whole number beside the type
	if a.typ != domain.Date {
		unit = constant(microsPerSecond)
	}
	switch {
	case op == '-' && a.typ == b.typ:
		return c.apply('/', c.apply('-', a, b), unit), nil
	case (op == '+' || op == '-') && a.typ != domain.Int64 && b.typ == domain.Int64 && b.scale == 0:
		v := c.apply(op, a, c.apply('*', b, unit))
		f, all := a.typ.Facts(), v.eval
		v.partial = v.partial || v.lo < f.Least || v.hi > f.Most
		v.typ, v.lo, v.hi = a.typ, max(v.lo, f.Least), min(v.hi, f.Most)
		v.eval = func(columns []domain.Column, row int) (int64, bool) {
			x, ok := all(columns, row)
			return x, ok && f.Least <= x && x <= f.Most
		}
		return v, nil
	}
	return value{}, fmt.Errorf("%v %c %v has no meaning; two dates or times of one type have a difference, in days or seconds, and whole days or seconds can be added to one",
		kindOf(a), op, kindOf(b))
}

func kindOf(v value) string {
	if v.typ == domain.Int64 {
		return "a number"
	}
	return "a " + v.typ.String()
}

// floorDiv returns ⌊a/b⌋.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
