package relation

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// lookup compiles Map: the values of one column, or pairs of values of two, each with the value that follows from it.
func (p *Plan) lookup(i int) (step, error) {
	d := &p.d.Derived[i]
	var st step
	var sources []*domain.Attribute
	var lists [][]int64 // the values of each source; nil: too many
	for k, name := range []string{d.From, d.With} {
		if k > 0 && name == "" {
			break
		}
		from, err := p.find(strings.TrimSpace(name))
		if err != nil {
			return step{}, err
		}
		source := &p.columns[from]
		switch {
		case source.Type == domain.Float64:
			return step{}, fmt.Errorf("column %q is a FLOAT64, whose values cannot be mapped", source.Name)
		case source.Type == domain.String && len(texts(source)) == 0:
			return step{}, fmt.Errorf("the values of column %q are not declared", source.Name)
		}
		st.uses, sources, lists = append(st.uses, from), append(sources, source), append(lists, listed(source))
	}
	m, err := newTarget(&p.columns[p.d.Len()+i], d)
	if err != nil {
		return step{}, err
	}
	to := map[[2]int64]int64{}
	var errs []error
	for _, pair := range d.Map {
		v, err := m.value(pair.To)
		errs = append(errs, err)
		var key [2]int64
		for k, source := range sources {
			s := [2]string{pair.From, pair.With}[k]
			x, ok := native(source, s)
			if _, possible := slices.BinarySearch(lists[k], x); !ok || lists[k] != nil && !possible {
				errs = append(errs, fmt.Errorf("%q is not among the values of column %q", s, source.Name))
			}
			key[k] = x
		}
		to[key] = v
	}
	other, first, second, two := m.other, st.uses[0], st.uses[len(st.uses)-1], len(st.uses) > 1
	st.ints = func(columns []domain.Column, row int) (int64, bool) {
		key := [2]int64{columns[first].Ints[row]}
		if two {
			key[1] = columns[second].Ints[row]
		}
		if v, ok := to[key]; ok {
			return v, true
		}
		return other, true
	}
	m.finish(&st)
	if d.Else == nil {
		errs = append(errs, uncovered(to, sources, lists))
	}
	return st, errors.Join(errs...)
}

