package answer

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/errtext"
	"github.com/dapple-dp/dapple/internal/model/interval"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// view is a release as a query looks at it: the cells of the columns that are named, cut where conditions and groups cut them.
type view struct {
	r          *Release
	q          *Query
	d          *domain.Domain // the release's, with the columns that gaps stand for behind its own
	where      *relation.Condition
	shares     map[string]*relation.Condition // of SHARE
	conditions []*relation.Condition          // all
	columns    []int                          // of clique, and those that gaps stand for
	clique     domain.Clique                  // columns of the model that are asked about
	numbers    []int                          // columns that are computed with
	attrs      []*domain.Attribute            // of all columns, cut
	parts      [][][]part                     // of every cell of each of clique
	uneven     [][]float64                    // of every cell of each of clique, see unevenness
	far        [][]float64                    // of every cell of each of clique, see farOf; nil if it is no number
	counts     [][]float64                    // people in them
	ends       [][2]end                       // of the range of each of clique
	cut        bool                           // a cell has more than one part
	strides    []int                          // of clique in people, if densities beside a cell tell how uneven it is; else nil
	people     []float64                      // in the cells of clique
	mixed      bool                           // strides tell of means alone: what a sum has too much in one cell it lacks in others
	keys       []grouping
	rows       int // attribute of the number of rows, if rows are counted; else -1
	table      interval.Table
	linear     *interval.Linear
	all        *group
	population bool
}

// part is a part of a cell.
type part struct {
	code  domain.Code
	share float64
}

// grouping is a key whose column is known.
type grouping struct {
	column int // position in columns
	label  func(code domain.Code) string
}

func tooFew(people float64) error {
	return fmt.Errorf("query: fewer than about %.0f people: no answer better than noise; widen the filter", people)
}

// look finds the columns of a query. The error lists all faults.
func (r *Release) look(q *Query) (*view, error) {
	v := &view{r: r, q: q, d: withSums(r.Domain), rows: -1, shares: map[string]*relation.Condition{}}
	var errs errtext.Errors
	condition := func(text string) *relation.Condition {
		if text == "" {
			return nil
		}
		c, err := relation.ParseCondition(text, v.d)
		if err != nil {
			errs.Addf("query: WHERE %s: %v", text, err)
			return nil
		}
		v.conditions = append(v.conditions, c)
		return c
	}
	named := map[int]bool{}
	v.where = condition(q.Where)
	cuts := map[int][]Key{}
	for _, a := range q.aggregates() {
		if a.Where != "" && v.shares[a.Where] == nil {
			v.shares[a.Where] = condition(a.Where)
		}
		if a.Column != "" {
			v.name(&a, named, &errs)
		}
	}
	for _, k := range q.Keys {
		if i, err := k.find(v); err != nil {
			errs.Addf("query: %v", err)
		} else {
			named[i], cuts[i] = true, append(cuts[i], k)
		}
	}
	for i := range v.d.Attributes {
		if slices.ContainsFunc(v.conditions, func(c *relation.Condition) bool { return c.Names(i) }) {
			named[i] = true
		}
	}
	v.addends(named)
	v.count(named, &errs)
	if errs.Err() != nil {
		return nil, errs.Err()
	}
	for i := range named {
		v.columns = append(v.columns, i)
	}
	slices.Sort(v.columns)
	v.clique = v.columns[:sort.SearchInts(v.columns, r.Domain.Len())]
	v.divide(cuts)
	return v, nil
}

// count names the number of rows if rows are counted, or else wants columns of the person.
func (v *view) count(named map[int]bool, errs *errtext.Errors) {
	d := v.r.Domain
	switch {
	case d.Events == nil:
	case v.q.Table == "rows":
		v.rows = d.Events.Columns
		named[v.rows] = true
	default:
		for i := range d.Attributes {
			if named[i] && !d.OfPerson(i) {
				errs.Addf("query: column %q changes from row to row, and people are counted; write FROM rows, or name columns of the person", d.Attributes[i].Name)
			}
		}
	}
}

