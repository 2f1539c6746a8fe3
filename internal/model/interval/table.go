package interval

import (
	"slices"

	"github.com/dapple-dp/dapple/dp/domain"
)

// Table is the part of a marginal that a model gives weight to: cell i has the codes Codes[0][i], Codes[1][i], … of the
// attributes of Clique, and Fitted[i] > 0 units.
type Table struct {
	Clique domain.Clique
	Codes  [][]domain.Code
	Fitted []float64
	// Classes, if not nil, has the class of every code of every attribute of Clique: no query tells codes of one class apart.
	Classes [][]domain.Code
	// Rows is the place behind that of the number of rows in Clique, by which queries multiply people; 0: they do not.
	Rows int
}

// AddMarginal adds the cells with weight of the marginal of t's clique, which is in units of 1/scale.
func (t *Table) AddMarginal(sizes []int, marginal []float64, scale float64) {
	code := make([]domain.Code, len(t.Clique))
	for cell, w := range marginal {
		if w <= 0 {
			continue
		}
		for i, rest := len(code)-1, cell; i >= 0; i-- {
			k := sizes[t.Clique[i]]
			code[i], rest = domain.Code(rest%k), rest/k
		}
		t.add(code, w*scale)
	}
}

// AddRecords adds the cells that records have, given by attribute.
func (t *Table) AddRecords(columns [][]domain.Code, weights []float64, scale float64) {
	list := &Table{Clique: t.Clique, Codes: make([][]domain.Code, len(t.Clique)), Fitted: weights}
	at := make(domain.Clique, len(t.Clique))
	for i, a := range t.Clique {
		list.Codes[i], at[i] = columns[a], i
	}
	of, first := groupSparse(list, at)
	sums := make([]float64, len(first))
	for i, w := range weights {
		sums[of[i]] += w
	}
	code := make([]domain.Code, len(t.Clique))
	for j, i := range first {
		for k := range code {
			code[k] = list.Codes[k][i]
		}
		if sums[j] > 0 {
			t.add(code, sums[j]*scale)
		}
	}
}

func (t *Table) add(code []domain.Code, fitted float64) {
	for i, c := range code {
		t.Codes[i] = append(t.Codes[i], c)
	}
	t.Fitted = append(t.Fitted, fitted)
}

// grouper numbers the cells of a table by some of its attributes, and remembers those by few attributes.
type grouper struct {
	sizes []int
	t     *Table
	width int // most attributes that are remembered
	known map[string]numbers
}

type numbers struct {
	of    []int32
	first []int
}

func newGrouper(sizes []int, t *Table, width int) *grouper {
	return &grouper{sizes, t, width, map[string]numbers{}}
}

// group numbers the cells by the attributes at some positions. It returns the number of every cell, and for every number
// the first cell that has it.
func (g *grouper) group(at domain.Clique) (of []int32, first []int) {
	key := at.Key()
	if n, ok := g.known[key]; ok {
		return n.of, n.first
	}
	of, first = group(g.sizes, g.t, at)
	if len(at) <= g.width {
		g.known[key] = numbers{of, first}
	}
	return of, first
}

// group numbers the cells of t by the attributes at some positions. It returns the number of every cell, and for every number
// the first cell that has it.
func group(sizes []int, t *Table, at domain.Clique) (of []int32, first []int) {
	of = make([]int32, len(t.Fitted))
	cells := 1
	for _, k := range at {
		if cells *= sizes[t.Clique[k]]; cells > 1<<22 {
			return groupSparse(t, at)
		}
	}
	number := make([]int32, cells) // plus 1
	for i := range of {
		x := 0
		for _, k := range at {
			x = x*sizes[t.Clique[k]] + int(t.Codes[k][i])
		}
		if number[x] == 0 {
			first = append(first, i)
			number[x] = int32(len(first))
		}
		of[i] = number[x] - 1
	}
	return of, first
}

func groupSparse(t *Table, at domain.Clique) (of []int32, first []int) {
	of = make([]int32, len(t.Fitted))
	for i := range of {
		of[i] = 0
	}
	count := int32(1)
	for _, k := range at { // one attribute after the other
		numbers := map[[2]int32]int32{}
		for i := range of {
			key := [2]int32{of[i], int32(t.Codes[k][i])}
			n, ok := numbers[key]
			if !ok {
				n = int32(len(numbers))
				numbers[key] = n
			}
			of[i] = n
		}
		count = int32(len(numbers))
	}
	first = slices.Repeat([]int{-1}, int(count))
	for i, n := range of {
		if first[n] < 0 {
			first[n] = i
		}
	}
	return of, first
}
