package answer

import (
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dapple-dp/dapple/dp/domain"
)

// group is the people who meet the condition and have the same labels.
type group struct {
	labels []string
	counts map[int]float64 // standard errors of numbers of people, see sum.counts
	mutex  sync.Mutex      // of counts
	pieces []piece         // pieces of one cell of the table follow each other
}

// piece is a part of a cell of the table.
type piece struct {
	cell   int
	share  float64       // of the cell
	weight float64       // people: the cell's, times share
	codes  []domain.Code // cut, of the columns
	values []value       // of numbers
	rows   value         // of a person; 1 if people are counted
	group  *group
}

// value is what is known of a number inside a cell.
type value struct {
	mean, square float64
	ok           bool // false: NULL
}

// place returns the position of a column in numbers.
func (v *view) place(column string) int { return slices.Index(v.numbers, v.d.Index(column)) }

// groups cuts the table into pieces, and sorts those that meet the condition into groups.
func (v *view) groups() []*group {
	var list []*group
	found := map[string]*group{}
	v.all = &group{}
	record, codes := make([]domain.Code, len(v.attrs)), make([]domain.Code, len(v.columns))
	inBin := v.rowsInside()
	moments := make([]map[domain.Code]value, len(v.numbers))
	for k := range moments {
		moments[k] = map[domain.Code]value{}
	}
	for cell, fitted := range v.table.Fitted {
		var cut func(at int, share float64)
		cut = func(at int, share float64) {
			if at < len(v.clique) {
				for _, p := range v.parts[at][v.table.Codes[at][cell]] {
					codes[at], record[v.columns[at]] = p.code, p.code
					cut(at+1, share*p.share)
				}
				return
			}
			sums := v.addUp(record)
			for at := len(v.clique); at < len(v.columns); at++ {
				codes[at] = record[v.columns[at]]
			}
			if share == 0 || v.where != nil && !v.where.Meets(v.attrs, record) {
				return
			}
			p := piece{cell: cell, share: share, weight: fitted * share, codes: slices.Clone(codes), rows: value{1, 1, true}}
			if v.rows >= 0 {
				if p.rows = inBin[record[v.rows]]; p.rows.mean == 0 {
					return // people without rows
				}
			}
			for k, i := range v.numbers {
				if i >= v.r.Domain.Len() {
					p.values = append(p.values, sums[i-v.r.Domain.Len()].in(v.attrs[i]))
					continue
				}
				x, known := moments[k][record[i]]
				if !known {
					x.mean, x.square, x.ok = v.attrs[i].Moments(record[i])
					moments[k][record[i]] = x
				}
				p.values = append(p.values, x)
			}
			labels := make([]string, len(v.keys))
			for k, key := range v.keys {
				labels[k] = key.label(codes[key.column])
			}
			name := strings.Join(labels, "\x00")
			g := found[name]
			if g == nil {
				g = &group{labels: labels}
				found[name], list = g, append(list, g)
			}
			p.group = g
			g.pieces = append(g.pieces, p)
			v.all.pieces = append(v.all.pieces, p)
		}
		cut(0, 1)
	}
	v.sort(list)
	return list
}

// sort puts groups in the order of the cells of their keys.
func (v *view) sort(list []*group) {
	slices.SortStableFunc(list, func(a, b *group) int {
		for _, k := range v.keys {
			if c := int(a.pieces[0].codes[k.column]) - int(b.pieces[0].codes[k.column]); c != 0 {
				return c
			}
		}
		return 0
	})
}

// rowsInside returns for each bin of the number of rows what is known of a person's number.
func (v *view) rowsInside() []value {
	if v.rows < 0 {
		return nil
	}
	at := v.attrs[v.rows]
	out := make([]value, at.Size())
	for c := range out {
		lo, hi, _ := at.Ends(domain.Code(c))
		n, first, second := 0.0, 0.0, 0.0
		for m := lo; m <= hi; m++ { // the numbers in a bin are taken to be as frequent as a density in log m has them
			w := 1 / float64(max(m, 1))
			n, first, second = n+w, first+w*float64(m), second+w*float64(m)*float64(m)
		}
		out[c] = value{first / n, second / n, true}
	}
	return out
}

// sum is a sum over the people of a group.
type sum struct {
	value  float64
	part   func(p *piece) float64 // what one person of the piece adds
	spread func(p *piece) float64 // its variance inside the piece
	counts int                    // of a COUNT: column whose NULLs are left out, or everybody
}

const (
	everybody = -1 - iota
	notCount
)

