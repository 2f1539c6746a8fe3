// Package rules finds what holds between the columns of a table: orders of two columns, sums of two or three others, and maps
// from one or two columns. What it finds is private.
package rules

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// Rule is what holds between columns: an order or a sum in every record, a map in nearly all that have listed values.
type Rule struct {
	Entry string  `json:"entry"`         // of constraints, without its map
	Map   string  `json:"map,omitempty"` // what follows from each value, or each pair of values
	Part  float64 `json:"part"`          // of the records that it holds in, rounded down
	rest  string  // why it holds in no others
}

// String returns the whole entry.
func (r Rule) String() string {
	if r.Map != "" {
		return "{" + r.Entry + ", map: " + r.Map + "}"
	}
	return "{" + r.Entry + "}"
}

// Holds says in which records the rule holds.
func (r Rule) Holds() string {
	if r.Part == 1 {
		return "in every record"
	}
	return fmt.Sprintf("in %.4g %% of records", 100*r.Part) + r.rest
}

// candidate is something that may hold between columns.
type candidate struct {
	entry string
	x     int // the column that follows from the others; −1 for an order
	uses  []int
	holds func(columns []domain.Column, row int) bool // none of the columns above is NULL there
	seen  int                                         // records that it was tried on
	wrong int                                         // among them, in which a map does not hold
	rest  int                                         // records with a value that a map does not list
	to    images                                      // of a map
	keys  int                                         // values, or pairs of values, that a map has to have, and one for what is not listed
}

const (
	// MostRelated is how many columns of a table, its first ones, are compared in pairs.
	MostRelated = 200

	mostNumbers = 24  // numbers that are tried as sums of others, and texts that are tried in pairs
	mostListed  = 100 // values of a column that a map lists
	leastSeen   = 20  // records that show a rule, and of a map each value
)

// Search takes the records of a table, and drops what does not hold, may hold by chance, or is declared.
type Search struct {
	d     *domain.Domain  // the columns that take part, by their values
	at    []int           // where they are in a chunk
	plan  *relation.Plan  // reads a column as numbers
	known map[[2]int]bool // the first column is declared to be at most the second
	list  []*candidate
}

// New returns a search in a table whose columns are the first ones of its chunks. It compares at most MostRelated of them, without
// those that all rows of a person share.
func New(d *domain.Domain, e *domain.Events) (*Search, error) {
	s := &Search{d: &domain.Domain{}, known: map[[2]int]bool{}}
	for i, a := range d.Attributes[:min(d.Len(), MostRelated)] {
		if e == nil || !slices.Contains(e.Person, a.Name) { // they are not to be computed
			s.take(i, a)
		}
	}
	for _, o := range d.Orders {
		for k, name := range o.Columns[1:] {
			s.known[[2]int{s.d.Index(o.Columns[k]), s.d.Index(name)}] = true
		}
	}
	s.candidates()
	var err error
	s.plan, err = relation.New(s.d)
	return s, err
}

// take makes a column take part: a text of a few categories, or a number, date or time of several values.
func (s *Search) take(at int, a domain.Attribute) {
	x, cuts := domain.Attribute{Name: a.Name, Type: a.Type}, a.Cuts
	for i := 0; i < len(a.Values) && isNumber(&a); i++ {
		v, _ := a.ParseNative(a.Values[i])
		cuts = append(cuts[:i:i], v) // it has no range
	}
	switch {
	case a.Type == domain.String && len(a.Values) > 1 && len(a.Values) <= mostListed:
		x.Values, x.Other = a.Values, a.Other
	case a.Type != domain.Bool && len(cuts) > 1 && slices.Min(cuts) < slices.Max(cuts):
		x.Scale, x.Resolution, x.Cuts = a.Scale, 1, []int64{slices.Min(cuts), slices.Max(cuts)}
	default:
		return
	}
	s.d.Attributes, s.at = append(s.d.Attributes, x), append(s.at, at)
}

// candidates lists what is to be tried, of several for one column the simpler ones first.
func (s *Search) candidates() {
	var numbers, texts []int
	for x, a := range s.d.Attributes {
		if isNumber(&a) {
			numbers = append(numbers, x)
		} else if a.Type == domain.String {
			texts = append(texts, x)
		}
		for y := range s.d.Attributes {
			s.order(x, y)
			s.mapping(x, y)
		}
	}
	numbers, texts = numbers[:min(len(numbers), mostNumbers)], texts[:min(len(texts), mostNumbers)]
	s.sums(numbers, 0)
	for i, y := range texts {
		for _, z := range texts[i+1:] {
			for _, x := range slices.Concat(numbers, texts) {
				s.mapping(x, y, z)
			}
		}
	}
}

