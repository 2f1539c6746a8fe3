package population

import (
	"math"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// inside returns for each bin of the number of rows the cumulative shares of its numbers: the density in log m runs
// straight, on a log scale, from the middle of a bin to the middle of the next.
func (p *People) inside() [][]float64 {
	cuts, shares := p.e.Cuts, p.m.Marginal(domain.Clique{p.e.Rows}, nil)
	var x, y []float64
	for b, share := range shares {
		lo, hi := float64(cuts[b]), float64(cuts[b+1]-1)
		if b == len(shares)-1 {
			hi++
		}
		if lo > 0 && share > 0 && (b < len(shares)-1 || b == 0) { // the last bin is of all who have so many rows and more
			x, y = append(x, math.Log((lo+hi)/2)), append(y, math.Log(share/(hi-lo+1)))
		}
	}
	density := func(m int64) float64 {
		at := math.Log(float64(m))
		if len(x) < 2 {
			return 1
		}
		i := min(max(sort.SearchFloat64s(x, at), 1), len(x)-1)
		slope := min(max((y[i]-y[i-1])/(x[i]-x[i-1]), -8), 4) // noise makes neighbours that no number of rows explains
		return math.Exp(y[i] + float64(slope*(at-x[i])))
	}
	sums := make([][]float64, len(shares))
	for b := range sums {
		last := cuts[b+1] - 1
		if b == len(sums)-1 {
			last++
		}
		if cuts[b] == 0 {
			sums[b] = []float64{1}
			continue
		}
		sum := 0.0
		for m := cuts[b]; m <= last; m++ {
			sum += density(m)
			sums[b] = append(sums[b], sum)
		}
	}
	return sums
}

// rowsOf returns the number of rows of person r, who is of the given cell. Numbers of one bin are spread as evenly as
// multiples of the golden ratio are.
func (p *People) rowsOf(r int64, cell int) int64 {
	b := p.codes[cell*len(p.e.Person)+slices.Index(p.e.Person, p.e.Rows)]
	sums := p.sums[b]
	_, u := math.Modf(p.offset + float64(uint64(r)*0x9e3779b97f4a7c15>>11)/(1<<53))
	k := sort.SearchFloat64s(sums, u*sums[len(sums)-1])
	return p.e.Cuts[b] + int64(min(k, len(sums)-1))
}

// number counts the rows of all persons, in order of classes and of positions.
func (p *People) number() {
	sum, cell := int64(0), 0
	for r := range p.n {
		if r%every == 0 {
			p.inOrder = append(p.inOrder, sum)
		}
		for p.cells[cell].end <= r {
			cell++
		}
		sum += p.rowsOf(r, cell)
	}
	p.inOrder = append(p.inOrder, sum)
	sum = 0
	r := p.scatter.row(0)
	for i := range p.n {
		if i%every == 0 {
			p.placed = append(p.placed, sum)
		}
		sum += p.rowsOf(r, p.cell(r))
		r = p.scatter.next(r)
	}
	p.placed = append(p.placed, sum)
}

// first returns the number of the first row of person r, in order of classes.
func (p *People) first(r int64) int64 {
	from := r / every * every
	sum, cell := p.inOrder[r/every], p.cell(from)
	for s := from; s < r; s++ {
		for p.cells[cell].end <= s {
			cell++
		}
		sum += p.rowsOf(s, cell)
	}
	return sum
}
