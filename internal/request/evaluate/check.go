package evaluate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/files"
	"github.com/dapple-dp/dapple/internal/io/schema"
	"github.com/dapple-dp/dapple/internal/io/table"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/internal/release/report/page"
	"github.com/dapple-dp/dapple/internal/request/rules"
)

// Fit says how well the records of a true table fit a domain, for the owner alone: a run says nothing of it.
type Fit struct {
	NotPrivate string       `json:"not_private"`      // Banner
	Format     int          `json:"format"`           // 1
	Advice     []string     `json:"advice,omitempty"` // on the form declared for the files
	Records    int64        `json:"records"`
	NoID       int64        `json:"records_without_id"` // which belong to nobody and are not counted; 0 without a privacy ID
	Columns    []ColumnFit  `json:"columns"`
	Broken     []Broken     `json:"constraints,omitempty"`  // what the domain declares between columns
	Undeclared []rules.Rule `json:"undeclared,omitempty"`   // what holds between columns
	People     *PeopleFit   `json:"people,omitempty"`       // nil without events
	PeopleRows *Fit         `json:"people_table,omitempty"` // of the table of people, if that is one of its own
}

// Broken counts the records that break one thing that a domain declares between columns. They are used as they are; rows
// that are written keep to it.
type Broken struct {
	Declared string `json:"declared"` // as in the domain file
	Records  int64  `json:"records"`
}

// ColumnFit counts the cells of one column. Each is in one of the counts but Records.
type ColumnFit struct {
	Name       string  `json:"name"`
	Wants      string  `json:"wants"` // what a cell should be
	Usable     int64   `json:"usable"`
	Null       Misfits `json:"null"`
	Unusable   Misfits `json:"unusable"`          // not of the column's type
	OutOfRange Misfits `json:"out_of_range"`      // below min or above max
	NotInList  Misfits `json:"not_in_list"`       // not one of values
	Rounded    int64   `json:"rounded,omitempty"` // usable, and no multiples of the resolution
	Step       string  `json:"-"`                 // the resolution of numbers, as people read it
}

// Misfits are cells that the domain has no place of their own for.
type Misfits struct {
	Count   int64    `json:"count"`
	Becomes string   `json:"becomes,omitempty"` // the cell that they are counted in; empty: the nearest one
	First   []string `json:"first,omitempty"`   // different texts, the first ones of the table
}

const (
	firstTexts  = 3  // kept of each kind
	longestText = 40 // bytes of one that are kept
)

// CheckConfig is one request to check a table.
type CheckConfig struct {
	Domain   string // domain file; required
	Input    string // the true table; default: none, and the domain file alone is checked and written
	People   string // the true table of people, if some have no rows; default: none
	JSON     string // file for the figures as JSON, local or gs://, replaced if it is there, or Stdout; default: none
	Services table.Options
}

// CheckRequest is a check that can be made. No row has been read.
type CheckRequest struct {
	source   *source
	declared *domain.Domain // as in the file
	related  int            // how many of its structural zeros its orders and dates add
	events   *domain.Events
	json     string
	file     []byte // the domain file as JSON, if there is no table
}

// OpenCheck reads the domain file, finds the table and compares its columns with the domain's. It returns
// everything that is wrong, as FieldErrors.
func OpenCheck(ctx context.Context, c CheckConfig) (*CheckRequest, error) {
	errs := &FieldErrors{}
	if c.Input == "" && c.People == "" && c.Domain != "" {
		data, err := files.ReadAll(ctx, c.Domain, maxDomain)
		r := &CheckRequest{json: c.JSON}
		if err == nil {
			r.file, err = schema.JSON(c.Domain, data)
		}
		if errs.add("Domain", err); len(*errs) > 0 {
			return nil, *errs
		}
		return r, nil
	}
	file := readDomain(ctx, c.Domain, errs)
	r := &CheckRequest{source: find(ctx, "Input", c.Input, true, file, Config{People: c.People, Services: c.Services}, errs), json: c.JSON}
	if file != nil && file.Domain.Events != nil {
		checkPeople(file.Domain.Events, c.People, errs)
	}
	if r.source != nil && r.source.parents != nil && c.People == "" {
		errs.add("Input", errors.New("is the output of a run: a table of people and one of their rows; name the true table"))
	}
	if len(*errs) > 0 {
		return nil, *errs
	}
	r.declared, r.events = file.Domain.Recorded(), file.Domain.Events
	r.related = len(relation.Zeros(file.Domain.Modelled()))
	return r, nil
}

// readDomain returns nil if the file is wrong.
func readDomain(ctx context.Context, name string, errs *FieldErrors) *schema.File {
	if name == "" {
		errs.add("Domain", ErrMissing)
		return nil
	}
	data, err := files.ReadAll(ctx, name, maxDomain)
	var file *schema.File
	if err == nil {
		file, err = schema.Parse(name, data)
	}
	errs.add("Domain", err)
	return file
}

