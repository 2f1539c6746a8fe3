package relation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Kind says in which list of a domain a fault is.
type Kind uint8

// The lists of a domain that relate columns.
const (
	Order Kind = iota
	Date
	Derived
	Generated
)

// Fault is one thing wrong with an entry of a list.
type Fault struct {
	Kind  Kind
	Index int
	Text  string
}

func (f Fault) Error() string {
	return fmt.Sprintf("%s %d: %s", [...]string{"order", "date", "derived column", "generated column"}[f.Kind], f.Index+1, f.Text)
}

// Plan makes the columns of a domain that are not modelled. It is immutable: goroutines can share it.
type Plan struct {
	d        *domain.Domain
	columns  []domain.Attribute // attributes, then derived columns
	untyped  map[string]bool    // derived columns whose type is not declared
	resolves bool               // what d declares of derived columns is completed
	state    []state            // of each derived column
	steps    []step             // of derived columns, each behind those that it needs
	before   [][]bool           // before[a][b]: a is at most b, directly or by way of others; nil without orders
	pairs    [][2]int           // all a and b for which that is so
	members  []int              // the attributes in them, each behind those that are at most it
	scales   []scale            // of those, by attribute
	faults   []Fault

	calendars []calendar
}

type state uint8

const (
	unseen state = iota
	open
	failed
	ready
)

// New compiles the relations of a domain whose attributes are valid. The error joins a Fault for each thing that
// is wrong: unknown columns, cycles, expressions that do not fit the types, values outside a column's range.
func New(d *domain.Domain) (*Plan, error) {
	p := compile(d, nil, false)
	for i := range d.Derived {
		if p.state[i] == ready && p.columns[d.Len()+i].Null && !d.Derived[i].Column.Null {
			p.fault(Derived, i, "column %q can be NULL, as a column that it needs; set Null", d.Derived[i].Column.Name)
		}
	}
	return p, p.err()
}

// Resolve is New, and completes what d declares of its derived columns: whether they can be NULL, if no values
// are declared, which they can have, and of the columns named in untyped the type.
func Resolve(d *domain.Domain, untyped map[string]bool) error {
	p := compile(d, untyped, true)
	if err := p.err(); err != nil {
		return err
	}
	for i := range d.Derived {
		d.Derived[i].Column = p.columns[d.Len()+i]
	}
	return nil
}

func compile(d *domain.Domain, untyped map[string]bool, resolves bool) *Plan {
	if len(d.Gaps) > 0 { // cells alone: rows are computed from columns, which Recorded has
		cells := *d
		cells.Orders, cells.Derived, cells.Generated = slices.DeleteFunc(slices.Clone(d.Orders), func(o domain.Order) bool {
			return len(o.Columns) > 1 && d.GapNames(o.Columns[1]) != nil
		}), nil, nil
		d = &cells
	}
	p := &Plan{d: d, untyped: untyped, resolves: resolves, columns: slices.Clone(d.Attributes), state: make([]state, len(d.Derived))}
	names := map[string]bool{}
	for i := range d.Attributes {
		names[d.Attributes[i].Name] = true
	}
	for i := range d.Derived {
		c := d.Derived[i].Column
		if names[c.Name] {
			p.fault(Derived, i, "column %q appears twice; keep one", c.Name)
			p.state[i] = failed
		}
		names[c.Name] = true
		p.columns = append(p.columns, c)
	}
	p.orders()
	p.dates()
	for i := range d.Derived {
		p.derive(i)
	}
	p.generated(names)
	return p
}

func (p *Plan) fault(k Kind, i int, format string, args ...any) {
	p.faults = append(p.faults, Fault{k, i, fmt.Sprintf(format, args...)})
}

func (p *Plan) err() error {
	errs := lists.Of(p.faults, func(f Fault) error { return f })
	return errors.Join(errs...)
}

// errSaid marks what needs a column whose own fault has been reported.
var errSaid = errors.New("a column that it needs has a fault")

// find returns the position of a column that can be computed with: an attribute, or a derived column, which is
// made ready if it is not.
func (p *Plan) find(name string) (int, error) {
	if i := p.d.Index(name); i >= 0 {
		return i, nil
	}
	for i := range p.d.Derived {
		if p.d.Derived[i].Column.Name != name {
			continue
		}
		switch p.state[i] {
		case open:
			return 0, fmt.Errorf("column %q would be computed from itself; break the cycle", name)
		case unseen:
			p.derive(i)
		}
		if p.state[i] != ready {
			return 0, errSaid
		}
		return p.d.Len() + i, nil
	}
	switch {
	case name == p.d.PrivacyID && name != "":
		return 0, fmt.Errorf("column %q is the privacy_id, and no column may be computed from it", name)
	case slices.ContainsFunc(p.d.Generated, func(g domain.Generated) bool { return g.Column == name }):
		return 0, fmt.Errorf("column %q is generated, and no column may be computed from it", name)
	}
	return 0, fmt.Errorf("no column is called %q; the columns are %s", name, p.names())
}

// names lists the columns, the first ones if there are many.
func (p *Plan) names() string {
	var out []string
	for i := range p.columns {
		if i == 20 {
			out = append(out, "…")
			break
		}
		out = append(out, p.columns[i].Name)
	}
	return strings.Join(out, ", ")
}
