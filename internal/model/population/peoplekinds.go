package population

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/dapple-dp/dapple/dp/domain"
)

// sorted returns the records that have weight in lexicographic order of the attributes of persons: a radix sort.
func (p *People) sorted() []uint32 {
	var from []uint32
	for i, w := range p.m.Weights {
		if w > 0 {
			from = append(from, uint32(i))
		}
	}
	return sortedBy(p.m, from, p.e.Person)
}

// code returns attribute a of record i.
func (m *Model) code(i uint32, a int) domain.Code {
	if m.Columns != nil {
		return m.Columns[a][i]
	}
	return m.codeOf(int(i), a)
}

// codeOf returns attribute a of a cell of the universe.
func (m *Model) codeOf(cell, a int) domain.Code {
	for b := len(m.Sizes) - 1; b > a; b-- {
		cell /= m.Sizes[b]
	}
	return domain.Code(cell % m.Sizes[a])
}

// draw draws the persons, and finds the records that the rows of each kind of them are drawn from: those that agree in
// as many of the attributes of persons, from the first on, as leave enough of them. It returns where the records of each
// class begin and end in sorted.
func (p *People) draw(sorted []uint32, cliques []domain.Clique) (of [][2]int) {
	k := len(p.e.Person)
	persons := &Model{Columns: make([][]domain.Code, k), StructuralZeros: p.ofPersons()}
	for j, a := range p.e.Person {
		persons.Sizes = append(persons.Sizes, p.m.Sizes[a])
		persons.Columns[j] = []domain.Code{}
	}
	same := func(x, y uint32) bool {
		return !slices.ContainsFunc(p.e.Person, func(a int) bool { return p.m.code(x, a) != p.m.code(y, a) })
	}
	for i, r := range sorted {
		if i == 0 || !same(sorted[i-1], r) {
			for j, a := range p.e.Person {
				persons.Columns[j] = append(persons.Columns[j], p.m.code(r, a))
			}
			persons.Weights = append(persons.Weights, 0)
		}
		persons.Weights[len(persons.Weights)-1] += p.m.Weights[r]
	}
	var rows *Rows
	if p.support != nil { // refined persons can be of a kind that no record is of
		rows = Systematic(persons, p.n, p.seed)
	} else {
		rows = NewRows(persons, within(cliques, p.e.Person), p.n, p.seed)
	}
	kinds := 1
	for _, a := range p.other {
		kinds = min(kinds*p.m.Sizes[a], donors)
	}
	type found struct {
		codes    []domain.Code
		copies   int64
		from, to int
		own      uint32
	}
	var all []found
	rows.list.each(func(codes []domain.Code, copies int64) {
		f := found{codes: slices.Clone(codes), copies: copies, to: len(sorted)}
		from, to, exact := 0, len(sorted), true
		for j, a := range p.e.Person {
			lo := from + sort.Search(to-from, func(i int) bool { return p.m.code(sorted[from+i], a) >= codes[j] })
			hi := from + sort.Search(to-from, func(i int) bool { return p.m.code(sorted[from+i], a) > codes[j] })
			from, to = lo, hi
			if exact = exact && to-from >= kinds; exact {
				f.from, f.to = from, to
			}
		}
		if from < to {
			f.own = sorted[from]
		}
		all = append(all, f)
	})
	slices.SortStableFunc(all, func(a, b found) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	end := int64(0)
	for i, f := range all {
		if i == 0 || f.from != all[i-1].from || f.to != all[i-1].to {
			of = append(of, [2]int{f.from, f.to})
		}
		end += f.copies
		p.cells = append(p.cells, personCell{end: end, class: int32(len(of) - 1), own: f.own})
		p.codes = append(p.codes, f.codes...)
	}
	return of
}

// ofPersons returns the exclusions that hold attributes of persons alone, by their numbers there.
func (p *People) ofPersons() (out domain.Exclusions) {
	for _, x := range p.m.StructuralZeros {
		if slices.ContainsFunc(x.Clique, func(a int) bool { return !slices.Contains(p.e.Person, a) }) {
			continue
		}
		own := domain.Exclusion{}
		for j, a := range p.e.Person {
			if i := slices.Index(x.Clique, a); i >= 0 {
				own.Clique, own.Codes = append(own.Clique, j), append(own.Codes, x.Codes[i])
			}
		}
		out = append(out, own)
	}
	return out
}

// within returns the parts of cliques that lie in attributes, by their numbers there.
func within(cliques []domain.Clique, attributes []int) (out []domain.Clique) {
	seen := map[string]bool{}
	for _, c := range cliques {
		var part domain.Clique
		for _, a := range c {
			if j := slices.Index(attributes, a); j >= 0 {
				part = append(part, j)
			}
		}
		slices.Sort(part)
		if len(part) > 0 && !seen[part.Key()] {
			seen[part.Key()] = true
			out = append(out, part)
		}
	}
	return out
}

// assign gives the rows of each class to its records, sorted[of[i][0]:of[i][1]]: a systematic sample by weight.
func (p *People) assign(sorted []uint32, of [][2]int) {
	rng := rand.New(rand.NewPCG(p.seed, streamPeople))
	last := make([]int64, len(of)) // person behind the last of each
	for _, c := range p.cells {
		last[c.class] = c.end
	}
	c := class{}
	for i, at := range of {
		records := sorted[at[0]:at[1]]
		c.first = c.end
		if c.end = p.inOrder[len(p.inOrder)-1]; last[i] < p.n {
			c.end = p.first(last[i])
		}
		if p.classes = append(p.classes, c); c.first == c.end {
			continue // nobody has a row
		}
		total := 0.0
		weight := func(r uint32) float64 {
			if p.none(r) {
				return 0
			}
			return p.m.Weights[r]
		}
		for _, r := range records {
			total += weight(r)
		}
		scale, u, sum, filled := float64(c.end-c.first)/total, rng.Float64(), 0.0, c.first
		for _, r := range records {
			sum += weight(r)
			if end := min(c.end, c.first+int64(math.Ceil(float64(sum*scale)-u))); end > filled {
				p.donors, p.ends = append(p.donors, r), append(p.ends, end)
				filled = end
			}
		}
		if filled < c.end {
			p.donors, p.ends = append(p.donors, records[len(records)-1]), append(p.ends, c.end)
		}
	}
}
