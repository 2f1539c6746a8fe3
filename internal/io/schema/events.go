package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"go.yaml.in/yaml/v3"
)

// events reads what is declared of a table of many rows per person, and makes the domain one of people.
func (r *reader) events(f *File, n *yaml.Node) {
	m, ok := r.mapping(n, "events", eventsKeys.names()...)
	if !ok {
		return
	}
	before := len(r.faults)
	person, usual := r.texts(m.values["person"], "events: person"), r.texts(m.values["usual"], "events: usual")
	least, most := r.rowsOfPeople(n, m)
	if f.Domain == nil {
		return
	}
	most = max(most, 1) // so that the other faults are found too
	cuts := domain.EqualRatioCuts(most)
	if least == 0 {
		cuts = slices.Insert(cuts, 0, 0)
	}
	d, err := f.Domain.WithEvents(person, usual, cuts, most)
	r.eventsFaults(n, m, err)
	d = r.ordered(d, n, m)
	if len(r.faults) == before {
		d.Attributes[d.Events.Columns].Beyond[1] = r.rowsBeyond(m.values["rows"])
		*f.Domain = *d
	}
}

// rowsBeyond reads whether people with more rows than are used are expected.
func (r *reader) rowsBeyond(n *yaml.Node) bool {
	return len(r.texts(valueOf(n, "beyond"), "events: rows: beyond")) > 0
}

// usualRows stands for the most rows of a person while they are to be found.
const usualRows = 100

// rowsOfPeople reads how many rows a person has at least and at most; 0 of those is a fault.
func (r *reader) rowsOfPeople(n *yaml.Node, m mapping) (least, most int64) {
	least = 1
	if !m.has("rows") {
		r.add(n, "events: no rows; say how many rows anybody is written with at most, such as rows: {max: 100}")
		return least, most
	}
	rows := m.values["rows"]
	of, ok := r.mapping(rows, "events: rows", rowsKeys.names()...)
	if !ok {
		return least, most
	}
	if !of.has("max") {
		r.add(rows, "events: rows: no max; say how many rows anybody is written with at most, such as rows: {max: 100}")
	} else if n := of.values["max"]; r.isFind(n, "events: rows: max") {
		if most = usualRows; r.open != nil {
			r.open.Rows, r.open.rows = true, n
		}
	} else {
		most = r.whole(n, "events: rows: max", "a whole number", domain.MaxRowsPerPerson)
	}
	if text, ok := r.text(of.values["min"], "events: rows: min"); ok {
		var err error
		if least, err = strconv.ParseInt(text, 10, 64); err != nil || least < 0 || least > 1 {
			r.add(of.values["min"], "events: rows: min: got %s; 0 is needed if people without rows exist, who come from a table of people, else 1", quote(text))
		}
	}
	return least, most
}

// ordered returns the domain of people with the order of their rows, if one is declared.
func (r *reader) ordered(d *domain.Domain, n *yaml.Node, m mapping) *domain.Domain {
	if !m.has("order") {
		for _, key := range []string{"previous", "strict"} {
			if m.has(key) {
				r.add(m.values[key], "events: %s: there is no order; add order: COLUMN, or leave it out", key)
			}
		}
		return d
	}
	q := domain.Sequence{Strict: r.flag(m.values["strict"], "events: strict"), Previous: r.texts(m.values["previous"], "events: previous")}
	column, ok := r.text(m.values["order"], "events: order")
	if q.Column = column; !ok {
		return d
	}
	ordered, err := d.WithSequence(q)
	if r.eventsFaults(n, m, err); err != nil {
		return d
	}
	return ordered
}

// eventsFaults notes what a domain refuses, at the key that says so.
func (r *reader) eventsFaults(n *yaml.Node, m mapping, err error) {
	if err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		at, text := n, strings.TrimPrefix(line, "domain: ")
		for _, key := range eventsKeys.names() {
			if m.values[key] != nil && strings.HasPrefix(text, "events: "+key+":") {
				at = m.values[key]
			}
		}
		r.add(at, "%s", text)
	}
}
