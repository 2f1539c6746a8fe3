package population

import (
	"math"
	"math/rand/v2"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Rejuvenate renews a sampled population whose weights have become unequal: a systematic sample of as
// many records with equal weights, and then one Gibbs sweep, which draws every column anew given the
// others, so that copies of a record part again. The sum of the weights stays.
//
// Cost: records × Σ over attributes of size × tables with the attribute, about 0.4 ns each.
func (f *Field) Rejuvenate(rng *rand.Rand) {
	f.Model = f.Model.Resample(f.Model.Len(), rng)
	for _, a := range rng.Perm(len(f.Model.Sizes)) {
		if f.Model.Sizes[a] > 1 {
			f.redraw(a, rng)
		}
	}
}

// Resample returns n records of equal weight, a systematic sample in sorted order, with the same sum of
// weights and the records as columns.
func (m *Model) Resample(n int, rng *rand.Rand) *Model {
	out := &Model{Sizes: m.Sizes, Impossible: m.Impossible, Columns: make([][]domain.Code, len(m.Sizes)), Weights: make([]float64, n)}
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

// conditional is a potential arranged for one attribute: the logits of its values, given the codes of
// the other attributes of the table, stand together.
type conditional struct {
	columns [][]domain.Code // of the other attributes
	stride  []int
	logits  []float32
}

// smallPotential is the log-potential below which a whole table is left out of a redraw.
const smallPotential = 1e-3

// redraw draws column a of every record from its distribution given the other columns. Single
// precision is enough for logits that a draw follows.
func (f *Field) redraw(a int, rng *rand.Rand) {
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
	start := make([]float32, size)
	for v, x := range base {
		start[v] = float32(x)
	}
	out := make([]domain.Code, f.Model.Len())
	logits, cumulative := make([]float32, size), make([]float64, size)
	exclude := f.Model.excluder(a)
	for i := range out {
		copy(logits, start)
		for j := range tables {
			tables[j].addTo(logits, i)
		}
		exclude(i, logits)
		out[i] = domain.Code(draw(logits, cumulative, rng))
	}
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

// arrange moves the attribute at position at of t to be the fastest.
func (f *Field) arrange(t *Table, at int) conditional {
	size, inner := t.shape[at], 1
	for _, s := range t.shape[at+1:] {
		inner *= s
	}
	c := conditional{logits: make([]float32, len(t.Theta))}
	for cell, x := range t.Theta {
		outer, rest := cell/(inner*size), cell%(inner*size)
		c.logits[(outer*inner+rest%inner)*size+rest/inner] = float32(x)
	}
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

// addTo adds the table's logits for record i.
func (c *conditional) addTo(logits []float32, i int) {
	from := 0
	for j, col := range c.columns {
		from += c.stride[j] * int(col[i])
	}
	for v, x := range c.logits[from : from+len(logits)] {
		logits[v] += x
	}
}

// negligibleLogit: values less likely than the likeliest by e^-20 are not drawn.
const negligibleLogit = 20

// draw returns an index with probability ∝ exp(logit). cumulative is scratch of the same length.
func draw(logits []float32, cumulative []float64, rng *rand.Rand) int {
	top := logits[0]
	for _, x := range logits[1:] {
		top = max(top, x)
	}
	sum := 0.0
	for v, x := range logits {
		if x > top-negligibleLogit {
			sum += math.Exp(float64(x - top))
		}
		cumulative[v] = sum
	}
	u, v := rng.Float64()*sum, 0
	for v < len(cumulative)-1 && cumulative[v] <= u {
		v++
	}
	return v
}
