package synth

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dapple-dp/dapple/dp"
	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/dp/accountant"
	"github.com/dapple-dp/dapple/internal/dp/mechanism"
)

// numbers returns the exact numbers that the noise of a request is added to: a vector for each of the event's scales. ok is
// false for selections.
func numbers(c mechanism.Call, t *truth) (vectors [][]*big.Rat, ok bool) {
	r, bits := c.Request, c.Event.GridBits
	one := func(x *big.Rat) [][]*big.Rat { return [][]*big.Rat{{x}} }
	switch r.Method {
	case mechanism.Total:
		return one(big.NewRat(t.counts.Units(), 1)), true
	case mechanism.Measure, mechanism.MeasureVariance:
		for _, q := range r.Cliques {
			vectors = append(vectors, t.marginal(q))
		}
	case mechanism.MeasureQueries:
		for _, v := range t.answers(r.Workload) {
			vectors = append(vectors, halvesUp(v, bits))
		}
	case mechanism.Residuals:
		for _, q := range r.Cliques {
			v, shape := t.merged(q, r.Merge)
			if c.Event.Kind == dp.DiscreteGaussian { // Laplace noise is charged as if it were released before centring
				v = centre(v, shape)
			}
			vectors = append(vectors, v)
		}
	case mechanism.Scores:
		for i, q := range r.Cliques {
			h, _ := t.merged(q, r.Merge)
			vectors = append(vectors, []*big.Rat{distance(h, r.Model[i], bits)})
		}
	case mechanism.Trees:
		for i, q := range r.Cliques {
			v, _ := differences(t.marginal(q), r.Shapes[i])
			vectors = append(vectors, v)
		}
	case mechanism.Votes:
		return [][]*big.Rat{t.votes(r)}, true
	case mechanism.MeanDistance:
		sum := new(big.Rat)
		for i, v := range t.answers(r.Workload) {
			sum.Add(sum, distance(v, r.Model[i], accountant.ScoreGridBits))
		}
		return one(roundUp(sum, 0)), true
	case mechanism.MaxError, mechanism.Accept:
		return one(t.largestError(r, bits)), true
	}
	return vectors, vectors != nil
}

// largestError returns the largest |count − model|, less what Accept allows, rounded up to the grid.
func (t *truth) largestError(r mechanism.Request, bits int) (most *big.Rat) {
	for i, v := range t.answers(r.Workload) {
		worst := new(big.Rat)
		for k, x := range v {
			d := new(big.Rat).Sub(x, onGrid(r.Model[i][k], accountant.ScoreGridBits))
			if d.Abs(d).Cmp(worst) > 0 {
				worst = d
			}
		}
		if r.Method == mechanism.Accept {
			worst.Sub(worst, onGrid(r.Limits[i], accountant.ScoreGridBits))
		}
		if most == nil || worst.Cmp(most) > 0 {
			most = worst
		}
	}
	return roundUp(most, min(bits, accountant.ScoreGridBits))
}

func (t *truth) votes(r mechanism.Request) []*big.Rat {
	all := domain.All(len(t.sizes))
	out := zeros(r.Candidates)
	for z, x := range t.marginal(all) {
		out[r.Choice[z]].Add(out[r.Choice[z]], x)
	}
	return out
}

// centre subtracts the mean of each line of a row-major table, along every axis.
func centre(v []*big.Rat, shape []int) []*big.Rat {
	inner := 1
	for i := len(shape) - 1; i >= 0; i-- {
		k, out := shape[i], make([]*big.Rat, len(v))
		for at := range v {
			first, sum := at-at/inner%k*inner, new(big.Rat)
			for j := range k {
				sum.Add(sum, v[first+j*inner])
			}
			out[at] = new(big.Rat).Sub(v[at], sum.Mul(sum, big.NewRat(1, int64(k))))
		}
		v, inner = out, inner*k
	}
	return v
}

// distance returns Σ|count − model|, of a model on the grid 2^-bits.
func distance(v []*big.Rat, model []float64, bits int) *big.Rat {
	sum := new(big.Rat)
	for k, x := range v {
		d := new(big.Rat).Sub(x, onGrid(model[k], bits))
		sum.Add(sum, d.Abs(d))
	}
	return sum
}

// differences are the differences at all nodes of a tree, level by level: records in the first half of its range less those in the
// second. NULL against all values comes first. nodes are their levels and indices.
func differences(h []*big.Rat, s query.TreeShape) (out []*big.Rat, nodes []query.TreeNode) {
	sum := func(from, to int) *big.Rat {
		x := new(big.Rat)
		for v := from; v < min(to, s.Values); v++ {
			x.Add(x, h[v])
		}
		return x
	}
	if s.Null {
		out, nodes = append(out, new(big.Rat).Sub(sum(0, s.Values), h[s.Values])), append(nodes, query.TreeNode{})
	}
	width, level := 1, len(nodes)
	for width < s.Values {
		width *= 2
	}
	for ; width > 1; width, level = width/2, level+1 {
		for from := 0; from+width/2 < s.Values; from += width {
			out = append(out, new(big.Rat).Sub(sum(from, from+width/2), sum(from+width/2, from+width)))
			nodes = append(nodes, query.TreeNode{Level: level, Index: from / width})
		}
	}
	return out, nodes
}

func zeros(n int) []*big.Rat {
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	return out
}

func onGrid(x float64, bits int) *big.Rat {
	return new(big.Rat).SetFloat64(math.Ldexp(math.RoundToEven(math.Ldexp(x, bits)), -bits))
}

