package domain

import (
	"errors"
	"fmt"
	"slices"
)

// Exclusion declares records that cannot exist: those whose code of attribute Clique[i] is among Codes[i],
// for all i. It is a public fact: a model gives such records probability 0, no such row is ever written,
// and that costs nothing.
//
// Private records that are excluded nevertheless are counted unchanged; the guarantee does not depend on them.
type Exclusion struct {
	Clique Clique   // at least two attributes
	Codes  [][]Code // for each of them, ascending and not empty
}

// Exclusions is a list of exclusions over one domain; nil excludes nothing.
type Exclusions []Exclusion

// Exclusions returns the exclusions that d declares. A nil domain declares none.
func (d *Domain) Exclusions() Exclusions {
	if d == nil {
		return nil
	}
	return d.StructuralZeros
}

// Possible reports whether the record matches no exclusion of the domain.
func (d *Domain) Possible(record []Code) bool { return d.Exclusions().Violated(record) < 0 }

// Violated returns the index of the first exclusion that the record matches, or −1. Support is faster for many
// records.
func (x Exclusions) Violated(record []Code) int {
	return slices.IndexFunc(x, func(e Exclusion) bool {
		for i, a := range e.Clique {
			if !slices.Contains(e.Codes[i], record[a]) {
				return false
			}
		}
		return true
	})
}

// Cells calls visit with every cell of the marginal of c that an exclusion over attributes of c rules out; a cell
// that several of them rule out is visited several times. Cells are row-major.
func (x Exclusions) Cells(c Clique, sizes []int, visit func(cell int)) {
	strides := c.Strides(sizes)
	for _, e := range x {
		if c.Contains(e.Clique) {
			e.cells(c, sizes, strides, visit)
		}
	}
}

func (e Exclusion) cells(c Clique, sizes, strides []int, visit func(cell int)) {
	var walk func(i, cell int)
	walk = func(i, cell int) {
		if i == len(c) {
			visit(cell)
			return
		}
		if at := slices.Index(e.Clique, c[i]); at >= 0 {
			for _, v := range e.Codes[at] {
				walk(i+1, cell+int(v)*strides[i])
			}
			return
		}
		for v := range sizes[c[i]] {
			walk(i+1, cell+v*strides[i])
		}
	}
	walk(0, 0)
}

// witnessSteps bounds the search for a possible record. Deciding whether one exists is NP-hard in general, and
// immediate for the exclusions that people declare.
const witnessSteps = 1 << 20

// Witness returns a record that matches no exclusion. ok is false if no record does, or if the search, which is
// bounded, found none.
func (x Exclusions) Witness(sizes []int) (record []Code, ok bool) {
	record = make([]Code, len(sizes))
	var order []int // the attributes that matter, and the exclusions decided by each
	for _, e := range x {
		for _, a := range e.Clique {
			if !slices.Contains(order, a) {
				order = append(order, a)
			}
		}
	}
	decided := make([]Exclusions, len(order))
	for _, e := range x {
		last := 0
		for _, a := range e.Clique {
			last = max(last, slices.Index(order, a))
		}
		decided[last] = append(decided[last], e)
	}
	steps := 0
	var try func(depth int) bool
	try = func(depth int) bool {
		if depth == len(order) {
			return true
		}
		for v := range sizes[order[depth]] {
			if steps++; steps > witnessSteps {
				return false
			}
			record[order[depth]] = Code(v)
			if decided[depth].Violated(record) < 0 && try(depth+1) {
				return true
			}
		}
		return false
	}
	return record, try(0)
}

// validate returns the faults of exclusions over attributes of the given sizes.
func (x Exclusions) validate(sizes []int) error {
	for i, e := range x {
		if why := e.fault(sizes); why != "" {
			return fmt.Errorf("domain: impossible combination %d: %s", i+1, why)
		}
	}
	if _, ok := x.Witness(sizes); !ok {
		return errors.New("domain: the impossible combinations leave no possible record, or none that can be found; declare fewer")
	}
	return nil
}

func (e Exclusion) fault(sizes []int) string {
	if len(e.Clique) < 2 || len(e.Codes) != len(e.Clique) {
		return "at least two columns are needed, each with its cells"
	}
	for i, a := range e.Clique {
		if a < 0 || a >= len(sizes) || i > 0 && a <= e.Clique[i-1] {
			return "columns have to be in the domain, in its order, each once"
		}
		if len(e.Codes[i]) == 0 {
			return "a column has no cells"
		}
		for j, v := range e.Codes[i] {
			if int(v) >= sizes[a] || j > 0 && v <= e.Codes[i][j-1] {
				return "cells have to be in the column, in its order, each once"
			}
		}
	}
	return ""
}

// Support is a compiled form of exclusions for checking many records. It is immutable.
type Support struct{ rules []rule }

// rule is one exclusion: member[i][v] reports whether it includes code v of attribute attrs[i].
type rule struct {
	attrs  []int
	member [][]bool
}

// NewSupport compiles valid exclusions over attributes of the given sizes.
func NewSupport(sizes []int, x Exclusions) *Support {
	s := &Support{}
	for _, e := range x {
		r := rule{attrs: e.Clique}
		for i, a := range e.Clique {
			member := make([]bool, sizes[a])
			for _, v := range e.Codes[i] {
				member[v] = true
			}
			r.member = append(r.member, member)
		}
		s.rules = append(s.rules, r)
	}
	return s
}

// Possible reports whether the record matches no exclusion.
func (s *Support) Possible(record []Code) bool {
	for i := range s.rules {
		if s.rules[i].holds(record, -1) {
			return false
		}
	}
	return true
}

// PossibleWith is Possible for the record with attribute a changed to the given code.
func (s *Support) PossibleWith(record []Code, a int, code Code) bool {
	was := record[a]
	record[a] = code
	ok := s.Possible(record)
	record[a] = was
	return ok
}

// Forbidden calls visit with each code of a that would make the record match an exclusion whose other attributes
// match already. A code can be visited several times.
func (s *Support) Forbidden(record []Code, a int, visit func(member []bool)) {
	for i := range s.rules {
		r := &s.rules[i]
		if at := slices.Index(r.attrs, a); at >= 0 && r.holds(record, at) {
			visit(r.member[at])
		}
	}
}

// holds reports whether all attributes but the one at position free are among the codes of the exclusion.
func (r *rule) holds(record []Code, free int) bool {
	for i, a := range r.attrs {
		if i != free && !r.member[i][record[a]] {
			return false
		}
	}
	return true
}
