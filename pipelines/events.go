package pipelines

import (
	"context"
	"fmt"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/beamrun/cause"
	"github.com/dapple-dp/dapple/internal/model/condition"
	"github.com/dapple-dp/dapple/internal/relation"
	"github.com/dapple-dp/dapple/internal/release/publish"
	"github.com/dapple-dp/dapple/io/table"
	"github.com/dapple-dp/dapple/transforms/synth"
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
			f.add("--people_input", cause.Text(err), "")
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

// checkMinCount finds the faults of a request for a least number of rows of each combination. With 0 rows their number is
// not known, and about expected, if that is given.
func checkMinCount(m synth.MinCount, rows, expected int64, d *domain.Domain, f *Faults) {
	switch {
	case d.Events != nil && (m.Rows > 0 || len(m.Columns) > 0):
		f.add("--min_count", "rows of one person are not merged with those of others: it does not go with events", "leave it out")
		return
	case m.Rows == 0 && len(m.Columns) > 0:
		f.add("--min_count", "is required by --min_count_columns: how many rows a combination of them has to have", "")
	case rows > 0 && m.Rows > rows:
		f.add("--min_count", fmt.Sprintf("got %d for --rows=%d; no combination can be in so many", m.Rows, rows), "")
	case rows == 0 && expected > 0 && m.Rows > expected:
		f.add("--min_count", fmt.Sprintf("got %d for %d expected rows; no combination can be in so many", m.Rows, expected), "")
	}
	if err := m.Validate(d); err != nil {
		f.add("--min_count_columns", strings.TrimPrefix(err.Error(), "synth: MinCount: "), "the columns are "+strings.Join(d.Names(), ", "))
	}
}

// columnsOf names them for a sentence.
func columnsOf(m synth.MinCount) string {
	if len(m.Columns) == 0 {
		return "all columns"
	}
	return strings.Join(m.Columns, ", ")
}
