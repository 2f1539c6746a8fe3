package pipelines

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/solver/population"
)

// Condition keeps some of the cells of some attributes.
type Condition struct {
	keep map[int][]bool // attribute → cell → kept
}

var (
	isNull     = regexp.MustCompile(`(?i)^(.+?)\s+IS\s+(NOT\s+)?NULL$`)
	comparison = regexp.MustCompile(`^([^=<>!]+?)\s*(>=|<=|!=|=|<|>)\s*(.+)$`)
)

// ParseCondition reads a condition on the cells of d: comparisons joined by AND, such as
// "age>=65 AND sex=Female AND income IS NOT NULL". Quotes around a value are optional. A comparison
// must not cut through a cell, since inside a cell a model knows nothing; its error names the ends of
// the cell. As in SQL, NULL meets no comparison.
func ParseCondition(text string, d *domain.Domain) (*Condition, error) {
	c := &Condition{keep: map[int][]bool{}}
	for _, part := range conjuncts(text) {
		if err := c.add(part, d); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// conjuncts splits at the ANDs that stand outside quotes.
func conjuncts(text string) []string {
	var parts []string
	quote, from := byte(0), 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case i+5 <= len(text) && strings.EqualFold(strings.Map(blanks, text[i:i+5]), " and "):
			parts = append(parts, strings.TrimSpace(text[from:i]))
			from, i = i+5, i+3 // the blank after it may begin the next one
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

// blanks makes one kind of blank of all.
func blanks(r rune) rune {
	if r == '\t' || r == '\n' || r == '\r' {
		return ' '
	}
	return r
}

func (c *Condition) add(part string, d *domain.Domain) error {
	name, op, value := "", "", ""
	if m := isNull.FindStringSubmatch(part); m != nil {
		name, op = m[1], "null"
		if m[2] != "" {
			op = "not null"
		}
	} else if m := comparison.FindStringSubmatch(part); m != nil {
		name, op, value = m[1], m[2], unquote(m[3])
	} else {
		return fmt.Errorf("got %q; want a column, one of = != < <= > >=, and a value; or: column IS NULL", part)
	}
	i := d.Index(name)
	if i < 0 {
		return fmt.Errorf("no column is called %q; the columns are %s", name, strings.Join(columnNames(d), ", "))
	}
	cells, err := matching(&d.Attributes[i], op, value)
	if err != nil {
		return fmt.Errorf("column %q: %w", name, err)
	}
	for code, kept := range c.keep[i] {
		cells[code] = cells[code] && kept
	}
	c.keep[i] = cells
	return nil
}

// unquote takes one pair of quotes off.
func unquote(s string) string {
	if n := len(s); n >= 2 && s[0] == s[n-1] && (s[0] == '\'' || s[0] == '"') {
		return s[1 : n-1]
	}
	return s
}

func columnNames(d *domain.Domain) []string {
	names := make([]string, d.Len())
	for i := range names {
		names[i] = d.Attributes[i].Name
	}
	return names
}

// matching returns which cells of a meet one comparison.
func matching(a *domain.Attribute, op, value string) ([]bool, error) {
	cells := make([]bool, a.Size())
	null, hasNull := a.NullCode()
	if op == "null" || op == "not null" {
		for code := range cells {
			cells[code] = (hasNull && domain.Code(code) == null) == (op == "null")
		}
		return cells, nil
	}
	low, high, err := 0, 0, error(nil)
	if len(a.Values) > 0 {
		low, high, err = category(a, op, value)
	} else {
		low, high, err = bins(a, op, value)
	}
	if err != nil {
		return nil, err
	}
	for code := range cells {
		isNull := hasNull && domain.Code(code) == null
		cells[code] = !isNull && (low <= code && code < high) == (op != "!=")
	}
	return cells, nil
}

// category returns the cell of one category, or of the cell "other", as a range.
func category(a *domain.Attribute, op, value string) (low, high int, err error) {
	if op != "=" && op != "!=" {
		return 0, 0, fmt.Errorf("has categories, which have no order; want = or !=")
	}
	if i := slices.Index(a.Values, value); i >= 0 {
		return i, i + 1, nil
	}
	if other, ok := a.OtherCode(); ok && value == a.OtherValue {
		return int(other), int(other) + 1, nil
	}
	return 0, 0, fmt.Errorf("%q is not among its values", value)
}

// bins returns the range of bins that a comparison with a number or a time is met in.
func bins(a *domain.Attribute, op, value string) (low, high int, err error) {
	if len(a.FloatCuts) > 0 {
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) {
			return 0, 0, fmt.Errorf("%q is not a number", value)
		}
		return side(a, a.FloatCuts, v, func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }, op, value)
	}
	v, ok := a.ParseNative(value)
	if !ok {
		return 0, 0, fmt.Errorf("%q is not of type %v", value, a.Type)
	}
	return side(a, a.Cuts, v, func(x int64) int64 { return x + 1 }, op, value)
}

// side returns the bins on one side of v, or the one that holds v alone. next is the successor of a
// number: with it, bins whose last one is closed become half-open, and > and <= become >= and <.
func side[T cmp.Ordered](a *domain.Attribute, cuts []T, v T, next func(T) T, op, value string) (low, high int, err error) {
	edges := slices.Clone(cuts)
	n := len(edges) - 1
	edges[n] = next(edges[n])
	at := v
	if (op == ">" || op == "<=") && v < edges[n] {
		at = next(v)
	}
	i, found := slices.BinarySearch(edges, at)
	inside := !found && 0 < i && i <= n
	switch op {
	case "=", "!=":
		if found && i < n && edges[i+1] == next(v) {
			return i, i + 1, nil
		}
		return 0, 0, fmt.Errorf("no cell holds %s alone; compare with < and >=", value)
	case "<", "<=":
		low, high = 0, min(i, n)
	default:
		low, high = min(i, n), n
	}
	if inside {
		return 0, 0, fmt.Errorf("%s %s cuts through the cell %s; compare with one of its ends", op, value, a.Label(domain.Code(i-1)))
	}
	return low, high, nil
}

// Restrict returns the model with no weight if the condition is not met.
func (c *Condition) Restrict(m *population.Model) *population.Model {
	r := &population.Model{Sizes: m.Sizes, Columns: m.Columns, Weights: slices.Clone(m.Weights), StructuralZeros: m.StructuralZeros}
	record := make([]domain.Code, len(m.Sizes))
	for i := range r.Weights {
		m.Record(i, record)
		for a, kept := range c.keep {
			if !kept[record[a]] {
				r.Weights[i] = 0
			}
		}
	}
	return r
}
