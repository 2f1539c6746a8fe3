package infer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/relation"
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
	to    map[int64]int64                             // of a map
	exact bool                                        // what is learned about the other column says all of x: of its categories or the same values
}

const (
	// MostRelated is how many columns of a table, its first ones, are compared in pairs to find rules.
	MostRelated = 200

	mostNumbers = 24 // whole numbers, and dates and times, that are tried as parts and differences
)

// rules are the candidates of one table.
type rules struct {
	d     *domain.Domain  // the columns that take part, by their values
	plan  *relation.Plan  // compiles the formulas, so that derive keeps them
	known map[[2]int]bool // the first column is declared to be at most the second
	list  []*rule
}

// constraints are those that are proposed.
type constraints struct {
	follow map[string]string // for each column that is a copy of another or has a value for each of its categories: the entry
	asked  []string          // the other entries, for the reader to choose from
}

func newRules() *rules { return &rules{d: &domain.Domain{}, known: map[[2]int]bool{}} }

// take makes a column take part: a text of a few categories, or a number, date or time of several values.
func (r *rules) take(a domain.Attribute) {
	switch n := len(a.Cuts); {
	case a.Type == domain.String && len(a.Values) > 1 && len(a.Values) <= maxCategories:
		r.d.Attributes = append(r.d.Attributes, domain.Attribute{Name: a.Name, Type: a.Type, Values: a.Values})
	case a.Type != domain.Bool && n > 1 && a.Cuts[0] < a.Cuts[n-1]:
		r.d.Attributes = append(r.d.Attributes, domain.Attribute{Name: a.Name, Type: a.Type, Scale: a.Scale, Resolution: 1, Cuts: []int64{a.Cuts[0], a.Cuts[n-1]}})
	}
}

// rules proposes constraints: what holds in every record and need not hold by chance.
func (s *Source) rules(ctx context.Context, tallies map[string]*tally, lines []proposal) (constraints, error) {
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

// Undeclared returns what holds between columns of a table in every record, need not hold by chance and is not declared, as
// entries of constraints. It reads the columns of d, at most MostRelated of them, but for those of people. What it returns
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
	found, err := r.search(ctx, t, form)
	return append(slices.Sorted(maps.Values(found.follow)), found.asked...), err
}

// search tries the candidates on the records, until nothing is left that could hold.
func (r *rules) search(ctx context.Context, t table.Source, form schema.CSV) (constraints, error) {
	var err error
	if r.plan, err = relation.New(r.d); err == nil {
		err = r.candidates(ctx)
	}
	if err != nil || len(r.list) == 0 {
		return constraints{}, err
	}
	ended := errors.New("nothing is left")
	err = t.Each(ctx, r.d, form, func(c *domain.Chunk) error {
		if r.try(ctx, c); len(r.list) == 0 {
			return ended
		}
		return ctx.Err()
	})
	if err != nil && !errors.Is(err, ended) {
		return constraints{}, err
	}
	return r.texts(ctx)
}

var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// formula returns an expression, in which columns stand for %s, and what computes its values. False: derive takes none such.
func (r *rules) formula(format string, columns ...int) (text string, value func(columns []domain.Column, row int) int64, ok bool) {
	names := make([]any, len(columns))
	for i, k := range columns {
		name := r.d.Attributes[k].Name
		if names[i] = name; !word.MatchString(name) {
			names[i] = `"` + name + `"`
		}
	}
	text = fmt.Sprintf(format, names...)
	value, err := r.plan.Formula(text)
	return text, value, err == nil
}

// derive tries whether x has the values of a formula of other columns.
func (r *rules) derive(x int, exact bool, format string, uses ...int) {
	if from, value, ok := r.formula(format, uses...); ok {
		r.list = append(r.list, &rule{text: fmt.Sprintf("{derive: %s, from: %s}", plain(r.d.Attributes[x].Name), plain(from)), x: x, uses: uses, exact: exact,
			holds: func(columns []domain.Column, row int) bool { return columns[x].Ints[row] == value(columns, row) }})
	}
}

