// Package condition makes models of the rows that meet a condition.
package condition

import (
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/population"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// maxParts bounds the records of a restricted model.
const maxParts = 1 << 24

// Restricted is a model of the rows that meet a condition, over cells whose records all meet the condition, or all fail it.
type Restricted struct {
	Domain  *domain.Domain
	Model   *population.Model
	Coupled bool // the condition links columns, so that rows have to be records of the model
	Share   float64
}

// Restrict returns what is left of a model over d under a condition. Cells that it cuts through are split, and hold what
// the model says of the values inside them.
func Restrict(c *relation.Condition, d *domain.Domain, m *population.Model) (*Restricted, error) {
	out := &Restricted{Domain: new(domain.Domain), Coupled: c.Links()}
	*out.Domain = *d
	out.Domain.Attributes = slices.Clone(d.Attributes)
	s := &splitter{c: c, parts: make([][][]part, d.Len()), m: m}
	split := false
	for a := range d.Attributes {
		at := &out.Domain.Attributes[a]
		if c.Names(a) {
			s.columns = append(s.columns, a)
			fine, of, share := c.Split(a, at)
			split = split || fine.Size() != at.Size()
			s.parts[a] = make([][]part, at.Size())
			for code, old := range of {
				s.parts[a][old] = append(s.parts[a][old], part{domain.Code(code), share[code]})
			}
			*at = *fine
			out.Domain.Recouple(a, of)
		}
		s.attrs = append(s.attrs, at)
	}
	out.Domain.StructuralZeros = s.zeros(d.StructuralZeros)
	if !split {
		out.Model = s.weigh()
	} else {
		if len(d.Orders) > 0 || len(d.Dates) > 0 {
			plan, err := relation.New(out.Domain)
			if err != nil {
				return nil, err
			}
			s.plan, out.Coupled = plan, true
		}
		var err error
		if out.Model, err = s.list(); err != nil {
			return nil, err
		}
	}
	out.Model.StructuralZeros = out.Domain.StructuralZeros
	out.Share = out.Model.Total() / m.Total()
	return out, nil
}

// part is a part of a cell.
type part struct {
	code  domain.Code
	share float64
}

// splitter makes the records of a restricted model.
type splitter struct {
	c       *relation.Condition
	m       *population.Model
	attrs   []*domain.Attribute
	columns []int      // that the condition names
	parts   [][][]part // of each cell of those
	plan    *relation.Plan
}

// weigh returns the model with no weight where the condition is not met; no cell is split.
func (s *splitter) weigh() *population.Model {
	r := &population.Model{Sizes: s.m.Sizes, Columns: s.m.Columns, Weights: slices.Clone(s.m.Weights)}
	record := make([]domain.Code, len(s.m.Sizes))
	for i := range r.Weights {
		if s.m.Record(i, record); !s.c.Meets(s.attrs, record) {
			r.Weights[i] = 0
		}
	}
	return r
}

// list returns the records that meet the condition, with the parts of cells that they are cut into.
func (s *splitter) list() (*population.Model, error) {
	r := &population.Model{Columns: make([][]domain.Code, len(s.attrs))}
	for _, a := range s.attrs {
		r.Sizes = append(r.Sizes, a.Size())
	}
	record := make([]domain.Code, len(s.attrs))
	var cut func(k int, w float64)
	cut = func(k int, w float64) {
		if k < len(s.columns) {
			a := s.columns[k]
			whole := record[a]
			for _, p := range s.parts[a][whole] {
				record[a] = p.code
				cut(k+1, w*p.share)
			}
			record[a] = whole
			return
		}
		if w == 0 || len(r.Weights) > maxParts || !s.c.Meets(s.attrs, record) || s.plan != nil && !s.plan.Possible(record) {
			return
		}
		r.Weights = append(r.Weights, w)
		for a, code := range record {
			r.Columns[a] = append(r.Columns[a], code)
		}
	}
	for i, w := range s.m.Weights {
		if w > 0 {
			s.m.Record(i, record)
			cut(0, w)
		}
	}
	if len(r.Weights) > maxParts {
		return nil, fmt.Errorf("it cuts the records of the model into more than %d parts; compare with fewer values", maxParts)
	}
	return r, nil
}

// zeros returns exclusions on the parts of the cells that they name.
func (s *splitter) zeros(x domain.Exclusions) domain.Exclusions {
	out := make(domain.Exclusions, len(x))
	for i, e := range x {
		out[i] = domain.Exclusion{Clique: e.Clique, Codes: slices.Clone(e.Codes)}
		for k, a := range e.Clique {
			if s.parts[a] == nil {
				continue
			}
			out[i].Codes[k] = nil
			for _, code := range e.Codes[k] {
				for _, p := range s.parts[a][code] {
					out[i].Codes[k] = append(out[i].Codes[k], p.code)
				}
			}
			slices.Sort(out[i].Codes[k])
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// OfEvents returns the columns of events that a condition names. It selects people, and each keeps all of its rows.
func OfEvents(c *relation.Condition, d *domain.Domain) (names []string) {
	if d.Events == nil {
		return nil
	}
	for a := range d.Attributes {
		if c.Names(a) && !d.OfPerson(a) {
			names = append(names, d.Attributes[a].Name)
		}
	}
	return names
}