// Run reads the table and writes the text form to out, and the JSON form to its file.
func (r *CheckRequest) Run(ctx context.Context, out io.Writer) error {
	if r.file != nil {
		return writeTo(ctx, out, r.json, append(r.file, '\n'), func(out io.Writer) error {
			_, err := fmt.Fprintln(out, "the domain file has no fault; name a table to count what does not fit it")
			return err
		})
	}
	c, err := r.checker(ctx)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	if t, ok := r.source.table.(*table.Files); ok {
		if c.fit.Advice, err = t.Advise(ctx, r.source.form); err != nil {
			return fmt.Errorf("check: %w", err)
		}
	}
	search, err := rules.New(c.domain, r.events)
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	err = r.source.table.Each(ctx, c.wanted, r.source.form, func(chunk *domain.Chunk) error {
		c.add(chunk)
		search.Add(ctx, chunk)
		return ctx.Err()
	})
	if err != nil {
		for _, text := range c.fit.Advice {
			err = errors.Join(err, errors.New(text))
		}
		return fmt.Errorf("check: %w", err)
	}
	if c.fit.People != nil {
		c.fit.People.end(c.fit.Columns)
	}
	c.fit.Undeclared = search.Found()
	b, err := json.MarshalIndent(c.fit, "", "  ")
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	return writeTo(ctx, out, r.json, append(b, '\n'), c.fit.WriteText)
}

// writeTo writes the text form to out, and the JSON form to a file, or in place of the text.
func writeTo(ctx context.Context, out io.Writer, name string, b []byte, text func(io.Writer) error) (err error) {
	if name == Stdout {
		_, err = out.Write(b)
	} else {
		if err = text(out); err == nil && name != "" {
			err = files.Replace(ctx, name, b)
		}
	}
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	return nil
}

// checker returns what counts the rows of the table. A table of people is read first.
func (r *CheckRequest) checker(ctx context.Context) (c *checker, err error) {
	if r.source.parents == nil {
		c = newChecker(r.source.domain)
		if c.wanted, err = c.relate(ctx, r); r.events != nil {
			c.fit.People = newPeopleFit(c.domain, r.events)
		}
		return c, err
	}
	people, rows, _, _ := r.events.Split(r.source.domain)
	c, of := newChecker(rows), newChecker(people)
	c.wanted, c.fit.PeopleRows, c.fit.People = rows, &of.fit, newPeopleFit(rows, r.events)
	c.fit.People.parents = map[uint64]bool{}
	return c, r.source.each(ctx, r.source.parents, people, r.source.formOfPeople(), func(chunk *domain.Chunk) {
		of.add(chunk)
		c.fit.People.addParents(chunk)
	})
}

// checker counts the cells of chunks.
type checker struct {
	domain  *domain.Domain
	encoder *domain.Encoder
	between *constraints
	wanted  *domain.Domain // columns to read
	fit     Fit
}

func newChecker(d *domain.Domain) *checker {
	c := &checker{domain: d, encoder: domain.NewEncoder(d), fit: Fit{NotPrivate: Banner, Format: 1}}
	for i := range d.Attributes {
		a := &d.Attributes[i]
		f := ColumnFit{Name: a.Name, Wants: a.Wants(), Step: resolutionOf(a)}
		null, _ := c.encoder.Null(i)
		unusable, _ := c.encoder.FromString(i, "\xff")
		f.Null.Becomes, f.Unusable.Becomes = become(a, null), become(a, unusable)
		f.NotInList.Becomes = f.Unusable.Becomes
		c.fit.Columns = append(c.fit.Columns, f)
	}
	return c
}

// become names the cell that something is counted in.
func become(a *domain.Attribute, code domain.Code) string {
	if a.Learned == 0 {
		return a.Label(code)
	}
	if a.Null && int(code) == a.Fine() {
		return "NULL"
	}
	return "its fallback"
}

func (c *checker) add(chunk *domain.Chunk) {
	c.fit.Records += int64(chunk.Rows)
	if c.domain.PrivacyID != "" {
		for i := range chunk.Rows {
			if chunk.ID.Null(i) {
				c.fit.NoID++
			}
		}
	}
	for a := range c.fit.Columns {
		f, col := &c.fit.Columns[a], &chunk.Columns[a]
		for i := range chunk.Rows {
			switch m := c.find(f, a, col, i); {
			case m == nil:
				if f.Usable++; f.Step != "" && isRounded(&c.domain.Attributes[a], col, i) {
					f.Rounded++
				}
			case m == &f.Null:
				m.Count++
			default:
				m.add(cellText(&c.domain.Attributes[a], col, i))
			}
		}
	}
	c.between.add(chunk, c.fit.Broken)
	if c.fit.People != nil {
		c.fit.People.add(chunk)
	}
}

