package synth

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/relation"
	"github.com/dapple-dp/dapple/internal/release/modelio"
	"github.com/dapple-dp/dapple/internal/release/shards"
)

// MinCount asks for rows in which each combination of the values of some columns occurs in at least Rows rows, or in
// none. Rare combinations are merged with others, and values inside bins are drawn for Rows rows at a time. It is a
// function of the released model: it costs no privacy and adds no guarantee. It costs accuracy; if fewer than Rows
// rows are requested, none are written.
type MinCount struct {
	Rows    int64    // 0 or 1: nothing is merged
	Columns []string // attributes of the domain; default: all
}

// Merged describes the changes that MinCount made.
//
//	type Merged struct {
//		Rows      int64   // whose values were changed
//		AverageTV float64 // total variation between the rows before and after, averaged over tables; negative: not known
//	}
type Merged = shards.Merged

// Validate lists the faults of the columns. The columns of a domain's order or date are drawn together and have to be
// named together.
func (m MinCount) Validate(d *domain.Domain) error {
	var faults []string
	if d.Events != nil && (m.Rows > 1 || len(m.Columns) > 0) {
		faults = append(faults, "the domain has events, and rows of one person are not merged with those of others")
	}
	for i, name := range m.Columns {
		derived := slices.ContainsFunc(d.Derived, func(c domain.Derived) bool { return c.Column.Name == name })
		generated := slices.ContainsFunc(d.Generated, func(g domain.Generated) bool { return g.Column == name })
		switch {
		case slices.Contains(m.Columns[:i], name):
			faults = append(faults, fmt.Sprintf("column %q appears twice", name))
		case derived:
			faults = append(faults, fmt.Sprintf("column %q is derived: name the columns that it is computed from", name))
		case generated:
			faults = append(faults, fmt.Sprintf("column %q is generated, and differs in every row", name))
		case d.Index(name) < 0:
			faults = append(faults, fmt.Sprintf("column %q is not one of the domain", name))
		}
	}
	if len(m.Columns) > 0 {
		for _, related := range relation.Together(d) {
			if missing := without(related, m.Columns); len(missing) > 0 && len(missing) < len(related) {
				faults = append(faults, fmt.Sprintf("columns %s are drawn together: name %s too", strings.Join(related, ", "), strings.Join(missing, ", ")))
			}
		}
	}
	if len(faults) > 0 {
		return fmt.Errorf("synth: MinCount: %s", strings.Join(faults, "; "))
	}
	return nil
}

// Merged returns the changes that MinCount makes to the rows that Sample and Write make of a saved release with the
// same parameters. In a process that has made the rows it takes no time.
func (r Release) Merged(ctx context.Context, ref ModelRef, p WriteParams) (Merged, error) {
	f := newSampleFn(r, checked(r, p))
	src, err := f.open(ctx, ref)
	if err != nil {
		return Merged{}, err
	}
	return src.merged, nil
}

func without(names, others []string) (left []string) {
	for _, n := range names {
		if !slices.Contains(others, n) {
			left = append(left, n)
		}
	}
	return left
}

func (m MinCount) mustFit(d *domain.Domain) {
	if err := m.Validate(d); err != nil {
		panic(err.Error())
	}
}

// key returns m as a text, with sorted names because their order does not matter.
func (m MinCount) key() string {
	return fmt.Sprintf("%d %q", m.Rows, slices.Sorted(slices.Values(m.Columns)))
}

// attrs returns the attributes of the columns.
func (m MinCount) attrs(d *domain.Domain) domain.Clique {
	var list []int
	for a := range d.Attributes {
		if len(m.Columns) == 0 || slices.Contains(m.Columns, d.Attributes[a].Name) {
			list = append(list, a)
		}
	}
	return domain.NewClique(list...)
}

// merge changes the rows so that no combination is rare.
func (s *rowSource) merge(f *modelio.File, p WriteParams) error {
	if err := p.MinCount.Validate(&f.Domain); err != nil {
		return err
	}
	attrs := p.MinCount.attrs(&f.Domain)
	c := s.rows.AtLeast(f.Model, attrs, p.MinCount.Rows, p.Rounding == Systematic, f.Cliques, s.words.rows)
	s.merged = Merged{Rows: c.Rows, AverageTV: c.AverageTV}
	if math.IsNaN(c.AverageTV) {
		s.merged.AverageTV = -1
	}
	s.grouped = make([]bool, s.attrs)
	for _, a := range attrs {
		s.grouped[a] = true
	}
	for _, related := range relation.Together(&f.Domain) {
		s.related = s.related || s.grouped[f.Domain.Index(related[0])]
	}
	d := f.Domain
	d.Attributes = slices.Clone(d.Attributes)
	for _, a := range attrs { // a position in a bin must not depend on anything that differs within a group
		if c := d.Attributes[a].Coupling; c != nil && slices.ContainsFunc(c.Others(), func(b int) bool { return !s.grouped[b] }) {
			d.Attributes[a].Coupling = nil
		}
	}
	s.decoder = domain.NewDecoder(&d)
	return nil
}
