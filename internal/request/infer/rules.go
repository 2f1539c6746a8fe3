package infer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/model/relation"
	"github.com/dapple-dp/dapple/io/schema"
	"github.com/dapple-dp/dapple/io/table"
)

// rule is something that may hold between columns in every record.
type rule struct {
	text  string // as an entry of constraints; of a map without the map
	x     int    // the column that follows from the others; −1 for an order
	uses  []int
	holds func(columns []domain.Column, row int) bool // none of the columns above is NULL there
	seen  int                                         // records that it was tried on
	to    map[int64]*images                           // of a map
	not   int                                         // records that a map does not hold in
}

// images are the values that a map's column has beside one value of the other column.
type images struct {
	records map[int64]int
	most    int64 // the most frequent one
}

// leastMapped is the part of the records that a map has to hold in.
const leastMapped = .99

// mostly reports whether a map that some records break is worth proposing: it holds in nearly all of them, and the most frequent
// value alone is wrong ten times as often.
func (x *rule) mostly() bool {
	all := map[int64]int{}
	for _, m := range x.to {
		for value, n := range m.records {
			all[value] += n
		}
	}
	rest, most := x.seen, 0
	for _, n := range all {
		most = max(most, n)
	}
	return float64(x.seen-x.not) > leastMapped*float64(x.seen) && 10*x.not < rest-most
}

const (
	// MostRelated is how many columns of a table, its first ones, are compared in pairs to find rules.
	MostRelated = 200

	mostNumbers = 24 // numbers that are tried as sums of others
)

// rules are the candidates of one table.
type rules struct {
	d     *domain.Domain  // the columns that take part, by their values
	plan  *relation.Plan  // reads a column as numbers
	known map[[2]int]bool // the first column is declared to be at most the second
	list  []*rule
}

func newRules() *rules { return &rules{d: &domain.Domain{}, known: map[[2]int]bool{}} }

// PartMark stands in an entry before the part of the records that it holds in, if that is not all of them.
const PartMark = "  # "

// take makes a column take part: a text of a few categories, or a number, date or time of several values.
func (r *rules) take(a domain.Attribute) {
	switch n := len(a.Cuts); {
	case a.Type == domain.String && len(a.Values) > 1 && len(a.Values) <= maxCategories:
		r.d.Attributes = append(r.d.Attributes, domain.Attribute{Name: a.Name, Type: a.Type, Values: a.Values})
	case a.Type != domain.Bool && n > 1 && a.Cuts[0] < a.Cuts[n-1]:
		r.d.Attributes = append(r.d.Attributes, domain.Attribute{Name: a.Name, Type: a.Type, Scale: a.Scale, Resolution: 1, Cuts: []int64{a.Cuts[0], a.Cuts[n-1]}})
	}
}

// rules returns entries of constraints: what holds in every record, a map in nearly all, and need not hold by chance.
func (s *Source) rules(ctx context.Context, tallies map[string]*tally, lines []proposal) ([]string, error) {
	r := newRules()
	for _, p := range lines[:min(len(lines), MostRelated)] {
		t := tallies[p.name]
		if p.out || t == nil {
			continue
		}
		a := domain.Attribute{Name: t.name, Type: t.typ, Scale: t.scale}
		if values, all := t.values.supported(s.PrivacyID != ""); t.typ == domain.String && all {
			a.Values = values
		} else if t.typ != domain.Float64 && t.typ != domain.String && !t.empty {
			a.Cuts = []int64{t.lo, t.hi}
		}
		r.take(a)
	}
	return r.search(ctx, s.table, s.csv)
}

// Undeclared returns what holds between columns of a table in every record, a map in nearly all, need not hold by chance and is
// not declared, as entries of constraints. It reads the columns of d, at most MostRelated of them, people's aside. What it returns
// is private.
func Undeclared(ctx context.Context, t table.Source, form schema.CSV, d *domain.Domain, people []string) ([]string, error) {
	r := newRules()
	for _, a := range d.Attributes[:min(d.Len(), MostRelated)] {
		if !slices.Contains(people, a.Name) { // they are not to be computed
			r.take(a)
		}
	}
	for _, o := range d.Orders {
		for k, name := range o.Columns[1:] {
			r.known[[2]int{r.d.Index(o.Columns[k]), r.d.Index(name)}] = true
		}
	}
	return r.search(ctx, t, form)
}

