package population

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// Rejuvenate renews a sampled population whose weights have become unequal: a systematic sample of as
// many records with equal weights, and then one Gibbs sweep over the copies of a record, which draws every column anew
// given the others, so that they part again. The first of equal records stays: it follows the model as well as its
// copies, and costs nothing. The sum of the weights stays. It returns the number of copies.
//
// Cost: copies × Σ over attributes of size × tables with the attribute, about 0.5 ns each.
func (f *Field) Rejuvenate(rng *rand.Rand) int {
	f.Model = f.Model.Resample(f.Model.Len(), rng)
	copies := f.Model.copies()
	drawn := f.Model.pick(copies)
	for _, a := range rng.Perm(len(f.Model.Sizes)) {
		if f.Model.Sizes[a] > 1 {
			f.redraw(drawn, a, rng)
		}
	}
	for a, column := range f.Model.Columns {
		for j, i := range copies {
			column[i] = drawn.Columns[a][j]
		}
	}
	return len(copies)
}

// pick returns the records of the given places, without weights.
func (m *Model) pick(places []int32) *Model {
	out := &Model{Sizes: m.Sizes, StructuralZeros: m.StructuralZeros, Columns: make([][]domain.Code, len(m.Sizes))}
	for a, column := range m.Columns {
		out.Columns[a] = lists.Of(places, func(i int32) domain.Code { return column[i] })
	}
	return out
}

// copies returns the places of records, in sorted order, that equal the one before.
func (m *Model) copies() []int32 {
	var out []int32
	for i := 1; i < m.Len(); i++ {
		if !slices.ContainsFunc(m.Columns, func(column []domain.Code) bool { return column[i] != column[i-1] }) {
			out = append(out, int32(i))
		}
	}
	return out
}

// Resample returns n records of equal weight, a systematic sample in sorted order, with the same sum of
// weights and the records as columns.
func (m *Model) Resample(n int, rng *rand.Rand) *Model {
	out := &Model{Sizes: m.Sizes, StructuralZeros: m.StructuralZeros, Columns: make([][]domain.Code, len(m.Sizes)), Weights: make([]float64, n)}
	for a := range out.Columns {
		out.Columns[a] = make([]domain.Code, 0, n)
	}
	for i, each := 0, m.Total()/float64(n); i < n; i++ {
		out.Weights[i] = each
	}
	newSystematic(m, int64(n), rng.Float64()).each(func(codes []domain.Code, copies int64) {
		for ; copies > 0; copies-- {
			for a, c := range codes {
				out.Columns[a] = append(out.Columns[a], c)
			}
		}
	})
	return out
}

// conditional is a potential arranged for one attribute: the values' parts, given the codes of the other attributes
// of the table, stand together. Only their ratios count: the largest of each group is 0 as a logit and 1 as a factor.
type conditional struct {
	columns [][]domain.Code // of the other attributes
	stride  []int32
	logits  []float32
	factors []float32 // their exponentials
}

// smallPotential is the log-potential below which a whole table is left out of a redraw.
const smallPotential = 1e-3

// redraw draws column a of the given records from its distribution given the other columns. Blocks of records have
// generators of their own, so that they can be drawn on any number of cores. Single precision is enough for odds
// that a draw follows.
func (f *Field) redraw(m *Model, a int, rng *rand.Rand) {
	size := m.Sizes[a]
	base := make([]float64, size)
	for v, p := range f.Base[a] {
		base[v] = math.Log(p)
	}
	var tables []conditional
	for _, t := range f.Tables {
		at := slices.Index(t.Clique, a)
		switch {
		case at < 0 || allSmall(t.Theta):
		case len(t.Clique) == 1:
			for v, x := range t.Theta {
				base[v] += x
			}
		default:
			tables = append(tables, arrange(m, t, at))
		}
	}
	start := newConditional(size, func(v int) float64 { return base[v] })
	column := m.Columns[a]
	blocks := max(1, min(mostBlocks, len(column)/drawnBlock))
	seeds := make([]uint64, blocks)
	for b := range seeds {
		seeds[b] = rng.Uint64()
	}
	inBlocks(len(column), blocks, func(b, from, to int) {
		d := &drawer{tables: tables, size: size, start: start, exclude: m.excluder(a), rng: rand.New(rand.NewPCG(seeds[b], 0))}
		for ; from < to; from += drawnTogether {
			d.draw(column, from, min(from+drawnTogether, to))
		}
	})
}

func allSmall(theta []float64) bool {
	for _, x := range theta {
		if x > smallPotential || x < -smallPotential {
			return false
		}
	}
	return true
}

// newConditional returns the part of a table whose cells, size of them in a group, have the given logits.
func newConditional(size int, logits ...func(v int) float64) conditional {
	c := conditional{logits: make([]float32, size*len(logits)), factors: make([]float32, size*len(logits))}
	for g, logit := range logits {
		top := math.Inf(-1)
		for v := range size {
			top = max(top, logit(v))
		}
		for v := range size {
			x := logit(v) - top
			c.logits[g*size+v], c.factors[g*size+v] = float32(x), float32(math.Exp(x))
		}
	}
	return c
}

