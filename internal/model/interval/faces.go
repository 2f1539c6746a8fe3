package interval

import (
	"math"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
	"github.com/dapple-dp/dapple/internal/model/marginal"
)

// face is a table inside an interaction's.
type face struct {
	at  domain.Clique // positions of its attributes among the interaction's
	of  []int32       // its cell that each of the interaction's is in
	sum int           // number of its cells
}

// interaction returns the cells and the faces of the attributes at some positions, without their counts and variances.
func (g *grouper) interaction(at domain.Clique) part {
	of, first := g.group(at)
	p := part{at: at, of: of, base: make([]float64, len(first)), codes: make([][]domain.Code, len(at))}
	for i, k := range at {
		p.codes[i] = lists.Of(first, func(cell int) domain.Code { return g.t.Codes[k][cell] })
	}
	if len(at) == 1 {
		p.faces = []face{{of: make([]int32, len(first)), sum: 1}}
		return p
	}
	for _, sub := range marginal.Subsets(domain.All(len(at)), min(len(at)-1, measuredWidth)) {
		columns := make(domain.Clique, len(sub))
		for k, i := range sub {
			columns[k] = at[i]
		}
		lower, cells := g.group(columns)
		f := face{sub, make([]int32, len(first)), len(cells)}
		for j, i := range first {
			f.of[j] = lower[i]
		}
		p.faces = append(p.faces, f)
	}
	return p
}

// merge puts cells together whose codes no query tells apart. A query's variance is as before where the cells' are alike, else larger:
// of the cells in a class only the sum is compared with the sums along faces.
func (p *part) merge(classes [][]domain.Code, at domain.Clique) {
	t := Table{Clique: make(domain.Clique, len(at)), Codes: make([][]domain.Code, len(at)), Fitted: p.base}
	sizes := make([]int, len(at))
	for i, k := range at {
		t.Clique[i], t.Codes[i] = i, make([]domain.Code, len(p.base))
		sizes[i] = int(slices.Max(classes[k])) + 1
		for j, code := range p.codes[i] {
			t.Codes[i][j] = classes[k][code]
		}
	}
	all := domain.All(len(at))
	g := newGrouper(sizes, &t, measuredWidth)
	out := g.interaction(all)
	if len(out.base) == len(p.base) {
		return
	}
	out.variance, out.beyond = make([]float64, len(out.base)), make([]float64, len(out.base))
	for j, k := range out.of {
		out.base[k] += p.base[j]
		out.variance[k] += p.variance[j]
		out.beyond[k] += p.beyond[j]
	}
	of := make([]int32, len(p.of))
	for i, j := range p.of {
		of[i] = out.of[j]
	}
	out.of = of
	*p = out
}

// error returns the variance that the interaction adds to a query with the means q in its cells.
func (p *part) error(q, variance []float64) float64 {
	if len(q) > manyCells {
		if few := p.few(q, variance); few != nil {
			return few.left()
		}
	}
	return (&rest{slices.Clone(q), variance, p.moved, p.faces}).left()
}

// few puts all codes of an attribute together that the query has 0 for everywhere, at the same price as merge. It returns nil if
// that leaves no fewer cells.
func (p *part) few(q, variance []float64) *rest {
	class, sizes, cells := make([][]int32, len(p.codes)), make([]int, len(p.codes)), 1
	for i, codes := range p.codes {
		class[i], sizes[i] = make([]int32, slices.Max(codes)+1), 1
		for j, x := range q {
			if x != 0 && class[i][codes[j]] == 0 {
				class[i][codes[j]] = int32(sizes[i])
				sizes[i]++
			}
		}
		if cells *= sizes[i]; cells >= len(q) {
			return nil
		}
	}
	out := &rest{make([]float64, cells), make([]float64, cells), make([]float64, cells), make([]face, len(p.faces))}
	for j, x := range q {
		cell := 0
		for i, codes := range p.codes {
			cell = cell*sizes[i] + int(class[i][codes[j]])
		}
		out.variance[cell] += variance[j]
		if p.moved != nil {
			out.moved[cell] += p.moved[j]
		}
		if x != 0 {
			out.q[cell] = x // its codes are in classes of their own
		}
	}
	code := make([]int, len(sizes))
	for k, f := range p.faces {
		f.of, f.sum = make([]int32, cells), 1
		for _, i := range f.at {
			f.sum *= sizes[i]
		}
		for cell := range f.of {
			for i, x := len(sizes)-1, cell; i >= 0; i-- {
				code[i], x = x%sizes[i], x/sizes[i]
			}
			of := 0
			for _, i := range f.at {
				of = of*sizes[i] + code[i]
			}
			f.of[cell] = int32(of)
		}
		out.faces[k] = f
	}
	return out
}

// rest is what is left of a query when sums along faces are taken out.
type rest struct {
	q, variance []float64
	moved       []float64 // see part
	faces       []face
}

const (
	// manyCells are more than what is swept for every query as it is: some 50 µs.
	manyCells = 1000
	// sweeps is how often sums along faces are taken out at most. Fewer make standard errors larger, never smaller.
	sweeps = 6
	// slight is the part of a variance at which a sweep was the last.
	slight = 1e-3
)

// left takes the sums along faces out, and returns the variance of what is left.
func (r *rest) left() float64 {
	variance := func() float64 {
		out := 0.0
		for j, x := range r.q {
			out += r.variance[j] * x * x
		}
		return out
	}
	sums, weights := make([][]float64, len(r.faces)), make([][]float64, len(r.faces))
	for k, f := range r.faces {
		sums[k], weights[k] = make([]float64, f.sum), make([]float64, f.sum)
		for j, of := range f.of {
			weights[k][of] += r.variance[j]
		}
	}
	out := variance()
	for range sweeps {
		less := 0.0
		for k, f := range r.faces {
			clear(sums[k])
			for j, of := range f.of {
				sums[k][of] += r.variance[j] * r.q[j]
			}
			for c, w := range weights[k] {
				if w > 0 {
					less += sums[k][c] * sums[k][c] / w
					sums[k][c] /= w
				}
			}
			for j, of := range f.of {
				r.q[j] -= sums[k][of]
			}
		}
		if len(r.faces) == 1 || less <= slight*out {
			break
		}
		out -= less
	}
	alike := 0.0
	for j, x := range r.moved {
		alike += math.Abs(r.q[j]) * x
	}
	return variance() + together*alike*alike
}

// together is the correlation of the errors of a pair's cells as far as they are the prior's and not the noise's. With none 80 % of
// the counts of corners beside a diagonal held, with .03 all sets of categories; see TestDiagonals in package answer.
const together = .01