// Add takes the records of a chunk. It drops the candidates that some of them break; of a context that is done, some of these.
func (s *Search) Add(ctx context.Context, c *domain.Chunk) {
	own := domain.Chunk{Rows: c.Rows}
	for _, at := range s.at {
		own.Columns = append(own.Columns, c.Columns[at])
	}
	columns := s.plan.Columns(&own)
	s.list = slices.DeleteFunc(s.list, func(x *candidate) bool {
		for row := 0; row < c.Rows && ctx.Err() == nil; row++ {
			if !s.add(x, columns, row) {
				return true
			}
		}
		return false
	})
}

// add tries a candidate on a row, where what follows is NULL if what it follows from is.
func (s *Search) add(x *candidate, columns []domain.Column, row int) bool {
	null := func(k int) bool { return columns[k].Form == domain.Absent || columns[k].Null(row) }
	unlisted := func(k int) bool {
		return !null(k) && s.d.Attributes[k].Other && columns[k].Ints[row] == int64(len(s.d.Attributes[k].Values))
	}
	switch unknown := slices.ContainsFunc(x.uses, null); {
	case slices.ContainsFunc(x.uses, unlisted):
		x.rest++
		return true
	case x.x >= 0 && (unknown != null(x.x) || unlisted(x.x)):
		return false
	case unknown:
		return true
	}
	x.seen++
	return x.holds(columns, row)
}

// Found returns the rules that are proposed: one for a column, none that goes in a circle, and no order that follows from others
// or between columns that do.
func (s *Search) Found() (out []Rule) {
	from := map[int][]int{}
	var needs func(a, b int) bool // b, to compute a
	needs = func(a, b int) bool {
		return a == b || slices.ContainsFunc(from[a], func(u int) bool { return needs(u, b) })
	}
	slices.SortStableFunc(s.list, func(a, b *candidate) int { return cmp.Compare(min(a.wrong, 1), min(b.wrong, 1)) })
	var orders []*candidate
	for _, x := range s.list {
		circle := slices.ContainsFunc(x.uses, func(u int) bool { return needs(u, x.x) })
		switch {
		case x.seen < leastSeen*max(len(x.to), 1):
		case x.x < 0:
			orders = append(orders, x)
		case from[x.x] != nil || circle:
		default:
			if r, ok := s.rule(x); ok {
				from[x.x], out = x.uses, append(out, r)
			}
		}
	}
	before := maps.Clone(s.known)
	for _, x := range orders {
		before[[2]int(x.uses)] = from[x.uses[0]] == nil && from[x.uses[1]] == nil
	}
	for _, x := range orders {
		a, b := x.uses[0], x.uses[1]
		implied := s.known[[2]int{a, b}] || !before[[2]int{a, b}] || before[[2]int{b, a}]
		for k := range s.d.Attributes {
			implied = implied || before[[2]int{a, k}] && before[[2]int{k, b}]
		}
		if !implied {
			out = append(out, Rule{Entry: x.entry, Part: 1})
		}
	}
	return out
}

// rule writes what holds, and in which part of the records. A map has to hold in nearly all that have listed values, and the most
// frequent value alone to be wrong ten times as often; one of two columns has to have records with another.
func (s *Search) rule(x *candidate) (r Rule, ok bool) {
	r = Rule{Entry: x.entry, Part: math.Floor(1e4*float64(x.seen-x.wrong)/float64(x.seen+x.rest)) / 1e4}
	if x.to == nil {
		return r, true
	}
	if x.rest > 0 {
		r.rest = "; most others have values that are not listed"
	}
	usual, others := x.to.usual()
	if r.Map = s.mapped(x, 0, [2]int64{}); len(x.to) < x.keys {
		r.Entry += ", else: " + s.value(x.x, usual)
	}
	nearly := x.wrong == 0 || float64(x.wrong) < (1-leastMapped)*float64(x.seen) && 10*x.wrong < others
	return r, nearly && (len(x.uses) < 2 || others >= leastSeen)
}