// sum prepares a COUNT, a SUM, or the top of an AVG or a SHARE.
func (v *view) sum(g *group, a *Aggregate) sum {
	k, column := v.place(a.Column), slices.Index(v.columns, v.d.Index(a.Column))
	record := make([]domain.Code, len(v.attrs))
	out := sum{counts: notCount}
	switch {
	case a.Function == "SHARE" && a.Where == "":
		out.part = func(p *piece) float64 {
			if p.group != g {
				return 0
			}
			return p.rows.mean
		}
		out.spread = func(p *piece) float64 {
			if p.group != g {
				return 0
			}
			return p.rows.square - p.rows.mean*p.rows.mean
		}
	case a.Function == "SHARE":
		c := v.shares[a.Where]
		out.part = func(p *piece) float64 {
			for at, i := range v.columns {
				record[i] = p.codes[at]
			}
			if !c.Meets(v.attrs, record) {
				return 0
			}
			return p.rows.mean
		}
		out.spread = func(p *piece) float64 { return 0 }
	case a.Function == "COUNT":
		out.counts = everybody
		if column >= 0 {
			if _, ok := v.attrs[v.columns[column]].NullCode(); ok {
				out.counts = column
			}
		}
		out.part = func(p *piece) float64 {
			if out.counts >= 0 {
				if null, _ := v.attrs[v.columns[column]].NullCode(); p.codes[column] == null {
					return 0
				}
			}
			return p.rows.mean
		}
		out.spread = func(p *piece) float64 { return p.rows.square - p.rows.mean*p.rows.mean }
	default: // SUM and AVG
		out.part = func(p *piece) float64 { return p.rows.mean * p.values[k].mean }
		out.spread = func(p *piece) float64 {
			x := p.values[k]
			return p.rows.square*x.square - p.rows.mean*p.rows.mean*x.mean*x.mean
		}
	}
	for i := range g.pieces {
		out.value += g.pieces[i].weight * out.part(&g.pieces[i])
	}
	return out
}

// trends is by how much larger the errors of sums of numbers are than if cells erred each on its own: a fit draws dependences
// towards none, and dependences of numbers run in one direction. Chosen on the made-up tables of integration/research/families.
const trends = 1.2

