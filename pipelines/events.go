package pipelines

import (
	"context"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/condition"
	"github.com/dapple-dp/dapple/internal/relation"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/table"
)

// checkEvents refuses what a table of many rows per person cannot be asked for.
func checkEvents(d *domain.Domain, rows int64, fix string, f *Faults) {
	if d.Events == nil {
		return
	}
	if rows > 0 {
		f.add("--rows", fmt.Sprintf("got %d, and the domain file declares events: people are written, as many as the release says, each with rows of its own", rows), fix)
	}
}

// noRows reports whether people without rows exist. They are only in a table of people, so that there are two tables.
func noRows(d *domain.Domain) bool { return d.Events != nil && d.Events.NoRows }

// checkPeopleInput finds the table of people, if people without rows exist.
func checkPeopleInput(ctx context.Context, r *Request, f *Faults) {
	switch d := r.File.Domain; {
	case r.People == "" && noRows(d) && !r.planning:
		f.add("--people_input", "is required because the domain file declares rows: {min: 0}", "name the table of all people, or leave min out")
	case r.People != "" && !noRows(d):
		f.add("--people_input", "is for a domain file that declares events with rows: {min: 0, …}, people without rows", "declare so, or leave it out")
	case r.People != "":
		var err error
		if r.people, err = table.Find(ctx, r.People, r.Services); err != nil {
			f.add("--people_input", plainError(err), "")
		}
	}
}

// checkPeople refuses a condition on events.
func checkPeople(c *relation.Condition, d *domain.Domain, f *Faults) (ok bool) {
	names := condition.OfEvents(c, d)
	if len(names) > 0 {
		f.add("--where", fmt.Sprintf("names %s, which changes from row to row: people are chosen, with all of their rows", strings.Join(names, ", ")),
			"name columns of the person, or select rows of what is written")
	}
	return len(names) == 0
}

// checkLayout refuses what the target cannot hold of one table or two, before any budget is spent.
func checkLayout(ctx context.Context, t target, d *domain.Domain, two bool, f *Faults) {
	if two && d.Events == nil {
		f.add("--layout", "got two, and the domain file declares no events: there is one row for each person, and one table", "declare events, or leave it out")
		return
	}
	if d.Events != nil && t.write == "append" {
		f.add("--write", "append would mix up people: every run numbers them from 1, and rows of two runs would have the same numbers",
			"name another table, or replace what is there with --write=truncate")
		return
	}
	rows, people := publish.Tables(d, two)
	if t.output != "" {
		t.checkTable(ctx, rows, people, f)
	}
	t.checkFormat(rows, f)
	if people != nil {
		t.checkFormat(people, f)
	}
}