// The text form of a check has at most so many lines, the table of columns at least columnLines of them if there is more to say.
const (
	mostLines   = 20
	columnLines = 4
)

// WriteText writes a table of counts, and below it what becomes of the cells that do not fit, in at most 20 lines: if there is more,
// the columns with the most such cells come first. The JSON form has all.
func (f *Fit) WriteText(w io.Writer) error {
	lines, columns, notes := []string{f.NotPrivate, "", f.size()}, slices.Clone(f.Columns), slices.Concat(f.Advice, f.notes())
	if f.PeopleRows != nil {
		lines, columns = append(lines, "the table of people: "+f.PeopleRows.size()), append(columns, f.PeopleRows.Columns...)
		notes = append(notes, f.PeopleRows.notes()...)
	}
	notes = append(notes, f.People.notes()...)
	rest := mostLines - len(lines) - 4 // two blank lines, two of heads
	if len(columns)+len(notes) > rest {
		slices.SortStableFunc(columns, func(x, y ColumnFit) int { return cmp.Compare(y.misfits(), x.misfits()) })
	}
	shown := min(len(columns), max(columnLines, rest-len(notes)))
	lines = append(lines, "", fmt.Sprintf("%-20s %11s %11s %11s %11s %11s", "", "usable", "NULL", "unusable", "out of", "not in"),
		fmt.Sprintf("%-20s %11s %11s %11s %11s %11s", "", "", "", "", "range", "list"))
	for i := range columns[:shown] {
		c := &columns[i]
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-20s %11s %11s %11s %11s %11s", page.Short(c.Name, 20), counted(c.Usable), counted(c.Null.Count),
			counted(c.Unusable.Count), counted(c.OutOfRange.Count), counted(c.NotInList.Count)), " "))
	}
	if left := len(columns) - shown; left > 0 {
		lines[len(lines)-1] = fmt.Sprintf("and %d more columns, with fewer cells that do not fit; --json=FILE has all", left+1)
	}
	if len(notes) > 0 {
		lines = append(lines, "")
		if most := mostLines - len(lines); len(notes) > most {
			notes = append(notes[:most-1], fmt.Sprintf("and %d more lines; --json=FILE has all", len(notes)-most+1))
		}
	}
	_, err := io.WriteString(w, strings.Join(append(lines, notes...), "\n")+"\n")
	return err
}

// size says how many records there are.
func (f *Fit) size() string {
	text := thousands(int(f.Records)) + " records"
	if f.NoID > 0 {
		text += fmt.Sprintf(", %s of them without a privacy ID, which are not used", thousands(int(f.NoID)))
	}
	return text
}

// misfits is the number of cells that the domain has no place of their own for.
func (c *ColumnFit) misfits() int64 {
	n := c.Unusable.Count + c.OutOfRange.Count + c.NotInList.Count
	if c.Null.Becomes != "NULL" {
		n += c.Null.Count
	}
	return n
}

// notes says what becomes of cells that do not fit, a line each.
func (f *Fit) notes() (list []string) {
	note := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	part := func(n int64) string { return percent(Score(float64(n) / float64(f.Records))) }
	for i := range f.Columns {
		c := &f.Columns[i]
		for _, m := range []struct {
			*Misfits
			what string
		}{
			{&c.Unusable, "not " + c.Wants}, {&c.OutOfRange, "out of range"}, {&c.NotInList, "not in the list"}, {&c.Null, "NULL"},
		} {
			if m.Count == 0 || m.Misfits == &c.Null && c.Null.Becomes == "NULL" {
				continue
			}
			first := ""
			for k, s := range m.First {
				first += map[bool]string{true: "; first: ", false: ", "}[k == 0] + strconv.Quote(s)
			}
			note("%s: %s %s (%s) become %s%s", c.Name, thousands(int(m.Count)), m.what, part(m.Count), cmp.Or(m.Becomes, "the nearest value"), first)
		}
		if float64(c.Rounded) > mostRounded*float64(c.Usable) {
			note("%s: %s values (%s) are rounded to multiples of %s", c.Name, thousands(int(c.Rounded)), part(c.Rounded), c.Step)
		}
	}
	for _, x := range f.Broken {
		if x.Records > 0 {
			note("%s: %s records (%s) violate it; they are used as they are, and no synthetic row violates it", x.Declared, thousands(int(x.Records)), part(x.Records))
		}
	}
	for _, rule := range f.Undeclared {
		note("%v holds %s and is not declared; under constraints, it holds in every synthetic row", rule, rule.Holds())
	}
	return list
}

// mostRounded is the part of the values of a column that may be rounded without a word.
const mostRounded = .1

// counted writes a count, nothing for 0.
func counted(n int64) string {
	if n == 0 {
		return ""
	}
	return thousands(int(n))
}
