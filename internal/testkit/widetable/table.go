package widetable

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Params describes a table. Zero fields mean their defaults.
type Params struct {
	Columns int    // default 60
	People  int    // default 1,000,000; one row each
	Seed    uint64 // of everything
	// ID is the name of a column of privacy IDs that comes first; empty: no such column, and every row is
	// a privacy unit.
	ID string
}

// Table is a made-up table, ready to be written.
type Table struct {
	params  Params
	columns []column
}

// New makes up the columns of a table. It panics on negative numbers.
func New(p Params) *Table {
	if p.Columns < 0 || p.People < 0 {
		panic("widetable: columns and people are numbers of at least 0")
	}
	if p.Columns == 0 {
		p.Columns = 60
	}
	if p.People == 0 {
		p.People = 1_000_000
	}
	t := &Table{params: p}
	r := rand.New(rand.NewPCG(p.Seed, 0x776964657461626c))
	for i := range p.Columns {
		t.columns = append(t.columns, newColumn(i, t.columns, r))
	}
	return t
}

// WriteCSV writes the rows with a header line.
func (t *Table) WriteCSV(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<18)
	b.WriteString(strings.Join(t.header(), ",") + "\n") // a bufio.Writer keeps its first error for Flush
	values := make([]byte, len(t.columns))
	var line []byte
	for person := range t.params.People {
		line = line[:0]
		if t.params.ID != "" {
			line = fmt.Appendf(line, "P%09d,", person)
		}
		line = t.row(line, person, values)
		b.Write(line)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("widetable: %w", err)
	}
	return nil
}

// Codes returns the column of codes of every attribute of the domain file: what encoding the CSV file
// gives.
func (t *Table) Codes() [][]domain.Code {
	codes := make([][]domain.Code, len(t.columns))
	for i := range codes {
		codes[i] = make([]domain.Code, t.params.People)
	}
	values := make([]byte, len(t.columns))
	for person := range t.params.People {
		t.draw(person, values, func(i int, _ uint64) { codes[i][person] = domain.Code(values[i]) })
	}
	return codes
}

func (t *Table) header() []string {
	var names []string
	if t.params.ID != "" {
		names = append(names, t.params.ID)
	}
	for i := range t.columns {
		names = append(names, t.columns[i].name)
	}
	return names
}

// row appends the cells of one person. values is scratch of one entry per column.
func (t *Table) row(line []byte, person int, values []byte) []byte {
	t.draw(person, values, func(i int, w uint64) { line = append(append(line, t.columns[i].cell(values[i], w)...), ',') })
	line[len(line)-1] = '\n'
	return line
}

// draw makes the values of one person, and visits each with the random bits that it was made from.
func (t *Table) draw(person int, values []byte, visit func(i int, w uint64)) {
	state := mix(t.params.Seed ^ mix(uint64(person)))
	for i := range t.columns {
		state += 0x9e3779b97f4a7c15
		w := mix(state)
		values[i] = t.columns[i].value(w, values)
		visit(i, w)
	}
}

// mix is the mixing function of SplitMix64 (Steele, Lea, Flood 2014).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// WriteDomain writes the domain file: what the table may contain, without a look at its rows.
func (t *Table) WriteDomain(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# A made-up wide table.\nprivacy_id: %s\ncolumns:\n", cmp.Or(t.params.ID, "none"))
	for i := range t.columns {
		fmt.Fprintf(&b, "  - {name: %s, %s}\n", t.columns[i].name, t.columns[i].declaration())
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("widetable: %w", err)
	}
	return nil
}

// declaration returns the keys of the column in a domain file.
func (c *column) declaration() string {
	last := c.size*fine - 1
	var s, fallback string
	switch c.kind {
	case number:
		s, fallback = fmt.Sprintf("type: INT64, min: 0, max: %d, bins: %d", last, c.size), "0"
	case date:
		first, end := firstDay.Format(time.DateOnly), firstDay.AddDate(0, 0, last).Format(time.DateOnly)
		s, fallback = fmt.Sprintf("type: DATE, min: %s, max: %s, bins: %d", first, end, c.size), first
	case truth:
		s, fallback = "type: BOOL", "false"
	default:
		s, fallback = fmt.Sprintf("type: STRING, values: [%s]", strings.Join(c.text, ", ")), c.text[0]
	}
	if c.nulls > 0 {
		return s + ", null: true"
	}
	return s + ", fallback: " + fallback
}