// arrange moves the attribute at position at of t to be the fastest.
func arrange(m *Model, t *Table, at int) conditional {
	size, inner := t.shape[at], 1
	for _, s := range t.shape[at+1:] {
		inner *= s
	}
	var groups []func(v int) float64
	for first := range t.Theta {
		if first/inner%size == 0 {
			groups = append(groups, func(v int) float64 { return t.Theta[first+v*inner] })
		}
	}
	c := newConditional(size, groups...)
	stride := size
	for i := len(t.Clique) - 1; i >= 0; i-- {
		if i != at {
			c.columns = append(c.columns, m.Columns[t.Clique[i]])
			c.stride = append(c.stride, int32(stride))
			stride *= t.shape[i]
		}
	}
	return c
}

// groups sets places to the places of the groups of the records from the given one on.
func (c *conditional) groups(places []int32, from int) {
	clear(places)
	for k, column := range c.columns {
		stride := c.stride[k]
		for j, code := range column[from : from+len(places)] {
			places[j] += stride * int32(code)
		}
	}
}

// multiply multiplies the odds of every record by the factors of its group.
func (c *conditional) multiply(odds []float32, places []int32, size int) {
	if size == 2 { // most columns of wide tables
		for _, from := range places {
			f := c.factors[from:]
			odds[1] *= f[1]
			odds[0] *= f[0]
			odds = odds[2:]
		}
		return
	}
	for _, from := range places {
		o := odds[:size]
		for v, x := range c.factors[from:][:len(o)] {
			o[v] *= x
		}
		odds = odds[size:]
	}
}

const (
	drawnTogether = 256  // records are drawn at a time: each table is read once for all of them
	drawnBlock    = 1024 // records are the least that a core draws: a record takes microseconds if tables are many
	rescaledAfter = 8    // tables the odds of each record are brought back to 1, lest they become too small
)

// drawer draws codes of one attribute.
type drawer struct {
	start   conditional
	tables  []conditional
	size    int
	places  [drawnTogether]int32
	odds    []float32                   // of as many records
	exclude func(i int, odds []float32) // sets odds of codes that record i must not have to 0
	rng     *rand.Rand
}

// draw gives the records from … to−1 codes with probability ∝ the product of their factors.
func (d *drawer) draw(codes []domain.Code, from, to int) {
	odds, places := d.odds[:0], d.places[:to-from]
	for range places {
		odds = append(odds, d.start.factors...)
	}
	d.odds = odds
	for j := range d.tables {
		d.tables[j].groups(places, from)
		d.tables[j].multiply(odds, places, d.size)
		if j%rescaledAfter == rescaledAfter-1 {
			rescale(odds, d.size)
		}
	}
	for i := from; i < to; i++ {
		codes[i] = domain.Code(d.pick(i, odds[:d.size]))
		odds = odds[d.size:]
	}
}

// rescale divides the odds of every record by the largest, where that has become small.
func rescale(odds []float32, size int) {
	const small = 1e-6
	for ; len(odds) > 0; odds = odds[size:] {
		top := slices.Max(odds[:size])
		if top >= small || top == 0 {
			continue
		}
		for v := range odds[:size] {
			odds[v] /= top
		}
	}
}

// leastOdds is the sum of products of factors below which they are too small to multiply: then logits are added.
const leastOdds = 1e-25

// pick returns a code of record i by its odds.
func (d *drawer) pick(i int, odds []float32) int {
	d.exclude(i, odds)
	sum := total(odds)
	if !(sum > leastOdds) {
		d.byLogits(i, odds)
		sum = total(odds)
	}
	u, v := d.rng.Float64()*sum, 0
	for ; v < len(odds)-1; v++ {
		if u -= float64(odds[v]); u < 0 {
			break
		}
	}
	for odds[v] == 0 && v > 0 { // rounding went past the last code that has odds
		v--
	}
	return v
}

func total(odds []float32) float64 {
	sum := 0.0
	for _, x := range odds {
		sum += float64(x)
	}
	return sum
}

// byLogits sets odds from sums of logits; the largest becomes 1.
func (d *drawer) byLogits(i int, odds []float32) {
	logits, place := make([]float64, len(odds)), d.places[:1]
	for v, x := range d.start.logits {
		logits[v], odds[v] = float64(x), 1
	}
	for j := range d.tables {
		d.tables[j].groups(place, i)
		for v, x := range d.tables[j].logits[place[0]:][:len(logits)] {
			logits[v] += float64(x)
		}
	}
	d.exclude(i, odds)
	top := math.Inf(-1)
	for v, x := range logits {
		if odds[v] > 0 {
			top = max(top, x)
		}
	}
	for v, x := range logits {
		if odds[v] > 0 {
			odds[v] = float32(math.Exp(x - top))
		}
	}
}
