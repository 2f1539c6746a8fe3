package relation

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Table is one of the two tables that people and their rows are written as.
type Table struct {
	Domain  *domain.Domain // of its columns
	Columns []int          // which they are of domain.Domain.Written
}

// Tables returns the table of people, with a row for each, and the table of their rows, for a domain with Events that is
// valid. Both have the number of the person. A derived column is of people if all that it is computed from is;
// generated keys are of rows.
func Tables(d *domain.Domain) (people, rows Table) {
	records := d.Recorded()
	p := compile(records, nil, false)
	ofPerson := map[string]bool{}
	for _, name := range d.Events.Person {
		ofPerson[name] = true
	}
	for _, st := range p.steps { // each behind those that it needs
		all := len(st.uses) > 0
		for _, u := range st.uses {
			all = all && ofPerson[p.columns[u].Name]
		}
		ofPerson[p.columns[st.column].Name] = all
	}
	written := d.Written()
	people.Domain, rows.Domain = &domain.Domain{}, &domain.Domain{}
	for i, a := range written.Attributes {
		a.Coupling = nil // places change, and rows are decoded before
		for _, t := range []*Table{&people, &rows} {
			if a.Name == d.PrivacyID || ofPerson[a.Name] == (t == &people) {
				t.Domain.Attributes, t.Columns = append(t.Domain.Attributes, a), append(t.Columns, i)
			}
		}
	}
	rows.moveBehind(d.PrivacyID, d.KeyBehind)
	return people, rows
}

// moveBehind puts a column behind another one, if the table has both.
func (t *Table) moveBehind(name, other string) {
	from, to := t.Domain.Index(name), t.Domain.Index(other)
	if from < 0 || to < 0 {
		return
	}
	if from > to {
		to++
	}
	a, c := t.Domain.Attributes[from], t.Columns[from]
	t.Domain.Attributes = slices.Insert(slices.Delete(t.Domain.Attributes, from, from+1), to, a)
	t.Columns = slices.Insert(slices.Delete(t.Columns, from, from+1), to, c)
}

// Keep drops the columns of c that t lacks.
func (t *Table) Keep(c *domain.Chunk) {
	columns := lists.Of(t.Columns, func(from int) domain.Column { return c.Columns[from] })
	c.Columns = columns
}
