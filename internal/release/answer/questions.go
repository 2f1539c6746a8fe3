package answer

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
)

// mostCells that a column has whose groups are asked about for a first look.
const mostCells = 6

// Questions returns a few questions in SQL that suit a table: how many, shares of groups, means, and means by group.
func Questions(d *domain.Domain) []string {
	group, number := "", ""
	for i := range d.Attributes {
		switch a := &d.Attributes[i]; {
		case group == "" && len(a.Values) > 1 && a.Size() <= mostCells:
			group = quoted(a.Name)
		case number == "" && len(a.Cuts)+len(a.FloatCuts) > 0 && !a.Type.Facts().Calendar:
			number = quoted(a.Name)
		}
	}
	list := []string{"SELECT COUNT(*) FROM rows"}
	if group != "" {
		list = append(list, fmt.Sprintf("SELECT %[1]s, SHARE(*) FROM rows GROUP BY %[1]s", group))
	}
	if number != "" {
		list = append(list, fmt.Sprintf("SELECT AVG(%[1]s), MEDIAN(%[1]s) FROM rows", number))
	}
	if group != "" && number != "" {
		list = append(list, fmt.Sprintf("SELECT %[1]s, AVG(%[2]s) FROM rows GROUP BY %[1]s", group, number))
	}
	return list
}

// Means returns the mean of each column, of rows, or of people for a column of the person. A mean is not known if the column
// has no numbers, or noise hides it.
func (r *Release) Means() []Mean {
	list := make([]Mean, r.Domain.Len())
	for i := range list {
		of := "rows"
		if e := r.Domain.Events; e != nil {
			if r.Domain.OfPerson(i) {
				of = "people"
			}
			if e.Sequence != nil && i >= e.Before(0) { // what a row remembers of the one before, in cells of its own
				continue
			}
		}
		list[i] = r.mean(&r.Domain.Attributes[i], of)
	}
	return list
}

func (r *Release) mean(attr *domain.Attribute, of string) Mean {
	if attr.Type == domain.String || attr.Type.Facts().Calendar {
		return Mean{}
	}
	list, err := r.ask(fmt.Sprintf("SELECT AVG(%s) FROM %s", quoted(attr.Name), of))
	if err != nil || list[0].Hidden > 0 {
		return Mean{}
	}
	return Mean{Known: true, Value: list[0].Value, Half: max(list[0].High-list[0].Value, list[0].Value-list[0].Low), Range: list[0].Range}
}

func (r *Release) ask(sql string) ([]Answer, error) {
	q, err := Parse(sql)
	if err != nil {
		return nil, err
	}
	return r.Answer(q, Options{})
}

// Miss returns the total variation that the standard errors of a table of columns predict between its people and the model's: half of
// the mean absolute error of each cell, which is .4 of its standard error, and no more than half of its people, as there are not fewer
// than 0. It is not known if noise hides a cell.
func (r *Release) Miss(columns []string) (tv float64, ok bool) {
	names := slices.Clone(columns)
	for i := range names {
		names[i] = quoted(names[i])
	}
	list := strings.Join(names, ", ")
	q, err := Parse("SELECT " + list + ", COUNT(*) FROM rows GROUP BY " + list)
	if err != nil {
		return 0, false
	}
	v, err := r.look(q)
	if err != nil || v.fill() != nil {
		return 0, false
	}
	cells, _ := v.groups()
	step := 1 + len(cells)/mostSampled
	for i := 0; i < len(cells); i += step {
		c := v.answer(cells[i], &q.Items[0])
		tv += float64(step) * min(.4*c.StandardError, .5*c.Value) / r.Units
	}
	return min(tv, 1), !math.IsNaN(tv)
}

// mostSampled is about how many cells of a table are asked for: evenly chosen ones stand for all.
const mostSampled = 100

// Sum is the column that a gap stands for, with the shares of its cells and half of their 95 % intervals.
type Sum struct {
	Gap            int // in Domain.Gaps
	Column         *domain.Attribute
	Shares, Halves []float64
	Mean           Mean
}

// Sums returns the columns that gaps stand for, as questions about them are answered, but for those that noise hides.
func (r *Release) Sums() (list []Sum) {
	for i := range r.Domain.Gaps {
		if s, ok := r.sum(i); ok {
			list = append(list, s)
		}
	}
	return list
}

func (r *Release) sum(i int) (s Sum, ok bool) {
	s.Gap, s.Column = i, &withSums(r.Domain).Attributes[r.Domain.Len()+i]
	of := "rows"
	if r.Domain.Events != nil && r.Domain.OfPerson(r.Domain.Gaps[i].Place) {
		of = "people"
	}
	name := quoted(s.Column.Name)
	all, err := r.ask("SELECT COUNT(*) FROM " + of)
	if err != nil || all[0].Hidden > 0 || all[0].Value <= 0 {
		return s, false
	}
	list, err := r.ask(fmt.Sprintf("SELECT %s, COUNT(*) FROM %s GROUP BY %s", name, of, name))
	if err != nil {
		return s, false
	}
	s.Shares, s.Halves = make([]float64, s.Column.Size()), make([]float64, s.Column.Size())
	for c := range s.Shares {
		k := slices.IndexFunc(list, func(a Answer) bool { return a.Group[0] == s.Column.Label(domain.Code(c)) })
		if k >= 0 {
			s.Shares[c], s.Halves[c] = list[k].Value/all[0].Value, max(list[k].High-list[k].Value, list[k].Value-list[k].Low)/all[0].Value
		}
	}
	s.Mean = r.mean(s.Column, of)
	return s, true
}

var (
	plain    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	reserved = regexp.MustCompile(`(?i)^(select|from|where|group|having|order|limit|by|as|and|or|not|in|is|null|between|like|true|false|asc|desc)$`)
)

// quoted returns the name of a column as it stands in SQL.
func quoted(name string) string {
	if plain.MatchString(name) && !reserved.MatchString(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