// candidates lists what is to be tried, of several rules for one column the simpler ones first.
func (r *rules) candidates(ctx context.Context) error {
	var wholes, times []int
	for i := range r.d.Attributes {
		switch t := r.d.Attributes[i].Type; {
		case t == domain.Int64:
			wholes = append(wholes, i)
		case t.Facts().Calendar:
			times = append(times, i)
		}
	}
	wholes, times = wholes[:min(len(wholes), mostNumbers)], times[:min(len(times), mostNumbers)]
	for x := range r.d.Attributes {
		for y := range r.d.Attributes {
			if x != y {
				r.pair(x, y)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, x := range wholes {
		for _, y := range times {
			r.differences(x, y, times)
		}
	}
	for _, x := range wholes {
		for _, y := range wholes {
			for _, n := range []string{"10", "60", "100", "1000"} {
				if x != y {
					r.derive(x, false, "%s / "+n, y)
					r.derive(x, false, "%s %% "+n, y)
				}
			}
		}
	}
	return ctx.Err()
}

// parts are the parts of a date or time that columns may hold.
var parts = []string{"year(%s)", "month(%s)", "day(%s)", "quarter(%s)", "weekday(%s)", "weekday(%s) - 1", "weekday(%s) %% 7", "hour(%s)", "minute(%s)"}

// pair tries what may hold between two columns.
func (r *rules) pair(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	switch {
	case b.Type == domain.String && (a.Type == domain.String || a.Type == domain.Int64):
		r.mapping(x, y)
	case a.Type == b.Type && a.Type.Facts().Form == domain.Ints && a.Scale == b.Scale && x > y && slices.Equal(a.Cuts, b.Cuts):
		r.derive(x, true, "%s", y)
	case a.Type == domain.Int64 && b.Type.Facts().Calendar:
		for _, part := range parts {
			r.derive(x, false, part, y)
		}
	case a.Type == domain.Date:
		r.derive(x, false, "date(%s)", y)
	}
	r.order(x, y)
}

// order tries whether x is at most y, if they are alike.
func (r *rules) order(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	number := func(t domain.Type) bool { return t == domain.Int64 || t == domain.Numeric }
	if (a.Type != b.Type || !a.Type.Facts().Calendar) && !(number(a.Type) && number(b.Type) && r.overlap(x, y)) {
		return
	}
	ua, ub := math.Pow10(-a.Scale), math.Pow10(-b.Scale) // a difference may be beyond 64 bits
	r.list = append(r.list, &rule{text: "{order: " + list([]string{a.Name, b.Name}) + "}", x: -1, uses: []int{x, y},
		holds: func(columns []domain.Column, row int) bool {
			v, w := columns[x].Ints[row], columns[y].Ints[row]
			return v == w && a.Scale == b.Scale || float64(v)*ua <= float64(w)*ub
		}})
}

// mapping tries whether each category of y has one value of x.
func (r *rules) mapping(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	if m, n := len(a.Values), len(b.Values); m > n || m == n && y > x {
		return
	}
	to := map[int64]int64{}
	r.list = append(r.list, &rule{text: fmt.Sprintf("{derive: %s, from: %s", plain(a.Name), plain(b.Name)), x: x, uses: []int{y}, to: to, exact: true,
		holds: func(columns []domain.Column, row int) bool {
			from, value := columns[y].Ints[row], columns[x].Ints[row]
			known, ok := to[from]
			to[from] = value
			return !ok || known == value
		}})
}

// differences tries whether x is the time from one of the others to y: days, or seconds or minutes.
func (r *rules) differences(x, y int, times []int) {
	t := r.d.Attributes[y].Type
	for _, z := range times {
		if z == y || r.d.Attributes[z].Type != t {
			continue
		}
		// A later time is computed from the time between, which keeps its own short scale; else the other way round.
		if t != domain.Time { // which has an end
			r.derive(y, false, "%s + %s", z, x)
		}
		r.derive(x, false, "%s - %s", y, z)
		if t != domain.Date {
			r.derive(x, false, "(%s - %s) / 60", y, z)
		}
	}
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
		return false
	})
}

// texts returns the entries of constraints that are proposed: one rule for a column, none that goes in a circle, and no
// order that follows from others or between columns that do.
func (r *rules) texts(ctx context.Context) (constraints, error) {
	out := constraints{follow: map[string]string{}}
	from := map[int][]int{}
	var needs func(a, b int) bool // b, to compute a
	needs = func(a, b int) bool {
		return a == b || slices.ContainsFunc(from[a], func(u int) bool { return needs(u, b) })
	}
	for _, x := range r.list {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		circle := slices.ContainsFunc(x.uses, func(u int) bool { return needs(u, x.x) })
		if x.x < 0 || from[x.x] != nil || circle || x.seen < MinSupport*max(len(x.to), 1) {
			continue
		}
		from[x.x] = x.uses
		if text := x.text + r.mapped(x); x.exact {
			out.follow[r.d.Attributes[x.x].Name] = text
		} else {
			out.asked = append(out.asked, text)
		}
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
			out.asked = append(out.asked, x.text)
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
			text := strconv.FormatInt(to, 10)
			if a := &r.d.Attributes[x.x]; a.Type == domain.String {
				text = plain(a.Values[to])
			}
			pairs = append(pairs, plain(from)+": "+text)
		}
	}
	return ", map: {" + strings.Join(pairs, ", ") + "}}"
}
