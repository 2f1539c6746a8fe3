package relation

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Condition selects rows by the values of their columns.
type Condition struct {
	root term
	cuts map[int]*cuts // of the columns that it names
}

// ParseCondition reads a condition on the values of d as SQL has it: comparisons of a column with a value, IN,
// BETWEEN, IS NULL, joined by AND, OR, NOT and parentheses, such as "age >= 65 AND (sex = Female OR city IN (Rome,
// 'New York'))". Quotes around a value of one word are optional. NULL meets no comparison.
func ParseCondition(text string, d *domain.Domain) (*Condition, error) {
	p := &whereParser{lexer: lexer{text: text}, d: d}
	root, err := p.all()
	if err != nil {
		return nil, err
	}
	c := &Condition{root: root, cuts: map[int]*cuts{}}
	root.visit(func(a int, t *test) {
		if c.cuts[a] == nil {
			c.cuts[a] = &cuts{}
		}
		if t != nil {
			c.cuts[a].add(t)
		}
	})
	return c, nil
}

// Names reports whether the condition names a column.
func (c *Condition) Names(column int) bool { return c.cuts[column] != nil }

// Split returns a column with the cells split through which the condition cuts, as domain.Attribute.Split has it.
func (c *Condition) Split(column int, a *domain.Attribute) (fine *domain.Attribute, of []domain.Code, share []float64) {
	return a.Split(c.cuts[column].ints, c.cuts[column].floats)
}

// Stops reports whether a test tells the largest value of a column, or with end 0 its least, from all values beyond it.
func (c *Condition) Stops(column, end int, a *domain.Attribute) (stops bool) {
	code := domain.Code(end * (a.Bins() - 1))
	c.root.visit(func(i int, t *test) {
		if i != column || t == nil || t.codes != nil {
			return
		}
		beyond := [...]bool{t.lo == math.MinInt64, t.hi == math.MaxInt64}[end]
		low, high, _ := a.Ends(code)
		inside := t.lo <= [...]int64{low, high}[end] && [...]int64{low, high}[end] <= t.hi
		if t.floats {
			low, high, _ := a.FloatEnds(code)
			beyond = [...]bool{math.IsInf(t.least, -1), math.IsInf(t.largest, 1)}[end]
			inside = t.least <= [...]float64{low, high}[end] && [...]float64{low, high}[end] <= t.largest
		}
		stops = stops || inside != beyond
	})
	return stops
}

// Meets reports whether a record meets the condition, if no test changes inside its cells; attrs are their attributes.
func (c *Condition) Meets(attrs []*domain.Attribute, record []domain.Code) bool {
	return c.root.holds(attrs, record) == yes
}

// Results are the results of a column's tests in one of its cells, where none changes. Where they are equal, cells of the
// column meet the condition with the same records.
func (c *Condition) Results(column int, a *domain.Attribute, code domain.Code) string {
	var out []byte
	c.root.visit(func(i int, t *test) {
		if i == column && t != nil {
			out = append(out, byte(t.result(a, code)))
		}
	})
	if null, ok := a.NullCode(); ok && code == null {
		out = append(out, byte(yes)) // IS NULL
	}
	return string(out)
}

// Links reports whether the condition is more than conditions on single columns that all have to be met.
func (c *Condition) Links() bool {
	terms := []term{c.root}
	if j, ok := c.root.(joined); ok && !j.or {
		terms = j.terms
	}
	return slices.ContainsFunc(terms, func(t term) bool {
		columns := map[int]bool{}
		t.visit(func(a int, _ *test) { columns[a] = true })
		return len(columns) > 1
	})
}

// truth is a truth value of SQL: a comparison with NULL is unknown.
type truth uint8

const (
	no truth = iota
	unknown
	yes
)

// term is a part of a condition. holds is asked of a record of cells that no test divides; attrs are
// their attributes.
type term interface {
	holds(attrs []*domain.Attribute, record []domain.Code) truth
	visit(f func(column int, t *test))
}

type joined struct {
	or    bool
	terms []term
}

func (j joined) holds(attrs []*domain.Attribute, record []domain.Code) truth {
	all := yes
	if j.or {
		all = no
	}
	for _, t := range j.terms {
		if h := t.holds(attrs, record); j.or {
			all = max(all, h)
		} else {
			all = min(all, h)
		}
	}
	return all
}

func (j joined) visit(f func(int, *test)) {
	for _, t := range j.terms {
		t.visit(f)
	}
}

type negation struct{ term }

func (n negation) holds(attrs []*domain.Attribute, record []domain.Code) truth {
	return yes - n.term.holds(attrs, record)
}

type isNull struct{ column int }

func (n isNull) holds(attrs []*domain.Attribute, record []domain.Code) truth {
	if null, ok := attrs[n.column].NullCode(); ok && record[n.column] == null {
		return yes
	}
	return no
}

func (n isNull) visit(f func(int, *test)) { f(n.column, nil) }

// test compares a column with a value: its cell is one of codes, or its values lie between lo and hi, both included.
type test struct {
	column         int
	codes          []bool
	lo, hi         int64
	floats         bool
	least, largest float64
	not            bool // the test is true outside
}