// name notes the column that a function is of.
func (v *view) name(a *Aggregate, named map[int]bool, errs *errtext.Errors) {
	i, err := v.column(a.Column)
	switch {
	case err != nil:
		errs.Addf("query: %v", err)
	case a.Function == "COUNT":
		named[i] = true
	case v.d.Attributes[i].Type == domain.String:
		errs.Addf("query: %s(%s): the column has words, no numbers; ask for COUNT(*) with GROUP BY %s", a.Function, a.Column, a.Column)
	default:
		if named[i] = true; !slices.Contains(v.numbers, i) {
			v.numbers = append(v.numbers, i)
		}
	}
}

// find returns the column of a key, if it can be cut as that asks.
func (k *Key) find(v *view) (int, error) {
	i, err := v.column(k.Column)
	if err == nil {
		err = k.fits(&v.d.Attributes[i])
	}
	return i, err
}

// aggregates lists all that is computed.
func (q *Query) aggregates() (list []Aggregate) {
	items := slices.Clone(q.Items)
	for _, c := range q.Having {
		items = append(items, c.Item)
	}
	for _, i := range items {
		if list = append(list, i.Top); i.Down != nil {
			list = append(list, *i.Down)
		}
	}
	return list
}

func (v *view) column(name string) (int, error) {
	r := v.r
	if i := v.d.Index(name); i >= 0 {
		return i, nil
	}
	for _, c := range r.Domain.Derived {
		if c.Column.Name == name {
			return 0, fmt.Errorf("column %q is computed from others; ask about those", name)
		}
	}
	if r.Domain.Ordered() && name == r.Domain.Events.Sequence.Column {
		e := r.Domain.Events
		return 0, fmt.Errorf("column %q is computed in order, row after row; ask for %s, its value in the first row of a person, or %s, the gap to the row before",
			name, r.Domain.Attributes[e.First()].Name, r.Domain.Attributes[e.Gap()].Name)
	}
	return 0, fmt.Errorf("no column is called %q; the columns are %s", name, strings.Join(v.d.Names(), ", "))
}

// divide cuts the cells of the columns where conditions and keys change, and those that are added up more finely.
func (v *view) divide(cuts map[int][]Key) {
	v.attrs = make([]*domain.Attribute, v.d.Len())
	for i := range v.attrs {
		v.attrs[i] = &v.d.Attributes[i]
	}
	pieces := v.fineness()
	v.parts = make([][][]part, len(v.clique))
	for at, i := range v.columns {
		fine := v.attrs[i]
		cells := make([]part, fine.Size()) // of the finest: the cell that each is part of
		for c := range cells {
			cells[c] = part{domain.Code(c), 1}
		}
		next := func(out *domain.Attribute, of []domain.Code, share []float64) {
			finer := make([]part, len(of))
			for c, old := range of {
				finer[c] = part{cells[old].code, cells[old].share * share[c]}
			}
			fine, cells = out, finer
		}
		for _, c := range v.conditions {
			if c.Names(i) {
				next(c.Split(i, fine))
			}
		}
		for _, k := range cuts[i] {
			ints, floats := k.cuts(v.attrs[i])
			next(fine.Split(ints, floats))
		}
		if v.adds(i) {
			next(fine.Split(evenly(fine, pieces), nil))
		}
		whole := v.attrs[i]
		v.attrs[i] = fine
		if at >= len(v.clique) {
			continue
		}
		v.addUneven(i)
		v.parts[at] = make([][]part, whole.Size())
		for c, p := range cells {
			v.parts[at][p.code] = append(v.parts[at][p.code], part{domain.Code(c), p.share})
			v.cut = v.cut || p.share < 1
		}
		v.seasons(at, cuts[i])
	}
	for _, k := range v.q.Keys {
		i := v.d.Index(k.Column)
		v.keys = append(v.keys, grouping{slices.Index(v.columns, i), k.labels(v.attrs[i])})
	}
}

