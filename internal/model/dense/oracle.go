package dense

import (
	"gonum.org/v1/gonum/floats"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/dp/query"
	"github.com/dapple-dp/dapple/internal/kit/summation"
)

// Oracle evaluates a plan's marginals and their adjoint. It owns the buffers, so it is not safe for
// concurrent use; no method allocates.
type Oracle struct {
	plan  *Plan
	arena []float64
}

// NewOracle returns an oracle with buffers for the plan: fewer cells than the universe.
func NewOracle(p *Plan) *Oracle { return &Oracle{plan: p, arena: make([]float64, p.arena)} }

// Plan returns the plan that o evaluates.
func (o *Oracle) Plan() *Plan { return o.plan }

// Len returns the number of cells of the universe.
func (p *Plan) Len() int { return p.k }

// Cells returns the number of answers for each clique, cells or queries, in order. The caller must not change it.
func (p *Plan) Cells() []int { return p.answers }

// Sizes returns the sizes of the attributes.
func (p *Plan) Sizes() []int { return p.sizes }

// Cliques returns the plan's cliques, in order. The caller must not change them.
func (p *Plan) Cliques() []domain.Clique { return p.cliques }

// NewAnswers returns zero answers of the plan's shape, one after the other in the second result.
func (p *Plan) NewAnswers() (query.Answers, []float64) {
	sum := summation.InOrder(p.answers)
	flat := make([]float64, sum)
	a, rest := make(query.Answers, len(p.answers)), flat
	for i, n := range p.answers {
		a[i], rest = rest[:n:n], rest[n:]
	}
	return a, flat
}

// Eval writes the marginals of p to dst and returns it: dst[i][c] = Σ p(z) over the cells z of the
// universe whose part in clique i is cell c, or the answer to its query c. It panics on wrong lengths. All 35 triples of a universe
// of 336,000 cells take about 0.4 ms.
func (o *Oracle) Eval(p []float64, dst query.Answers) query.Answers {
	o.check(p, dst)
	o.sum(0, p, dst)
	return dst
}

func (o *Oracle) sum(at int, table []float64, dst query.Answers) {
	n := &o.plan.nodes[at]
	for _, i := range n.leaves {
		if q := o.plan.queries[i]; q != nil {
			q.Eval(dst[i], table)
		} else {
			copy(dst[i], table)
		}
	}
	for _, i := range n.children {
		c := &o.plan.nodes[i]
		out := o.arena[c.offset : c.offset+c.size]
		sumAxis(out, table, c.outer, c.axis, c.inner)
		o.sum(i, out, dst)
	}
}

// Adjoint adds to every cell z of out the sum over cliques i of g[i] at the cell of z, and returns out:
// <Eval(p), g> = <p, Adjoint(g)>. It panics on wrong lengths. It costs as much as Eval.
func (o *Oracle) Adjoint(g query.Answers, out []float64) []float64 {
	o.check(out, g)
	o.spread(0, g, out)
	return out
}

func (o *Oracle) spread(at int, g query.Answers, table []float64) {
	n := &o.plan.nodes[at]
	for _, i := range n.leaves {
		if q := o.plan.queries[i]; q != nil {
			q.Adjoint(g[i], table)
		} else {
			floats.Add(table, g[i])
		}
	}
	for _, i := range n.children {
		c := &o.plan.nodes[i]
		in := o.arena[c.offset : c.offset+c.size]
		clear(in)
		o.spread(i, g, in)
		spreadAxis(table, in, c.outer, c.axis, c.inner)
	}
}

func (o *Oracle) check(universe []float64, a query.Answers) {
	if len(universe) != o.plan.k {
		panic("dense: vector does not have the length of the universe")
	}
	if len(a) != len(o.plan.cells) {
		panic("dense: answers to another number of cliques")
	}
	for i, n := range o.plan.answers {
		if len(a[i]) != n {
			panic("dense: answer of the wrong length")
		}
	}
}
