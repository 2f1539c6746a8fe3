package parquetio

import (
	"math"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// marginalsTable is what ReadMarginals reads of a table that WriteMarginals has written.
var marginalsTable = &domain.Domain{Attributes: []domain.Attribute{
	{Name: "marginal", Type: domain.String}, {Name: "fitted", Type: domain.Float64},
	{Name: "fitted_standard_error", Type: domain.Float64, Null: true}, {Name: "noisy", Type: domain.Float64, Null: true},
	{Name: "standard_error", Type: domain.Float64, Null: true}, {Name: "fitted_error_from", Type: domain.String, Null: true},
}}

// ReadMarginals reads what WriteMarginals wrote, all but the labels: these are of the domain. A figure that is not
// there is NaN, and a word "". Errors begin with name.
func ReadMarginals(src Source, name string) ([]*Marginal, error) {
	r, err := Open(src, name, marginalsTable, ReadOptions{})
	if err != nil {
		return nil, err
	}
	var list []*Marginal
	last := ""
	for c, err := range r.Chunks() {
		if err != nil {
			return nil, err
		}
		for i := range c.Rows {
			if text := textAt(&c.Columns[0], i); len(list) == 0 || text != last {
				list, last = append(list, &Marginal{Names: splitEscaped(text), NoisyError: floatAt(&c.Columns[4], i)}), text
			}
			m := list[len(list)-1]
			m.Fitted = append(m.Fitted, floatAt(&c.Columns[1], i))
			m.FittedError = append(m.FittedError, floatAt(&c.Columns[2], i))
			m.FittedFrom = append(m.FittedFrom, textAt(&c.Columns[5], i))
			if x := floatAt(&c.Columns[3], i); !math.IsNaN(x) {
				m.Noisy = append(m.Noisy, x)
			}
		}
	}
	return list, nil
}

// textAt is a text of a column; "" for NULL.
func textAt(c *domain.Column, i int) string {
	switch {
	case c.Form == domain.Absent || c.Null(i):
		return ""
	case c.Form == domain.Dictionary:
		return c.Dict[c.Ints[i]]
	}
	return string(c.Text(i))
}

// floatAt is a number of a column; NaN for NULL.
func floatAt(c *domain.Column, i int) float64 {
	if c.Form != domain.Floats || c.Null(i) {
		return math.NaN()
	}
	return c.Floats[i]
}

// splitEscaped undoes joinEscaped.
func splitEscaped(s string) []string {
	parts, escaped := []string{""}, false
	for _, r := range s {
		last := &parts[len(parts)-1]
		switch {
		case escaped:
			*last, escaped = *last+string(r), false
		case r == '\\':
			escaped = true
		case r == ',':
			parts = append(parts, "")
		default:
			*last += string(r)
		}
	}
	for i := 1; i < len(parts); i++ {
		parts[i] = strings.TrimPrefix(parts[i], " ") // joinEscaped puts one behind each comma
	}
	return parts
}