func (t *test) visit(f func(int, *test)) { f(t.column, t) }

func (t *test) holds(attrs []*domain.Attribute, record []domain.Code) truth {
	return t.result(attrs[t.column], record[t.column])
}

func (t *test) result(a *domain.Attribute, code domain.Code) truth {
	if null, ok := a.NullCode(); ok && code == null {
		return unknown
	}
	inside := false
	switch {
	case t.codes != nil:
		inside = t.codes[code]
	case t.floats:
		x, _, _ := a.FloatEnds(code)
		inside = t.least <= x && x <= t.largest
	default:
		x, _, _ := a.Ends(code)
		inside = t.lo <= x && x <= t.hi
	}
	if inside != t.not {
		return yes
	}
	return no
}

// cuts are the values at which the result of a test on a column changes.
type cuts struct {
	ints   []int64
	floats []float64
}

func (c *cuts) add(t *test) {
	switch {
	case t.codes != nil:
	case t.floats:
		c.floats = append(c.floats, t.least, math.Nextafter(t.largest, math.Inf(1)))
	default:
		c.ints = append(c.ints, t.lo)
		if t.hi < math.MaxInt64 {
			c.ints = append(c.ints, t.hi+1)
		}
	}
}

// compare returns the test of a column against one value.
func compare(a *domain.Attribute, column int, op, value string) (term, error) {
	t := &test{column: column, lo: math.MinInt64, hi: math.MaxInt64, not: op == "!="}
	switch {
	case a.Type == domain.String || a.Type == domain.Bool:
		return t, t.category(a, op, value)
	case a.Type == domain.Float64:
		return t, t.float(a, op, value)
	}
	return t, t.number(a, op, value)
}

// category makes a test of one category, or of the cell "other".
func (t *test) category(a *domain.Attribute, op, value string) error {
	if op != "=" && op != "!=" {
		return errors.New("has categories, which have no order; want =, != or IN")
	}
	t.codes = make([]bool, a.Size())
	if a.Type == domain.Bool {
		value = strings.ToLower(value)
	}
	if i := slices.Index(a.Values, value); i >= 0 {
		t.codes[i] = true
		return nil
	}
	if other, ok := a.OtherCode(); ok && value == a.OtherValue {
		t.codes[other] = true
		return nil
	}
	if near := errtext.Nearest(value, a.Values); near != "" {
		return fmt.Errorf("%q is not among its values; did you mean %q?", value, near)
	}
	return fmt.Errorf("%q is not among its values", value)
}

// float makes a test of a FLOAT64.
func (t *test) float(a *domain.Attribute, op, value string) error {
	r, ok := decimal(value)
	if !ok {
		return fmt.Errorf("%q is not a number", value)
	}
	v, _ := r.Float64()
	t.floats, t.least, t.largest = true, math.Inf(-1), math.Inf(1)
	switch op {
	case "<":
		t.largest = math.Nextafter(v, math.Inf(-1))
	case "<=":
		t.largest = v
	case ">":
		t.least = math.Nextafter(v, math.Inf(1))
	case ">=":
		t.least = v
	default:
		if t.least, t.largest = v, v; a.FloatResolution == 0 {
			return fmt.Errorf("no single value such as %s can be told from its neighbours in a FLOAT64 without a resolution; compare with < and >=", value)
		}
	}
	return nil
}

// number makes a test of a column with a native unit. A value between two units is compared exactly.
func (t *test) number(a *domain.Attribute, op, value string) error {
	v, exact, ok := floorOf(a, value)
	if !ok {
		return fmt.Errorf("%q is not of type %v", value, a.Type)
	}
	switch {
	case op == "<" && exact && v > math.MinInt64:
		t.hi = v - 1
	case op == "<" || op == "<=":
		t.hi = v
	case op == ">=" && exact:
		t.lo = v
	case (op == ">" || op == ">=") && v < math.MaxInt64:
		t.lo = v + 1
	case (op == "=" || op == "!=") && exact:
		t.lo, t.hi = v, v
	default:
		t.lo, t.hi = math.MaxInt64, math.MinInt64 // nothing
	}
	return nil
}

// floorOf reads a value in the native unit, rounded down, and reports whether it is a whole number of units.
func floorOf(a *domain.Attribute, s string) (v int64, exact, ok bool) {
	if a.Type != domain.Int64 && a.Type != domain.Numeric {
		v, ok = a.ParseNative(s)
		return v, true, ok
	}
	r, ok := decimal(s)
	if !ok {
		return 0, false, false
	}
	for range a.Scale {
		r.Mul(r, big.NewRat(10, 1))
	}
	q := new(big.Int).Div(r.Num(), r.Denom()) // rounds down, for denominators are positive
	switch {
	case !q.IsInt64() && q.Sign() > 0:
		return math.MaxInt64, false, true
	case !q.IsInt64():
		return math.MinInt64, false, true
	}
	return q.Int64(), r.IsInt(), true
}

// decimal reads a decimal number of reasonable length.
func decimal(s string) (*big.Rat, bool) {
	if len(s) > 60 || strings.ContainsAny(s, "xXpP_iInN/") {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}
