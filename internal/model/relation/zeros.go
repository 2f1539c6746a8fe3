package relation

import (
	"cmp"
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
	"github.com/dapple-dp/dapple/internal/kit/lists"
)

// halvings bounds the exclusions of a pair of columns: at most 2^6 − 1. What they leave out lies next to the
// cells that can be in order, and rows are repaired there.
const halvings = 6

// Zeros returns the exclusions that follow from the orders and dates of a domain that New accepts: cells without
// values are in order, or are a day that exists. Bins that are still to be learned have no exclusions.
func Zeros(d *domain.Domain) domain.Exclusions {
	p := compile(d, nil, false)
	var out domain.Exclusions
	for _, pair := range p.pairs {
		if p.columns[pair[0]].Learned > 0 || p.columns[pair[1]].Learned > 0 {
			continue
		}
		z := staircase{p: p, a: pair[0], b: pair[1]}
		z.cells()
		z.cut(0, len(z.lower), len(z.upper), halvings)
		out = append(out, z.out...)
	}
	for _, c := range p.calendars {
		out = append(out, p.never(c)...)
	}
	return out
}

// Possible reports whether the cells of a record leave room for the order of every two columns, and hold a day that
// exists.
func (p *Plan) Possible(record []domain.Code) bool {
	for _, c := range p.calendars {
		if !p.room(c, record) {
			return false
		}
	}
	for _, pair := range p.pairs {
		lo, _, ok := p.scales[pair[0]].ends(record[pair[0]])
		_, hi, good := p.scales[pair[1]].ends(record[pair[1]])
		if ok && good && lo > hi {
			return false
		}
	}
	return true
}

// staircase is the cells of two ordered columns, a's sorted by their least value and b's by their largest.
type staircase struct {
	p     *Plan
	a, b  int
	upper []cell // of a
	lower []cell // of b
	out   domain.Exclusions
}

type cell struct {
	code domain.Code
	end  int64
}

func (z *staircase) cells() {
	x, y := &z.p.scales[z.a], &z.p.scales[z.b]
	for code := range x.attr.Size() {
		if lo, _, ok := x.ends(domain.Code(code)); ok {
			z.upper = append(z.upper, cell{domain.Code(code), lo})
		}
	}
	for code := range y.attr.Size() {
		if _, hi, ok := y.ends(domain.Code(code)); ok {
			z.lower = append(z.lower, cell{domain.Code(code), hi})
		}
	}
	byEnd := func(a, b cell) int { return cmp.Compare(a.end, b.end) }
	slices.SortStableFunc(z.upper, byEnd)
	slices.SortStableFunc(z.lower, byEnd)
}

// cut excludes what it can of the cells from … to−1 of b and the cells of a before until: all cells of a that lie
// above the middle cell of b lie above those before it too.
func (z *staircase) cut(from, to, until, depth int) {
	if from >= to || depth == 0 {
		return
	}
	middle := (from + to) / 2
	first := z.above(middle)
	if first < until {
		z.exclude(z.upper[first:until], z.lower[from:middle+1])
	}
	z.cut(from, middle, min(first, until), depth-1)
	z.cut(middle+1, to, until, depth-1)
}

// above returns the first cell of a that lies above cell j of b.
func (z *staircase) above(j int) int {
	i, _ := slices.BinarySearchFunc(z.upper, z.lower[j].end, func(c cell, end int64) int {
		if c.end > end {
			return 1
		}
		return -1
	})
	return i
}

func (z *staircase) exclude(upper, lower []cell) {
	e := domain.Exclusion{Clique: domain.Clique{z.a, z.b}, Codes: [][]domain.Code{codes(upper), codes(lower)}}
	if z.a > z.b {
		e.Clique, e.Codes = domain.Clique{z.b, z.a}, [][]domain.Code{e.Codes[1], e.Codes[0]}
	}
	z.out = append(z.out, e)
}

func codes(cells []cell) []domain.Code {
	out := lists.Of(cells, func(c cell) domain.Code { return c.code })
	slices.Sort(out)
	return out
}