// roundUp returns the next multiple of 2^-bits.
func roundUp(x *big.Rat, bits int) *big.Rat {
	unit := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	q, rest := new(big.Int).DivMod(new(big.Int).Mul(x.Num(), unit), x.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return new(big.Rat).SetFrac(q, unit)
}

// halvesUp rounds to multiples of 2^-bits, if those are coarser than the grid of answers.
func halvesUp(v []*big.Rat, bits int) []*big.Rat {
	if bits >= accountant.ScoreGridBits {
		return v
	}
	half, out := new(big.Rat).SetFloat64(math.Ldexp(.5, -bits)), make([]*big.Rat, len(v))
	for i, x := range v { // ⌊x + ½⌋ = −⌈−x − ½⌉
		up := new(big.Rat).Add(x, half)
		out[i] = up.Neg(roundUp(up.Neg(up), bits))
	}
	return out
}

// change compares what a request reads from two neighbours with what its event declares and charges, and returns the part
// of the charge that these use.
func change(c mechanism.Call, n dp.Neighbouring, kind dp.Accounting, a, b *truth) (used float64, err error) {
	x, ok := numbers(c, a)
	if !ok {
		return selected(c, n, a, b)
	}
	y, _ := numbers(c, b)
	e, loss := c.Event, new(big.Rat)
	if e.Scales == nil { // a public number of units
		return 0, within("the public number of units", new(big.Rat).Abs(new(big.Rat).Sub(x[0][0], y[0][0])), new(big.Rat))
	}
	for i := range x {
		norm := new(big.Rat)
		for k := range x[i] {
			d := new(big.Rat).Sub(x[i][k], y[i][k])
			if e.Kind == dp.DiscreteLaplace {
				norm.Add(norm, d.Abs(d))
			} else {
				norm.Add(norm, d.Mul(d, d))
			}
		}
		declared, scale := big.NewRat(int64(e.L2Squared), 1), new(big.Rat).Add(e.Scales[i], e.Scales[i])
		if e.Kind == dp.DiscreteLaplace {
			declared, scale = big.NewRat(int64(e.L1), 1), e.Scales[i]
		}
		if e.Sensitivities != nil {
			declared = e.Sensitivities[i]
		}
		err = errors.Join(err, within(fmt.Sprintf("change of table %d", i), norm, declared), fineEnough(c, x[i]))
		loss.Add(loss, norm.Quo(norm, scale))
	}
	charge, lossErr := lossOf(c, kind)
	if err = errors.Join(err, lossErr); err != nil {
		return 0, err
	}
	err = within("loss", loss, charge)
	used, _ = loss.Quo(loss, charge).Float64()
	return used, err
}

func within(what string, got, most *big.Rat) error {
	if got.Cmp(most) > 0 {
		return fmt.Errorf("%s is %s, declared %s", what, got.FloatString(9), most.FloatString(9))
	}
	return nil
}

// fineEnough fails if a number is finer than the grid of its noise, which would then not hide its last digits. Centred tables
// and answers to linear queries are rounded to the grid, at a price.
func fineEnough(c mechanism.Call, v []*big.Rat) error {
	if m := c.Request.Method; m == mechanism.Residuals || m == mechanism.MeasureQueries || m == mechanism.MeanDistance {
		return nil
	}
	steps := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(c.Event.GridBits)))
	for _, x := range v {
		if !new(big.Rat).Mul(x, steps).IsInt() {
			return fmt.Errorf("a number is finer than the grid 2^-%d of its noise", c.Event.GridBits)
		}
	}
	return nil
}

// selected is change for choices among scores.
func selected(c mechanism.Call, n dp.Neighbouring, a, b *truth) (used float64, err error) {
	r := c.Request
	h, g := a.answers(r.Workload), b.answers(r.Workload)
	units := big.NewRat(b.counts.Units()-a.counts.Units(), 1)
	low, high, most := new(big.Rat), new(big.Rat), new(big.Rat)
	first := true
	for i := range h {
		block := new(big.Rat)
		for k := range h[i] {
			d := new(big.Rat).Sub(g[i][k], h[i][k])
			if size := new(big.Rat).Abs(d); size.Cmp(most) > 0 && (r.Method != mechanism.Keep || r.Cell.Marginal == i && r.Cell.Cell == k) {
				most = size
			}
			block.Add(block, new(big.Rat).Abs(d))
			opposite := new(big.Rat).Neg(d) // the other score of a cell, which is chosen with its sign
			if r.Method == mechanism.SelectCell && n == dp.AddRemove {
				least, greatest := r.Workload.Marginals[i].Bounds(k)
				s := new(big.Rat).SetFloat64(least + greatest)
				opposite.Add(opposite, s.Mul(s, units))
			}
			for _, score := range []*big.Rat{d, opposite} {
				if first || score.Cmp(low) < 0 {
					low = score
				}
				if first || score.Cmp(high) > 0 {
					high = score
				}
				first = false
			}
		}
		if r.Method == mechanism.SelectBlock && block.Cmp(most) > 0 {
			most = block
		}
	}
	switch r.Method {
	case mechanism.SelectCell, mechanism.LaplaceMaxCell:
		most = new(big.Rat).Sub(high, low)
	case mechanism.SelectBlock:
		most = new(big.Rat).Add(most, most) // one block rises by it, another one falls
	case mechanism.FirstAbove, mechanism.Keep:
	default:
		return 0, errors.New("the truth of this request is not known to the test")
	}
	declared := big.NewRat(int64(c.Event.Range), 1)
	err = within("range of scores", most, declared)
	used, _ = new(big.Rat).Quo(most, declared).Float64()
	return used, err
}
