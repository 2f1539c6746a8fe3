package population

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Rejuvenate renews a sampled population whose weights have become unequal: a systematic sample of as
// many records with equal weights, and then one Gibbs sweep over the copies of a record, which draws every column anew
// given the others, so that they part again. The first of equal records stays: it follows the model as well as its
// copies, and costs nothing. The sum of the weights stays. It returns the number of copies.
//
// Cost: copies × Σ over attributes of size × tables with the attribute, about 0.5 ns each.
func (f *Field) Rejuvenate(rng *rand.Rand) (drawn int) {
	f.Model = f.Model.Resample(f.Model.Len(), rng)
	copies := f.Model.copies()
	for _, a := range rng.Perm(len(f.Model.Sizes)) {
		if f.Model.Sizes[a] > 1 {
			f.redraw(a, copies, rng)
		}
	}
	for _, copied := range copies {
		if copied {
			drawn++
		}
	}
	return drawn
}

// copies says of every record, in sorted order, whether it equals the one before.
func (m *Model) copies() []bool {
	out := make([]bool, m.Len())
	for i := 1; i < len(out); i++ {
		out[i] = true
	}
	for _, column := range m.Columns {
		for i := 1; i < len(out); i++ {
			out[i] = out[i] && column[i] == column[i-1]
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
	stride  []int
	logits  []float32
	factors []float32 // their exponentials
}

// smallPotential is the log-potential below which a whole table is left out of a redraw.
const smallPotential = 1e-3

// redraw draws column a of the records that are copies from its distribution given the other columns. Blocks of records have
// generators of their own, so that they can be drawn on any number of cores. Single precision is enough for odds
// that a draw follows.
func (f *Field) redraw(a int, copies []bool, rng *rand.Rand) {
	size := f.Model.Sizes[a]
	base := make([]float64, size)
	for v, p := range f.Base[a] {
		base[v] = math.Log(p)
	}
	var tables []conditional
	for _, t := range f.Tables {
		at, ok := position(t.Clique, a)
		switch {
		case !ok || allSmall(t.Theta):
		case len(t.Clique) == 1:
			for v, x := range t.Theta {
				base[v] += x
			}
		default:
			tables = append(tables, f.arrange(t, at))
		}
	}
	start := newConditional(size, func(v int) float64 { return base[v] })
	out := slices.Clone(f.Model.Columns[a])
	blocks := blocksFor(len(out), 0)
	seeds := make([]uint64, blocks)
	for b := range seeds {
		seeds[b] = rng.Uint64()
	}
	inBlocks(len(out), blocks, func(b, from, to int) {
		d := drawer{tables: append([]conditional{start}, tables...), odds: make([]float32, size), exclude: f.Model.excluder(a),
			rng: rand.New(rand.NewPCG(seeds[b], 0))}
		for i := from; i < to; i++ {
			if copies[i] {
				out[i] = domain.Code(d.draw(i))
			}
		}
	})
	f.Model.Columns[a] = out
}

func position(c domain.Clique, a int) (int, bool) {
	for i, b := range c {
		if a == b {
			return i, true
		}
	}
	return 0, false
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
func (f *Field) arrange(t *Table, at int) conditional {
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
			c.columns = append(c.columns, f.Model.Columns[t.Clique[i]])
			c.stride = append(c.stride, stride)
			stride *= t.shape[i]
		}
	}
	return c
}

// group returns the place of record i's group.
func (c *conditional) group(i int) int {
	from := 0
	for j, col := range c.columns {
		from += c.stride[j] * int(col[i])
	}
	return from
}

// drawer draws codes of one attribute.
type drawer struct {
	tables  []conditional
	odds    []float32                   // scratch
	exclude func(i int, odds []float32) // sets those of codes that record i must not have to 0
	rng     *rand.Rand
}

// leastOdds is the sum of products of factors below which they are too small to multiply: then logits are added.
const leastOdds = 1e-25

// draw returns a code of record i with probability ∝ the product of its factors.
func (d *drawer) draw(i int) int {
	odds := d.odds
	copy(odds, d.tables[0].factors)
	for j := 1; j < len(d.tables); j++ {
		t := &d.tables[j]
		from := t.group(i)
		for v, x := range t.factors[from : from+len(odds)] {
			odds[v] *= x
		}
	}
	d.exclude(i, odds)
	sum := total(odds)
	if !(sum > leastOdds) {
		d.byLogits(i)
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

// byLogits sets odds from sums of logits, of which the largest becomes 1.
func (d *drawer) byLogits(i int) {
	logits := make([]float64, len(d.odds))
	for j := range d.tables {
		from := d.tables[j].group(i)
		for v, x := range d.tables[j].logits[from : from+len(logits)] {
			logits[v] += float64(x)
		}
	}
	for v := range d.odds {
		d.odds[v] = 1
	}
	d.exclude(i, d.odds)
	top := math.Inf(-1)
	for v, x := range logits {
		if d.odds[v] > 0 {
			top = max(top, x)
		}
	}
	for v, x := range logits {
		if d.odds[v] > 0 {
			d.odds[v] = float32(math.Exp(x - top))
		}
	}
}
