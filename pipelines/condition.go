package pipelines

import (
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
	conjunction = regexp.MustCompile(`(?i)\s+AND\s+`)
	isNull      = regexp.MustCompile(`(?i)^(.+?)\s+IS\s+(NOT\s+)?NULL$`)
	comparison  = regexp.MustCompile(`^\s*([^=<>!]+?)\s*(>=|<=|!=|=|<|>)\s*(.+?)\s*$`)
)

// ParseCondition reads a condition on the cells of d: comparisons joined by AND, such as
// "age>=65 AND sex=Female AND income IS NOT NULL". Numbers and dates can be compared only with the cut
// points of their cells, since inside a cell a model knows nothing; quotes around a value are optional.
func ParseCondition(text string, d *domain.Domain) (*Condition, error) {
	c := &Condition{keep: map[int][]bool{}}
	for _, part := range conjunction.Split(strings.TrimSpace(text), -1) {
		if err := c.add(strings.TrimSpace(part), d); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Condition) add(part string, d *domain.Domain) error {
	name, op, value := "", "", ""
	if m := isNull.FindStringSubmatch(part); m != nil {
		name, op = m[1], "null"
		if m[2] != "" {
			op = "not null"
		}
	} else if m := comparison.FindStringSubmatch(part); m != nil {
		name, op, value = m[1], m[2], strings.Trim(m[3], `'"`)
	} else {
		return fmt.Errorf("got %q; want column, one of = != < <= > >=, and a value; or column IS NULL", part)
	}
	i := d.Index(name)
	if i < 0 {
		return fmt.Errorf("%q is no column; want one of %s", name, strings.Join(columnNames(d), ", "))
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
	switch op {
	case "null", "not null":
		for code := range cells {
			cells[code] = (hasNull && domain.Code(code) == null) == (op == "null")
		}
		return cells, nil
	case "=", "!=":
		same, err := equal(a, value)
		if err != nil {
			return nil, err
		}
		for code := range cells {
			isNull := hasNull && domain.Code(code) == null
			cells[code] = !isNull && (code == same) == (op == "=")
		}
		return cells, nil
	}
	low, high, err := span(a, op, value)
	for code := low; code < high; code++ {
		cells[code] = true
	}
	return cells, err
}

// equal returns the cell that holds exactly one value.
func equal(a *domain.Attribute, value string) (int, error) {
	if i := slices.Index(a.Values, value); i >= 0 {
		return i, nil
	}
	if len(a.Values) > 0 {
		if other, ok := a.OtherCode(); ok && value == a.OtherValue {
			return int(other), nil
		}
		return 0, fmt.Errorf("%q is not among its values", value)
	}
	v, ok := a.ParseNative(value)
	i, found := slices.BinarySearch(a.Cuts, v)
	if ok && found && i < a.Bins() && (a.Cuts[i+1] == v+1 || i == a.Bins()-1 && a.Cuts[i+1] == v) {
		return i, nil
	}
	return 0, fmt.Errorf("no cell holds %q alone; compare with < and >=", value)
}

// span returns the bins low..high−1 that lie wholly on one side of a value.
func span(a *domain.Attribute, op, value string) (low, high int, err error) {
	if len(a.Values) > 0 {
		return 0, 0, fmt.Errorf("has categories; want = or !=")
	}
	cuts, at, err := cutsAndValue(a, value)
	if err != nil {
		return 0, 0, err
	}
	if op == ">" || op == "<=" {
		if a.Type != domain.Int64 && a.Type != domain.Date {
			return 0, 0, fmt.Errorf("want < or >= for a column of type %v", a.Type)
		}
		at++ // the next whole number or day
	}
	bins := a.Bins()
	i, found := slices.BinarySearch(cuts, at)
	switch {
	case at > cuts[bins]:
		i = bins
	case at <= cuts[0]:
		i = 0
	case !found:
		return 0, 0, fmt.Errorf("%s lies inside the cell %s; compare with one of its ends", value, a.Label(domain.Code(i-1)))
	}
	if op == "<" || op == "<=" {
		return 0, min(i, bins), nil
	}
	return min(i, bins), bins, nil
}

// cutsAndValue returns cut points and value on one scale.
func cutsAndValue(a *domain.Attribute, value string) ([]float64, float64, error) {
	if len(a.FloatCuts) > 0 {
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(v) {
			return nil, 0, fmt.Errorf("%q is not a number", value)
		}
		return a.FloatCuts, v, nil
	}
	v, ok := a.ParseNative(value)
	if !ok {
		return nil, 0, fmt.Errorf("%q is not of type %v", value, a.Type)
	}
	cuts := make([]float64, len(a.Cuts))
	for i, c := range a.Cuts {
		cuts[i] = float64(c) // native units are far below 2^53 wherever cut points are dates or amounts
	}
	return cuts, float64(v), nil
}

// Restrict returns the model with no weight where the condition is not met.
func (c *Condition) Restrict(m *population.Model) *population.Model {
	r := &population.Model{Sizes: m.Sizes, Columns: m.Columns, Weights: slices.Clone(m.Weights)}
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
