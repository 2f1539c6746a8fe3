package infer

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/cellkind"
	"github.com/dapple-dp/dapple/io/schema"
)

// usualDates is how dates are written that need no form.
const usualDates schema.Written = "2024-12-31"

// ways are the forms in which the dates of a column are written.
type ways struct {
	usual  bool             // some cell
	forms  []schema.Written // each reads a cell that those before it do not
	either bool             // some cell can have its day first, or its month
	none   bool             // some cell is no date
	text   []byte           // memory
}

// add takes a cell, which may be a date in any form.
func (w *ways) add(cell []byte) {
	if w.none {
		return
	}
	cell = bytes.TrimSpace(cell)
	if w.reads(usualDates, cell) {
		w.usual = true
		return
	}
	if w.reads(schema.DayFirst, cell) && w.reads(schema.MonthFirst, cell) {
		w.either = true
		return
	}
	i := slices.IndexFunc(schema.WrittenForms, func(form schema.Written) bool { return w.reads(form, cell) })
	if w.none = i < 0; !w.none && !slices.Contains(w.forms, schema.WrittenForms[i]) {
		w.forms = append(w.forms, schema.WrittenForms[i])
	}
}

// reads reports whether a cell is a date in a form.
func (w *ways) reads(form schema.Written, cell []byte) bool {
	if form != usualDates {
		var ok bool
		if w.text, ok = form.Canonical(w.text, cell, cellkind.LatestShort); !ok {
			return false
		}
		cell = w.text
	}
	return len(cell) <= 64 && cellkind.Moment(string(cell)) != text
}

// list returns all forms of a column that is read in one of them, or in none.
func (w *ways) list(read *reading) (names []string) {
	forms := slices.Clone(w.forms)
	switch {
	case w.none:
		return nil
	case read != nil:
		forms = []schema.Written{read.Written}
	case w.either && !slices.Contains(forms, schema.DayFirst) && !slices.Contains(forms, schema.MonthFirst):
		forms = append(forms, schema.DayFirst)
	}
	if w.usual {
		forms = append(forms, usualDates)
	}
	for _, form := range forms {
		names = append(names, string(form))
	}
	slices.Sort(names)
	return names
}

// look notes of a cell what only a person can decide on.
func (t *tally) look(cell []byte) {
	if t.typed {
		return
	}
	if cellkind.IsLetter(cell) {
		value, _ := truths.ParseNative(string(cell))
		t.letters[value] = true
	}
	t.blanks = t.blanks || len(bytes.TrimSpace(cell)) < len(cell)
	t.ways.add(cell)
}

// asks returns the questions on how the cells of a column are written, one after the other.
func (t *tally) asks() string {
	questions := []string{}
	if t.question != "" {
		questions = append(questions, t.question+" (csv: written)")
	}
	if names := t.ways.list(t.form); len(names) > 1 {
		then := ": is each read as it is meant?"
		if t.typ == domain.String {
			then = ": write all in one way, or they stay texts"
		}
		questions = append(questions, "dates are written in several ways, such as "+strings.Join(names, " and ")+then)
	}
	if t.typ == domain.Bool && t.letters[0] && t.letters[1] {
		questions = append(questions, "t and f are read as truth values, and written as true and false")
	}
	if t.typ == domain.String && t.blanks {
		questions = append(questions, "some values begin or end with blanks: csv: {trim: true} takes them off")
	}
	return strings.Join(append(questions, t.asksForm()...), "; ")
}

// asksForm returns the questions on the form that was taken.
func (t *tally) asksForm() (questions []string) {
	if t.form == nil {
		return nil
	}
	if t.form.short {
		questions = append(questions, "years of two digits are read as the last ones up to that of max: which is it?")
	}
	units := slices.Sorted(maps.Keys(t.form.units))
	if slices.Contains(units, "%") {
		questions = append(questions, "12 % is read as 12")
	}
	if len(units) > 1 {
		questions = append(questions, "they have several units: "+strings.Join(units, ", "))
	}
	return questions
}
