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

func (g *group) name() string { return strings.Join(g.labels, "\x00") }

// value is what is known of a number inside a cell.
type value struct {
	mean, square float64
	ok           bool // false: NULL
}

func inCell(a *domain.Attribute, code domain.Code) (x value) {
	x.mean, x.square, x.ok = a.Moments(code)
	return x
}

func (x value) variance() float64 { return max(0, x.square-x.mean*x.mean) }

// place returns the position of a column in numbers.
func (v *view) place(column string) int { return slices.Index(v.numbers, v.d.Index(column)) }

// groups cuts the table into pieces, and sorts those that meet the condition into groups, which it finds by their names, too.
func (v *view) groups() (list []*group, found map[string]*group) {
	found = map[string]*group{}
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
					x = inCell(v.attrs[i], record[i])
					moments[k][record[i]] = x
				}
				p.values = append(p.values, x)
			}
			g := &group{labels: make([]string, len(v.keys))}
			for k, key := range v.keys {
				g.labels[k] = key.label(codes[key.column])
			}
			if name := g.name(); found[name] != nil {
				g = found[name]
			} else {
				found[name], list = g, append(list, g)
			}
			p.group = g
			g.pieces = append(g.pieces, p)
			v.all.pieces = append(v.all.pieces, p)
		}
		cut(0, 1)
	}
	list = slices.DeleteFunc(list, func(g *group) bool {
		return !slices.ContainsFunc(g.pieces, func(p piece) bool { return p.weight > unseen })
	})
	v.sort(list)
	return list, found
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
	out := sum{counts: notCount, spread: func(p *piece) float64 { return p.rows.variance() }}
	rowsOf := func(counts func(p *piece) bool) func(p *piece) float64 {
		return func(p *piece) float64 {
			if counts(p) {
				return p.rows.mean
			}
			return 0
		}
	}
	switch {
	case a.Function == "SHARE" && a.Where == "":
		out.part = rowsOf(func(p *piece) bool { return p.group == g })
		out.spread = func(p *piece) float64 {
			if p.group != g {
				return 0
			}
			return p.rows.variance()
		}
	case a.Function == "SHARE":
		out.part = rowsOf(func(p *piece) bool {
			for at, i := range v.columns {
				record[i] = p.codes[at]
			}
			return v.shares[a.Where].Meets(v.attrs, record)
		})
		out.spread = func(p *piece) float64 { return 0 }
	case a.Function == "COUNT":
		out.counts = everybody
		var null domain.Code
		if column >= 0 {
			if code, ok := v.attrs[v.columns[column]].NullCode(); ok {
				out.counts, null = column, code
			}
		}
		out.part = rowsOf(func(p *piece) bool { return out.counts < 0 || p.codes[column] != null })
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
		return v.deviation(g, s.part, s.spread, v.farther)
	}
	g.mutex.Lock()
	defer g.mutex.Unlock()
	x, ok := g.counts[s.counts]
	if !ok {
		if x = v.deviation(g, s.part, s.spread, v.farther); g.counts == nil {
			g.counts = map[int]float64{}
		}
		g.counts[s.counts] = x
	}
	return x
}