// uncovered is the error of values that no entry of a map names.
func uncovered(to map[[2]int64]int64, sources []*domain.Attribute, lists [][]int64) error {
	names, second := fmt.Sprintf("column %q", sources[0].Name), []int64{0}
	if len(sources) > 1 {
		names, second = fmt.Sprintf("columns %q and %q", sources[0].Name, sources[1].Name), lists[1]
	}
	var missing []string
	if n := len(lists[0]) * len(second); n == 0 || n > maxListed {
		missing = append(missing, "too many to list")
	} else {
		for _, x := range lists[0] {
			for _, y := range second {
				if _, ok := to[[2]int64{x, y}]; ok {
					continue
				}
				s := text(sources[0], x)
				if len(sources) > 1 {
					s += " with " + text(sources[1], y)
				}
				missing = append(missing, s)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	more := ""
	if n := len(missing); n > 5 {
		missing, more = missing[:5], fmt.Sprintf(" and %d more", n-5)
	}
	return fmt.Errorf("the map lacks values of %s: %s%s; add them, or else: VALUE", names, strings.Join(missing, ", "), more)
}

// texts returns what the cells of a STRING column are written as, in the order of a Decoder's dictionary.
func texts(a *domain.Attribute) []string {
	if a.Other {
		return append(slices.Clone(a.Values), a.OtherValue)
	}
	return a.Values
}

// native reads a text as a value of a column. Rows hold the numbers of the texts of a STRING.
func native(a *domain.Attribute, s string) (int64, bool) {
	if a.Type == domain.String {
		k := slices.Index(texts(a), s)
		return int64(k), k >= 0
	}
	if a.Type == domain.Bool {
		v, err := strconv.ParseBool(strings.ToLower(s))
		if v {
			return 1, err == nil
		}
		return 0, err == nil
	}
	return a.ParseNative(s)
}

// text is the inverse of native.
func text(a *domain.Attribute, x int64) string {
	switch a.Type {
	case domain.String:
		return texts(a)[x]
	case domain.Bool:
		return strconv.FormatBool(x != 0)
	}
	return string(a.AppendNative(nil, x))
}

// target holds the values that a map leads to.
type target struct {
	column *domain.Attribute
	dict   []string  // STRING
	floats []float64 // FLOAT64, by number
	known  bool      // dict is declared
	other  int64     // of values that the map does not have
}

func newTarget(column *domain.Attribute, d *domain.Derived) (m *target, err error) {
	m = &target{column: column, known: declared(column)}
	if m.known {
		m.dict = texts(column)
	}
	if d.Else != nil {
		m.other, err = m.value(*d.Else)
	}
	return m, err
}

// value returns what a row holds for the text of a value: a number in the native unit, or the number of a text or
// float64.
func (m *target) value(s string) (int64, error) {
	switch m.column.Type {
	case domain.String:
		return m.text(s)
	case domain.Float64:
		v, err := strconv.ParseFloat(s, 64)
		if c := m.column.FloatCuts; err != nil || v-v != 0 || len(c) > 0 && !(c[0] <= v && v <= c[len(c)-1]) {
			return 0, fmt.Errorf("%q is not a FLOAT64 that column %q declares", s, m.column.Name)
		}
		m.floats = append(m.floats, v)
		return int64(len(m.floats) - 1), nil
	}
	if m.column.Type == domain.Numeric && !m.known {
		m.column.Scale = maxScale
	}
	x, ok := native(m.column, s)
	if c := m.column; !ok || len(c.Cuts) > 0 && m.known && !(c.Cuts[0] <= x && x <= c.Cuts[len(c.Cuts)-1]) || len(c.Values) > 0 && !slices.Contains(texts(c), text(c, x)) {
		return 0, fmt.Errorf("%q is not a value of column %q, a %v", s, c.Name, c.Type)
	}
	if !m.known && m.column.Type != domain.Bool {
		if c := m.column; c.Cuts == nil {
			c.Cuts, c.Resolution = []int64{x, x}, 1
		} else {
			c.Cuts[0], c.Cuts[1] = min(c.Cuts[0], x), max(c.Cuts[1], x)
		}
	}
	return x, nil
}

// text returns the number of a text, a new one if they are not declared.
func (m *target) text(s string) (int64, error) {
	if k := slices.Index(m.dict, s); k >= 0 {
		return int64(k), nil
	}
	if m.known {
		return 0, fmt.Errorf("%q is not among the values of column %q", s, m.column.Name)
	}
	m.dict = append(m.dict, s)
	return int64(len(m.dict) - 1), nil
}

// finish tells the step how its numbers are read, and the column its values.
func (m *target) finish(st *step) {
	switch ints := st.ints; {
	case ints == nil:
	case m.column.Type == domain.String:
		st.dict = m.dict
		if !m.known {
			m.column.Values = m.dict
		}
	case m.column.Type == domain.Float64:
		floats := m.floats
		st.ints, st.floats = nil, func(columns []domain.Column, row int) float64 {
			k, _ := ints(columns, row)
			return floats[k]
		}
		if !m.known && len(floats) > 0 {
			m.column.FloatCuts = []float64{slices.Min(floats), slices.Max(floats)}
		}
	case m.column.Type == domain.Bool && !m.known:
		m.column.Values = []string{"false", "true"}
	}
}

// maxListed bounds the values of a column that are looked at one by one.
const maxListed = 1 << 18

// listed returns the values that a column can have, ascending, or nil if they are too many or have no native unit.
func listed(a *domain.Attribute) (list []int64) {
	if a.Type == domain.String {
		for k := range texts(a) {
			list = append(list, int64(k))
		}
		return list
	}
	written, multiple := exact(a, 1)
	for code := range cells(a) {
		lo, hi, ok := a.Ends(domain.Code(code))
		if !ok {
			continue
		}
		if m, ok := multiple[lo]; ok {
			lo = m
		}
		if m, ok := multiple[hi]; ok {
			hi = m
		}
		step := max(1, uint64(a.Resolution))
		n := (uint64(hi) - uint64(lo)) / step
		if n >= maxListed || len(list) > maxListed {
			return nil
		}
		for k := range n + 1 {
			x := int64(uint64(lo) + k*step)
			if at, ok := written[x]; ok {
				x = at
			}
			list = append(list, x)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
