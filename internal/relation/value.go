package relation

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/dapple-dp/dapple/dp/domain"
)

// value is an expression made ready: what it is, between which ends it lies, and how a row's is computed. It is
// a number in units of 10^−scale, or a date or time in the native unit of its type.
type value struct {
	typ    domain.Type // Int64 stands for all numbers
	scale  int
	lo, hi *big.Int
	column int // the column that it is, or −1
	eval   func(columns []domain.Column, row int) int64
}

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
	if err == nil && !(v.lo.IsInt64() && v.hi.IsInt64()) {
		err = fmt.Errorf("it can be as large as %v or as small as %v, which 64 bits do not hold", v.hi, v.lo)
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
	return value{lo: big.NewInt(x), hi: big.NewInt(x), typ: domain.Int64, column: -1, eval: func([]domain.Column, int) int64 { return x }}
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
	v := value{typ: a.Type, lo: big.NewInt(lo), hi: big.NewInt(hi), column: i,
		eval: func(columns []domain.Column, row int) int64 { return columns[i].Ints[row] }}
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
		if !a.fits() || !b.fits() {
			return value{}, fmt.Errorf("a side of %c does not fit 64 bits with %d decimal places", op, scale)
		}
	}
	v := value{typ: domain.Int64, scale: a.scale, column: -1}
	x, y := a.eval, b.eval
	switch op {
	case '+':
		v = sum(a, b, v)
	case '-':
		v = c.difference(a, b, v)
	case '*':
		if v.scale = a.scale + b.scale; v.scale > maxScale {
			return v, fmt.Errorf("the product has %d decimal places; at most %d are possible", v.scale, maxScale)
		}
		v.lo, v.hi = corners(a, b, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })
		v.eval = func(columns []domain.Column, row int) int64 { return x(columns, row) * y(columns, row) }
	default:
		if b.lo.Sign() <= 0 && b.hi.Sign() >= 0 {
			return v, fmt.Errorf("the right side of %c can be 0; divide by what cannot", op)
		}
		if op == '/' {
			v.scale = 0
			v.lo, v.hi = corners(a, b, floorQuotient)
			v.eval = func(columns []domain.Column, row int) int64 { return floorDiv(x(columns, row), y(columns, row)) }
			break
		}
		v.lo, v.hi = remainders(a, b)
		v.eval = func(columns []domain.Column, row int) int64 {
			n, d := x(columns, row), y(columns, row)
			return n - d*floorDiv(n, d)
		}
	}
	return v, nil
}

// maxScale is the number of decimal places of a NUMERIC.
const maxScale = 9

func (v value) fits() bool { return v.lo.IsInt64() && v.hi.IsInt64() }

// scaled returns v in units of 10^−scale, which are not larger.
func (v value) scaled(scale int) value {
	if v.scale == scale {
		return v
	}
	unit := int64(1)
	for range scale - v.scale {
		unit *= 10
	}
	v.scale = scale
	return v.multiplied(unit)
}

// multiplied returns v times unit, which is above 0.
func (v value) multiplied(unit int64) value {
	f, u := v.eval, big.NewInt(unit)
	v.lo, v.hi = new(big.Int).Mul(v.lo, u), new(big.Int).Mul(v.hi, u)
	v.eval = func(columns []domain.Column, row int) int64 { return f(columns, row) * unit }
	return v
}

// sum completes v to a + b.
func sum(a, b, v value) value {
	x, y := a.eval, b.eval
	v.lo, v.hi = new(big.Int).Add(a.lo, b.lo), new(big.Int).Add(a.hi, b.hi)
	v.eval = func(columns []domain.Column, row int) int64 { return x(columns, row) + y(columns, row) }
	return v
}

// difference returns a − b, which is not negative if the domain declares that b is at most a.
func (c *compiler) difference(a, b, v value) value {
	x, y := a.eval, b.eval
	v.lo, v.hi = new(big.Int).Sub(a.lo, b.hi), new(big.Int).Sub(a.hi, b.lo)
	if v.lo.Sign() < 0 && a.column >= 0 && b.column >= 0 && c.p.ordered(b.column, a.column) {
		v.lo = new(big.Int)
	}
	v.eval = func(columns []domain.Column, row int) int64 { return x(columns, row) - y(columns, row) }
	return v
}

// times returns a op b if one of them is a date or a time.
func (c *compiler) times(op rune, a, b value) (value, error) {
	unit := int64(1) // of a whole number beside the type
	if a.typ != domain.Date {
		unit = microsPerSecond
	}
	switch {
	case op == '-' && a.typ == b.typ:
		v := c.difference(a, b, value{typ: domain.Int64, column: -1})
		f := v.eval
		v.lo, v.hi = floorQuotient(v.lo, big.NewInt(unit)), floorQuotient(v.hi, big.NewInt(unit))
		v.eval = func(columns []domain.Column, row int) int64 { return floorDiv(f(columns, row), unit) }
		return v, nil
	case (op == '+' || op == '-') && a.typ != domain.Int64 && b.typ == domain.Int64 && b.scale == 0:
		v := value{typ: a.typ, column: -1}
		if b = b.multiplied(unit); op == '-' {
			v = c.difference(a, b, v)
		} else {
			v = sum(a, b, v)
		}
		if f := a.typ.Facts(); v.lo.Cmp(big.NewInt(f.Least)) < 0 || v.hi.Cmp(big.NewInt(f.Most)) > 0 {
			return v, fmt.Errorf("it can leave the range of a %v", a.typ)
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

// corners returns the ends of a function of two arguments that is monotone in each.
func corners(a, b value, f func(x, y *big.Int) *big.Int) (lo, hi *big.Int) {
	for _, x := range []*big.Int{a.lo, a.hi} {
		for _, y := range []*big.Int{b.lo, b.hi} {
			z := f(x, y)
			if lo == nil || z.Cmp(lo) < 0 {
				lo = z
			}
			if hi == nil || z.Cmp(hi) > 0 {
				hi = z
			}
		}
	}
	return lo, hi
}

// floorQuotient returns ⌊x/y⌋.
func floorQuotient(x, y *big.Int) *big.Int {
	q, m := new(big.Int).DivMod(x, y, new(big.Int)) // m is at least 0
	if y.Sign() < 0 && m.Sign() > 0 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// remainders returns the ends of a − b·⌊a/b⌋, which has the sign of b.
func remainders(a, b value) (lo, hi *big.Int) {
	if b.lo.Cmp(b.hi) == 0 {
		if q := floorQuotient(a.lo, b.lo); q.Cmp(floorQuotient(a.hi, b.lo)) == 0 {
			q.Mul(q, b.lo)
			return new(big.Int).Sub(a.lo, q), new(big.Int).Sub(a.hi, q)
		}
	}
	if b.lo.Sign() > 0 {
		return new(big.Int), new(big.Int).Sub(b.hi, big.NewInt(1))
	}
	return new(big.Int).Add(b.lo, big.NewInt(1)), new(big.Int)
}

// floorDiv returns ⌊a/b⌋.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b != 0 && (a < 0) != (b < 0) {
		q--
	}
	return q
}
