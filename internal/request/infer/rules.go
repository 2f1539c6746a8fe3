package infer

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/io/yamltext"
	"github.com/dapple-dp/dapple/internal/model/relation"
)

// Rule is what holds between columns: an order or a sum in every record, a map in nearly all.
type Rule struct {
	Entry string  `json:"entry"`         // of constraints, without its map
	Map   string  `json:"map,omitempty"` // what follows from each value, or each pair of values
	Part  float64 `json:"part"`          // of the records that it holds in, rounded down
}

// String returns the whole entry.
func (r Rule) String() string {
	if r.Map != "" {
		return "{" + r.Entry + ", map: " + r.Map + "}"
	}
	return "{" + r.Entry + "}"
}

// Holds says in which records the rule holds.
func (r Rule) Holds() string {
	if r.Part == 1 {
		return "in every record"
	}
	return fmt.Sprintf("in %.4g %% of records", 100*r.Part)
}

// candidate is something that may hold between columns.
type candidate struct {
	entry string
	x     int // the column that follows from the others; −1 for an order
	uses  []int
	holds func(columns []domain.Column, row int) bool // none of the columns above is NULL there
	seen  int                                         // records that it was tried on
	to    map[[2]int64]*images                        // of a map
	not   int                                         // records that a map does not hold in
}

// images are the values that a map's column has beside a value, or a pair of values, of what it follows from.
type images struct {
	records map[int64]int
	most    int64 // the most frequent one
}

// leastMapped is the part of the records that a map has to hold in.
const leastMapped = .99

// usual returns the most frequent value of the column that a map computes, and the number of records with another one.
func (x *candidate) usual() (value int64, others int) {
	all := map[int64]int{}
	for _, m := range x.to {
		for v, n := range m.records {
			all[v] += n
		}
	}
	for v, n := range all {
		if n > all[value] || n == all[value] && v < value {
			value = v
		}
	}
	return value, x.seen - all[value]
}

const (
	// MostRelated is how many columns of a table, its first ones, are compared in pairs to find rules.
	MostRelated = 200

	mostNumbers = 24 // numbers that are tried as sums of others, and texts that are tried in pairs
)

// Rules looks for what holds between columns of a table, need not hold by chance, and is not declared. What it finds is private.
type Rules struct {
	d     *domain.Domain  // the columns that take part, by their values
	at    []int           // where they are in a chunk
	open  []bool          // whether they have other values than those
	plan  *relation.Plan  // reads a column as numbers
	known map[[2]int]bool // the first column is declared to be at most the second
	list  []*candidate
}

// NewRules returns what takes the records of a table whose columns are the first ones of its chunks. It compares at most MostRelated
// of them, people's aside.
func NewRules(ctx context.Context, d *domain.Domain, people []string) (*Rules, error) {
	r := &Rules{d: &domain.Domain{}, known: map[[2]int]bool{}}
	for i, a := range d.Attributes[:min(d.Len(), MostRelated)] {
		if !slices.Contains(people, a.Name) { // they are not to be computed
			r.take(i, a)
		}
	}
	for _, o := range d.Orders {
		for k, name := range o.Columns[1:] {
			r.known[[2]int{r.d.Index(o.Columns[k]), r.d.Index(name)}] = true
		}
	}
	var err error
	if r.plan, err = relation.New(r.d); err == nil {
		err = r.candidates(ctx)
	}
	return r, err
}

// take makes a column take part: a text of a few categories, or a number, date or time of several values.
func (r *Rules) take(at int, a domain.Attribute) {
	x := domain.Attribute{Name: a.Name, Type: a.Type}
	cuts := slices.Clone(a.Cuts)
	for i := 0; i < len(a.Values) && (a.Type == domain.Int64 || a.Type == domain.Numeric); i++ {
		v, _ := a.ParseNative(a.Values[i])
		cuts = append(cuts, v)
	}
	switch {
	case a.Type == domain.String && len(a.Values) > 1 && len(a.Values) <= maxCategories:
		x.Values = a.Values
	case a.Type != domain.Bool && len(cuts) > 1 && slices.Min(cuts) < slices.Max(cuts):
		x.Scale, x.Resolution, x.Cuts = a.Scale, 1, []int64{slices.Min(cuts), slices.Max(cuts)}
	default:
		return
	}
	r.d.Attributes, r.at, r.open = append(r.d.Attributes, x), append(r.at, at), append(r.open, a.Other)
}