// search tries the candidates on the records, until nothing is left that could hold.
func (r *rules) search(ctx context.Context, t table.Source, form schema.CSV) ([]string, error) {
	var err error
	if r.plan, err = relation.New(r.d); err == nil {
		err = r.candidates(ctx)
	}
	if err != nil || len(r.list) == 0 {
		return nil, err
	}
	ended := errors.New("nothing is left")
	err = t.Each(ctx, r.d, form, func(c *domain.Chunk) error {
		if r.try(ctx, c); len(r.list) == 0 {
			return ended
		}
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, ended) {
		return nil, err
	}
	return r.texts(ctx)
}

// candidates lists what is to be tried, of several rules for one column the simpler ones first.
func (r *rules) candidates(ctx context.Context) error {
	var numbers []int
	for x := range r.d.Attributes {
		if r.number(x) {
			numbers = append(numbers, x)
		}
		for y := range r.d.Attributes {
			if x != y {
				r.pair(x, y)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if numbers = numbers[:min(len(numbers), mostNumbers)]; len(numbers) < 3 {
		return nil
	}
	for _, x := range numbers {
		for i, y := range numbers {
			for j, z := range numbers[i+1:] {
				r.sum(x, y, z)
				for _, w := range numbers[i+j+2:] {
					r.sum(x, y, z, w)
				}
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// number reports whether a column is one of numbers.
func (r *rules) number(k int) bool {
	a := &r.d.Attributes[k]
	return (a.Type == domain.Int64 || a.Type == domain.Numeric) && len(a.Cuts) > 1
}

// pair tries what may hold between two columns.
func (r *rules) pair(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	if b.Type == domain.String && (a.Type == domain.String || a.Type == domain.Int64) {
		r.mapping(x, y)
	}
	r.order(x, y)
}

// order tries whether x is at most y, if they are alike.
func (r *rules) order(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	if (a.Type != b.Type || !a.Type.Facts().Calendar) && !(r.number(x) && r.number(y) && r.overlap(x, y)) {
		return
	}
	ua, ub := math.Pow10(-a.Scale), math.Pow10(-b.Scale) // a difference may be beyond 64 bits
	r.list = append(r.list, &rule{text: "{order: " + list([]string{a.Name, b.Name}) + "}", x: -1, uses: []int{x, y},
		holds: func(columns []domain.Column, row int) bool {
			v, w := columns[x].Ints[row], columns[y].Ints[row]
			return v == w && a.Scale == b.Scale || float64(v)*ua <= float64(w)*ub
		}})
}

// mapping tries whether each category of y has one value of x, in nearly all records.
func (r *rules) mapping(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	if m, n := len(a.Values), len(b.Values); m > n || m == n && y > x {
		return
	}
	m := &rule{text: fmt.Sprintf("{derive: %s, from: %s", plain(a.Name), plain(b.Name)), x: x, uses: []int{y}, to: map[int64]*images{}}
	m.holds = func(columns []domain.Column, row int) bool {
		from, value := columns[y].Ints[row], columns[x].Ints[row]
		to := m.to[from]
		if to == nil {
			to = &images{map[int64]int{}, value}
			m.to[from] = to
		}
		if to.records[value]++; to.records[value] > to.records[to.most] {
			to.most = value
		} else if value != to.most {
			m.not++
		}
		return m.not <= MinSupport || float64(m.not) <= (1-leastMapped)*float64(m.seen)
	}
	r.list = append(r.list, m)
}

// sum tries whether x is the sum of other columns, in units of the finest of them.
func (r *rules) sum(x int, uses ...int) {
	if slices.Contains(uses, x) {
		return
	}
	names, most := make([]string, len(uses)), r.d.Attributes[x].Scale
	for i, k := range uses {
		names[i], most = r.d.Attributes[k].Name, max(most, r.d.Attributes[k].Scale)
	}
	unit := func(k int) float64 { return math.Pow10(most - r.d.Attributes[k].Scale) }
	r.list = append(r.list, &rule{text: fmt.Sprintf("{sum: %s, of: %s}", plain(r.d.Attributes[x].Name), list(names)), x: x, uses: uses,
		holds: func(columns []domain.Column, row int) bool {
			sum := 0.
			for _, k := range uses {
				sum += float64(columns[k].Ints[row]) * unit(k)
			}
			return sum == float64(columns[x].Ints[row])*unit(x)
		}})
}

// overlap reports whether the ranges of two columns of numbers are alike: that an age is below an income is no rule.
func (r *rules) overlap(x, y int) bool {
	ends := func(i int) (lo, hi float64) {
		a := &r.d.Attributes[i]
		return float64(a.Cuts[0]) * math.Pow10(-a.Scale), float64(a.Cuts[1]) * math.Pow10(-a.Scale)
	}
	xl, xh := ends(x)
	yl, yh := ends(y)
	return min(xh, yh)-max(xl, yl) >= .5*max(xh-xl, yh-yl)
}

// try drops the candidates that some record of a chunk breaks; of a context that is done, some of them.
func (r *rules) try(ctx context.Context, c *domain.Chunk) {
	columns := r.plan.Columns(c)
	r.list = slices.DeleteFunc(r.list, func(x *rule) bool {
		for row := 0; row < c.Rows && ctx.Err() == nil; row++ {
			null := func(k int) bool { return columns[k].Form == domain.Absent || columns[k].Null(row) }
			unknown := slices.ContainsFunc(x.uses, null)
			if x.x >= 0 && unknown != null(x.x) {
				return true
			}
			if unknown {
				continue
			}
			if x.seen++; !x.holds(columns, row) {
				return true
			}
		}
		return x.not > 0 && !x.mostly()
	})
}

// texts returns the entries of constraints that are proposed: one rule for a column, none that goes in a circle, and no
// order that follows from others or between columns that do.
func (r *rules) texts(ctx context.Context) (out []string, err error) {
	from := map[int][]int{}
	var needs func(a, b int) bool // b, to compute a
	needs = func(a, b int) bool {
		return a == b || slices.ContainsFunc(from[a], func(u int) bool { return needs(u, b) })
	}
	slices.SortStableFunc(r.list, func(a, b *rule) int { return cmp.Compare(min(a.not, 1), min(b.not, 1)) })
	for _, x := range r.list {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		circle := slices.ContainsFunc(x.uses, func(u int) bool { return needs(u, x.x) })
		if x.x < 0 || from[x.x] != nil || circle || x.seen < MinSupport*max(len(x.to), 1) {
			continue
		}
		from[x.x] = x.uses
		out = append(out, x.text+r.mapped(x))
	}
	before := maps.Clone(r.known)
	orders := slices.DeleteFunc(r.list, func(x *rule) bool {
		return x.x >= 0 || x.seen < MinSupport || from[x.uses[0]] != nil || from[x.uses[1]] != nil || r.known[[2]int(x.uses)]
	})
	for _, x := range orders {
		before[[2]int(x.uses)] = true
	}
	for _, x := range orders {
		implied := before[[2]int{x.uses[1], x.uses[0]}]
		for k := range r.d.Attributes {
			implied = implied || before[[2]int{x.uses[0], k}] && before[[2]int{k, x.uses[1]}]
		}
		if !implied {
			out = append(out, x.text)
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
	}
	return out, nil
}

// mapped writes the end of an entry with a map.
func (r *rules) mapped(x *rule) string {
	if x.to == nil {
		return ""
	}
	var pairs []string
	for k, from := range r.d.Attributes[x.uses[0]].Values {
		if to, ok := x.to[int64(k)]; ok {
			text := strconv.FormatInt(to.most, 10)
			if a := &r.d.Attributes[x.x]; a.Type == domain.String {
				text = plain(a.Values[to.most])
			}
			pairs = append(pairs, plain(from)+": "+text)
		}
	}
	text := ", map: {" + strings.Join(pairs, ", ") + "}}"
	if x.not > 0 {
		text += fmt.Sprintf("%sin %.4g %% of records", PartMark, math.Floor(1e4*float64(x.seen-x.not)/float64(x.seen))/100)
	}
	return text
}