// deviation returns the standard error of the sum of part over the people of g, with the variance spread inside pieces. far is what
// the people add who noise may hide at one end of a learned bin, whose standard deviation of part is given.
func (v *view) deviation(g *group, parts, spread func(p *piece) float64, far func(at, code int, deviation float64) float64) float64 {
	var cells []int
	var q []float64
	type inside struct{ shared, spread, people, asked, apart, reach float64 } // shared: a deviation that all people of a cell have
	within := make([][]inside, len(v.clique))                                 // by column and code
	for at := range within {
		within[at] = make([]inside, len(v.uneven[at]))
	}
	slope := v.slope
	if v.mixed {
		low, high := 0.0, 0.0
		for i := range g.pieces {
			low, high = min(low, parts(&g.pieces[i])), max(high, parts(&g.pieces[i]))
		}
		if low == 0 || high == 0 {
			slope = func(int) float64 { return leastUneven }
		}
	}
	scatter, all := 0.0, 0.0
	for from := 0; from < len(g.pieces); {
		cell, to := g.pieces[from].cell, from
		mean, square, whole, least, most, low, high := 0.0, 0.0, 0.0, math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
		for ; to < len(g.pieces) && g.pieces[to].cell == cell; to++ {
			p := &g.pieces[to]
			x := parts(p)
			mean += p.share * x
			square += p.share * (x*x + max(0, spread(p)))
			whole, least, most = whole+p.share, min(least, x), max(most, x)
			half := math.Sqrt(3 * max(0, spread(p))) // of even values
			low, high = min(low, x-half), max(high, x+half)
		}
		all += whole * v.table.Fitted[cell]
		cells, q = append(cells, cell), append(q, mean)
		if s := square - mean*mean; s > 1e-12*square {
			w := v.table.Fitted[cell]
			scatter += w * s
			if r := g.pieces[from].rows; r.variance() > 0 { // people of a bin have more rows than its mean, or fewer, in all cells alike
				at, x := slices.Index(v.clique, v.rows), mean/r.mean*math.Sqrt(r.variance())
				code := v.table.Codes[at][cell]
				within[at][code].shared += w * x * v.uneven[at][code]
				s -= x * x
			}
			if at := v.widest(g.pieces[from:to], cell); at >= 0 && s > 1e-12*square {
				code := v.table.Codes[at][cell]
				x := &within[at][code]
				x.shared += w * math.Sqrt(s) * max(v.uneven[at][code], slope(cell))
				x.spread += w * math.Sqrt(s)
				x.people += w
				x.asked += w * whole
				if len(v.numbers) > 0 {
					x.reach += w * max(whole*high-mean, mean-whole*low)
				} else {
					x.reach += w * max(max(high, 0)-mean, mean-min(low, 0))
				}
				if whole < narrow { // many people may have one of these values
					x.apart = max(x.apart, max(most, 0)-min(least, 0))
				}
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
	shared, assumed := 0.0, 0.0
	for at, cells := range within {
		for code, c := range cells {
			x := c.shared
			if c.people > 0 && v.far[at] == nil && v.clique[at] != v.rows {
				part := v.counts[at][code] / v.r.Units
				switch bins := v.r.Domain.Attributes[v.clique[at]].Bins(); {
				case v.counted(v.clique[at]):
					part = c.asked / all
				case code == 0 || code == bins-1: // values beyond the range have become its ends, and codes stand there
					part = 1
				}
				assumed += min(1, dominant*part*part) * far(at, code, c.reach/sigmas95)
			} else if c.people > 0 && v.far[at] != nil {
				part, y := min(1, c.people/v.counts[at][code]), far(at, code, c.spread/c.people)
				shared += y * y * part
				x = max(x, hidden*v.r.Errors.Inside(v.clique[at], domain.Code(code))*c.apart*math.Sqrt(part))
			}
			shared += x * x
		}
	}
	return math.Sqrt(out + max(shared, assumed*assumed) + scatter)
}

// dominant makes an interval hold wherever in a declared bin people are, if the bin has about half of them or more: nothing was released of
// that, and bins beside it tell little. Of many bins each one tells of the others.
const dominant = 5

// above returns by how much a number of people may exceed the fitted one: a fit draws small counts towards 0.
func (v *view) above(g *group, top sum, sigmas float64) float64 {
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
	return v.linear.High(cells, q, sigmas)
}

// widest returns the position of the column whose cell is cut, or that is computed with and has more than one value; -1: none.
func (v *view) widest(pieces []piece, cell int) int {
	for at := range v.clique {
		if len(v.parts[at][v.table.Codes[at][cell]]) > 1 {
			return at
		}
	}
	for k, i := range v.numbers {
		if pieces[0].values[k].variance() > 0 {
			if n := v.r.Domain.Len(); i >= n {
				i = v.r.Domain.Gaps[i-n].Place
			}
			return slices.Index(v.clique, i)
		}
	}
	return -1
}

// floor is the standard error of a count of nobody.
func (v *view) floor() float64 { return math.Sqrt(1 + v.r.Errors.Least(v.clique)) }