// Add takes the records of a chunk. It drops the candidates that some of them break; of a context that is done, some of these.
func (r *Rules) Add(ctx context.Context, c *domain.Chunk) {
	if len(r.list) == 0 {
		return
	}
	own := domain.Chunk{Rows: c.Rows}
	for _, at := range r.at {
		own.Columns = append(own.Columns, c.Columns[at])
	}
	columns := r.plan.Columns(&own)
	r.list = slices.DeleteFunc(r.list, func(x *candidate) bool {
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
		_, others := x.usual() // a map is worth proposing if the most frequent value alone is wrong ten times as often
		return x.not > 0 && (float64(x.not) >= (1-leastMapped)*float64(x.seen) || 10*x.not >= others)
	})
}

// rules returns what holds between columns of the table, of which the proposal says what their values are.
func (s *Source) rules(ctx context.Context, tallies map[string]*tally, lines []proposal) ([]Rule, error) {
	d := &domain.Domain{}
	for _, p := range lines {
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
		d.Attributes = append(d.Attributes, a)
	}
	r, err := NewRules(ctx, d, nil)
	if err != nil || len(r.list) == 0 {
		return nil, err
	}
	if err := s.table.Each(ctx, d, s.csv, func(c *domain.Chunk) error { r.Add(ctx, c); return ctx.Err() }); err != nil {
		return nil, err
	}
	return r.Found(ctx)
}

