package answer

import (
	"fmt"
	"regexp"
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

// Mean answers the mean of a column: of rows, or of people for a column of the person. ok is false if it has no numbers, or
// noise hides the mean.
func (r *Release) Mean(column int) (a Answer, ok bool) {
	attr, of := &r.Domain.Attributes[column], "rows"
	if e := r.Domain.Events; e != nil {
		if r.Domain.OfPerson(column) {
			of = "people"
		}
		if e.Sequence != nil && column >= e.Before(0) { // what a row remembers of the one before, in cells of its own
			return a, false
		}
	}
	if attr.Type == domain.String || attr.Type.Facts().Calendar {
		return a, false
	}
	q, err := Parse(fmt.Sprintf("SELECT AVG(%s) FROM %s", quoted(attr.Name), of))
	if err != nil {
		return a, false
	}
	list, err := r.Answer(q, Options{})
	if err != nil || list[0].Hidden > 0 {
		return a, false
	}
	return list[0], true
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
