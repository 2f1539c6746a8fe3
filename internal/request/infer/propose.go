package infer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/request/rules"
)

// ErrNothing says that no column of a table has cells that could be proposed.
var ErrNothing = errors.New("infer: no column has values to propose cells from; write the domain file by hand, or leave out --from_data")

// Propose returns the text of a domain file. From data it is valid, and every line of it is private.
func (s *Source) Propose(ctx context.Context) ([]byte, error) {
	var tallies map[string]*tally
	var people *histories
	whole := *s // with the columns of people
	if s.FromData {
		var err error
		if tallies, people, err = s.tally(ctx); err != nil {
			return nil, err
		}
	}
	if p := s.parents; p != nil {
		whole.columns = slices.Concat(p.columns, s.columns)
		if s.FromData {
			of, _, err := p.tally(ctx)
			if err != nil {
				return nil, err
			}
			maps.Copy(tallies, of)
			s.Units = p.Units
		}
	}
	whole.Units = s.Units
	whole.question = whole.long(tallies)
	marked := whole.nullMarks(tallies)
	lines, err := s.lines(ctx, whole.columns, tallies)
	if err != nil {
		return nil, err
	}
	if s.FromData && !slices.ContainsFunc(lines, func(p proposal) bool { return !p.out && s.has(p.name) }) {
		return nil, ErrNothing
	}
	if s.FromData && s.parents != nil && !slices.ContainsFunc(lines, func(p proposal) bool { return !p.out && s.parents.has(p.name) }) {
		return nil, s.parents.noColumns()
	}
	written := whole.written(lines, tallies) // and rules read the cells so
	order := s.order(people, lines)
	between, err := s.related(ctx, whole.csv, lines)
	if err != nil {
		return nil, err
	}
	csv, persons := whole.csvLine(marked, written), s.persons(tallies)
	for {
		events, derived := s.events(people, lines, order)
		text := []byte(whole.file(lines, persons, between, events, derived) + csv)
		if _, err := schema.Parse("proposed", text); err == nil || order == "" {
			return text, nil
		}
		order = "" // it has bins
	}
}

// related proposes the constraints of both tables, between columns that are as the lines say.
func (s *Source) related(ctx context.Context, csv schema.CSV, lines []proposal) (list []rules.Rule, err error) {
	for _, of := range []*Source{s.parents, s} {
		if of == nil || !s.FromData {
			continue
		}
		d, err := parsed(slices.DeleteFunc(slices.Clone(lines), func(p proposal) bool { return p.out || !of.has(p.name) })...)
		if err != nil {
			continue // no column is left
		}
		search, err := rules.New(d, nil)
		if err != nil {
			return nil, err
		}
		if err := of.table.Each(ctx, d, csv, func(c *domain.Chunk) error { search.Add(ctx, c); return ctx.Err() }); err != nil {
			return nil, err
		}
		list = append(list, search.Found()...)
	}
	return list, nil
}

// lines proposes each column but the privacy ID, and notes those that are left out, and those that may be keys.
func (s *Source) lines(ctx context.Context, columns []table.Column, tallies map[string]*tally) (lines []proposal, err error) {
	s.Doubts = Doubts{}
	for _, c := range columns {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case c.Name == s.PrivacyID && c.Name != "":
			continue
		case c.Fault != "":
			lines = append(lines, proposal{name: c.Name, out: true, review: "left out: " + c.Fault})
		case s.FromData:
			lines = append(lines, s.fromData(tallies[c.Name]))
		default:
			lines = append(lines, fromSchema(c))
		}
		switch p := lines[len(lines)-1]; {
		case p.key:
			s.Doubts.Keys = append(s.Doubts.Keys, p.name)
		case p.out && p.name != "":
			s.Doubts.LeftOut = append(s.Doubts.LeftOut, p.name)
		}
	}
	return lines, nil
}

// file lays out a domain file, but for the form of CSV.
func (s *Source) file(lines []proposal, persons []string, between []rules.Rule, events string, derived []string) string {
	var b strings.Builder
	b.WriteString(yamltext.ForEditors)
	if s.FromData {
		b.WriteString("# NOT PRIVATE: derived_from_data lists what was read off the table. Replace it by what is known without the table,\n" +
			"# and delete the line of each column that you have reviewed. A release repeats what is left.\n")
		b.WriteString(derivedFacts(lines, derived))
		if len(lines) > rules.MostRelated {
			fmt.Fprintf(&b, "# Constraints were looked for between the first %d columns of the table alone.\n", rules.MostRelated)
		}
	} else {
		b.WriteString("# Proposed from the names and types of the columns; no row was read. It is not complete: put what each\n" +
			"# comment \"review:\" asks for on its line. What a column with a type lacks can be left out: synth finds it within its budget.\n" +
			"# Or let --from_data read the rows and propose all of it.\n")
	}
	switch {
	case s.unnamed:
		b.WriteString("# review: the names of the columns are those that the records have\n")
	case s.untyped:
		b.WriteString("# review: the names of the columns are the first line of the file\n")
	}
	if question := s.question; question != "" {
		fmt.Fprintf(&b, "# review: %s\n", question)
	}
	if s.PrivacyID != "" {
		fmt.Fprintf(&b, "privacy_id: %s\n", yamltext.Plain(s.PrivacyID))
	} else {
		fmt.Fprintf(&b, "privacy_id: %s  # every record is protected by itself\n", schema.NoPrivacyID)
		for _, question := range persons {
			fmt.Fprintf(&b, "# review: %s\n", question)
		}
	}
	if s.FromData {
		fmt.Fprintf(&b, "expected_rows: %d  # %s, for planning\n", max(s.Units, 1), s.units())
	} else {
		fmt.Fprintf(&b, "# expected_rows: N  # review: about how many %s are publicly known, for planning\n", s.units())
	}
	b.WriteString(legend(lines))
	b.WriteString("columns:\n")
	for _, p := range lines {
		b.WriteString(p.String())
	}
	if len(between) > 0 {
		b.WriteString("# constraints:  # review: these hold in every record; take the # off those that are rules, and values, min and max out of columns that follow\n")
	}
	for _, rule := range between {
		part := ""
		if rule.Part < 1 {
			part = "  # " + rule.Holds()
		}
		fmt.Fprintf(&b, "#   - %v%s\n", rule, part)
	}
	return b.String() + events
}

// units are those that are protected, in a word.
func (s *Source) units() string {
	if s.PrivacyID == "" {
		return "records"
	}
	return "people"
}

// derivedFacts is the key that lists what was read off the data.
func derivedFacts(lines []proposal, events []string) string {
	b := "derived_from_data:\n"
	for _, p := range lines {
		if len(p.derived) == 0 || p.name == "" {
			continue
		}
		b += fmt.Sprintf("  %s: %s\n", yamltext.Quoted(p.name), yamltext.List(p.derived, yamltext.Plain))
	}
	if events != nil {
		b += fmt.Sprintf("  %s: %s\n", yamltext.Quoted(schema.DerivedEvents), yamltext.List(events, yamltext.Plain))
	}
	return b + fmt.Sprintf("  %s: [the first digit]\n", yamltext.Quoted(schema.DerivedRows))
}
