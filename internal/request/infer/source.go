package infer

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
)

// Params says for which table a domain file is proposed.
type Params struct {
	Input     string // files of a registered format, a pattern, a directory that a run wrote, or bq://project.dataset.table; required
	FromData  bool   // read the rows; else names and types alone
	PrivacyID string // the column that names the privacy unit; empty: every record is one
	Services  table.Options
}

// Source is a table whose columns are known.
type Source struct {
	Params
	table    table.Source
	name     string // of the table or its first file, for messages
	untyped  bool   // the columns come from a header line
	unnamed  bool   // the columns come from the records
	csv      schema.CSV
	columns  []table.Column
	question string  // on the table as a whole
	parents  *Source // the table of people, if some have no rows; nil: no such table
	// Doubts are what to look at first of what Propose returned.
	Doubts Doubts
	// Units is the number of privacy units that Propose found, to one digit: NOT private. 0: no row was read.
	Units int64
}

// Doubts names columns of a proposal that a person has to decide on.
type Doubts struct {
	People  []string // may name people with several rows each, and no privacy ID is given
	Keys    []string // hold no value twice
	LeftOut []string // are not in the proposal
}

// Open finds a table and reads header lines, footers or metadata, and nothing after them. The
// errors of all columns are joined; none holds a cell. A file without a header line has its first record
// taken for one.
func Open(ctx context.Context, p Params) (*Source, error) {
	t, err := table.Find(ctx, p.Input, p.Services)
	if err != nil {
		return nil, err
	}
	s := &Source{Params: p, table: t, name: p.Input}
	if f, ok := t.(*table.Files); ok {
		if s.name, s.unnamed = f.Files[0].Name, f.Unnamed(); s.unnamed && !p.FromData {
			return nil, fmt.Errorf("infer: %s: the names of its fields are in its records alone, which are read with --from_data only; add it, or write the domain file from a schema", s.name)
		}
	}
	described, form, err := t.Describe(ctx, schema.CSV{})
	if err != nil {
		return nil, err
	}
	s.csv = form
	if p.FromData { // else no record is read
		s.csv.Encoding = cmp.Or(form.Encoding, form.Suggested.Encoding)
		s.csv.Escape = form.Escape || form.Suggested.Escape
	}
	for i, d := range described {
		if d.Name == "" {
			d.Fault = cmp.Or(d.Fault, noName)
		} else if why := domain.NameFault(d.Name); why != "" && d.Name != p.PrivacyID { // and it is not shown
			d.Name, d.Fault = "", fmt.Sprintf("column %d: %s; rename it", i+1, why)
		}
		// Nine places, which BigQuery gives every NUMERIC, would leave room for numbers up to 9·10⁹ only; six do up to 9·10¹².
		d.Scale = d.Places(6)
		s.columns = append(s.columns, d)
		s.untyped = s.untyped || d.Untyped
	}
	if !s.untyped { // all of the table must have the columns of its first file
		if err := t.Check(ctx, s.domain(), s.csv); err != nil {
			return nil, err
		}
	}
	return s, s.checkNames()
}

// Names returns the names of the columns, in order. Without a header line, a CSV file's names are cells.
func (s *Source) Names() (list []string) {
	for _, c := range s.columns {
		list = append(list, c.Name)
	}
	return list
}

// noName is why a column without a name is left out.
const noName = "it has no name, as the row numbers that pandas and R write have none"

// checkNames refuses names that no domain file can hold. It does not show them: if a file has no header
// line they are cells.
func (s *Source) checkNames() error {
	var errs errtext.Errors
	var names []string
	seen, found := map[string]int{}, s.PrivacyID == ""
	for i, c := range s.columns {
		if c.Name == "" {
			continue
		}
		if first := seen[c.Name]; first > 0 {
			errs.Addf("infer: %s: columns %d and %d have one name; rename one", s.name, first, i+1)
		}
		names = append(names, c.Name)
		seen[c.Name] = i + 1
		found = found || c.Name == s.PrivacyID
	}
	if !found {
		near := errtext.Nearest(s.PrivacyID, names)
		if near != "" && (!s.untyped || errtext.SameName(near, s.PrivacyID)) {
			near = fmt.Sprintf("; did you mean %q?", near)
		} else if near = ""; s.untyped {
			near = table.OneName(names)
		}
		errs.Addf("infer: %s has no column %q to be the privacy ID%s", s.name, s.PrivacyID, near)
	}
	return errs.Err()
}

// readable returns the columns that can be read, without the privacy ID.
func (s *Source) readable() (out []table.Column) {
	for _, c := range s.columns {
		if c.Fault == "" && c.Name != s.PrivacyID {
			out = append(out, c)
		}
	}
	return out
}

// domain returns what readers need to know of the table: names and types.
func (s *Source) domain() *domain.Domain {
	d := &domain.Domain{PrivacyID: s.PrivacyID}
	for _, c := range s.readable() {
		d.Attributes = append(d.Attributes, domain.Attribute{Name: c.Name, Type: c.Type, Scale: c.Scale})
	}
	return d
}

// tally reads all rows and counts the units. The histories of people are nil without a privacy ID.
func (s *Source) tally(ctx context.Context) (map[string]*tally, *histories, error) {
	d, tallies, byName := s.domain(), []*tally{}, map[string]*tally{}
	columns := s.readable()
	for _, c := range columns {
		t := newTally(c, len(columns))
		tallies, byName[c.Name] = append(tallies, t), t
	}
	var h *histories
	var units []uint64 // of a chunk: a hash of each record's privacy ID. Two that collide count as one, which proposes less
	if s.PrivacyID != "" {
		h = newHistories(len(tallies))
	}
	records := 0
	add := func(chunk *domain.Chunk) error {
		records += chunk.Rows
		units = units[:0]
		for i := 0; h != nil && i < chunk.Rows; i++ {
			units = append(units, h.hash(&chunk.ID, i))
		}
		for k, t := range tallies {
			if t.add(&chunk.Columns[k], chunk.Rows, units); ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if h != nil {
			h.add(chunk, tallies, units)
		}
		return ctx.Err()
	}
	if err := s.table.Each(ctx, d, s.csv, add); err != nil {
		return nil, nil, err
	}
	s.settle(tallies)
	if h != nil {
		records = h.people()
	}
	s.Units = oneDigit(records)
	return byName, h, nil
}

// oneDigit rounds n to its first digit.
func oneDigit(n int) int64 {
	power := 1
	for n/power >= 10 {
		power *= 10
	}
	return int64((n + power/2) / power * power)
}