// A cell without people errs as others do. It has so few of them if numbers are computed, in tables of so many cells.
const (
	unseen     = 1e-9
	mostUnseen = 4096
)

// fill lists the cells that the model gives weight to, and those where noise may hide people whose numbers count.
func (v *view) fill() error {
	m, scale := v.r.Model, v.r.Units/v.r.Model.Total()
	v.table = interval.Table{Clique: v.clique, Codes: make([][]domain.Code, len(v.clique)), Rows: 1 + slices.Index(v.clique, v.rows)}
	cells, err := v.clique.Cells(m.Sizes)
	switch {
	case err == nil && cells <= 1<<22:
		marginal := m.Marginal(v.clique, nil)
		if len(v.numbers) > 0 && cells <= mostUnseen { // whoever noise hides in a cell has its numbers
			for i, x := range marginal {
				marginal[i] = max(x, unseen/scale)
			}
		}
		v.table.AddMarginal(m.Sizes, marginal, scale)
	case m.Columns == nil:
		return errors.New("query: the columns have too many cells together; name fewer")
	default:
		v.table.AddRecords(m.Columns, m.Weights, scale)
	}
	v.table.Classes = v.classes()
	for at := range v.clique {
		v.ends = append(v.ends, v.moved(at))
	}
	many, cut := 0, false
	for at, i := range v.clique {
		if slices.ContainsFunc(v.parts[at], func(parts []part) bool { return len(parts) > 1 || width(v.attrs[i], int(parts[0].code)) > 1 }) {
			many++
		}
		cut = cut || !slices.Contains(v.numbers, i) && slices.ContainsFunc(v.parts[at], func(parts []part) bool { return len(parts) > 1 })
	}
	if (many > 1 || cut && len(v.numbers) > 0) && cells <= 1<<22 && err == nil {
		v.mixed = many <= 1
		v.strides, v.people = v.clique.Strides(m.Sizes), make([]float64, cells)
		for i, x := range v.table.Fitted {
			v.people[v.address(i)] = x
		}
	}
	v.linear = v.r.Errors.Linear(v.table)
	return nil
}

// classes lists for every column the class of each of its cells: no group or condition tells cells of a class apart, and nothing is
// computed with the column, unless each cell is a class of its own.
func (v *view) classes() [][]domain.Code {
	out := make([][]domain.Code, len(v.clique))
	for at, i := range v.clique {
		found := map[string]domain.Code{}
		out[at] = make([]domain.Code, len(v.parts[at]))
		own := i == v.rows || v.adds(i) || slices.Contains(v.numbers, i) || slices.ContainsFunc(v.keys, func(k grouping) bool { return k.column == at })
		for code, parts := range v.parts[at] {
			name := strconv.Itoa(code)
			if !own && len(parts) == 1 {
				name = "of" + v.results(i, parts[0].code)
			}
			class, ok := found[name]
			if !ok {
				class = domain.Code(len(found))
				found[name] = class
			}
			out[at][code] = class
		}
	}
	return out
}

// results is what the tests of a column say of a part of a cell.
func (v *view) results(column int, code domain.Code) string {
	a, out := v.attrs[column], ""
	if null, ok := a.NullCode(); ok && code == null {
		out = "NULL" // is not counted
	}
	for _, c := range v.conditions {
		if c.Names(column) {
			out += "\n" + c.Results(column, a, code)
		}
	}
	return out
}

// possible reports whether anybody can meet the condition, as far as a look at a million cells tells.
func (v *view) possible() bool {
	if v.where == nil {
		return true
	}
	var named []int
	cells := 1
	for _, i := range v.columns {
		if v.where.Names(i) {
			named = append(named, i)
			if cells *= v.attrs[i].Size(); cells > 1_000_000 {
				return true
			}
		}
	}
	record := make([]domain.Code, len(v.attrs))
	for x := range cells {
		for _, i := range named {
			k := v.attrs[i].Size()
			record[i], x = domain.Code(x%k), x/k
		}
		if v.where.Meets(v.attrs, record) {
			return true
		}
	}
	return false
}