// candidates lists what is to be tried, of several for one column the simpler ones first.
func (r *Rules) candidates(ctx context.Context) error {
	var numbers, texts []int
	for x := range r.d.Attributes {
		if r.number(x) {
			numbers = append(numbers, x)
		}
		if r.d.Attributes[x].Type == domain.String {
			texts = append(texts, x)
		}
		for y := range r.d.Attributes {
			if r.order(x, y); r.d.Attributes[y].Type == domain.String {
				r.mapping(x, y)
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	numbers, texts = numbers[:min(len(numbers), mostNumbers)], texts[:min(len(texts), mostNumbers)]
	for _, x := range numbers {
		for i, y := range numbers {
			for j, z := range numbers[i+1:] {
				r.sum(x, y, z)
				for _, w := range numbers[i+j+2:] {
					r.sum(x, y, z, w)
				}
			}
		}
	}
	for i, y := range texts {
		for _, z := range texts[i+1:] {
			for _, x := range slices.Concat(numbers, texts) {
				r.mapping(x, y, z)
			}
		}
	}
	return nil
}

// number reports whether a column is one of numbers.
func (r *Rules) number(k int) bool {
	a := &r.d.Attributes[k]
	return (a.Type == domain.Int64 || a.Type == domain.Numeric) && len(a.Cuts) > 1
}

// order tries whether x is at most y, if they are alike.
func (r *Rules) order(x, y int) {
	a, b := &r.d.Attributes[x], &r.d.Attributes[y]
	if x == y || (a.Type != b.Type || !a.Type.Facts().Calendar) && !(r.number(x) && r.number(y) && r.overlap(x, y)) {
		return
	}
	ua, ub := math.Pow10(-a.Scale), math.Pow10(-b.Scale) // a difference may be beyond 64 bits
	r.list = append(r.list, &candidate{entry: "order: " + yamltext.List([]string{a.Name, b.Name}, yamltext.Plain), x: -1, uses: []int{x, y},
		holds: func(columns []domain.Column, row int) bool {
			v, w := columns[x].Ints[row], columns[y].Ints[row]
			return v == w && a.Scale == b.Scale || float64(v)*ua <= float64(w)*ub
		}})
}

// mapping tries whether each value of a text, or each pair of values of two, has one value of x, in nearly all records.
func (r *Rules) mapping(x int, uses ...int) {
	a, from, n := &r.d.Attributes[x], r.names(uses), 1
	for _, k := range uses {
		n *= len(r.d.Attributes[k].Values)
	}
	if m := len(a.Values); slices.Contains(uses, x) || m == 0 && !r.number(x) || m > n || m == n && len(uses) == 1 && uses[0] > x {
		return
	}
	m := &candidate{entry: fmt.Sprintf("derive: %s, from: %s", yamltext.Plain(a.Name), from), x: x, uses: uses, to: map[[2]int64]*images{}}
	m.holds = func(columns []domain.Column, row int) bool {
		var from [2]int64
		for i, k := range uses {
			from[i] = columns[k].Ints[row]
		}
		value, to := columns[x].Ints[row], m.to[from]
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

// names writes the name of a column, or a list of several.
func (r *Rules) names(columns []int) string {
	names := make([]string, len(columns))
	for i, k := range columns {
		names[i] = r.d.Attributes[k].Name
	}
	if len(names) == 1 {
		return yamltext.Plain(names[0])
	}
	return yamltext.List(names, yamltext.Plain)
}

// sum tries whether x is the sum of other columns, in units of the finest of them.
func (r *Rules) sum(x int, uses ...int) {
	if slices.Contains(uses, x) {
		return
	}
	most := r.d.Attributes[x].Scale
	for _, k := range uses {
		most = max(most, r.d.Attributes[k].Scale)
	}
	unit := func(k int) float64 { return math.Pow10(most - r.d.Attributes[k].Scale) }
	r.list = append(r.list, &candidate{entry: fmt.Sprintf("sum: %s, of: %s", yamltext.Plain(r.d.Attributes[x].Name), r.names(uses)), x: x, uses: uses,
		holds: func(columns []domain.Column, row int) bool {
			sum := 0.
			for _, k := range uses {
				sum += float64(columns[k].Ints[row]) * unit(k)
			}
			return sum == float64(columns[x].Ints[row])*unit(x)
		}})
}

// overlap reports whether the ranges of two columns of numbers are alike: that an age is below an income is no rule.
func (r *Rules) overlap(x, y int) bool {
	ends := func(i int) (lo, hi float64) {
		a := &r.d.Attributes[i]
		return float64(a.Cuts[0]) * math.Pow10(-a.Scale), float64(a.Cuts[1]) * math.Pow10(-a.Scale)
	}
	xl, xh := ends(x)
	yl, yh := ends(y)
	return min(xh, yh)-max(xl, yl) >= .5*max(xh-xl, yh-yl)
}

// Found returns the rules that are proposed: one for a column, none that goes in a circle, and no order that follows from others
// or between columns that do. Of a map of two columns there are records with another than the most frequent value.
func (r *Rules) Found(ctx context.Context) (out []Rule, err error) {
	from := map[int][]int{}
	var needs func(a, b int) bool // b, to compute a
	needs = func(a, b int) bool {
		return a == b || slices.ContainsFunc(from[a], func(u int) bool { return needs(u, b) })
	}
	slices.SortStableFunc(r.list, func(a, b *candidate) int { return cmp.Compare(min(a.not, 1), min(b.not, 1)) })
	for _, x := range r.list {
		circle := slices.ContainsFunc(x.uses, func(u int) bool { return needs(u, x.x) })
		if x.x < 0 || from[x.x] != nil || circle || x.seen < MinSupport*max(len(x.to), 1) {
			continue
		}
		usual, others := x.usual()
		if x.to != nil && len(x.uses) > 1 && others < MinSupport {
			continue
		}
		from[x.x] = x.uses
		found := Rule{Entry: x.entry, Part: 1}
		if x.not > 0 {
			found.Part = math.Floor(1e4*float64(x.seen-x.not)/float64(x.seen)) / 1e4
		}
		if x.to != nil {
			all := false
			if found.Map, all = r.mapped(x, 0, [2]int64{}); !all || slices.ContainsFunc(x.uses, func(k int) bool { return r.open[k] }) {
				found.Entry += ", else: " + r.value(x.x, usual)
			}
		}
		out = append(out, found)
	}
	before := maps.Clone(r.known)
	orders := slices.DeleteFunc(r.list, func(x *candidate) bool {
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
			out = append(out, Rule{Entry: x.entry, Part: 1})
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
	}
	return out, nil
}

// mapped writes a map by the values of the columns that it uses, from the k-th on, and reports whether it has all of them.
func (r *Rules) mapped(x *candidate, k int, key [2]int64) (text string, all bool) {
	var pairs []string
	all = true
	for v, from := range r.d.Attributes[x.uses[k]].Values {
		key[k] = int64(v)
		to, complete := "", false
		if k+1 < len(x.uses) {
			to, complete = r.mapped(x, k+1, key)
		} else if m := x.to[key]; m != nil {
			to, complete = r.value(x.x, m.most), true
		}
		if all = all && complete; to != "" {
			pairs = append(pairs, yamltext.Plain(from)+": "+to)
		}
	}
	if len(pairs) == 0 {
		return "", false
	}
	return "{" + strings.Join(pairs, ", ") + "}", all
}

// value writes a value of a column.
func (r *Rules) value(column int, v int64) string {
	a := &r.d.Attributes[column]
	if a.Type == domain.String {
		return yamltext.Plain(a.Values[v])
	}
	return string(a.AppendNative(nil, v))
}