// error returns the standard error of a sum over the people of g, and keeps a COUNT's.
func (v *view) error(g *group, s sum) float64 {
	if s.counts == notCount {
		return v.deviation(g, s.part, s.spread, true)
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	x, ok := g.counts[s.counts]
	if !ok {
		if x = v.deviation(g, s.part, s.spread, true); g.counts == nil {
			g.counts = map[int]float64{}
		}
		g.counts[s.counts] = x
	}
	return x
}

// deviation returns the standard error of the sum of part over the people of g, with the variance spread inside pieces. Numbers
// are computed with themselves, so that the few at the far end of a bin count as much as they are.
func (v *view) deviation(g *group, parts, spread func(p *piece) float64, numbers bool) float64 {
	var cells []int
	var q []float64
	within := make([][]float64, len(v.clique)) // deviation that all people of a cell share, by column and code
	spreads, people := make([][]float64, len(v.clique)), make([][]float64, len(v.clique))
	for at := range within {
		within[at] = make([]float64, len(v.uneven[at]))
		spreads[at], people[at] = make([]float64, len(v.uneven[at])), make([]float64, len(v.uneven[at]))
	}
	scatter := 0.0
	for from := 0; from < len(g.pieces); {
		cell, to := g.pieces[from].cell, from
		mean, square := 0.0, 0.0
		for ; to < len(g.pieces) && g.pieces[to].cell == cell; to++ {
			p := &g.pieces[to]
			x, s := parts(p), 0.0
			if spread != nil {
				s = max(0, spread(p))
			}
			mean += p.share * x
			square += p.share * (x*x + s)
		}
		cells, q = append(cells, cell), append(q, mean)
		if s := square - mean*mean; s > 1e-12*square {
			w := v.table.Fitted[cell]
			scatter += w * s
			if at := v.widest(g.pieces[from:to], cell); at >= 0 {
				code := v.table.Codes[at][cell]
				within[at][code] += w * math.Sqrt(s) * max(v.uneven[at][code], v.slope(cell))
				spreads[at][code] += w * math.Sqrt(s)
				people[at][code] += w
			}
		}
		from = to
	}
	out, drawn := v.linear.Variance(cells, q, v.population)
	if len(v.numbers) > 0 && len(v.clique) > 1 {
		out *= trends * trends
	}
	if v.population {
		out += drawn
	}
	for at, cells := range within {
		for code, x := range cells {
			out += x * x
			if n := people[at][code]; numbers && n > 0 && v.far[at] != nil {
				x := v.far[at][code] * spreads[at][code] / n
				out += x * x * min(1, n/v.counts[at][code])
			}
		}
	}
	return math.Sqrt(out + scatter)
}

// above returns by how much a number of people may exceed the fitted one: a fit draws small counts towards 0.
func (v *view) above(g *group, top sum) float64 {
	if v.population || len(v.numbers) > 0 {
		return 0
	}
	var cells []int
	var q []float64
	for i := range g.pieces {
		p := &g.pieces[i]
		if x := p.share * top.part(p); len(cells) > 0 && cells[len(cells)-1] == p.cell {
			q[len(q)-1] += x
		} else {
			cells, q = append(cells, p.cell), append(q, x)
		}
	}
	return v.linear.High(cells, q)
}

// widest returns the position of the column whose cell is cut, or has more than one value.
func (v *view) widest(pieces []piece, cell int) int {
	for at := range v.clique {
		if len(v.parts[at][v.table.Codes[at][cell]]) > 1 {
			return at
		}
	}
	for k, i := range v.numbers {
		if x := pieces[0].values[k]; x.square > x.mean*x.mean {
			if n := v.r.Domain.Len(); i >= n {
				i = v.r.Domain.Gaps[i-n].Place
			}
			return slices.Index(v.clique, i)
		}
	}
	return slices.Index(v.clique, v.rows)
}

// slope is unevenness inside a cell of the table that is cut, or computed with, if several columns have cells of many values: where they
// depend on each other, as beside a diagonal, people of a cell are at one of its ends though each column on its own is even.
func (v *view) slope(cell int) float64 {
	most := 0.0
	for at, stride := range v.strides {
		code := int(v.table.Codes[at][cell])
		if len(v.parts[at][code]) == 1 && !slices.Contains(v.numbers, v.clique[at]) {
			continue
		}
		a, here := &v.r.Domain.Attributes[v.clique[at]], 0
		for i, stride := range v.strides {
			here += int(v.table.Codes[i][cell]) * stride
		}
		x := v.people[here] / width(a, code)
		for _, next := range []int{-1, 1} {
			if code+next >= 0 && code+next < a.Bins() {
				y := v.people[here+next*stride] / width(a, code+next)
				most = max(most, math.Abs(x-y)/(x+y))
			}
		}
	}
	return leastUneven + mostSlope*most*most
}

// mostSlope is how uneven a cell beside an empty one is: with 1 means of learned bins were a fifth of a standard error off.
const mostSlope = .6

// width is how many values a cell of a column has, or how wide it is.
func width(a *domain.Attribute, code int) float64 {
	if lo, hi, ok := a.Ends(domain.Code(code)); ok {
		return float64(hi-lo)/float64(max(a.Resolution, 1)) + 1
	} else if lo, hi, ok := a.FloatEnds(domain.Code(code)); ok {
		return max(hi-lo, math.SmallestNonzeroFloat32)
	}
	return 1
}

// unevenness returns for every cell of a column by which part of its spread the mean of the values inside may be off: the more,
// the more the density of values differs from the density of the cells beside it. It is chosen, see the package comment.
func (v *view) unevenness(column int) []float64 {
	a := &v.r.Domain.Attributes[column]
	counts, out := v.r.Model.Marginal(domain.Clique{column}, nil), make([]float64, a.Size())
	total := v.r.Model.Total()
	density := func(code int) float64 {
		if code < 0 || code >= a.Bins() {
			return -1
		}
		return counts[code] / width(a, code)
	}
	for c := range out {
		most, x := 0.0, density(c)
		for _, y := range []float64{density(c - 1), density(c + 1)} {
			if x >= 0 && y >= 0 && x+y > 0 {
				most = max(most, math.Abs(x-y)/(x+y))
			}
		}
		out[c] = leastUneven + (1-leastUneven)*most*most
		if counts[c] > total/2 { // the bins beside it tell little of the law of most people
			out[c] = max(out[c], most)
		}
	}
	return out
}

// farOf returns for every learned bin of a column the people who noise may hide at one end of it, see [interval.Intervals.Inside],
// times its width in standard deviations of the values inside; nil of other columns.
func (v *view) farOf(column int) []float64 {
	a := &v.r.Domain.Attributes[column]
	if len(a.Runs) == 0 {
		return nil
	}
	out := make([]float64, a.Size())
	for c := range out {
		mean, square, ok := a.Moments(domain.Code(c))
		width := 0.0
		if lo, hi, whole := a.Ends(domain.Code(c)); whole {
			width = float64(hi-lo) / math.Pow10(a.Scale)
		} else if lo, hi, float := a.FloatEnds(domain.Code(c)); float {
			width = hi - lo
		}
		if s := square - mean*mean; ok && s > 0 {
			out[c] = v.r.Errors.Inside(column, domain.Code(c)) * width / math.Sqrt(s)
		}
	}
	return out
}

// leastUneven is how uneven cells are where densities change nowhere.
const leastUneven = .05
