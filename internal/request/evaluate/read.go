package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/request/rules"
)

// ReadTrue reads a true table, as a request does.
func ReadTrue(ctx context.Context, input string, f *schema.File, o table.Options) (*Table, error) {
	s, err := findSource(ctx, input, o)
	if err == nil {
		err = s.check(ctx, f, true)
	}
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	return s.read(ctx, nil)
}

// source is a table that has been found and is not read yet: a file, a pattern such as dir/*.parquet, a released directory,
// bq://project.dataset.table. A true table has the form that the domain file declares, and one record of each privacy unit, or
// with events all of them (see Builder). Every row of a synthetic table counts. Errors name files and columns, never a value.
type source struct {
	table  table.Source
	domain *domain.Domain
	form   schema.CSV
	people bool // all rows of a person are read

	derived []domain.Attribute // columns computed from others that are read too

	parents table.Source // of the columns of people, if they are in a table of their own
	events  *domain.Events
}

// findSource finds a table; of many rows per person it may be two that a run has written.
func findSource(ctx context.Context, input string, o table.Options) (*source, error) {
	t, parents, err := table.FindTwo(ctx, input, o)
	return &source{table: t, parents: parents}, err
}

// check compares the columns with the columns of the file, for a true table or a synthetic one. The rows of a run are
// synthetic, whatever they are named as.
func (s *source) check(ctx context.Context, f *schema.File, real bool) error {
	s.people = f.Domain.Events != nil
	s.domain = finer(f.Domain.Recorded())
	t, ok := s.table.(*table.Files)
	if ok {
		for _, f := range t.Files {
			if f.Once {
				return fmt.Errorf("%s: not a regular file, and this table is read several times; write it to a file first", f.Name)
			}
		}
	}
	if real && !(ok && t.OfRun()) {
		s.form = f.CSV
	} else {
		s.form.Header = true
		if !s.people { // whose numbers are in the synthetic table too
			s.domain.PrivacyID = ""
		}
	}
	if s.parents == nil {
		return s.table.Check(ctx, s.domain, s.form)
	}
	if s.events = f.Domain.Events; s.events == nil {
		return errors.New("there are two tables, of people and of their rows, and the domain file declares no events")
	}
	people, rows, _ := split(s.domain, s.events)
	return errors.Join(s.parents.Check(ctx, people, s.formOfPeople()), s.table.Check(ctx, rows, s.form))
}

// with returns the domain of the table with columns more.
func (s *source) with(columns ...domain.Attribute) *domain.Domain {
	d := *s.domain
	d.Attributes = slices.Concat(d.Attributes, columns)
	return finer(&d)
}

// shareDerived makes sources read those derived columns that all of them have.
func shareDerived(ctx context.Context, list []domain.Derived, sources ...*source) {
	sources = slices.DeleteFunc(sources, func(s *source) bool { return s == nil })
	if slices.ContainsFunc(sources, func(s *source) bool { return s.parents != nil }) {
		return // people and rows are in two tables
	}
	for _, x := range list {
		if slices.ContainsFunc(sources, func(s *source) bool { return s.table.Check(ctx, s.with(x.Column), s.form) != nil }) {
			continue
		}
		for _, s := range sources {
			s.derived = append(s.derived, s.with(x.Column).Attributes[s.domain.Len()])
		}
	}
}

func (s *source) formOfPeople() schema.CSV { return s.form.WithHeader() }

// read reads all rows, and passes them to a search, unless it is nil or people are in a table of their own. Call check before.
func (s *source) read(ctx context.Context, search *rules.Search) (*Table, error) {
	b := NewBuilder(s.domain, s.derived...)
	if s.people {
		b = NewPeopleBuilder(s.domain, s.derived...)
	}
	err := error(nil)
	if s.parents != nil {
		err = s.join(ctx, b)
	} else {
		err = s.each(ctx, s.table, s.with(s.derived...), s.form, func(c *domain.Chunk) {
			if b.Add(c); search != nil {
				search.Add(ctx, c)
			}
		})
	}
	if err != nil {
		return nil, fmt.Errorf("evaluate: %w", err)
	}
	return b.Table(), nil
}

// each passes the chunks of a table to add.
func (s *source) each(ctx context.Context, t table.Source, d *domain.Domain, form schema.CSV, add func(*domain.Chunk)) error {
	return t.Each(ctx, d, form, func(chunk *domain.Chunk) error {
		add(chunk)
		return ctx.Err()
	})
}

// join reads people, and then their rows.
func (s *source) join(ctx context.Context, b *Builder) error {
	people, rows, p := split(s.domain, s.events)
	if err := s.each(ctx, s.parents, people, s.formOfPeople(), func(c *domain.Chunk) { p.add(b, c) }); err != nil {
		return err
	}
	encoder := domain.NewEncoder(rows)
	err := s.each(ctx, s.table, rows, s.form, func(c *domain.Chunk) { b.addRows(c, p, encoder) })
	if err == nil && s.events.NoRows {
		b.addWithout(p)
	}
	return err
}
